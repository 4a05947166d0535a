"""A draft of test cases."""

import hashlib
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from itertools import count
from typing import Any, Literal

from core.tickets import Ticket, is_page
from core.types import Audience, Locator
from review.types import Cited, Searched, Unknown

Kind = Literal["regression", "boundary", "role", "state", "exception", "criterion"]
KINDS: tuple[Kind, ...] = ("regression", "boundary", "role", "state", "exception", "criterion")
"""In the order in which they are shown. A `criterion` is what the ticket asks for and no other kind tries."""

THREAD = "THREAD"
"""The key of a draft that was made from a thread in which no ticket is named."""
_KEY = 60
"""Characters of the key of a page's draft."""
_WORD = re.compile(r"[^\W_]+")

Urgency = Literal["high", "medium", "low"]
URGENCIES: tuple[Urgency, ...] = ("high", "medium", "low")


def key_of(ticket: Ticket) -> str:
    """A draft's key: what its files are named by, which of a page its id would tell nobody."""
    if ticket.kind != "page":
        return ticket.key
    return "-".join(_WORD.findall(ticket.summary))[:_KEY].strip("-") or "PAGE"


@dataclass(frozen=True, slots=True)
class Step:
    """What a tester does, and what is to be seen after it where that is known for this step alone."""

    action: str
    expected: str = ""


@dataclass(frozen=True, slots=True)
class DraftedCase:
    """One test case. All texts are single lines without markup."""

    kind: Kind
    title: str
    preconditions: tuple[str, ...]
    steps: tuple[Step, ...]
    """At least one."""
    expected: str
    """After the last step."""
    urgency: Urgency
    reason: str
    """Of the urgency, as a sentence."""
    sources: tuple[Cited, ...]
    """At least one, each with a quote that was read."""
    condition: str
    """What is tried, in a form that compares: the same condition of the same kind is tried once."""
    by_model: bool = False

    @property
    def id(self) -> str:
        """Stays when other cases come or go, and when the wording changes; two letters and eight digits."""
        digest = hashlib.sha256(f"{self.kind}\x1f{self.condition}".encode()).hexdigest()
        return f"TC-{digest[:8]}"


@dataclass(frozen=True, slots=True)
class Neighbour:
    """What a fix could have broken beside the bug, and why it is thought so."""

    what: str
    why: str
    source: Cited


@dataclass(frozen=True, slots=True)
class Plan:
    """How a fixed bug is verified again: what brought it about, what the fix meant to do, what may have suffered."""

    conditions: tuple[Cited, ...]
    intent: tuple[Cited, ...]
    """Commits and pull requests by their own words."""
    neighbours: tuple[Neighbour, ...]


@dataclass(frozen=True, slots=True)
class Change:
    """What a version has that the one before had not, or the other way round."""

    kind: Literal["added", "dropped"]
    number: int
    title: str


@dataclass(frozen=True, slots=True)
class Draft:
    """Test cases for one ticket, page or thread and one audience: the urgent first, then what later versions added."""

    key: str
    """The ticket's; of a thread that of the first ticket which people name in it, else `THREAD`; of a page its title as
    one word."""
    title: str
    locator: Locator
    cases: tuple[DraftedCase, ...]
    plan: Plan | None
    """Of a fixed bug."""
    unknowns: tuple[Unknown, ...]
    degraded: tuple[str, ...]
    made_by: str
    """In plain words: `rules and MODEL`, or `rules alone` and, where no model failed, why."""
    audience: Audience
    at: datetime
    dropped: int = 0
    """Cases of the model whose sources do not stand."""
    more: int = 0
    """Cases beyond the limit, less urgent than these."""
    rests_on: frozenset[str] = frozenset()
    """Ids of all documents whose words may stand in it: it may be shown only to who may read every one of them."""
    read_live: frozenset[str] = frozenset()
    """Of these, the ones that were read from their source for this draft."""
    numbers: Mapping[str, float] = field(default_factory=dict)
    searches: tuple[Searched, ...] = ()
    audit: tuple[Mapping[str, Any], ...] = ()
    """What models were shown and said, for the record; nothing of it is for the reply."""
    version: int = 1
    changes: tuple[Change, ...] = ()
    """Since the version before."""
    said: tuple[str, ...] = ()
    """What to know first, as sentences: where what is to be tested runs, what was not done as it was asked for."""
    gone: frozenset[int] = frozenset()
    """Numbers of cases that were dropped. None is given again, so what people call case 5 stays case 5."""
    called: str = ""
    """What people call the ticket, page or thread that it was made from."""

    def __post_init__(self) -> None:
        """A thread is called by the ticket that is named in it, if one is."""
        object.__setattr__(self, "called", self.called or self.ticket or "This thread")

    @property
    def ticket(self) -> str:
        """The key of the ticket that it belongs to; empty if it belongs to none."""
        return "" if self.key == THREAD or is_page(self.locator.document_id) else self.key

    @property
    def headline(self) -> str:
        """The ticket's key, if there is one, and the title."""
        return f"{self.ticket} {self.title}".strip()

    @property
    def subject(self) -> str:
        """The key by which the ticket or page that it belongs to is read; empty if it belongs to none."""
        return self.locator.document_id if is_page(self.locator.document_id) else self.ticket

    @property
    def numbered(self) -> tuple[tuple[int, DraftedCase], ...]:
        """Each case with the number by which people call it, from 1."""
        numbers = (number for number in count(1) if number not in self.gone)
        return tuple(zip(numbers, self.cases, strict=False))

    def is_for(self, audience: Audience) -> bool:
        """Whether these readers may be shown it, as far as its own audience tells: nothing beyond that was read."""
        return audience.covers(self.audience)
