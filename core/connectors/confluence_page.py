"""One page of Confluence, read live and whole, as what is reviewed like a ticket is."""

import re
from collections import deque
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import accumulate, islice
from typing import TypeVar

import structlog

from core.connectors import confluence_ticket
from core.connectors.confluence_api import ConfluenceApi, connect
from core.connectors.confluence_includes import Bodies, Rendering
from core.connectors.confluence_labels import Restrictions, or_none
from core.connectors.confluence_listing import Tree
from core.connectors.confluence_records import Child, Comment, Page, Space, Version
from core.connectors.confluence_ticket import Content, Told
from core.connectors.http import Limits
from core.errors import SourceError, SourceGone
from core.masking import masked
from core.parsing.storage import NO_TEXT, Names, Storage
from core.ticket_masking import without_credentials
from core.tickets import Ticket

_KEY = re.compile(r"(?:confluence:)?([1-9][0-9]{0,18})", re.ASCII)
_MOST_INCLUDED = 20  # other pages whose text is read
_MOST_COMMENTS = 500
_MOST_FILES = 200
_MOST_VERSIONS = 10  # before the one that is shown
_MOST_CHILDREN = 20
_MOST_NAMES = 200  # of people
_LONGEST = 500_000  # characters of the page's text
_LONGEST_TOGETHER = 2_000_000  # characters of storage format, of all comments, and of all versions
_INCLUDED = "Some of the text that it shows of other pages"
_T = TypeVar("_T")
_B = TypeVar("_B", Comment, Version)

log = structlog.get_logger(__name__)


class PageReader:
    """Reads with an account that must not be able to write. Raises SourceError.

    `bots` gives the accounts whose comments are a program's: account ids on Cloud, keys or user names on Data Center.
    Nothing is remembered from one reading to the next.
    """

    def __init__(
        self,
        site: str,
        user: str,
        token: str,
        spaces: Sequence[str],
        *,
        bots: Callable[[], frozenset[str]] = frozenset,
        limits: Limits | None = None,
        through: Callable[[ConfluenceApi], ConfluenceApi] | None = None,
    ) -> None:
        """Without a user, the token is a personal access token of Data Center, and `site` may end in a context path.
        `through` is what the site is looked at through, given its API.
        """
        api = connect(site, user, token, limits or Limits(), 0)
        self._api: ConfluenceApi = through(api) if through else api
        self._spaces = list(dict.fromkeys(spaces))
        self._bots = bots

    def ticket(self, key: str) -> Ticket:
        """The page (`confluence:98312`, or its id alone) with comments, files, earlier versions and child pages; what
        of it could not be read is in `unread`, in plain words. Credentials are masked in it.

        First everything is read, and then who may read it: what was written after the page, or one above it, was
        restricted is never held for open.

        Raises SourceGone when the page is not there, is not shown or is in another space than the given ones, and
        SourceError when it, or who may read it, cannot be read.
        """
        unread: list[str] = []
        spaces = self._shown_spaces()
        page = self._page(key, spaces, body=True)
        bodies = self._bodies(spaces)
        body = bodies.add(page)
        deque(islice(bodies.below(page, body), _MOST_INCLUDED), maxlen=0)  # has them read
        bodies.close()
        content = self._content(page, body, unread)
        names = self._names([*content.people(), *(user for text in bodies.texts() for user in text.people())])
        now = self._page(key, spaces, body=False)
        restrictions = Restrictions(self._api, Tree(spaces.values(), [now]))
        told = Told(
            site=self._api.site,
            space=spaces[now.space].key,
            labels=restrictions.labels(now),
            names=names,
            bots=self._bots(),
        )
        description = _described(content, Rendering(bodies, restrictions.labels, names, told.labels), names, unread)
        children = _readable(content.children, restrictions, told.labels, unread)
        ticket = confluence_ticket.ticket(content, told, description, children, tuple(dict.fromkeys(unread)))
        return without_credentials(ticket)

    def labels(self, page_id: str) -> frozenset[str]:
        """Who can read a comment on a page: the label of its space, and one for each read restriction, its own and
        those above it; not those of pages that it includes.

        Raises SourceGone as `ticket` does, and SourceError when anything cannot be asked.
        """
        spaces = self._shown_spaces()
        page = self._page(page_id, spaces, body=False)
        return Restrictions(self._api, Tree(spaces.values(), [page])).labels(page)

    def _shown_spaces(self) -> dict[str, Space]:
        return {space.id: space for space in self._api.spaces(self._spaces)}

    def _page(self, key: str, spaces: Mapping[str, Space], *, body: bool) -> Page:
        """What is hidden, and what is in another space, is as gone as what is not there."""
        found = _KEY.fullmatch(key)
        page = self._api.page(found[1], body=body) if found else None
        if page is None or page.space not in spaces:
            raise SourceGone(f"page {key[:40]} is not shown")
        return page

    def _bodies(self, spaces: Mapping[str, Space]) -> Bodies:
        """Other pages, as far as they can be read: one that cannot is left out of the text, which says so."""
        by_key = {space.key: space for space in spaces.values()}
        return Bodies(
            lambda space_id, key: by_key.get(key) if key else spaces.get(space_id),
            lambda space, title: or_none(self._api.find, space, title),
            lambda page_id: or_none(self._api.page, page_id),
        )

    def _content(self, page: Page, body: Storage, unread: list[str]) -> Content:
        """A part that cannot be read costs itself alone."""
        api = self._api
        comments = _fitting(lambda: api.comments_of(page.id), _MOST_COMMENTS, "the comments", unread)
        files = _listed(lambda: api.attachments_of(page.id), _MOST_FILES, "the files", unread)
        versions = _fitting(lambda: api.versions(page, _MOST_VERSIONS), _MOST_VERSIONS, "the earlier versions", unread)
        more = _MOST_CHILDREN + 1
        children = _listed(lambda: api.children(page.id, more), _MOST_CHILDREN, "the child pages", unread)
        return Content(
            page=page,
            body=body,
            comments=tuple((comment, Storage(comment.body)) for comment in confluence_ticket.threads(comments)),
            files=tuple(files),
            versions=tuple((version, Storage(version.body)) for version in versions),
            children=tuple(children),
        )

    def _names(self, people: Iterable[str]) -> Names:
        """Display names, as far as they can be had."""
        wanted = [person for person in dict.fromkeys(people) if person]
        return or_none(self._api.names, wanted[:_MOST_NAMES]) or {}


def _described(content: Content, rendering: Rendering, names: Names, unread: list[str]) -> str:
    """The page's text, with the text of other pages that everybody who may read the page may read."""
    try:
        parsed = rendering.read(content.page, content.body)
    except SourceError as error:
        log.warning("who may read an included page could not be asked", page=content.page.id, reason=str(error))
        parsed = content.body.read(names)
        unread.append(_INCLUDED)
    if not rendering.complete:
        unread.append(_INCLUDED)
    if parsed.unread:
        unread.append("Some of its text")
    if len(parsed.text) > _LONGEST:
        unread.append("The end of its text")
    # Masked before it is cut: half a credential would not be known for one.
    return "" if parsed.text == NO_TEXT else masked(parsed.text)[0][:_LONGEST]


def _readable(
    children: Iterable[Child], restrictions: Restrictions, labels: frozenset[str], unread: list[str]
) -> list[Child]:
    """The child pages that everybody may know of who may read the page. How many the others are is not told."""
    found: list[Child] = []
    for child in children:
        try:
            if restrictions.own(child.id) <= labels:
                found.append(child)
        except SourceGone:
            continue
        except SourceError as error:
            unread.append("Some of the child pages")
            log.warning("who may read a child page could not be asked", page=child.id, reason=str(error))
    return found


def _listed(listing: Callable[[], Iterable[_T]], most: int, what: str, unread: list[str]) -> list[_T]:
    """What comes of a listing, up to so many; where it is short, that is noted, and the reason is logged: people are
    not shown Confluence's words, which may name what they may not know of.
    """
    found: list[_T] = []
    try:
        for one in listing():
            if len(found) == most:
                unread.append(f"Some of {what}")
                break
            found.append(one)
    except SourceError as error:
        unread.append(f"Some of {what}" if found else what.capitalize())
        log.warning("a part of a page could not be read", part=what, reason=str(error))
    return found


def _fitting(listing: Callable[[], Iterable[_B]], most: int, what: str, unread: list[str]) -> list[_B]:
    """As `_listed`, as far as their bodies are not too long together."""
    found = _listed(listing, most, what, unread)
    sizes = accumulate(len(one.body) for one in found)
    fitting = [one for one, size in zip(found, sizes, strict=True) if size <= _LONGEST_TOGETHER]
    if len(fitting) < len(found):
        unread.append(f"Some of {what}")
    return fitting
