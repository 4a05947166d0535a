"""How a review reads: through one object that is bound to one audience and remembers everything it gave."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import Protocol

from core.consumers import Use
from core.errors import BadQuery, CoreError, IndexUnusable, SourceForbidden, SourceGone, SourceUnavailable
from core.pulls.types import Pulls, Snapshot
from core.tickets import Ticket, is_page
from core.types import Audience, Evidence, Metrics, Query, SearchResult
from review.budget import Budget
from review.discussion import Discussion, Remark, Say, silent
from review.errors import NothingToReview
from review.follow_up import Entered, remark_text
from review.pull_reading import PullReading
from review.register import Passage, Register
from review.types import Searched, Unknown
from review.wording import cut


class TicketSource(Protocol):
    """Reads tickets live. Raises SourceGone, SourceForbidden or SourceUnavailable."""

    def ticket(self, key: str) -> Ticket: ...


class Searcher(Protocol):
    """Finds evidence that an audience may read. Raises CoreError."""

    def search(self, query: Query, audience: Audience) -> SearchResult: ...

    def lookup(self, key: str, audience: Audience) -> tuple[Evidence, ...]: ...

    def open_document(self, document_id: str, audience: Audience, limit: int) -> tuple[Evidence, ...]:
        """A document's chunks in its own order, at most `limit` of them."""


UsersOf = Callable[[str, frozenset[str], Audience], Sequence[Use]]
"""As `core.consumers.Consumers.users_of`."""


class Reading:
    """All reads of one review: for one audience, each entered in the register, without the bot's own words."""

    def __init__(
        self,
        tickets: TicketSource,
        searcher: Searcher,
        audience: Audience,
        budget: Budget,
        metrics: Metrics,
        closed: frozenset[str] = frozenset(),
        pulls: Pulls | None = None,
        users_of: UsersOf | None = None,
        say: Say = silent,
    ) -> None:
        self.audience = audience
        self.register = Register(audience)
        self._tickets = tickets
        self._searcher = searcher
        self._budget = budget
        self._metrics = metrics
        self._users_of = users_of
        self.pulls = PullReading(pulls, audience, self.enter_live, self.say) if pulls else None
        self._opened: dict[str, Ticket | None] = {}
        self._not_evidence: set[str] = set(closed)
        self._read_live: frozenset[str] = frozenset()
        self._partly: dict[str, tuple[str, tuple[str, ...]]] = {}
        self._unknowns: dict[Unknown, None] = {}
        self._degraded: dict[str, None] = {}
        self._searches: list[Searched] = []
        self._say = say
        self._said: set[str] = set()
        self._live: set[str] = set()

    @property
    def live(self) -> frozenset[str]:
        """Ids of what was read from its source, and not from the index."""
        return self.register.live() | self._live

    @property
    def unknowns(self) -> tuple[Unknown, ...]:
        """What could not be read, in the order in which it was met."""
        return tuple(self._unknowns)

    @property
    def degraded(self) -> tuple[str, ...]:
        """What did not go as it should, in plain words."""
        return tuple(self._degraded)

    @property
    def searches(self) -> tuple[Searched, ...]:
        """What was searched for, in order."""
        return tuple(self._searches)

    def say(self, what: str) -> None:
        """Tell whoever waits what is being done, each thing once. Tools may call it from several threads."""
        if what not in self._said:
            self._said.add(what)
            self._say(what)

    def ticket_under_review(self, key: str, trigger: str | None) -> tuple[Ticket, str]:
        """The ticket or page itself, and apart from it the text of the comment that asked (`trigger` is its id).

        Raises NothingToReview if it is not there or not for this audience; SourceForbidden and SourceUnavailable
        pass, since they say nothing about it.
        """
        self.say(f"Reading {_called(key)}")
        try:
            whole = self._tickets.ticket(key)
        except SourceGone as error:
            raise nothing(key) from error
        seen = whole.seen_by(self.audience)
        if seen is None:
            raise nothing(key)
        ticket = self._without_own_words(seen, trigger)
        self._opened[key] = self._opened[ticket.key] = ticket
        self._read_live = frozenset({ticket.document_id, *(one.locator.document_id for one in ticket.comments)})
        self.register.add_ticket(ticket)
        self.note(_unread(ticket))
        return ticket, next((comment.text for comment in seen.comments if comment.id == trigger), "")

    def open_ticket(self, key: str) -> Ticket | None:
        """Another ticket, read live and once, so that a cycle of links ends. None if it is not there, not for this
        audience, or cannot be read now (that is noted).
        """
        if key not in self._opened:
            if len(self._opened) > self._budget.linked_tickets:
                self.note([Unknown("Not all linked tickets were opened: there are too many.", "Fewer links.")])
                return None
            self._opened[key] = self._read_other(key)
        return self._opened[key]

    def enter_thread(self, discussion: Discussion) -> tuple[Entered, ...]:
        """The remarks that this audience may read, oldest first; what people said is entered and can be cited, what
        the bot said cannot. Nothing if the thread is not for this audience. The index's copy of a remark that is a
        document of its own is no evidence beside it.
        """
        thread, seen = discussion.locator.document_id, discussion.seen_by(self.audience)
        if thread in self._not_evidence or seen is None:
            return ()
        entered = []
        for one in seen.remarks:
            document = thread if one.labels is None else one.locator.document_id
            if one.text.strip() and document not in self._not_evidence:
                entered.append(Entered(one, None if one.by_bot else self._heard(one, document, seen)))
        own = {one.locator.document_id: one.by_bot for one in seen.remarks if one.kind == "comment"}
        self._not_evidence |= {document for document, by_bot in own.items() if by_bot}
        self._read_live |= own.keys()
        self._live.add(thread)
        return tuple(entered)

    def _heard(self, remark: Remark, document: str, thread: Discussion) -> Passage | None:
        """A remark of somebody, entered."""
        self._live.add(document)
        where, labels = replace(remark.locator, document_id=document), thread.labels_of(remark)
        return self.register.add(remark.kind, thread.locator.title, remark_text(remark), where, labels, thread.source)

    def find_pulls(self, ticket: Ticket) -> tuple[Snapshot, ...]:
        """The ticket's pull requests at their heads, each with its overview entered; what is not known is noted. Of a
        page there are none.
        """
        if self.pulls is None or ticket.kind == "page":
            return ()
        self.note(self.pulls.find(ticket, frozenset(self._not_evidence)))
        return self.pulls.snapshots

    def users_of(self, name: str, changed: frozenset[str]) -> tuple[Use, ...]:
        """Who uses a name that one of the `changed` documents defines, in all others. Raises CoreError."""
        if self._users_of is None:
            return ()
        used = self._users_of(name, changed, self.audience)
        entered = {one.id for one in self._enter([use.evidence for use in used])}
        return tuple(use for use in used if use.evidence.id in entered)

    def search(self, query: Query) -> SearchResult:
        """Find evidence. The index's copy of what is under review, or of its comments, is none: it may be older than
        what was read live. Raises CoreError.
        """
        filters = replace(query.filters, without=query.filters.without | self._not_evidence | self._read_live)
        self.say("Searching")
        result = self._searcher.search(replace(query, filters=filters), self.audience)
        self._degraded.update(dict.fromkeys(result.degraded))
        if result.trace is not None:
            self._searches.append(Searched(query.text, result.trace))
        return replace(result, evidence=self._enter(result.evidence))

    def lookup(self, key: str, limit: int | None = None) -> tuple[Evidence, ...]:
        """What an exact identifier names, at most `limit` of it. Raises CoreError."""
        return self._enter(self._searcher.lookup(key, self.audience)[:limit])

    def open_document(self, document_id: str, limit: int) -> tuple[Evidence, ...]:
        """A document of the index, its first `limit` chunks; what could not be read is noted. Raises CoreError."""
        found = self._enter(self._searcher.open_document(document_id, self.audience, limit))
        self.note(self.unread(one.document_id for one in found))
        return found

    def unread(self, documents: Iterable[str]) -> list[Unknown]:
        """What could not be read in these documents, of those that were found."""
        partly = (self._partly[document] for document in dict.fromkeys(documents) if document in self._partly)
        return [
            Unknown(f"In {cut(title, 120)}: {cut(what, 160)}.", "Reading it there.")
            for title, unread in partly
            for what in unread
        ]

    def note(self, unknowns: Iterable[Unknown]) -> None:
        """Remember what could not be read."""
        self._unknowns.update(dict.fromkeys(unknowns))

    def degrade(self, sentence: str) -> None:
        """Remember what did not go as it should."""
        self._degraded[sentence] = None

    def _read_other(self, key: str) -> Ticket | None:
        try:
            seen = self._tickets.ticket(key).seen_by(self.audience)
        except (SourceGone, SourceForbidden):
            return None
        except SourceUnavailable:
            what = f"{'The page' if is_page(key) else key} could not be read just now."
            self.note([Unknown(what, "Asking again later.")])
            return None
        if seen is None:
            return None
        self.say(f"Reading {seen.called}")
        ticket = self._without_own_words(seen, None)
        self.register.add_ticket(ticket)
        return ticket

    def _without_own_words(self, ticket: Ticket, trigger: str | None) -> Ticket:
        """What the bot wrote, and what was written to call it, proves nothing about the ticket."""
        left_out = {c.id for c in ticket.comments if c.by_bot or c.id == trigger}
        self._not_evidence |= {c.locator.document_id for c in ticket.comments if c.id in left_out}
        return replace(ticket, comments=tuple(c for c in ticket.comments if c.id not in left_out))

    def enter_live(self, evidence: Sequence[Evidence]) -> tuple[Evidence, ...]:
        """Enter what was read from its source."""
        entered = self._enter(evidence)
        self._live |= {one.document_id for one in entered}
        return entered

    def _enter(self, evidence: Sequence[Evidence]) -> tuple[Evidence, ...]:
        """Keep what the audience may read. The search has filtered already; here a mistake of it ends."""
        readable = tuple(e for e in evidence if self.audience.may_read(e.labels))
        if len(readable) < len(evidence):
            self._metrics.count("crosscheck_review_unreadable_evidence_total", len(evidence) - len(readable))
        wanted = tuple(e for e in readable if not {e.document_id, all_of(e.source)} & self._not_evidence)
        for one in wanted:
            self.register.add_evidence(one)
            if one.unread:
                self._partly[one.document_id] = (one.locator.title, one.unread)
        return wanted


def all_of(source: str) -> str:
    """Among `closed` documents: every one of a source."""
    return f"{source}:*"


def nothing(key: str) -> NothingToReview:
    """One sentence for what is hidden and for what does not exist."""
    what = "such page" if is_page(key) else f"ticket {cut(key, 40)}"
    return NothingToReview(f"There is no {what} that everybody who can read this reply may read.")


def plain_reason(error: CoreError) -> str:
    """A failure's kind in plain words. Its own message may name what this audience may not know of."""
    match error:
        case BadQuery():
            return "there was nothing to search for"
        case IndexUnusable():
            return "the index could not be used"
        case SourceUnavailable():
            return "a source did not answer"
        case _:
            return "a source could not be read"


def _unread(ticket: Ticket) -> list[Unknown]:
    where = ticket.key if ticket.kind == "ticket" else f"the {ticket.kind}"
    return [Unknown(what, f"Reading it in {where} itself.") for what in ticket.unread]


def _called(key: str) -> str:
    """What is read, as far as it is known before."""
    return "the page" if is_page(key) else cut(key, 40)
