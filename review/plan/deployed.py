"""What a plan rests on that is not in what an environment runs."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain

from core.keys import parse
from core.probes.standing import Standing
from core.types import Evidence
from review.checks.places import shown
from review.environments import in_use, named_in, names
from review.plan.matter import COMMITS, Matter, touched
from review.plan.ports import Deployments
from review.plan.saying import is_awaited, own_tickets, resting
from review.plan.types import PlanCheck
from review.types import Cited, Priority, Unknown

_NAMED, _WORK = 12, 4
"""Pieces of work that are looked at in the plan, and of which it is asked where they stand."""
_MOST = 2


@dataclass(frozen=True, slots=True)
class _Work:
    """A ticket, pull request or commit that a sentence takes for done."""

    name: str
    sentence: str
    called: tuple[str, ...]
    """By what another sentence may speak of it."""
    ticket: str | None = None
    commit: str | None = None
    repo: str | None = None
    pull: int | None = None


def check(matter: Matter, deployments: Deployments) -> Iterator[PlanCheck]:
    """One for each piece of work that is not there where the plan needs it. Raises CoreError."""
    environments = deployments.environments(matter.reading.audience)
    told = 0
    for work in _works(matter, environments):
        state = deployments.state(
            matter.reading.audience,
            repo=work.repo,
            commit=work.commit,
            ticket=work.ticket,
            pull=work.pull,
            seconds=matter.time.left,
        )
        matter.reading.note(_unread(state.standings))
        if told < _MOST and (behind := _behind(work, state.standings)):
            told += 1
            yield _not_there(matter, work, behind)


def _works(matter: Matter, environments: Sequence[str]) -> list[_Work]:
    """Each once, without what the plan says is still to come."""
    every: dict[str, _Work] = {}
    for work in chain(_rested_on(matter), _files(matter, environments)):
        every.setdefault(work.name, work)
    if len(every) > _NAMED:
        what = f"Where the first {_NAMED} of {len(every)} pieces of work stand was looked up."
        matter.reading.note([Unknown(what, "Checking parts of the plan one by one.")])
    first = list(every.values())[:_NAMED]
    return [work for work in first if not is_awaited(matter.given, work.called)][:_WORK]


def _rested_on(matter: Matter) -> Iterator[_Work]:
    """What the plan says it rests on. Of its own ticket only that it is in use: the rest is what it will do."""
    own = own_tickets(matter.given, matter.branch)
    for sentence, live in resting(matter.given, matter.words):
        for key in parse(sentence.text).found:
            if key.kind == "ticket" and key.certain and (live or key.text not in own):
                yield _Work(key.text, sentence.text, (key.text,), ticket=key.text)
            elif key.kind == "commit":
                yield _Work(key.text, sentence.text, (key.text,), commit=key.text)
            elif key.kind == "pull" and (repo := (key.repo or matter.repo or "").rpartition("/")[2]):
                yield _Work(f"pull request {key.text}", sentence.text, (key.text,), repo=repo, pull=int(key.text))


def _files(matter: Matter, environments: Sequence[str]) -> Iterator[_Work]:
    """Files that the plan changes or uses in an environment that it names: the first commit of each."""
    for sentence in matter.given.sentences:
        meant = [one for one in environments if names(sentence.text, one)]
        paths = [key.text for key in parse(sentence.text).found if key.kind == "path"] if meant else []
        for path in paths:
            if first := _first_of(path, matter.commits):
                called = path, path.rpartition("/")[2], *meant
                yield _Work(path, sentence.text, called, commit=first.document_id.partition("@")[2])


def _first_of(path: str, commits: Sequence[Evidence]) -> Evidence | None:
    """The commit that made a file; None if there may be earlier ones than were read."""
    touching = [one for one in commits if touched(one, path)]
    return min(touching, key=lambda one: one.updated) if 0 < len(touching) < COMMITS else None


def _behind(work: _Work, standings: Sequence[Standing]) -> list[Standing]:
    """Where it is not, of the environments that the sentence names, else of those that people use. A later commit of
    the same work that is not there yet undoes nothing; instances that differ do.
    """
    meant = named_in(work.sentence, standings) or in_use(standings) or standings
    return [
        one for one in meant if one.says and (one.contained == "no" or (one.contained == "partly" and _differ(one)))
    ]


def _differ(standing: Standing) -> bool:
    return "," in f"{standing.commit}{standing.version}"


def _unread(standings: Sequence[Standing]) -> Iterator[Unknown]:
    for one in standings:
        if one.unread:
            what = f"What {one.environment} runs of {one.repo} could not be read: {one.unread}."
            yield Unknown(what, one.settled_by or "Asking again later.")


def _not_there(matter: Matter, work: _Work, behind: Sequence[Standing]) -> PlanCheck:
    for one in behind:
        matter.reading.register.add_evidence(one.evidence)
    where = ", ".join(dict.fromkeys(one.environment for one in behind))
    partly = all(one.contained == "partly" for one in behind)
    return PlanCheck(
        category="deployed or migrated",
        priority=Priority.P1,
        statement=f"The plan rests on {shown(work.name)} (“{shown(work.sentence, 120)}”), which is "
        f"{'only partly' if partly else 'not'} on {shown(where)}. Deploy that first, or plan without it.",
        why=f"{shown(behind[0].says[0], 240)}.",
        evidence=tuple(Cited(one.locator, one.labels, quote=one.says[0]) for one in behind[:3]),
    )
