"""What was read of a page as a ticket, without I/O."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from itertools import pairwise
from urllib.parse import quote, urljoin

from core.connectors import confluence_documents
from core.connectors.confluence_listing import attachment_id, by, comment_id, document_id
from core.connectors.confluence_records import Attachment, Child, Comment, Page, Version
from core.connectors.confluence_wire import count
from core.parsing.storage import Link, Names, Storage
from core.tickets import AttachedFile, Change, Field, Person, RemoteLink, Ticket
from core.tickets import Comment as Said
from core.types import Locator

_MOST_LINKS = 50
_TO_PAGE = re.compile(
    r"/pages/(\d{1,19})(?=[/?#]|$)|[?&]pageId=(\d{1,19})(?=[&#]|$)|/display/[^/?#]+/[^/?#]+", re.ASCII
)


@dataclass(frozen=True, slots=True)
class Content:
    """All that was read of a page before it was asked who may read it."""

    page: Page
    body: Storage
    comments: Sequence[tuple[Comment, Storage]]
    """As `threads` gives them."""
    files: Sequence[Attachment]
    versions: Sequence[tuple[Version, Storage]]
    """Before this one, newest first."""
    children: Sequence[Child]

    def people(self) -> Iterator[str]:
        """The ids of all whose names it needs, but for those in the page's own text."""
        yield from (self.page.creator, self.page.author)
        for comment, text in self.comments:
            yield from (comment.author, *sorted(text.people()))
        for version, text in self.versions:
            yield from (version.author, *sorted(text.people()))


@dataclass(frozen=True, slots=True)
class Told:
    """What beside its content makes a page a ticket."""

    site: str
    space: str
    """The space's key."""
    labels: frozenset[str]
    names: Names
    bots: frozenset[str]

    def person(self, account: str) -> Person:
        return Person(account, self.names.get(account) or "somebody")


def ticket(
    content: Content, told: Told, description: str, children: Iterable[Child], unread: tuple[str, ...]
) -> Ticket:
    page = content.page
    tags = ", ".join(sorted(page.labels))
    status = "archived" if page.archived else "current"
    return Ticket(
        id=page.id,
        key=document_id(page.id),
        project=told.space,
        summary=page.title,
        description=description,
        type="page",
        status=status,
        done=False,
        resolution=None,
        reporter=told.person(page.creator),
        assignee=None,
        created=page.created,
        updated=page.updated,
        labels=told.labels,
        locator=Locator(document_id(page.id), page.title, page.address),
        fields=(Field("labels", "Labels", tags),) if tags else (),
        comments=tuple(_comment(page, comment, text, told) for comment, text in content.comments),
        history=tuple(_changes(content, told)),
        remote_links=(*_links(content, told), *(_to_child(child, told.site) for child in children)),
        files=tuple(AttachedFile(attachment_id(file), file.title, told.labels) for file in content.files),
        unread=unread,
        attributes={
            "space": told.space,
            "archived": "true" if page.archived else "false",
            "author": told.person(page.author).name,
            "version": page.version,
        },
        kind="page",
        version=page.version,
    )


def threads(comments: Iterable[Comment]) -> list[Comment]:
    """The threads that are open, oldest first: each comment after what it replies to, and each with the place, the
    marked text and the state of its thread. A reply whose thread is not there is left out: it may be a closed one.
    """
    below: dict[str | None, list[Comment]] = {}
    for comment in sorted({one.id: one for one in comments}.values(), key=_age, reverse=True):
        below.setdefault(comment.parent, []).append(comment)
    found: list[Comment] = []
    for top in reversed(below.get(None, [])):
        ahead = [top] if confluence_documents.is_open(top) else []
        while ahead:
            comment = ahead.pop()
            found.append(replace(comment, inline=top.inline, marked=top.marked, state=top.state))
            ahead += below.get(comment.id, [])
    return found


def _age(comment: Comment) -> tuple[datetime, int, str]:
    return comment.created or comment.updated, len(comment.id), comment.id


def _comment(page: Page, comment: Comment, text: Storage, told: Told) -> Said:
    return Said(
        id=comment.id,
        author=told.person(comment.author),
        created=comment.created or comment.updated,
        updated=comment.updated,
        text=text.read(told.names).text,
        marked=comment.marked,
        mentions=tuple(sorted(text.people())),
        labels=told.labels,
        locator=Locator(comment_id(comment), confluence_documents.comment_title(page), comment.address),
        by_bot=by(comment, told.bots),
    )


def _changes(content: Content, told: Told) -> Iterator[Change]:
    """What each version made of the one before it, oldest first. Text of other pages is not part of any: nobody knows
    what it was then.
    """
    page = content.page
    now = Version(count(page.version), page.title, page.author, page.updated, page.body)
    versions = sorted([*content.versions, (now, content.body)], key=lambda pair: pair[0].number)
    texts = [(version, text.read(told.names).text) for version, text in versions]
    for (old, before), (new, after) in pairwise(texts):
        for field, was, then in (("title", old.title, new.title), ("text", before, after)):
            if was != then:
                yield Change(new.at, told.person(new.author), field, was, then)


def _links(content: Content, told: Told) -> list[RemoteLink]:
    """The pages that the page links to, each once."""
    page = content.page
    found: dict[str, RemoteLink] = {}
    for link in content.body.links():
        url = _url(link, told)
        to_page = _TO_PAGE.search(url)
        to_itself = link.title == page.title and link.space in {"", told.space}
        if to_page and not to_itself and page.id not in to_page.groups():
            found.setdefault(url, RemoteLink(link.text, url))
    return list(found.values())[:_MOST_LINKS]


def _url(link: Link, told: Told) -> str:
    """Where a link leads to within the site; empty when it leads elsewhere."""
    if link.title:
        return f"{told.site}/display/{quote(link.space or told.space, safe='~')}/{quote(link.title, safe='')}"
    if link.page:
        return _by_id(told.site, link.page)
    try:
        url = urljoin(f"{told.site}/", link.address)
    except ValueError:  # no address at all, such as http://[
        return ""
    return url if url.startswith(f"{told.site}/") else ""


def _to_child(child: Child, site: str) -> RemoteLink:
    return RemoteLink(child.title, _by_id(site, child.id), "child page")


def _by_id(site: str, page_id: str) -> str:
    return f"{site}/pages/viewpage.action?pageId={quote(page_id, safe='')}"
