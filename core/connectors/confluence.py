"""Confluence Cloud as a source: current and archived pages of some spaces, with all read restrictions above each."""

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ParamSpec, TypeVar

from core.connectors.base import Labels, fingerprint, moment
from core.connectors.confluence_api import ConfluenceApi
from core.connectors.http import Limits
from core.errors import SourceError, SourceForbidden, SourceGone, SourceIncomplete
from core.parsing import storage
from core.parsing.markdown import clean
from core.types import Document, Metrics, NullMetrics
from core.visibility import confluence_space, restriction

_P = ParamSpec("_P")
_T = TypeVar("_T")

_MOST_UNREAD = 20  # pages; a source that fails for more is down
_AT_ONCE = 50  # pages whose bodies are read before their restrictions are asked for


@dataclass(frozen=True, slots=True)
class _Page:
    """A page as the listing shows it."""

    id: str
    title: str
    space: str
    archived: bool
    parent: str | None
    version: str

    @classmethod
    def of(cls, raw: Mapping[str, Any], space: str) -> "_Page":
        version = raw.get("version")
        return cls(
            id=str(raw.get("id")),
            title=" ".join(clean(str(raw.get("title") or "")).split()),
            space=space,
            archived=raw.get("status") == "archived",
            parent=str(raw["parentId"]) if raw.get("parentId") else None,
            version=str(version.get("number")) if isinstance(version, Mapping) else "?",
        )


class _Listing:
    """All pages of the spaces, as a tree."""

    def __init__(self, pages: Iterable[_Page]) -> None:
        self.pages = {page.id: page for page in pages}

    def above(self, page: _Page) -> tuple[list[_Page], bool]:
        """The pages that a page stands below, topmost first; and whether these are all, up to the top."""
        chain: list[_Page] = []
        seen = {page.id}
        at = page.parent
        while at is not None and at not in seen:
            parent = self.pages.get(at)
            if parent is None:
                return chain[::-1], False
            seen.add(at)
            chain.append(parent)
            at = parent.parent
        return chain[::-1], True

    def fingerprints(self) -> dict[str, str]:
        """Changes whenever a page's text, title, place or state does. A move, an archiving or a restored page gives no
        new version, so that times and version numbers would not tell.
        """
        return {page.id: self._fingerprint(page) for page in self.pages.values()}

    def _fingerprint(self, page: _Page) -> str:
        above, _whole = self.above(page)
        places = [f"{ancestor.id} {ancestor.title}" for ancestor in above]
        state = [page.version, page.title, page.space, str(page.archived), str(page.parent)]
        return fingerprint(*state, *places)[:10]


class ConfluenceConnector:
    """The pages of some spaces. The cursor holds a short fingerprint of every page: what changed is found by comparing
    listings, in which no clock and no time zone has a part.
    """

    def __init__(
        self,
        name: str,
        site: str,
        user: str,
        token: str,
        spaces: Sequence[str],
        *,
        limits: Limits | None = None,
        metrics: Metrics | None = None,
    ) -> None:
        self._name = name
        self._metrics = metrics or NullMetrics()
        self._api = ConfluenceApi(site, user, token, limits or Limits())
        self._spaces = list(dict.fromkeys(spaces))
        self._people: dict[str, str] = {}

    @property
    def name(self) -> str:
        return self._name

    def mark(self) -> str:
        return json.dumps(self._listing().fingerprints(), separators=(",", ":"))

    def load(self) -> Iterator[Document]:
        listing = self._listing()
        return self._documents(listing, list(listing.pages.values()))

    def changed_since(self, cursor: str) -> Iterator[Document]:
        before = json.loads(cursor)
        listing = self._listing()
        now = listing.fingerprints()
        return self._documents(
            listing, [page for page in listing.pages.values() if now[page.id] != before.get(page.id)]
        )

    def ids(self) -> set[str]:
        return {_document_id(page) for page in self._listing().pages}

    def labels_now(self, ids: Iterable[str]) -> Labels:
        spaces = self._shown_spaces()  # pages of the others are unreadable, which is no reason to say nothing of these
        restrictions = _Restrictions(self._api)
        return {document: self._page_labels(document, spaces, restrictions) for document in ids}

    def total(self) -> int | None:
        return len(self._listing().pages)

    def _shown_spaces(self) -> dict[str, Mapping[str, Any]]:
        """Those of the spaces that Confluence shows us, by id."""
        shown = self._api.spaces(self._spaces)
        return {str(space.get("id")): space for space in shown if space.get("key") in self._spaces}

    def _space_records(self) -> dict[str, Mapping[str, Any]]:
        """The spaces by id. One that is not shown must not look like one without pages."""
        found = self._shown_spaces()
        missing = set(self._spaces) - {space.get("key") for space in found.values()}
        if missing:
            names = ", ".join(sorted(missing))
            raise SourceForbidden(f"Confluence does not show us the space {names}, or there is none of that key")
        return found

    def _listing(self) -> _Listing:
        spaces = self._space_records()
        return _Listing(
            _Page.of(raw, str(space["key"]))
            for number, space in spaces.items()
            for raw in self._api.pages(number, str(space["key"]))
        )

    def _documents(self, listing: _Listing, pages: Sequence[_Page]) -> Iterator[Document]:
        """Of some pages at a time, first the bodies are read and then the restrictions asked for: what is written into
        a page after it, or a page above it, was restricted is never held for open.
        """
        spaces = self._space_records()
        unread: list[str] = []
        for start in range(0, len(pages), _AT_ONCE):
            some = [page.id for page in pages[start : start + _AT_ONCE]]
            bodies = [(page_id, self._tried(page_id, unread, self._api.page, page_id)) for page_id in some]
            restrictions = _Restrictions(self._api)
            for page_id, raw in bodies:
                space = spaces.get(str(raw.get("spaceId"))) if raw else None
                if raw is None or space is None:  # moved away since the listing
                    continue
                page = _Page.of(raw, str(space["key"]))
                labels = self._tried(page_id, unread, self._labels, page, listing, restrictions)
                if labels:
                    yield self._document(page, listing, raw, clean(str(space.get("name") or page.space)), labels)
        if unread:
            raise _incomplete(unread)

    def _tried(
        self, page_id: str, unread: list[str], read: Callable[_P, _T], *args: _P.args, **kwargs: _P.kwargs
    ) -> _T | None:
        """What a call gives; None, which is noted, when it gives nothing. Raises SourceIncomplete when too much is
        noted.
        """
        try:
            return read(*args, **kwargs)
        except SourceGone:
            # Removed since the listing, or below a page in the trash, whose restrictions nobody tells.
            self._metrics.count("crosscheck_source_unread_total", source=self._name)
        except SourceError as error:
            self._metrics.count("crosscheck_source_unread_total", source=self._name)
            unread.append(f"page {page_id} ({error})")
            if len(unread) > _MOST_UNREAD:
                raise _incomplete(unread) from error
        return None

    def _labels(self, page: _Page, listing: _Listing, restrictions: "_Restrictions") -> frozenset[str]:
        """The space's label and one for each restriction on the way up. Empty restrictions add none: then the space
        decides. What cannot be asked raises, for nobody may read what nobody can vouch for.
        """
        above, whole = listing.above(page)
        ancestors = [ancestor.id for ancestor in above] if whole else self._api.ancestors(page.id)
        return restrictions.on(page.id, ancestors) | {confluence_space(page.space)}

    def _page_labels(
        self, document: str, spaces: Mapping[str, Mapping[str, Any]], restrictions: "_Restrictions"
    ) -> frozenset[str] | None:
        page_id = document.removeprefix("confluence:")
        try:
            raw = self._api.page(page_id, body=False)
        except SourceGone:
            return None
        space = spaces.get(str(raw.get("spaceId")))
        if space is None or raw.get("status") not in {"current", "archived"}:
            return None
        try:
            return restrictions.on(page_id, self._api.ancestors(page_id)) | {confluence_space(str(space["key"]))}
        except SourceError:
            return None

    def _document(
        self, page: _Page, listing: _Listing, raw: Mapping[str, Any], space: str, labels: frozenset[str]
    ) -> Document:
        """The document of a page as it was read, which may be another than was listed."""
        body = raw.get("body")
        shown = body.get("storage") if isinstance(body, Mapping) else None
        source = str(shown.get("value") or "") if isinstance(shown, Mapping) else ""
        text = storage.to_markdown(source, self._names(storage.mentioned(source))) or "[no text]"
        above = [ancestor.title for ancestor in listing.above(page)[0]]
        context = " > ".join([space, *above, page.title])
        attributes = {"space": page.space, "archived": "true" if page.archived else "false", "title": page.title}
        attributes |= {"parent": above[-1]} if above else {}
        version = raw.get("version")
        links = raw.get("_links")
        path = str(links.get("webui") or "") if isinstance(links, Mapping) else ""
        return Document(
            id=_document_id(page.id),
            source=self._name,
            kind="page",
            version=fingerprint(page.title, text, context, *sorted(map("=".join, attributes.items()))),
            title=page.title,
            text=text,
            context=context,
            url=f"{self._api.site}/wiki{path or f'/pages/viewpage.action?pageId={page.id}'}",
            labels=labels,
            updated=moment(version.get("createdAt") if isinstance(version, Mapping) else None),
            created=moment(raw.get("createdAt")),
            keys=frozenset({page.title, page.id}),
            attributes=attributes,
        )

    def _names(self, people: Iterable[str]) -> Mapping[str, str]:
        """Display names, as far as they can be had: a page without them is better than none."""
        unknown = [person for person in people if person not in self._people]
        if unknown:
            try:
                self._people |= self._api.names(unknown)
            except SourceError:
                return self._people
        return self._people


class _Restrictions:
    """The read restriction of each page, asked for once a run."""

    def __init__(self, api: ConfluenceApi) -> None:
        self._api = api
        self._known: dict[str, frozenset[str] | SourceError] = {}

    def on(self, page_id: str, ancestors: Iterable[str]) -> frozenset[str]:
        return frozenset().union(*(self._own(content) for content in (*ancestors, page_id)))

    def _own(self, content_id: str) -> frozenset[str]:
        if content_id not in self._known:
            self._known[content_id] = self._asked(content_id)
        known = self._known[content_id]
        if isinstance(known, SourceError):
            raise known
        return known

    def _asked(self, content_id: str) -> frozenset[str] | SourceError:
        try:
            groups, users = self._api.read_restriction(content_id)
        except SourceError as error:
            return error
        return frozenset({restriction(groups, users)} if groups or users else ())


def _incomplete(unread: Sequence[str]) -> SourceIncomplete:
    return SourceIncomplete(f"{len(unread)} pages could not be read: {'; '.join(unread[:3])}")


def _document_id(page_id: str) -> str:
    return f"confluence:{page_id}"
