"""Collects what a review looks at, before anybody judges."""

from collections.abc import Iterator, Sequence

from core.errors import CoreError
from core.tickets import CHILD, RemoteLink, Ticket
from core.types import Evidence, Filters, Freshness, Query
from review.budget import Budget
from review.checks.addresses import document_of, file_name, page_id
from review.checks.places import named_keys
from review.reading import Reading, plain_reason
from review.types import Unknown
from review.wording import cut
from review.words import Words

LINKED_CHUNKS = 8
"""Passages that are read of a page to which the ticket links."""
ATTACHMENTS = 10
"""Attachments that are read of the ticket under review."""
QUERY = 1_000
"""Characters of each wording that a search takes."""
CANDIDATES = 20
"""Tickets among which similar bugs are looked for."""
BUGS = 3
"""Similar bugs whose fixes are looked up."""
FIXES = 3
"""Commits of one of them."""
RECORDS = 6
"""Passages of test records that are read."""


def read_around(
    ticket: Ticket, reading: Reading, freshness: Sequence[Freshness], budget: Budget, marked: str = ""
) -> None:
    """What everybody who judges a ticket or page needs: what the index knows of the text that was `marked` in it; its
    files and pages, the tickets that a page names, what the index knows of all its matter, its tests.
    """
    note_stale_sources(freshness, reading)
    if marked:
        search_marked(marked, ticket, reading, budget.evidence)
    read_attachments(ticket, reading)
    read_linked_pages(ticket, reading, budget.remote_links)
    read_named_tickets(ticket, reading)
    search_around(ticket, reading, budget.evidence)
    read_test_records(ticket, reading)


def read_linked_pages(ticket: Ticket, reading: Reading, limit: int) -> None:
    """Open the pages that a ticket or page links to, and those below a page, as the index has them. No address is ever
    fetched: it may be anybody's.

    A page that is hidden from this audience is as unknown as one that was never indexed.
    """
    for link in ticket.remote_links[:limit]:
        try:
            document = _document_of(link, reading)
            if document is not None:
                reading.open_document(document, LINKED_CHUNKS)
        except CoreError as error:
            reading.note([Unknown(f"The {_name(link)} was not read: {plain_reason(error)}.", "A new try.")])
            continue
        if document is None:
            what = f"Adding its source to the index, or its rules to the {ticket.kind}."
            reading.note([Unknown(f"The {_name(link)} is not in the index.", what)])
    if len(ticket.remote_links) > limit:
        what = f"Only {limit} of {len(ticket.remote_links)} linked pages were looked at."
        reading.note([Unknown(what, "Fewer links.")])


def read_named_tickets(ticket: Ticket, reading: Reading) -> None:
    """Read the tickets that a page names, live. What only looks like a key, or names what this audience may not read,
    is passed over in silence.
    """
    for key in named_keys(ticket) if ticket.kind == "page" else ():
        reading.open_ticket(key)


def read_attachments(ticket: Ticket, reading: Reading) -> None:
    """Open the attachments, as the index has them."""
    for file in ticket.files[:ATTACHMENTS]:
        what = f"The attachment {cut(file.name, 120)} was not read"
        try:
            if not reading.open_document(file.document_id, LINKED_CHUNKS):
                reading.note([Unknown(f"{what}: it is not in the index.", f"Reading it in the {ticket.kind}.")])
        except CoreError as error:
            reading.note([Unknown(f"{what}: {plain_reason(error)}.", "A new try.")])
    if len(ticket.files) > ATTACHMENTS:
        what = f"Only {ATTACHMENTS} of {len(ticket.files)} attachments were looked at."
        reading.note([Unknown(what, f"Reading the others in the {ticket.kind}.")])


def search_marked(marked: str, ticket: Ticket, reading: Reading, limit: int) -> None:
    """Find what the index knows of a text that was marked in a ticket or page, which itself is left out."""
    texts = [cut(text, QUERY) for text in (marked, f"{ticket.summary} {marked}")]
    try:
        reading.search(Query(texts[0], (texts[1],), Filters(without=frozenset({ticket.document_id})), limit))
    except CoreError as error:
        what = f"The marked text was not searched for: {plain_reason(error)}."
        reading.note([Unknown(what, "Asking again when it works.")])


def search_around(ticket: Ticket, reading: Reading, limit: int) -> None:
    """Find what the index knows of the ticket's matter, the ticket itself left out: by its whole text, by its summary
    alone, and by its longest field, which holds the acceptance criteria as a rule.
    """
    text = cut(f"{ticket.summary} {ticket.description}", QUERY)
    if not text:
        return
    filters = Filters(without=frozenset({ticket.document_id}))
    variants = tuple(other for other in dict.fromkeys(_wordings(ticket)) if other and other != text)
    try:
        reading.search(Query(text, variants, filters, limit))
    except CoreError as error:
        others = "Policies, tickets" if ticket.kind == "page" else "Policies, other tickets"
        what = f"{others} and code were not searched: {plain_reason(error)}."
        reading.note([Unknown(what, "Asking again when it works.")])


def read_earlier_bugs(ticket: Ticket, reading: Reading, words: Words) -> None:
    """Find bugs like this matter that are done, and the commits that carry their keys: how they were fixed."""
    text = cut(f"{ticket.summary} {ticket.description}", QUERY)
    if not text:
        return
    filters = Filters(kinds=frozenset({"ticket"}), without=frozenset({ticket.document_id}))
    try:
        found = reading.search(Query(text, filters=filters, limit=CANDIDATES)).evidence
        bugs = {one.document_id: one for one in found if _is_fixed_bug(one, words)}
        for bug in list(bugs.values())[:BUGS]:
            if key := bug.attributes.get("key"):
                reading.search(Query(key, filters=Filters(kinds=frozenset({"commit"})), limit=FIXES))
    except CoreError as error:
        what = f"How similar bugs were fixed was not looked up: {plain_reason(error)}."
        reading.note([Unknown(what, "Asking again when it works.")])


def read_test_records(ticket: Ticket, reading: Reading) -> None:
    """Find the test records that name the ticket, or that are of its matter."""
    key = "" if ticket.kind == "page" else f"{ticket.key} "
    text = cut(f"{key}{ticket.summary} {ticket.description}", QUERY)
    try:
        reading.search(Query(text, filters=Filters(kinds=frozenset({"qa"})), limit=RECORDS))
    except CoreError as error:
        what = f"Test records were not searched: {plain_reason(error)}."
        reading.note([Unknown(what, "Asking again when it works.")])


def _is_fixed_bug(evidence: Evidence, words: Words) -> bool:
    attributes = evidence.attributes
    resolution = attributes.get("resolution", "").strip().lower()
    return (
        evidence.kind == "ticket"
        and attributes.get("done") == "true"
        and attributes.get("type", "").strip().lower() in words.bugs
        and resolution not in {*words.rejected, *words.unfixed}
    )


def _wordings(ticket: Ticket) -> Iterator[str]:
    longest = max((field.text for field in ticket.fields), key=len, default="")
    for text in (ticket.summary, longest):
        if any(char.isalnum() for char in text):
            yield cut(text, QUERY)


def note_stale_sources(freshness: Sequence[Freshness], reading: Reading) -> None:
    """Say which sources have not been read lately, of those that the audience may know of."""
    for source in freshness:
        if source.stale and source.labels & reading.audience.labels:
            reading.note([Unknown(stale_sentence(source), "Reading that source again.")])


def stale_sentence(source: Freshness) -> str:
    """What is not known because a source has not been read lately."""
    since = f"{source.last_success:%Y-%m-%d %H:%M} UTC" if source.last_success else "never"
    return f"What changed lately in {cut(source.source, 80)} is not known (last read: {since})."


def _document_of(link: RemoteLink, reading: Reading) -> str | None:
    """The id of the one document that a link leads to."""
    named = dict.fromkeys(filter(None, (page_id(link.url), link.title.strip(), file_name(link.url))))
    return document_of(link.url, link.title, [one for name in named for one in reading.lookup(name)])


def _name(link: RemoteLink) -> str:
    kind = CHILD if link.relation == CHILD else "linked page"
    return f"{kind} “{cut(link.title, 120)}”" if link.title.strip() else f"{kind} without a title"
