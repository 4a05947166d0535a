"""False findings that a review has to notice."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import cycle, islice
from typing import Any

from evals.planted.matching import plain
from evals.planted.types import Leave, Planted


class Kind(StrEnum):
    INVENTED = "a quote that nobody wrote"
    SAME = "sides that say the same"
    ANSWERED = "a question that has its answer elsewhere"
    UNSEEN = "a source that was not shown"
    THERE = "the absence of what is there"


_ENDS = re.compile(r"(?<=[.?!:])\s+")
_SHORTEST = 12  # characters of a line that is worth quoting


@dataclass(frozen=True, slots=True)
class Source:
    """What a model was shown of a source."""

    id: str
    kind: str
    title: str
    text: str


@dataclass(frozen=True, slots=True)
class Lie:
    kind: Kind
    statement: str
    leave: Leave | None = None

    def told(self, sources: Sequence[Source]) -> dict[str, Any] | None:
        """The finding as a model writes it; None if it was not shown what this lie needs."""
        citations = self._citations(sources)
        if not citations:
            return None
        return {
            "category": "conflict" if self.kind is Kind.SAME else "undecided condition",
            "priority": "P1",
            "statement": self.statement,
            "why": "It would be asked later.",
            "question": _asked(citations[0]["quote"]) if self.kind is Kind.ANSWERED else "Is that so?",
            "citations": citations,
        }

    def _citations(self, sources: Sequence[Source]) -> list[dict[str, str]]:
        own = next((one for one in sources if one.kind == "ticket"), None)
        if own is None:
            return []
        match self.kind:
            case Kind.INVENTED:
                return [{"source": own.id, "quote": "It was agreed with the board that 4711 of them are enough."}]
            case Kind.UNSEEN:
                return [{"source": "S9999", "quote": line_with(own.text, ())}]
            case Kind.THERE:
                return [{"source": own.id, "quote": "", "looked_for": line_with(own.text, ())}]
            case Kind.SAME:
                return [{"source": own.id, "quote": line_with(own.text, ())}] * 2
        return [
            {"source": one.id, "quote": line}
            for cite in (self.leave.cites if self.leave else ())
            for one in sources
            if one.kind in {"ticket", "comment"} and (line := line_with(one.text, cite.quotes))
        ][:1]


def lies_of(ticket: Planted, turn: int) -> tuple[Lie, ...]:
    """As many as there are gaps and one at least, each question that is answered first; `turn` has the others come in
    turns over the tickets.
    """
    lies = [Lie(Kind.ANSWERED, f"{Kind.ANSWERED}: {leave.what}", leave) for leave in ticket.leaves if leave.answered]
    others = [kind for kind in Kind if kind is not Kind.ANSWERED]
    wanted = max(1, len(ticket.gaps), len(lies))
    lies += [
        Lie(kind, f"{kind}, told of {ticket.key} at place {at}")
        for at, kind in enumerate(_from(others, turn, wanted - len(lies)))
    ]
    return tuple(lies)


def line_with(text: str, fragments: Iterable[str]) -> str:
    """The first line of some length that has one of the fragments, or any; "" if none has."""
    wanted = [plain(fragment) for fragment in fragments]
    lines = (line.strip() for line in text.splitlines())
    fitting = (line for line in lines if _fits(plain(line), wanted))
    return next(fitting, "")


def _asked(line: str) -> str:
    """The first question of a line."""
    return next((part for part in _ENDS.split(line) if part.endswith("?")), line)


def _fits(line: str, wanted: Sequence[str]) -> bool:
    return any(fragment in line for fragment in wanted) if wanted else len(line) >= _SHORTEST


def _from(kinds: Sequence[Kind], start: int, count: int) -> Iterator[Kind]:
    return islice(cycle(kinds), start % len(kinds), start % len(kinds) + count)
