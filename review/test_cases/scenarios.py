"""Criteria that are written as scenarios: given, when, then, in lines or in one sentence, in English or German."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from review.case import Case
from review.checks.places import Place, written
from review.checks.statements import Statement
from review.test_cases.material import bare, gist, raised
from review.test_cases.types import DraftedCase, Step
from review.text import Sentence, language_of
from review.types import Cited
from review.wording import cut

Part = Literal["given", "when", "then"]
PARTS: tuple[Part, ...] = ("given", "when", "then")
_PARTS: dict[str, Part] = {
    "given": "given", "angenommen": "given", "gegeben sei": "given", "gegeben": "given",
    "when": "when", "wenn": "when", "then": "then", "dann": "then",
}  # fmt: skip
_OPENS = re.compile(
    rf"(?:^[ \t>*_-]*|(?<=[,;.])\s+)(?P<part>{'|'.join(_PARTS)})\b[*_]*:?|^[ \t>*_-]*(?P<more>and|but|und|aber)\b[*_]*",
    re.IGNORECASE | re.MULTILINE,
)
"""What begins a clause; `and` only at the beginning of a line."""
_ENDS = re.compile(
    r"\n[ \t>]*\n|\n[ \t>*_#-]*(?:scenario|examples?|feature|background|szenario|beispiele)\b|\n?```", re.IGNORECASE
)
MOST = 15
CLAUSES = 8
"""Scenarios of a ticket, and clauses of each part."""


_BETWEEN = " \t\n\r>*_-,;."
"""What may stand between two clauses of one scenario."""


@dataclass(frozen=True, slots=True)
class _Clause:
    part: Part | None
    """None: it goes on with the part before."""
    start: int
    end: int
    text: str
    at_line: bool
    """It begins a line."""


@dataclass(frozen=True, slots=True)
class Scenario:
    place: Place
    start: int
    end: int
    given: tuple[str, ...]
    when: tuple[str, ...]
    then: tuple[str, ...]

    def holds(self, place: Place, sentence: Sentence) -> bool:
        """Whether a sentence is a part of it."""
        return place == self.place and sentence.start < self.end and self.start < sentence.end

    def cite(self) -> Cited:
        return self.place.cite(self.place.text[self.start : self.end].strip())


def scenarios(case: Case) -> tuple[Scenario, ...]:
    """Those of a ticket's own texts; none of a bug's, which may tell what is wrong."""
    if case.ticket.type.strip().lower() in case.words.bugs:
        return ()
    found = [one for place in written(case.ticket) if place.part != "title" for one in _of(place)]
    return tuple(found[:MOST])


def within(statement: Statement, every: tuple[Scenario, ...]) -> bool:
    """Whether a quantity is one of a scenario: an example, and no limit by itself."""
    return any(one.holds(statement.place, statement.sentence) for one in every)


def scenario_case(one: Scenario) -> DraftedCase:
    """It is tried as it is written."""
    told = "; ".join((*one.given, *one.when))
    seen = " ".join(f"{text}." for text in one.then)
    return DraftedCase(
        kind="criterion",
        title=f"Scenario as written: {cut(told, 140)}: {cut(one.then[0], 80)}",
        preconditions=tuple(f"{text}." for text in one.given),
        steps=tuple(Step(f"{text}.") for text in one.when),
        expected=cut(seen, 480),
        urgency="high",
        reason="It is given as the proof that the work is done.",
        sources=(one.cite(),),
        condition=gist(f"{told} {seen}", language_of(one.place.text)),
    )


def _of(place: Place) -> Iterator[Scenario]:
    """Clauses that follow each other; `given`, or `when` after `then`, begins anew."""
    group: list[_Clause] = []
    for clause in _clauses(place.text):
        last = group[-1] if group else None
        part = last.part if last and clause.part is None else clause.part
        anew = (part == "given" and last and last.part != "given") or (part == "when" and last and last.part == "then")
        if last and (anew or place.text[last.end : clause.start].strip(_BETWEEN)):
            yield from _whole(place, group)
            group, part = [], clause.part
        if part:
            group.append(replace(clause, part=part))
    yield from _whole(place, group)


def _clauses(text: str) -> Iterator[_Clause]:
    opened = list(_OPENS.finditer(text))
    for number, found in enumerate(opened, 1):
        after = opened[number].start() if number < len(opened) else len(text)
        stop = _ENDS.search(text, found.end(), after)
        end = stop.start() if stop else after
        part = _PARTS[found["part"].lower()] if found["part"] else None
        at_line = not text[: found.start()].strip(" \t") or text[: found.start()].endswith("\n")
        yield _Clause(part, found.start(), end, raised(bare(text[found.end() : end])), at_line)


def _whole(place: Place, group: Sequence[_Clause]) -> Iterator[Scenario]:
    """One with all it needs. A sentence such as `When it is late, then it is refused` alone is none."""
    parts = {part: tuple(one.text for one in group if one.part == part and one.text)[:CLAUSES] for part in PARTS}
    in_lines = any(one.part == "then" and one.at_line for one in group)
    if parts["when"] and parts["then"] and (parts["given"] or in_lines):
        yield Scenario(place, group[0].start, group[-1].end, parts["given"], parts["when"], parts["then"])
