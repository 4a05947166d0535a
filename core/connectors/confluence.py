"""Confluence as a source: the pages of some spaces, the comments on them and the files attached to them."""

import json
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from itertools import islice

from core.connectors.attachments import Attachments
from core.connectors.base import Labels, Missed
from core.connectors.confluence_api import ConfluenceApi, connect
from core.connectors.confluence_hidden import Hidden, Memory, ShortMemory
from core.connectors.confluence_labels import LabelsNow
from core.connectors.confluence_listing import Listing, document_id
from core.connectors.confluence_reader import Reader
from core.connectors.confluence_records import Space
from core.connectors.http import Limits
from core.errors import SourceError, SourceForbidden, SourceGone, SourceUnavailable
from core.types import Document, Metrics, NullMetrics

_AT_ONCE = 50  # pages whose content is read before their restrictions are asked for
_MANY = 50  # changed comments; more are not asked for one by one
_PAGE = re.compile(r"confluence:([^:]+)(?::.*)?")


class ConfluenceConnector:
    """Pages, comments (`confluence:N:comment:M`) and attachments (`confluence:N:attachment:M`) of some spaces.

    The cursor holds a short fingerprint of every document: what changed, and what is gone, is found by comparing
    listings, in which no clock and no time zone has a part. A page that includes others is also read anew when one
    of those changed, as far as Confluence's search knows of the include; at the latest when all is read.
    """

    def __init__(
        self,
        name: str,
        site: str,
        user: str,
        token: str,
        spaces: Sequence[str],
        *,
        attachments: Attachments | None = None,
        bots: Callable[[], frozenset[str]] = frozenset,
        memory: Memory | None = None,
        limits: Limits | None = None,
        metrics: Metrics | None = None,
        through: Callable[[ConfluenceApi], ConfluenceApi] | None = None,
    ) -> None:
        """Without a user, the token is a personal access token of Data Center, and `site` may end in a context path.

        Without `attachments` these are left out. `bots` gives the accounts whose comments are answers: account ids on
        Cloud, keys or user names on Data Center. In `memory` is kept which included pages the index does not show; a
        connector without it closes such pages to some who may read them, until it has read them itself. `through` is
        what the site is looked at through, given its API.
        """
        self._name = name
        self._metrics = metrics or NullMetrics()
        api = connect(site, user, token, limits or Limits(), attachments.largest if attachments else 0)
        self._api: ConfluenceApi = through(api) if through else api
        self._spaces = list(dict.fromkeys(spaces))
        self._bots = bots
        self._attachments = attachments
        self._people: dict[str, str] = {}
        self._hidden = Hidden(memory or ShortMemory(), name)
        self._size: int | None = None

    @property
    def name(self) -> str:
        return self._name

    def mark(self) -> str:
        return json.dumps(self._listing().fingerprints(), separators=(",", ":"))

    def load(self) -> Iterator[Document]:
        listing = self._listing(body=True)
        return self._documents(listing, listing.fingerprints(), _nothing_missed())

    def changed_since(self, cursor: str) -> Iterator[Document]:
        before: Mapping[str, str] = json.loads(cursor)
        listing = self._listing()
        now = listing.fingerprints()
        changed = {key for key in now if now[key] != before.get(key)}
        if sum(":comment:" in key for key in changed) > _MANY:
            listing = self._listing(body=True)
        missed = _nothing_missed()
        changed |= self._including(listing, changed, before.keys() - now.keys(), missed)
        return self._documents(listing, changed, missed)

    def removed_since(self, cursor: str, known: Collection[str]) -> set[str]:
        del known
        listing = self._listing()
        self._hidden.indexed(listing.pages)
        return set(json.loads(cursor)) - listing.fingerprints().keys()

    def ids(self) -> set[str]:
        listing = self._listing()
        self._hidden.indexed(listing.pages)
        return set(listing.fingerprints())

    def labels_now(self, ids: Iterable[str]) -> Labels:
        try:
            shown = self._api.spaces(self._spaces)  # pages of the others are unreadable; that says nothing of these
        except SourceError as error:
            raise SourceUnavailable(str(error), retry_after=error.retry_after) from error
        return LabelsNow(self._api, shown, self._hidden.now()).of(list(ids))

    def total(self) -> int | None:
        """As many as were listed last."""
        return len(self._listing().fingerprints()) if self._size is None else self._size

    def _shown_spaces(self) -> list[Space]:
        """The spaces. One that is not shown must not look like one without pages."""
        found = self._api.spaces(self._spaces)
        missing = set(self._spaces) - {space.key for space in found}
        if missing:
            names = ", ".join(sorted(missing))
            raise SourceForbidden(f"Confluence does not show us the space {names}, or there is none of that key")
        return found

    def _listing(self, *, body: bool = False) -> Listing:
        """What there is. A page comes before its comments and files, so that none of these lacks its page."""
        spaces = self._shown_spaces()
        pages = [page for space in spaces for page in self._api.pages(space)]
        comments = self._api.comments(spaces, body=body)
        files = self._api.attachments(spaces) if self._attachments else ()
        listing = Listing(spaces, pages, comments, files, self._bots())
        self._size = len(listing.pages) + len(listing.comments) + len(listing.attachments)
        return listing

    def _including(self, listing: Listing, changed: Collection[str], gone: Collection[str], missed: Missed) -> set[str]:
        """The pages that include one that changed, or one that is not there any more. Costs nothing when no page
        changed.
        """
        pages = {page for page in listing.pages if document_id(page) in changed}
        if not pages and not any(key.count(":") == 1 for key in gone):
            return set()
        try:
            including = self._api.including(list(listing.spaces.values()))
        except (SourceForbidden, SourceGone):  # it does not search by macros: they wait until all is read
            return set()
        others = [page for page in including if page in listing.pages and page not in pages]
        reader = self._reader(listing, missed)
        found = self._api.some_pages(others, body=True)
        return {document_id(page.id) for page in found if reader.affected(page, pages, missing=bool(gone))}

    def _reader(self, listing: Listing, missed: Missed) -> Reader:
        return Reader(self._name, self._api, listing, self._attachments, missed, self._people, self._hidden)

    def _documents(self, listing: Listing, wanted: Collection[str], missed: Missed) -> Iterator[Document]:
        """Of some pages at a time, first everything is read and then the restrictions asked for: what is written into
        a page after it, or a page above it, was restricted is never held for open.
        """
        by_page: dict[str, set[str]] = {}
        for key in wanted:
            by_page.setdefault(_page_of(key), set()).add(key)
        pages = iter([page for page in listing.pages if page in by_page])
        reader = self._reader(listing, missed)
        self._hidden.begin()
        try:
            while some := list(islice(pages, _AT_ONCE)):
                yield from reader.documents({page: by_page[page] for page in some})
        finally:
            self._metrics.count("crosscheck_source_unread_total", missed.count, source=self._name)
        missed.check()
        self._hidden.end()


def _nothing_missed() -> Missed:
    return Missed("pages, comments or attachments")


def _page_of(key: str) -> str:
    found = _PAGE.fullmatch(key)
    return found[1] if found else ""
