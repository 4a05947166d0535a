"""Some pages with their comments and files, read together: first all content, then who may read it."""

from collections import deque
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import ParamSpec, TypeVar

from core.connectors import confluence_documents
from core.connectors.attachments import Attachments, Content
from core.connectors.base import Missed, may_pass, refusal
from core.connectors.confluence_api import ConfluenceApi
from core.connectors.confluence_documents import Setting
from core.connectors.confluence_hidden import EVERYTHING, Hidden
from core.connectors.confluence_includes import Bodies, Rendering
from core.connectors.confluence_labels import Restrictions, or_none, tree_above
from core.connectors.confluence_listing import Listing, Tree, attachment_id, comment_id, document_id
from core.connectors.confluence_records import Attachment, Comment, Page, Space
from core.errors import SourceError, SourceGone
from core.parsing.parsed import Parsed, unreadable
from core.parsing.storage import Storage
from core.types import Document

_P = ParamSpec("_P")
_T = TypeVar("_T")

_SOURCE = "Confluence"


@dataclass(frozen=True, slots=True)
class Refused:
    """Stands for what will not be read another time either."""

    cause: SourceError

    @property
    def parsed(self) -> Parsed:
        return unreadable(refusal(self.cause, _SOURCE))


class Reader:
    """Reads pages of a listing as documents."""

    def __init__(
        self,
        source: str,
        api: ConfluenceApi,
        listing: Listing,
        attachments: Attachments | None,
        missed: Missed,
        people: dict[str, str],
        hidden: Hidden,
    ) -> None:
        """`people` are display names, `hidden` the included pages that are not shown; both are added to."""
        self._source = source
        self._api = api
        self._listing = listing
        self._attachments = attachments
        self._missed = missed
        self._people = people
        self._hidden = hidden
        self._refused: dict[str, Refused] = {}
        """Pages and comments that will not be read, by the ids of their documents."""

    def documents(self, wanted: Mapping[str, Collection[str]]) -> Iterator[Document]:
        """The documents wanted of each of these pages, by the page's id and the documents' ids."""
        pages = [page for page_id in wanted if (page := self._page(page_id, document_id(page_id) in wanted[page_id]))]
        comments = [c for page in pages for c in self._listing.comments_on(page.id) if comment_id(c) in wanted[page.id]]
        read = [comment for listed in comments if (comment := self._comment(listed))]
        bodies = self._bodies()
        texts = {
            page.id: Storage("") if document_id(page.id) in self._refused else bodies.add(page)
            for page in pages
            if document_id(page.id) in wanted[page.id]
        }
        for page in pages:
            if page.id in texts:
                deque(bodies.below(page, texts[page.id]), maxlen=0)  # has them read
        bodies.close()
        said = {comment.id: Storage(comment.body) for comment in read}
        authors = [*(page.author for page in pages), *(comment.author for comment in read)]
        self._learn([*authors, *(user for text in (*bodies.texts(), *said.values()) for user in text.people())])
        contents = self._contents(pages, wanted)
        restrictions = Restrictions(self._api, self._as_it_is(pages))
        for page in pages:
            labels = self._labels(page, restrictions)
            if labels is None:
                continue
            at = confluence_documents.setting(self._source, page, self._listing, labels)
            if page.id in texts:
                yield from self._page_document(at, texts[page.id], bodies, restrictions)
            for comment in read:
                if comment.page == page.id:
                    refused = self._refused.get(comment_id(comment))
                    parsed = refused.parsed if refused else said[comment.id].read(self._people)
                    yield confluence_documents.of_comment(at, comment, parsed, self._name(comment.author))
            for file, content in contents.get(page.id, ()):
                yield confluence_documents.of_file(at, file, content, self._api.site, self._name(file.author))

    def _as_it_is(self, pages: Iterable[Page]) -> Tree:
        """The pages below what stands above them now: since the listing, one may have been moved below another."""
        spaces = self._listing.spaces.values()
        return tree_above(spaces, pages, lambda ids: or_none(self._api.some_pages, ids, body=False) or ())

    def affected(self, page: Page, changed: Collection[str], *, missing: bool) -> bool:
        """Whether a page, read with its body, includes one of those that changed; or one that is not there, if any is
        `missing` now.
        """
        bodies = self._bodies()
        body = bodies.add(page)
        if missing and any(bodies.of(page, include) is None for include in body.includes()):
            return True
        return any(below.id in changed for below in bodies.below(page, body))

    def _tried(self, what: str, call: Callable[_P, _T], *args: _P.args, **kwargs: _P.kwargs) -> _T | Refused | None:
        """What a call gives; None when that is gone, or may come another time, which is noted."""
        try:
            return call(*args, **kwargs)
        except SourceGone:  # removed since the listing, or below a page in the trash, whose restrictions nobody tells
            self._missed.count += 1
        except SourceError as error:
            if not may_pass(error):
                return Refused(error)
            self._missed.failed(what, error)
        return None

    def _labels(self, page: Page, restrictions: Restrictions) -> frozenset[str] | None:
        """Without labels nothing of a page may be indexed."""
        what = f"page {page.id}"
        labels = self._tried(what, restrictions.labels, page)
        if isinstance(labels, Refused):
            # If nothing is given to the account any more, all would seem to be so.
            self._api.spaces([space.key for space in self._listing.spaces.values()])
            self._missed.left_out(what, labels.cause)
            return None
        return labels

    def _downloaded(self, file: Attachment) -> bytes:
        try:
            return self._api.download(file)
        except SourceGone:
            raise
        except SourceError as error:
            if may_pass(error):
                raise
            raise SourceError(refusal(error, _SOURCE)) from error

    def _page(self, page_id: str, body: bool) -> Page | None:
        page = self._tried(f"page {page_id}", self._api.page, page_id, body=body)
        if isinstance(page, Refused):
            self._refused[document_id(page_id)] = page
            page = self._listing.pages.get(page_id)
        return page if page and page.space in self._listing.spaces else None  # or it was moved away since the listing

    def _comment(self, listed: Comment) -> Comment | None:
        if listed.body:
            return listed
        found = self._tried(f"comment {listed.id}", self._api.comment, listed.id)
        if isinstance(found, Refused):
            self._refused[comment_id(listed)] = found
            return listed
        if found is None:
            return None
        return replace(found, page=listed.page, marked=found.marked or listed.marked, state=found.state or listed.state)

    def _contents(
        self, pages: Iterable[Page], wanted: Mapping[str, Collection[str]]
    ) -> dict[str, list[tuple[Attachment, Content]]]:
        found: dict[str, list[tuple[Attachment, Content]]] = {}
        for page in pages:
            for file in self._listing.attachments_of(page.id):
                if self._attachments and attachment_id(file) in wanted[page.id]:
                    self._learn([file.author])
                    at = confluence_documents.setting(self._source, page, self._listing, frozenset())
                    about = confluence_documents.about(*confluence_documents.about_file(at, self._name(file.author)))
                    state = f"{file.version} {about}"
                    content = self._tried(
                        f"attachment {file.title} of page {page.id}",
                        self._attachments.content, attachment_id(file), file.title, file.size, state,
                        partial(self._downloaded, file),
                    )  # fmt: skip
                    if isinstance(content, Content):
                        found.setdefault(page.id, []).append((file, content))
        return found

    def _page_document(
        self, at: Setting, body: Storage, bodies: Bodies, restrictions: Restrictions
    ) -> Iterator[Document]:
        rendering = Rendering(bodies, restrictions.labels, self._people, at.labels)
        refused = self._refused.get(document_id(at.page.id))
        parsed = refused.parsed if refused else self._tried(f"page {at.page.id}", rendering.read, at.page, body)
        if not isinstance(parsed, Parsed):
            return
        self._hidden.found(at.page.id, frozenset({EVERYTHING} if refused else rendering.hidden))
        if not self._attachments:
            parsed = replace(parsed, unread=(*parsed.unread, *(f"picture not read: {n}" for n in body.pictures())))
        yield confluence_documents.of_page(at, parsed, self._name(at.page.author))

    def _bodies(self) -> Bodies:
        def read(page_id: str) -> Page | None:
            found = self._tried(f"page {page_id}", self._api.page, page_id)
            return None if isinstance(found, Refused) else found

        return Bodies(self._space, self._listing.find, read)

    def _space(self, space_id: str, key: str) -> Space | None:
        spaces = self._listing.spaces
        return next((space for space in spaces.values() if space.key == key), None) if key else spaces.get(space_id)

    def _learn(self, people: Iterable[str]) -> None:
        """Display names, as far as they can be had: a page without them is better than none."""
        unknown = [person for person in dict.fromkeys(people) if person and person not in self._people]
        if unknown:
            self._people |= or_none(self._api.names, unknown) or {}

    def _name(self, person: str) -> str:
        return self._people.get(person) or f"user {person or 'unknown'}"
