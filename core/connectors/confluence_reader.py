"""Some pages with their comments and files, read together: first all content, then who may read it."""

from collections import deque
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import replace
from functools import partial
from typing import ParamSpec, TypeVar

from core.connectors import confluence_documents
from core.connectors.attachments import Attachments, Content
from core.connectors.confluence_api import ConfluenceApi
from core.connectors.confluence_documents import Setting
from core.connectors.confluence_includes import Bodies, Rendering
from core.connectors.confluence_labels import Restrictions, or_none
from core.connectors.confluence_listing import Listing, attachment_id, comment_id, document_id
from core.connectors.confluence_records import Attachment, Comment, Page, Space
from core.errors import SourceError, SourceGone, SourceIncomplete
from core.parsing.storage import Storage
from core.types import Document

_P = ParamSpec("_P")
_T = TypeVar("_T")

_MOST_UNREAD = 20  # things that could not be read in a run; a source that fails for more is down


class Missed:
    """What could not be read in a run. Raises SourceIncomplete as soon as it is too much."""

    def __init__(self) -> None:
        self.count = 0
        """With what is gone, which is no fault."""
        self._faults: list[str] = []

    def tried(self, what: str, call: Callable[_P, _T], *args: _P.args, **kwargs: _P.kwargs) -> _T | None:
        """What a call gives; None, which is noted, when it gives nothing."""
        try:
            return call(*args, **kwargs)
        except SourceGone:  # removed since the listing, or below a page in the trash, whose restrictions nobody tells
            self.count += 1
        except SourceError as error:
            self.count += 1
            self._faults.append(f"{what} ({error})")
            if len(self._faults) > _MOST_UNREAD:
                raise self._incomplete() from error
        return None

    def check(self) -> None:
        """Raises SourceIncomplete when anything could not be read."""
        if self._faults:
            raise self._incomplete()

    def _incomplete(self) -> SourceIncomplete:
        return SourceIncomplete(f"{len(self._faults)} pages could not be read: {'; '.join(self._faults[:3])}")


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
        hidden: dict[str, frozenset[str]],
    ) -> None:
        """`people` are display names, `hidden` the included pages that are not shown by the including page's id; both
        are added to.
        """
        self._source = source
        self._api = api
        self._listing = listing
        self._attachments = attachments
        self._missed = missed
        self._people = people
        self._hidden = hidden

    def documents(self, wanted: Mapping[str, Collection[str]]) -> Iterator[Document]:
        """The documents wanted of each of these pages, by the page's id and the documents' ids."""
        pages = [page for page_id in wanted if (page := self._page(page_id, document_id(page_id) in wanted[page_id]))]
        comments = [c for page in pages for c in self._listing.comments_on(page.id) if comment_id(c) in wanted[page.id]]
        read = [comment for listed in comments if (comment := self._comment(listed))]
        bodies = self._bodies()
        texts = {page.id: bodies.add(page) for page in pages if document_id(page.id) in wanted[page.id]}
        for page in pages:
            if page.id in texts:
                deque(bodies.below(page, texts[page.id]), maxlen=0)  # has them read
        bodies.close()
        said = {comment.id: Storage(comment.body) for comment in read}
        authors = [*(page.author for page in pages), *(comment.author for comment in read)]
        self._learn([*authors, *(user for text in (*bodies.texts(), *said.values()) for user in text.people())])
        contents = self._contents(pages, wanted)
        restrictions = Restrictions(self._api, self._listing)
        for page in pages:
            labels = self._missed.tried(f"page {page.id}", restrictions.labels, page)
            if not labels:
                continue
            at = confluence_documents.setting(self._source, page, self._listing, labels)
            if page.id in texts:
                yield from self._page_document(at, texts[page.id], bodies, restrictions)
            for comment in read:
                if comment.page == page.id:
                    parsed = said[comment.id].read(self._people)
                    yield confluence_documents.of_comment(at, comment, parsed, self._name(comment.author))
            for file, content in contents.get(page.id, ()):
                yield confluence_documents.of_file(at, file, content, self._api.site, self._name(file.author))

    def affected(self, page: Page, changed: Collection[str], *, missing: bool) -> bool:
        """Whether a page, read with its body, includes one of those that changed; or one that is not there, if any is
        `missing` now.
        """
        bodies = self._bodies()
        body = bodies.add(page)
        if missing and any(bodies.of(page, include) is None for include in body.includes()):
            return True
        return any(below.id in changed for below in bodies.below(page, body))

    def _page(self, page_id: str, body: bool) -> Page | None:
        page = self._missed.tried(f"page {page_id}", self._api.page, page_id, body=body)
        return page if page and page.space in self._listing.spaces else None  # or it was moved away since the listing

    def _comment(self, listed: Comment) -> Comment | None:
        if listed.body:
            return listed
        found = self._missed.tried(f"comment {listed.id}", self._api.comment, listed.id)
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
                    content = self._missed.tried(
                        f"attachment {file.title} of page {page.id}",
                        self._attachments.content, attachment_id(file), file.title, file.size, state,
                        partial(self._api.download, file),
                    )  # fmt: skip
                    if content:
                        found.setdefault(page.id, []).append((file, content))
        return found

    def _page_document(
        self, at: Setting, body: Storage, bodies: Bodies, restrictions: Restrictions
    ) -> Iterator[Document]:
        rendering = Rendering(bodies, restrictions.labels, self._people, at.labels)
        parsed = self._missed.tried(f"page {at.page.id}", rendering.read, at.page, body)
        if parsed is None:
            return
        self._hidden[at.page.id] = frozenset(rendering.hidden)
        if not self._attachments:
            parsed = replace(parsed, unread=(*parsed.unread, *(f"picture not read: {n}" for n in body.pictures())))
        yield confluence_documents.of_page(at, parsed, self._name(at.page.author))

    def _bodies(self) -> Bodies:
        def read(page_id: str) -> Page | None:
            return self._missed.tried(f"page {page_id}", self._api.page, page_id)

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
