"""Collects what a review looks at, before anybody judges."""

import re
from collections.abc import Sequence
from urllib.parse import urlsplit

from core.errors import CoreError
from core.tickets import RemoteLink, Ticket
from core.types import Evidence, Filters, Freshness, Query
from review.reading import Reading, plain_reason
from review.types import Unknown
from review.wording import cut

LINKED_CHUNKS = 8
"""Passages that are read of a page to which the ticket links."""
ATTACHMENTS = 10
"""Attachments that are read of the ticket under review."""
QUERY = 1_000
"""Characters of the description that the general search takes."""


def read_linked_pages(ticket: Ticket, reading: Reading, limit: int) -> None:
    """Open the pages that the ticket links to, as the index has them. No address is ever fetched: it may be anybody's.

    A page that is hidden from this audience is as unknown as one that was never indexed.
    """
    for link in ticket.remote_links[:limit]:
        try:
            document = _document_of(link, reading)
            if document is not None:
                reading.open_document(document, LINKED_CHUNKS)
        except CoreError as error:
            reading.note([Unknown(f"The linked page {_name(link)} was not read: {plain_reason(error)}.", "A new try.")])
            continue
        if document is None:
            what = f"The linked page {_name(link)} is not in the index."
            reading.note([Unknown(what, "Adding its source to the index, or its rules to the ticket.")])
    if len(ticket.remote_links) > limit:
        what = f"Only {limit} of {len(ticket.remote_links)} linked pages were looked at."
        reading.note([Unknown(what, "Fewer links.")])


def read_attachments(ticket: Ticket, reading: Reading) -> None:
    """Open the ticket's attachments, as the index has them."""
    for file in ticket.files[:ATTACHMENTS]:
        what = f"The attachment {cut(file.name, 120)} was not read"
        try:
            if not reading.open_document(file.document_id, LINKED_CHUNKS):
                reading.note([Unknown(f"{what}: it is not in the index.", "Reading it in the ticket.")])
        except CoreError as error:
            reading.note([Unknown(f"{what}: {plain_reason(error)}.", "A new try.")])
    if len(ticket.files) > ATTACHMENTS:
        what = f"Only {ATTACHMENTS} of {len(ticket.files)} attachments were looked at."
        reading.note([Unknown(what, "Reading the others in the ticket.")])


def search_around(ticket: Ticket, reading: Reading, limit: int) -> None:
    """Find what the index knows of the ticket's matter, the ticket itself left out."""
    text = cut(f"{ticket.summary} {ticket.description}", QUERY)
    if not text:
        return
    filters = Filters(without=frozenset({ticket.document_id}))
    try:
        reading.search(Query(text, filters=filters, limit=limit))
    except CoreError as error:
        what = f"Policies, other tickets and code were not searched: {plain_reason(error)}."
        reading.note([Unknown(what, "Asking again when it works.")])


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
    """The id of the one document that a link leads to: by the page's id in its address, by its title on the same
    host, or by the address itself of a file.
    """
    page, title, file = _page_id(link.url), link.title.strip(), _file(link.url)
    by_id = [e for e in (reading.lookup(page) if page else ()) if _page_id(e.locator.url) == page]
    by_title = [e for e in (reading.lookup(title) if title else ()) if e.attributes.get("title") == title]
    by_path = [e for e in (reading.lookup(file) if file else ()) if _bare(e.locator.url) == _bare(link.url)]
    for candidates in (by_id, by_title, by_path):
        found = {e.document_id for e in candidates if _same_host(e, link)}
        if len(found) == 1:
            return found.pop()
    return None


def _page_id(url: str) -> str | None:
    """Of a Confluence page's address, in the long form and the short one that Jira stores."""
    match = re.search(r"/pages/(\d{1,19})(?=[/?#]|$)|[?&]pageId=(\d{1,19})(?=[&#]|$)", url)
    return match and (match[1] or match[2])


def _file(url: str) -> str | None:
    """The name of the file that an address ends in."""
    match = re.search(r"/([^/?#]{1,200}\.[A-Za-z0-9]{1,10})(?=[?#]|$)", url)
    return match and match[1]


def _bare(url: str) -> str:
    return url.partition("#")[0].partition("?")[0]


def _same_host(evidence: Evidence, link: RemoteLink) -> bool:
    try:
        return urlsplit(evidence.locator.url).hostname == urlsplit(link.url).hostname
    except ValueError:  # no address at all, such as http://[
        return False


def _name(link: RemoteLink) -> str:
    return f"“{cut(link.title, 120)}”" if link.title.strip() else "without a title"
