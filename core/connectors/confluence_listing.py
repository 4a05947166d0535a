"""What Confluence holds at one moment, as a tree of pages with their comments and attachments."""

from collections.abc import Collection, Iterable
from dataclasses import replace

from core.connectors.base import fingerprint
from core.connectors.confluence_records import Attachment, Comment, Page, Space


class Tree:
    """Pages by id, and what each stands below."""

    def __init__(self, spaces: Iterable[Space], pages: Iterable[Page]) -> None:
        self.spaces = {space.id: space for space in spaces}
        self.pages = {page.id: page for page in pages}
        self._titled = {(page.space, page.title.casefold()): page for page in self.pages.values()}

    def above(self, page: Page) -> tuple[list[Page], bool]:
        """The pages that a page stands below, topmost first; and whether these are all, up to the top."""
        chain: list[Page] = []
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

    def find(self, space: Space, title: str) -> Page | None:
        """The page of that title. Titles differ by more than their case within a space."""
        return self._titled.get((space.id, title.casefold()))


class Listing(Tree):
    """All pages of the spaces, the comments on them, and their files. Comments by `bots` are left out: their answers
    repeat what they cite, and found again they would confirm themselves.
    """

    def __init__(
        self,
        spaces: Iterable[Space],
        pages: Iterable[Page],
        comments: Iterable[Comment],
        attachments: Iterable[Attachment],
        bots: Collection[str],
    ) -> None:
        super().__init__(spaces, pages)
        self.comments = {comment.id: comment for comment in self._placed(comments) if not by(comment, bots)}
        self.attachments = {file.id: file for file in attachments if file.page in self.pages}
        self._comments: dict[str, list[Comment]] = {}
        for comment in self.comments.values():
            self._comments.setdefault(comment.page or "", []).append(comment)
        self._attachments: dict[str, list[Attachment]] = {}
        for file in self.attachments.values():
            self._attachments.setdefault(file.page, []).append(file)

    def comments_on(self, page_id: str) -> list[Comment]:
        return self._comments.get(page_id, [])

    def attachments_of(self, page_id: str) -> list[Attachment]:
        return self._attachments.get(page_id, [])

    def _placed(self, comments: Iterable[Comment]) -> Iterable[Comment]:
        """Those on pages of this listing, each with its page, its marked text and its state: a reply may have none of
        its own.
        """
        known = {comment.id: comment for comment in comments}
        for comment in known.values():
            top, seen = comment, {comment.id}
            while top.parent in known and top.parent not in seen:
                seen.add(top.parent)
                top = known[top.parent]
            page = comment.page or top.page
            if page in self.pages:
                marked, state = comment.marked or top.marked, comment.state or top.state
                yield replace(comment, page=page, marked=marked, state=state)

    def fingerprints(self) -> dict[str, str]:
        """By document; each changes whenever the text, title, place or state does. A move, an archiving or a restored
        page gives no new version, so that times and version numbers would not tell.
        """
        found: dict[str, str] = {}
        places = {page.id: self._place(page) for page in self.pages.values()}
        for page in self.pages.values():
            found[document_id(page.id)] = _short(page.version, *places[page.id])
        for comment in self.comments.values():
            own = (comment.version, comment.state, comment.marked, comment.parent or "")
            found[comment_id(comment)] = _short(*own, *places[comment.page or ""])
        for file in self.attachments.values():
            found[attachment_id(file)] = _short(file.version, file.title, *places[file.page])
        return found

    def _place(self, page: Page) -> list[str]:
        above = [f"{ancestor.id} {ancestor.title}" for ancestor in self.above(page)[0]]
        return [page.title, page.space, str(page.archived), str(page.parent), *above]


def by(comment: Comment, people: Collection[str]) -> bool:
    return comment.author in people or not comment.aliases.isdisjoint(people)


def document_id(page_id: str) -> str:
    return f"confluence:{page_id}"


def comment_id(comment: Comment) -> str:
    return f"confluence:{comment.page}:comment:{comment.id}"


def attachment_id(file: Attachment) -> str:
    return f"confluence:{file.page}:attachment:{file.id}"


def _short(*parts: str) -> str:
    return fingerprint(*parts)[:10]
