"""The text that somebody marked when asking for a review."""

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from typing import TypeVar

from core.tickets import Ticket
from review.types import Finding, Settled, Unknown

T = TypeVar("T")

MARKED = 2_000
"""Characters of a marked text that count."""
_WORD = re.compile(r"[^\W_]+")
_TARGET = re.compile(r"\]\([^()\s]*\)")
"""Of a link, which its reader does not see."""


@dataclass(frozen=True, slots=True)
class Focus:
    """A marked text and the lines that it stands in, one or several; empty where nothing was marked.

    What quotes a part of one of these lines, or more than the marked text, or a comment that hangs at one, is about it.
    Findings about it are listed before all others, whatever their priority.
    """

    marked: str = ""
    document_id: str = ""
    """Of what it was marked in."""
    lines: tuple[str, ...] = ()
    """As words alone. Empty: it was not found."""
    comments: frozenset[str] = frozenset()
    """Ids of the comments that hang at it, or at a part of these lines."""

    def holds(self, quote: str) -> bool:
        """Whether a quote of the same document is about the marked text."""
        wanted = _padded(quote)
        return bool(wanted.strip()) and any(wanted in line or _padded(self.marked) in wanted for line in self.lines)

    def is_of(self, finding: Finding) -> bool:
        """Whether a finding is about the marked text."""
        return any(
            one.locator.document_id in self.comments
            or (one.locator.document_id == self.document_id and self.holds(one.quote))
            for one in finding.evidence
        )

    def first(self, every: Iterable[T], text: Callable[[T], str]) -> list[T]:
        """What is about the marked text before the rest; the order is kept otherwise. `text` quotes its document."""
        return sorted(every, key=lambda one: not self.holds(text(one)))

    def nothing_about(self, findings: Iterable[Finding]) -> Iterator[Settled]:
        """That all of `findings` are about something else, where a text was marked."""
        if self.lines and not any(map(self.is_of, findings)):
            yield Settled("Nothing was found that is missing, undecided or in conflict in the marked text.")

    def not_found(self, noun: str) -> Iterator[Unknown]:
        """That there is no such text, if one was marked. `noun` says what it should stand in."""
        if self.marked and not self.lines:
            what = f"The marked text was not found in the {noun} as it is now, so nothing was weighed before the rest."
            yield Unknown(what, "Marking it anew.")


def focus_on(marked: str, ticket: Ticket) -> Focus:
    """By words alone: a marked text has lost its markup, and may begin and end within lines."""
    marked = marked[:MARKED].strip()
    if not marked:
        return Focus()
    focus = Focus(marked, ticket.document_id, tuple(_lines(marked, ticket.description)))
    at_it = frozenset(one.locator.document_id for one in ticket.comments if focus.holds(one.marked))
    return replace(focus, comments=at_it)


def _lines(marked: str, text: str) -> Iterator[str]:
    """The lines of a text in which the marked one stands, wherever it occurs."""
    wanted, lines = _padded(marked), [words for line in text.splitlines() if (words := _padded(line)).strip()]
    whole = "".join(line[:-1] for line in lines) + " "
    starts = [found.start() for found in re.finditer(f"(?={re.escape(wanted)})", whole)] if wanted.strip() else []
    begin = 0
    for line in lines:
        end = begin + len(line) - 1
        if any(start < end and start + len(wanted) - 1 > begin for start in starts):
            yield line
        begin = end


def _padded(text: str) -> str:
    """Its words, each with a space before it, and one at the end."""
    return "".join(f" {word}" for word in _WORD.findall(_TARGET.sub(" ", text).casefold())) + " "
