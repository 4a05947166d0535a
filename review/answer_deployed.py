"""Where the matter of a question runs, if that is asked."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Protocol

from core.errors import BadQuery
from core.keys import parse
from core.probes.standing import DeployedState
from core.types import Audience, Evidence
from review.environments import names
from review.reading import Reading
from review.types import Unknown

SUBJECTS = 3
"""Tickets, commits and pull requests of one question."""
BEST = 3
"""Passages that were found first, in which a subject is looked for where the question names none."""
_DEPLOYED = re.compile(
    r"\b(?:(?:un|re)?deploy\w*|released?|roll(?:ed)?[ -]?out|rollout|shipped|(?:is|are|go|goes|gone|went|been|be) live"
    r"|there yet|in use yet|environments?|which (?:version|build|commit)|what version"
    r"|ausgeliefert|ausgerollt|eingespielt|veröffentlicht|live|umgebung(?:en)?|welche version|schon da)\b",
    re.IGNORECASE,
)
_AT = r"\b(?:on|in|at|to|into|reach(?:ed)?|auf|im|in der|nach)\s+(?:the\s+)?"
_RUNS = re.compile(
    r"\b(?:what|which|welche[rs]?|was)\b[^.?!]*\b(?:runs?|running|deployed|version|läuft|laufen)\b", re.IGNORECASE
)


class Knows(Protocol):
    """As `core.probes.deployments.Deployments`."""

    def environments(self, audience: Audience) -> tuple[str, ...]: ...

    def state(
        self,
        audience: Audience,
        *,
        environment: str | None = None,
        repo: str | None = None,
        commit: str | None = None,
        ticket: str | None = None,
        pull: int | None = None,
    ) -> DeployedState:
        """Raises BadQuery."""


@dataclass(frozen=True, slots=True)
class _Subject:
    """One of these, or the environments themselves."""

    ticket: str | None = None
    commit: str | None = None
    pull: int | None = None
    repo: str | None = None
    certain: bool = True
    """It cannot be meant as a word, so that it is said where nothing is found of it."""


def deployed(
    question: str, keys: Sequence[str], found: Sequence[Evidence], deployments: Knows, reading: Reading
) -> tuple[Evidence, ...]:
    """How what the question names stands, or else what was found first; in the environments that it names, or all.
    `keys` are what it means by their names. What could not be read is noted.
    """
    known = deployments.environments(reading.audience)
    wanted = [one for one in known if names(question, one)]
    if not known or not (_DEPLOYED.search(question) or any(_is_at(question, one) for one in wanted)):
        return ()
    reading.say("Asking what runs where")
    subjects = list(dict.fromkeys(_named(" ".join((question, *keys)))))[:SUBJECTS]
    if not subjects and wanted and _RUNS.search(question):
        subjects = [_Subject()]
    subjects = subjects or list(dict.fromkeys(_of_evidence(found[:BEST])))[:1]
    told: list[Evidence] = []
    for subject in subjects:
        told += _told(subject, wanted, deployments, reading)
    return reading.enter_live(told)


def _told(subject: _Subject, wanted: Sequence[str], deployments: Knows, reading: Reading) -> Iterator[Evidence]:
    try:
        state = deployments.state(
            reading.audience, repo=subject.repo, commit=subject.commit, ticket=subject.ticket, pull=subject.pull
        )
    except BadQuery:  # what is written like an identifier, and is none
        return
    by = "The next reading of the repository, or asking whoever works on it."
    reading.note(Unknown(note, by) for note in state.notes if subject.certain)
    for one in state.standings:
        if wanted and one.environment not in wanted:
            continue
        if one.contained == "unknown":
            reading.note([Unknown(" ".join(one.says), one.settled_by)])
        elif subject == _Subject():  # what runs there is what is asked, and a quote may be cut
            yield replace(one.evidence, text=" ".join((*one.says[1:2], one.says[0], *one.says[2:])))
        else:
            yield one.evidence


def _named(text: str) -> Iterator[_Subject]:
    for key in parse(text).found:
        match key.kind:
            case "ticket":
                yield _Subject(ticket=key.text.upper(), certain=key.certain)
            case "commit":
                yield _Subject(commit=key.text.lower())
            case "pull" if key.repo:
                yield _Subject(pull=int(key.text), repo=key.repo.rpartition("/")[2])
            case _:
                continue


def _of_evidence(found: Sequence[Evidence]) -> Iterator[_Subject]:
    for one in found:
        repo, _, commit = one.document_id.removeprefix("git:").partition("@")
        if one.kind == "ticket" and (key := one.attributes.get("key")):
            yield _Subject(ticket=key)
        elif one.kind == "commit" and commit:
            yield _Subject(commit=commit, repo=repo)


def _is_at(question: str, environment: str) -> bool:
    return re.search(rf"{_AT}{re.escape(environment)}(?!\w)", question, re.IGNORECASE) is not None
