"""Who may read a page: its space, and every read restriction on the way up."""

import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import ParamSpec, TypeVar

from core.connectors.base import MOST_UNREAD, Labels
from core.connectors.confluence_api import ConfluenceApi
from core.connectors.confluence_hidden import EVERYTHING
from core.connectors.confluence_includes import MOST_BELOW, Bodies
from core.connectors.confluence_listing import Listing, Tree
from core.connectors.confluence_records import Page, Space
from core.errors import SourceError, SourceForbidden, SourceGone, SourceIncomplete, SourceUnavailable
from core.visibility import confluence_space, restriction

_P = ParamSpec("_P")
_T = TypeVar("_T")

_ID = re.compile(r"confluence:([1-9][0-9]*)(?::(comment|attachment):((?:att)?[1-9][0-9]*))?", re.ASCII)
_FEW = 20  # comments and attachments that are asked for one by one; more are looked up in a listing


class Restrictions:
    """The read restriction of each page, asked for once."""

    def __init__(self, api: ConfluenceApi, tree: Tree) -> None:
        self._api = api
        self._tree = tree
        self._known: dict[str, frozenset[str] | SourceError] = {}

    def labels(self, page: Page) -> frozenset[str]:
        """The space's label and one for each restriction on the way up. Empty restrictions add none: then the space
        decides. What cannot be asked raises, for nobody may read what nobody can vouch for.
        """
        space = self._tree.spaces.get(page.space)
        if space is None:
            raise SourceGone(f"page {page.id} is in no space that is read")
        ways = (self.own(content) for content in (*self._above(page), page.id))
        return frozenset({confluence_space(space.key)}).union(*ways)

    def _above(self, page: Page) -> Iterable[str]:
        if page.above is not None:
            return page.above
        above, whole = self._tree.above(page)
        return [ancestor.id for ancestor in above] if whole else self._api.ancestors(page.id)

    def own(self, content_id: str) -> frozenset[str]:
        """The label of the restriction at this very page; none when there is no such restriction."""
        known = self._known.get(content_id)
        if known is None:
            known = self._known[content_id] = self._asked(content_id)
        if isinstance(known, SourceError):
            raise known
        return known

    def _asked(self, content_id: str) -> frozenset[str] | SourceError:
        try:
            groups, users = self._api.read_restriction(content_id)
        except SourceError as error:
            return error
        return frozenset({restriction(groups, users)} if groups or users else ())


def or_none(call: Callable[_P, _T], *args: _P.args, **kwargs: _P.kwargs) -> _T | None:
    """What a call gives; None where the source cannot be read."""
    try:
        return call(*args, **kwargs)
    except SourceError:
        return None


def tree_above(spaces: Iterable[Space], pages: Iterable[Page], some: Callable[[Sequence[str]], Iterable[Page]]) -> Tree:
    """The pages with all that stands above them now, a level of all trees at a time; `some` reads pages by their ids.
    One that cannot be read leaves a gap, and then those below it are asked for their ancestors one by one.
    """
    known = {page.id: page for page in pages}
    asked = set(known)
    while ahead := {page.parent for page in known.values() if page.above is None and page.parent} - asked:
        asked |= ahead
        known |= {page.id: page for page in some(sorted(ahead))}
    return Tree(spaces, known.values())


class LabelsNow:
    """Labels of documents as they are at this moment, with as few requests as that takes."""

    def __init__(self, api: ConfluenceApi, spaces: Iterable[Space], hidden: Mapping[str, Collection[str]]) -> None:
        """`hidden` are included pages that the index does not show, by the including page."""
        self._api = api
        self._spaces = {space.id: space for space in spaces}
        self._hidden = hidden
        self._failed = 0

    def of(self, ids: Sequence[str]) -> Labels:
        """None for what is gone or unreadable. Raises SourceUnavailable when Confluence does not answer."""
        asked = {document: found for document in ids if (found := _ID.fullmatch(document))}
        try:
            whole = {found[1] for found in asked.values() if found[2] is None and self._shows_text(found[1])}
            pages = self._pages({found[1]: found[1] in whole for found in asked.values()})
            present = self._present(asked.values(), pages)
            restrictions = Restrictions(self._api, self._tree(pages.values()))
            of_page = {page.id: or_none(restrictions.labels, page) for page in pages.values()}
            labels = {
                document: of_page.get(found[1]) if found[2] is None or (found[1], found[3]) in present else None
                for document, found in asked.items()
            }
            for document, found in asked.items():
                own = labels[document]
                if found[2] is None and found[1] in whole and own:
                    labels[document] = or_none(self._with_included, pages[found[1]], own, restrictions)
        except (SourceIncomplete, SourceForbidden) as error:
            raise SourceUnavailable(str(error), retry_after=error.retry_after) from error
        return {document: labels.get(document) for document in ids}

    def _shows_text(self, page_id: str) -> bool:
        return EVERYTHING not in self._hidden.get(page_id, ())

    def _pages(self, wanted: Mapping[str, bool]) -> dict[str, Page]:
        """The pages, with their bodies where that is wanted: what they include counts too."""
        found: dict[str, Page] = {}
        for body in (True, False):
            some = [page for page, whole in wanted.items() if whole is body]
            found |= {page.id: page for page in self._some(some, body)}
        return {page.id: page for page in found.values() if page.space in self._spaces}

    def _tree(self, pages: Iterable[Page]) -> Tree:
        return tree_above(self._spaces.values(), pages, lambda page_ids: self._some(page_ids, body=False))

    def _some(self, page_ids: Sequence[str], body: bool) -> list[Page]:
        """Those of these pages that are shown: together if that can be, halved if not, so that a page that fails costs
        itself alone. Raises SourceUnavailable when many fail.
        """
        if not page_ids:
            return []
        try:
            return self._api.some_pages(page_ids, body=body)
        except SourceError as error:
            if len(page_ids) == 1:
                self._failed += 1
                if self._failed > MOST_UNREAD:
                    raise SourceUnavailable(f"{error}, and so for {self._failed} pages") from error
                return []
            if self._failed > MOST_UNREAD:
                raise
        middle = len(page_ids) // 2
        return self._some(page_ids[:middle], body) + self._some(page_ids[middle:], body)

    def _present(self, asked: Iterable[re.Match[str]], pages: Mapping[str, Page]) -> set[tuple[str, str]]:
        """Page and id of each of those comments and attachments that is there."""
        wanted = [found for found in asked if found[2] and found[1] in pages]
        comments = {found[3]: found[1] for found in wanted if found[2] == "comment"}
        files = {found[3] for found in wanted if found[2] == "attachment"}
        if len(comments) + len(files) <= _FEW:
            some = [found for number in comments if (found := _there(self._api.comment, number))]
            attached = [file for number in files if (file := _there(self._api.attachment, number))]
            places = {(found.page or comments[found.id], found.id) for found in some}
            return places | {(file.page, file.id) for file in attached}
        spaces = list(self._spaces.values())
        listed = self._api.comments(spaces, body=False) if comments else ()
        listing = Listing(spaces, pages.values(), listed, self._api.attachments(spaces) if files else (), ())
        places = {(comment.page or "", comment.id) for comment in listing.comments.values()}
        return places | {(file.page, file.id) for file in listing.attachments.values()}

    def _with_included(self, page: Page, own: frozenset[str], restrictions: Restrictions) -> frozenset[str]:
        """With the labels of the pages whose text it shows: one that was restricted since must not be read here by
        those who may not read it there.
        """
        bodies = Bodies(self._space, self._api.find, self._page)
        included = list(bodies.below(page, bodies.add(page), self._hidden.get(page.id, ())))
        if len(included) > MOST_BELOW:
            raise SourceError(f"page {page.id} includes more than {MOST_BELOW} pages")
        return own.union(*(restrictions.labels(one) for one in included))

    def _page(self, page_id: str) -> Page | None:
        try:
            return self._api.page(page_id)
        except SourceGone:
            return None

    def _space(self, space_id: str, key: str) -> Space | None:
        if not key:
            return self._spaces.get(space_id)
        return next((space for space in self._spaces.values() if space.key == key), None)


def _there(read: Callable[[str], _T], number: str) -> _T | None:
    try:
        return read(number)
    except SourceError:  # in trouble, which says nothing of the others
        return None
