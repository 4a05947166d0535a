"""A Confluence as it was at a moment, behind the protocol that all reading goes through."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import datetime

from core.connectors.confluence_api import ConfluenceApi
from core.connectors.confluence_records import Attachment, Child, Comment, Page, Space, Version
from core.connectors.confluence_wire import count
from core.errors import SourceGone
from evals.asof.remarks import Remarks

EDITED = "Comments on pages that were edited later, left out since their earlier text cannot be had"
REPLACED = "Files of pages that were replaced later, left out"
LOST = "Pages that changed later and whose version of then cannot be had, left out"
_STEPS = (10, 50, 249)
"""How many earlier versions of a page are asked for; the last is what one answer of Cloud has room for."""


class ConfluenceAt:
    """What `api` would have answered at `moment`, as far as it keeps versions. Who may read what, where a page stands,
    its labels and whether it is archived are as they are today; whether a comment is resolved is not told.
    `core.connectors.confluence_api.ConfluenceApi`.
    """

    def __init__(self, api: ConfluenceApi, at: datetime, remarks: Remarks) -> None:
        self._api = api
        self._at = at
        self._remarks = remarks
        self._versions: dict[tuple[str, str], Version | None] = {}
        """What a page was at the moment, by its id and its version of today."""
        self._titled: dict[str, dict[str, str]] = {}
        """Pages' ids by their titles of then in small letters, by space."""

    @property
    def site(self) -> str:
        return self._api.site

    def spaces(self, keys: Sequence[str]) -> list[Space]:
        return self._api.spaces(keys)

    def read_restriction(self, content_id: str) -> tuple[frozenset[str], frozenset[str]]:
        return self._api.read_restriction(content_id)

    def names(self, users: Iterable[str]) -> dict[str, str]:
        return self._api.names(users)

    def including(self, spaces: Sequence[Space]) -> list[str]:
        """As today: ids alone, of pages that are read as they were."""
        return self._api.including(spaces)

    def ancestors(self, page_id: str) -> list[str]:
        return self._api.ancestors(page_id)

    # Pages

    def pages(self, space: Space) -> Iterator[Page]:
        return (then for page in self._api.pages(space) if (then := self._then(page, body=False)))

    def page(self, page_id: str, *, body: bool = True) -> Page:
        then = self._then(self._api.page(page_id, body=body), body=body)
        if then is None:
            raise SourceGone(f"page {page_id} is not shown")
        return then

    def some_pages(self, page_ids: Sequence[str], *, body: bool) -> list[Page]:
        found = self._api.some_pages(page_ids, body=body)
        return [then for page in found if (then := self._then(page, body=body))]

    def find(self, space: Space, title: str) -> Page | None:
        """By its title of then, which is looked up among all pages of the space."""
        if space.id not in self._titled:
            self._titled[space.id] = {page.title.casefold(): page.id for page in self.pages(space)}
        number = self._titled[space.id].get(title.casefold())
        return self.page(number, body=False) if number else None

    def versions(self, page: Page, most: int) -> list[Version]:
        now = self._api.page(page.id, body=False)
        found = self._earlier(now, lambda some: len(_before(some, page)) >= most)
        return _before(found, page)[:most]

    def children(self, page_id: str, most: int) -> list[Child]:
        children = self._api.children(page_id, most)
        then = {page.id: page for page in self.some_pages([child.id for child in children], body=False)}
        return [Child(child.id, then[child.id].title) for child in children if child.id in then]

    def _then(self, page: Page, *, body: bool) -> Page | None:
        """A page of today as it was; None if it was not there."""
        if page.created > self._at:
            return None
        if page.updated <= self._at:
            return page
        known = (page.id, page.version)
        if known not in self._versions:
            found = self._earlier(page, lambda some: any(one.at <= self._at for one in some))
            self._versions[known] = next((one for one in found if one.at <= self._at), None)
        version = self._versions[known]
        if version is None:
            self._remarks.add(LOST, page.id)
            return None
        return replace(
            page,
            title=version.title,
            version=str(version.number),
            author=version.author,
            updated=version.at,
            address=f"{self.site}/pages/viewpage.action?pageId={page.id}",
            body=version.body if body else "",
        )

    def _earlier(self, page: Page, enough: Callable[[Sequence[Version]], bool]) -> list[Version]:
        """The versions before a page's present one, newest first: as many as are enough, or can be had."""
        found: list[Version] = []
        for most in _STEPS:
            found = self._api.versions(page, most)
            if enough(found) or count(page.version) - 1 <= most:
                break
        return found

    # Comments and files

    def comments(self, spaces: Sequence[Space], *, body: bool) -> Iterator[Comment]:
        """Each with the place of its thread, which is known from comments that are left out, too."""
        every = {comment.id: comment for comment in self._api.comments(spaces, body=body)}
        return self._unedited(_placed(comment, every) for comment in every.values())

    def _address(self, comment: Comment) -> str:
        """Without the page's title of today."""
        return f"{self.site}/pages/viewpage.action?pageId={comment.page or ''}&focusedCommentId={comment.id}"

    def comments_of(self, page_id: str) -> Iterator[Comment]:
        """Of those whose thread's beginning is left out, each stands for itself."""
        there = list(self._unedited(self._api.comments_of(page_id)))
        known = {comment.id for comment in there}
        return (comment if comment.parent in known else replace(comment, parent=None) for comment in there)

    def comment(self, comment_id: str) -> Comment:
        for comment in self._unedited([self._api.comment(comment_id)]):
            return comment
        raise SourceGone(f"comment {comment_id} is not shown")

    def attachments(self, spaces: Sequence[Space]) -> Iterator[Attachment]:
        return self._unreplaced(self._api.attachments(spaces))

    def attachments_of(self, page_id: str) -> Iterator[Attachment]:
        return self._unreplaced(self._api.attachments_of(page_id))

    def attachment(self, attachment_id: str) -> Attachment:
        for file in self._unreplaced([self._api.attachment(attachment_id)]):
            return file
        raise SourceGone(f"attachment {attachment_id} is not shown")

    def download(self, attachment: Attachment) -> bytes:
        if self.attachment(attachment.id).version != attachment.version:
            raise SourceGone(f"attachment {attachment.id} is not shown")
        return self._api.download(attachment)

    def _unedited(self, comments: Iterable[Comment]) -> Iterator[Comment]:
        for comment in comments:
            if comment.updated <= self._at:
                yield replace(comment, state="", address=self._address(comment))
            elif comment.version != "1" and (comment.created or self._at) <= self._at:
                self._remarks.add(EDITED, comment.id)  # where it is not told when one came, it may be wholly later

    def _unreplaced(self, files: Iterable[Attachment]) -> Iterator[Attachment]:
        for file in files:
            if file.updated <= self._at:
                yield file
            elif file.created <= self._at:
                self._remarks.add(REPLACED, file.id)


def _before(versions: Sequence[Version], page: Page) -> list[Version]:
    return [one for one in versions if one.number < count(page.version)]


def _placed(comment: Comment, every: Mapping[str, Comment]) -> Comment:
    """A comment with the page and the marked text of its thread."""
    top, seen = comment, {comment.id}
    while (above := every.get(top.parent or "")) and above.id not in seen:
        seen.add(above.id)
        top = above
    return replace(comment, page=comment.page or top.page, marked=comment.marked or top.marked)
