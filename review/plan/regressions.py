"""Faults that were repaired, or are known, where a plan changes something."""

from collections.abc import Iterator

from core.chunking.languages import language_of
from core.tickets import KEY
from core.types import Evidence
from review.checks.places import evidence_place, shown
from review.plan.known import first_of_each, ticket_of
from review.plan.matter import Matter, touched
from review.plan.sources import enough
from review.plan.types import PlanCheck
from review.text import sentences
from review.types import Cited, Priority

_UNSURE = 0.2
"""Concern of a fault that was repaired in a file which may be another than the plan means, or which is no code and is
changed with everything. Of a file of code that is surely the same nothing is asked: the repair can break there however
the plan is worded."""
_LOOKED_UP = 6
"""Tickets of the files' commits that are read."""
_MOST = 2


def check(matter: Matter) -> Iterator[PlanCheck]:
    """The faults nearest to the plan, those of its own files first. Raises CoreError."""
    sure = {key for commit in _surely_changed(matter) for key in KEY.findall(commit.locator.title)}
    here = [(one, commit) for one, commit in _of_history(matter) if _is_fault(matter, one)]
    named = {ticket_of(one) for one, _ in here}
    alike = [one for one in first_of_each(matter.found) if one.kind == "ticket" and ticket_of(one) not in named]
    faults = [
        *(
            (score, one, commit)
            for one, commit in here
            if (score := matter.concern(one).score) >= _UNSURE or ticket_of(one) in sure
        ),
        *(
            (score, one, None)
            for one in alike
            if _is_fault(matter, one) and (score := matter.concern(one).score) >= enough(matter)
        ),
    ]
    faults.sort(key=lambda fault: (fault[2] is None, -fault[0]))
    for _, one, commit in faults[:_MOST]:
        yield _told(matter, one, commit)


def _surely_changed(matter: Matter) -> Iterator[Evidence]:
    """The commits of the code that the plan names, as far as one file alone can be meant: the only one whose path ends
    so, or the only one in the repository that the plan is for.
    """
    for named in matter.given.paths:
        files = frozenset[tuple[str, str]]().union(*(touched(commit, named) for commit in matter.commits))
        own = [(repo, path) for repo, path in files if repo == matter.repo] or [*files]
        if len(own) == 1 and language_of(own[0][1], ""):
            yield from (commit for commit in matter.commits if own[0] in touched(commit, named))


def _of_history(matter: Matter) -> Iterator[tuple[Evidence, Evidence]]:
    """The tickets by whose commits the named files were changed, each with the first of these commits."""
    commits: dict[str, Evidence] = {}
    for commit in matter.commits:
        for key in KEY.findall(commit.locator.title):
            commits.setdefault(key, commit)
    for key in [key for key in commits if key not in matter.given.tickets][:_LOOKED_UP]:
        found = matter.reading.lookup(key, limit=_LOOKED_UP)
        ticket = next((one for one in found if one.kind == "ticket" and ticket_of(one) == key), None)
        if ticket:
            yield ticket, commits[key]


def _is_fault(matter: Matter, ticket: Evidence) -> bool:
    """A bug that was repaired or is still open; not one that was rejected or set aside. The plan does not name it."""
    kind, resolution, status = (
        ticket.attributes.get(name, "").strip().lower() for name in ("type", "resolution", "status")
    )
    aside = {*matter.words.rejected, *matter.words.unfixed}
    return kind in matter.words.bugs and not {resolution, status} & aside and not matter.known.names(ticket)


def _told(matter: Matter, ticket: Evidence, commit: Evidence | None) -> PlanCheck:
    title = shown(ticket.locator.title)
    if ticket.attributes.get("done") == "true":
        where = "in a file that the plan names" if commit else "in the same matter"
        statement = f"“{title}” was repaired {where}. Keep the repair, and test that case again."
        why = "What broke here once breaks again most easily when the same place is changed."
    else:
        statement = f"“{title}” is known and not repaired yet. Decide whether this plan settles it or builds on it."
        why = "The plan may repeat a fault that somebody is about to repair."
    evidence = [evidence_place(ticket).cite(_sentence(matter, ticket))]
    if commit:
        evidence.append(Cited(commit.locator, commit.labels, quote=commit.locator.title))
    priority = Priority.P1 if commit else Priority.P2
    return PlanCheck("past regression", priority, statement, why, tuple(evidence))


def _sentence(matter: Matter, ticket: Evidence) -> str:
    """What of it is nearest to the plan; failing that its first sentence."""
    nearest = matter.concern(ticket).sentence
    return nearest or next((one.text for one in sentences(ticket.text)), ticket.text.strip()[:200])
