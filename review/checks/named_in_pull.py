"""The ticket asks for a message, a field or an address by its name, and nothing at the pull request's head has it."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from core.errors import CoreError
from core.pulls.types import Snapshot
from core.types import Evidence, Filters, Query
from review.case import Case, Checked
from review.checks.places import Place, shown, written
from review.checks.pulls import alive, name_of
from review.text import Sentence, phrases, sentences
from review.types import Cited, Finding, Priority, Unknown

ID = "named-in-pull"
_MOST = 8
"""Names that are looked for."""
_QUOTED = re.compile(r"\"([^\"\n]{4,80})\"|“([^”\n]{4,80})”|„([^“”\n]{4,80})[“”]")
_CODE = re.compile(r"`([^`\n]{4,80})`")
_ROUTE = re.compile(r"(?<![\w:/.])(/(?:[a-z][\w-]*/)+[a-z][\w-]*)")
_NAME = re.compile(r"[A-Za-z_][\w.]*(?:[_.][A-Za-z]\w*|[a-z][A-Z]\w*)|/[\w/.-]+")
_FILLED = re.compile(r"\d|[{}<>$%*…\[\]]|\.\.\.")
"""What a text holds that code fills in: it cannot be looked for as it stands."""


@dataclass(frozen=True, slots=True)
class Named:
    """What a criterion asks for by its name, literally."""

    text: str
    place: Place
    sentence: Sentence


def check(case: Case) -> Checked:
    snapshots = alive(case)
    named = list(_named(case))[:_MOST] if snapshots and case.read else []
    absent = [one for one in named if not any(_stands(case, snapshot, one.text) for snapshot in snapshots)]
    absent = [one for one in absent if not _in_index(case, one.text)]
    if not absent:
        return Checked()
    reason = _not_whole(case, snapshots)
    if reason:
        name = shown(absent[0].text, 80)
        what = f"“{name}”, which the ticket asks for, was not found in the {name_of(snapshots[0])}; {reason}."
        return Checked(unknowns=(Unknown(what, "Looking at the pull request, or reading it when it is finished."),))
    return Checked(findings=tuple(_finding(one, snapshots) for one in absent))


def _named(case: Case) -> Iterator[Named]:
    """Names in what the ticket demands: acceptance criteria, and sentences with `must` or `should`."""
    words = case.words
    for place in written(case.ticket):
        in_criteria = place.name.strip().lower() in words.acceptance
        for sentence in sentences(place.text):
            label = sentence.heading.strip(" *_#:").lower()
            demands = in_criteria or label in words.acceptance or sentence.prose in phrases(words.must)
            if not demands or sentence.kind == "heading" or sentence.prose in phrases(words.may_not):
                continue
            for text in dict.fromkeys([*_quotes(sentence.text), *_names(sentence.text)]):
                yield Named(text, place, sentence)


def _quotes(text: str) -> Iterator[str]:
    """Quoted texts of two words or more; a single word may be anything."""
    for found in _QUOTED.finditer(text):
        quoted = next(part for part in found.groups() if part)
        if len(quoted.split()) >= 2 and not _FILLED.search(quoted):
            yield quoted.strip(" .,;:!?")


def _names(text: str) -> Iterator[str]:
    yield from (found[1] for found in _CODE.finditer(text) if _NAME.fullmatch(found[1]))
    yield from (found[1] for found in _ROUTE.finditer(text))


def _stands(case: Case, snapshot: Snapshot, text: str) -> bool:
    """Whether the head has it, or at least the beginning of a message that is written over several lines."""
    if case.read is None:
        return True
    words = text.split()
    parts = [text, *(" ".join(words[n : n + 2]) for n in range(0, len(words) - 1, 2))] if len(words) > 2 else [text]
    for part in parts:
        try:
            if case.read.grep(snapshot, part):
                return True
        except CoreError:
            return True  # it could not be looked for
    return False


def _in_index(case: Case, text: str) -> bool:
    """Whether code elsewhere has it already: what exists need not be in the pull request."""
    found = case.search(Query(f"`{text}`", filters=Filters(kinds=frozenset({"code", "file"})), limit=8)).evidence
    return any(_holds(one, text) for one in found)


def _holds(one: Evidence, text: str) -> bool:
    return " ".join(text.lower().split()) in " ".join(one.text.lower().split())


def _not_whole(case: Case, snapshots: tuple[Snapshot, ...]) -> str:
    """Why the absence does not count yet; empty where everything was there to be read."""
    if any(snapshot.pull.state == "draft" for snapshot in snapshots):
        return "it is still a draft"
    if any(snapshot.gaps or any(file.special for file in snapshot.files) for snapshot in snapshots):
        return "not all of it could be read"
    if not case.all_pulls:
        return "another one may be there that could not be read"
    closed = [snapshot for snapshot in case.snapshots if snapshot not in snapshots]
    return "another pull request was closed" if closed else ""


def _finding(one: Named, snapshots: tuple[Snapshot, ...]) -> Finding:
    where = " and ".join(f"the {name_of(snapshot)}" for snapshot in snapshots[:3])
    looked = tuple(
        Cited(snapshot.locator, snapshot.labels, looked_for=f"“{one.text}” in all files at the head")
        for snapshot in snapshots[:3]
    )
    return Finding(
        rule=ID,
        category="missing rule",
        priority=Priority.P2,
        statement=f"The ticket asks for “{shown(one.text, 80)}” ({one.place.name}: “{shown(one.sentence.text)}”), "
        f"which is not found in {where}.",
        why="Either a part is not built yet, or it is called otherwise, and a test by the ticket's words fails.",
        question="Is this part still to come, or does it have another name now?",
        evidence=(one.place.cite(one.sentence.text), *looked),
    )
