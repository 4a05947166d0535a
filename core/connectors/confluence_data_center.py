"""Reads of Confluence Data Center's REST v1."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from urllib.parse import parse_qs, urlsplit

from core.connectors.confluence_records import Attachment, Child, Comment, Page, Space, Version
from core.connectors.confluence_wire import (
    Json,
    Wire,
    an_object,
    checked,
    count,
    including_cql,
    line,
    part,
    results,
    shown,
    storage,
    text,
    when,
    whole_storage,
)
from core.connectors.http import Limits, Params
from core.errors import SourceError, SourceForbidden, SourceGone, SourceIncomplete, SourceUnavailable

_API = "rest/api/"
_PAGE = 200
_SHRUNK = 4  # a page of a listing that the server does not manage is asked for in parts of this many
_SPACES_AT_ONCE = 50
_RESTRICTED_AT_ONCE = 100
_OF_PAGE = "space,version,history,ancestors"
_OF_COMMENT = "version,container,ancestors,extensions.inlineProperties,extensions.resolution"
_OF_ATTACHMENT = "version,container,history"


class ConfluenceDataCenter:
    """One site, which may have a context path (`https://host/confluence`), read with a personal access token.

    Pages are never archived there by themselves, only with their space. Comments are scanned by space; attachments come
    with a listing of pages.
    """

    def __init__(self, site: str, token: str, limits: Limits, largest: int) -> None:
        self._wire = Wire(site, "", token, limits, largest)
        self._http = self._wire.http
        self.site = self._wire.site
        self._people: dict[str, str] = {}

    def spaces(self, keys: Sequence[str]) -> list[Space]:
        found: list[Space] = []
        for start in range(0, len(keys), _SPACES_AT_ONCE):
            wanted = list(keys[start : start + _SPACES_AT_ONCE])
            found += [_space(raw) for raw in self._listing(f"{_API}space", {"spaceKey": wanted}, "spaces")]
        return [space for space in found if space.key in keys]

    def pages(self, space: Space) -> Iterator[Page]:
        asked: Params = {"type": "page", "spaceKey": space.key, "expand": _OF_PAGE}
        listed = self._listing(f"{_API}content", asked, f"space {space.key}")
        return (self._page(raw, archived=space.archived) for raw in listed if shown(raw))

    def page(self, page_id: str, *, body: bool = True) -> Page:
        expand = f"{_OF_PAGE},metadata.labels" + (",body.storage" if body else "")
        raw = self._content(page_id, "page", expand)
        return self._page(raw, archived=_space(part(raw, "space")).archived)

    def some_pages(self, page_ids: Sequence[str], *, body: bool) -> list[Page]:
        found: list[Page] = []
        for page_id in page_ids:
            try:
                found.append(self.page(page_id, body=body))
            except (SourceGone, SourceForbidden):
                continue
            except SourceUnavailable:
                raise
            except SourceError:  # an answer that cannot be read is that page's fault
                continue
        return found

    def find(self, space: Space, title: str) -> Page | None:
        asked: Params = {"type": "page", "spaceKey": space.key, "title": title, "expand": _OF_PAGE}
        listed = self._listing(f"{_API}content", asked, f"a page of {space.key}")
        return next((self._page(raw, archived=space.archived) for raw in listed if shown(raw)), None)

    def including(self, spaces: Sequence[Space]) -> list[str]:
        found = self._listing(f"{_API}search", {"cql": including_cql(spaces)}, "a search")
        return [text(part(raw, "content"), "id") for raw in found]

    def ancestors(self, page_id: str) -> list[str]:
        return list(self.page(page_id, body=False).above or ())

    def versions(self, page: Page, most: int) -> list[Version]:
        """One by one: there is no listing of them. A version that was removed leaves a gap."""
        last = count(page.version) - 1
        found: list[Version] = []
        for number in range(last, max(last - most, 0), -1):
            asked: Params = {"status": "historical", "version": str(number), "expand": "version,body.storage"}
            try:
                raw = an_object(self._http.get(f"{_API}content/{checked(page.id)}", asked))
            except SourceGone:
                continue
            version = part(raw, "version")
            author, at = self._person(part(version, "by"))[0], when(version, "when")
            found.append(Version(number, line(raw, "title"), author, at, whole_storage(raw)))
        return found

    def children(self, page_id: str, most: int) -> list[Child]:
        asked: Params = {"limit": str(min(most, _PAGE))}
        answer = self._http.get(f"{_API}content/{checked(page_id)}/child/page", asked)
        return [Child(text(raw, "id"), line(raw, "title")) for raw in results(answer) if shown(raw)]

    def read_restriction(self, content_id: str) -> tuple[frozenset[str], frozenset[str]]:
        groups: set[str] = set()
        users: set[str] = set()
        start = 0
        while True:
            path = f"{_API}content/{checked(content_id)}/restriction/byOperation/read"
            expand = "restrictions.user,restrictions.group"
            asked: Params = {"expand": expand, "start": str(start), "limit": str(_RESTRICTED_AT_ONCE)}
            restrictions = part(an_object(self._http.get(path, asked)), "restrictions")
            some_groups, some_users = results(restrictions.get("group")), results(restrictions.get("user"))
            groups |= {text(group, "name") for group in some_groups}
            users |= {text(user, "userKey") or text(user, "username") for user in some_users}
            if max(len(some_groups), len(some_users)) < _RESTRICTED_AT_ONCE:
                return frozenset(groups), frozenset(users)
            start += _RESTRICTED_AT_ONCE

    def comments(self, spaces: Sequence[Space], *, body: bool) -> Iterator[Comment]:
        expand = _OF_COMMENT + (",body.storage" if body else "")
        for space in spaces:
            asked: Params = {"type": "comment", "spaceKey": space.key, "expand": expand}
            listed = self._listing(f"{_API}content/scan", asked, f"comments of space {space.key}", by="cursor")
            yield from (self._comment(raw) for raw in listed if shown(raw))

    def comments_of(self, page_id: str) -> Iterator[Comment]:
        asked: Params = {"depth": "all", "expand": f"{_OF_COMMENT},history,body.storage"}
        path = f"{_API}content/{checked(page_id)}/child/comment"
        listed = self._listing(path, asked, f"comments of page {page_id}")
        return (replace(self._comment(raw), page=page_id) for raw in listed if shown(raw))

    def comment(self, comment_id: str) -> Comment:
        return self._comment(self._content(comment_id, "comment", f"{_OF_COMMENT},body.storage"))

    def attachments(self, spaces: Sequence[Space]) -> Iterator[Attachment]:
        expand = ",".join(f"children.attachment.{name}" for name in ("version", "history"))
        for space in spaces:
            asked: Params = {"type": "page", "spaceKey": space.key, "expand": expand}
            for page in self._listing(f"{_API}content", asked, f"attachments of space {space.key}"):
                if shown(page):
                    yield from self._attachments_within(page)

    def _attachments_within(self, page: Json) -> Iterator[Attachment]:
        """Those that came with a page; when there are more, all are asked for."""
        number, first = text(page, "id"), part(page, "children", "attachment")
        if part(first, "_links").get("next"):
            return self.attachments_of(number)
        return (self._attachment(raw, number) for raw in results(first) if shown(raw))

    def attachments_of(self, page_id: str) -> Iterator[Attachment]:
        path = f"{_API}content/{checked(page_id)}/child/attachment"
        listed = self._listing(path, {"expand": "version,history"}, f"attachments of page {page_id}")
        return (self._attachment(raw, page_id) for raw in listed if shown(raw))

    def attachment(self, attachment_id: str) -> Attachment:
        raw = self._content(attachment_id, "attachment", _OF_ATTACHMENT)
        return self._attachment(raw, text(part(raw, "container"), "id"))

    def download(self, attachment: Attachment) -> bytes:
        return self._wire.download(attachment.download)

    def names(self, users: Iterable[str]) -> dict[str, str]:
        found: dict[str, str] = {}
        for user in users:
            if user not in self._people:
                try:
                    self._person(an_object(self._http.get(f"{_API}user", {"key": user})))
                except (SourceGone, SourceForbidden):
                    continue
            if user in self._people:
                found[user] = self._people[user]
        return found

    def _person(self, raw: Json) -> tuple[str, frozenset[str]]:
        """A person's key and all names that the person goes by; the display name is kept."""
        names = [name for name in (text(raw, "userKey"), text(raw, "username")) if name]
        if display := line(raw, "displayName"):
            self._people |= dict.fromkeys(names, display)
        return next(iter(names), ""), frozenset(names)

    def _content(self, content_id: str, kind: str, expand: str) -> Json:
        raw = an_object(self._http.get(f"{_API}content/{checked(content_id)}", {"expand": expand}))
        if raw.get("type") != kind or not shown(raw):
            raise SourceGone(f"{kind} {content_id} is not shown")
        return raw

    def _page(self, raw: Json, *, archived: bool) -> Page:
        number, version, history = text(raw, "id"), part(raw, "version"), part(raw, "history")
        above = [text(ancestor, "id") for ancestor in _items(raw.get("ancestors"))]
        return Page(
            id=number,
            title=line(raw, "title"),
            space=text(part(raw, "space"), "id"),
            archived=archived or raw.get("status") == "archived",
            parent=above[-1] if above else None,
            above=tuple(above),
            version=text(version, "number"),
            author=self._person(part(version, "by"))[0],
            updated=when(version, "when"),
            created=when(history, "createdDate"),
            address=self._address(raw, f"/pages/viewpage.action?pageId={number}"),
            labels=tuple(line(label, "name") for label in _items(part(raw, "metadata", "labels").get("results"))),
            body=storage(raw),
            creator=self._person(part(history, "createdBy"))[0],
        )

    def _comment(self, raw: Json) -> Comment:
        number, page, version = text(raw, "id"), text(part(raw, "container"), "id"), part(raw, "version")
        extensions = part(raw, "extensions")
        above = [text(ancestor, "id") for ancestor in _items(raw.get("ancestors"))]
        history = part(raw, "history")
        author, aliases = self._person(part(history, "createdBy") or part(version, "by"))
        return Comment(
            id=number,
            page=page or None,
            parent=above[-1] if above else None,
            inline=extensions.get("location") in ("inline", "resolved"),
            state=text(part(extensions, "resolution"), "status"),
            marked=line(part(extensions, "inlineProperties"), "originalSelection"),
            version=text(version, "number"),
            author=author,
            aliases=aliases,
            updated=when(version, "when"),
            address=self._address(raw, f"/pages/viewpage.action?pageId={page}&focusedCommentId={number}"),
            body=storage(raw),
            created=when(history, "createdDate") if history else None,
        )

    def _attachment(self, raw: Json, page: str) -> Attachment:
        version, size = part(raw, "version"), part(raw, "extensions").get("fileSize")
        return Attachment(
            id=text(raw, "id"),
            page=page,
            title=line(raw, "title"),
            size=size if isinstance(size, int) else 0,
            version=text(version, "number"),
            author=self._person(part(version, "by"))[0],
            updated=when(version, "when"),
            created=when(part(raw, "history"), "createdDate"),
            download=text(part(raw, "_links"), "download"),
        )

    def _address(self, raw: Json, otherwise: str) -> str:
        path = text(part(raw, "_links"), "webui")
        return self.site + (path if path.startswith("/") else otherwise)

    def _listing(self, path: str, params: Params, what: str, by: str = "start") -> Iterator[Json]:
        """A list to its end. Of the answers' addresses only the place to go on from is taken. A page that the server
        does not manage is asked for again in smaller parts.
        """
        place, size, told = "", _PAGE, 0
        while True:
            where = f"{what}, from {told} of the listing"
            asked: Params = {**params, "limit": str(size), **({by: place} if place else {})}
            try:
                answer = an_object(self._http.get(path, asked))
            except (SourceUnavailable, SourceForbidden) as error:
                if size > 1 and error.retry_after is None:
                    size = max(1, size // _SHRUNK)
                    continue
                if isinstance(error, SourceForbidden):
                    raise
                raise SourceIncomplete(f"{error} ({where})", retry_after=error.retry_after) from error
            batch = results(answer)
            following = part(answer, "_links").get("next")
            if place and not batch and not following:
                raise SourceIncomplete(f"Confluence ended a listing before its end ({where})")
            yield from batch
            told += len(batch)
            if not following:
                return
            place = _further(str(following), by, place, where)


def _further(following: str, by: str, place: str, where: str) -> str:
    """Where a listing goes on, from the address that the answer gives."""
    found = next(iter(parse_qs(urlsplit(following).query).get(by, [])), "")
    on = found.isdecimal() and int(found) > int(place or 0) if by == "start" else found not in {"", place}
    if not on:
        raise SourceIncomplete(f"Confluence gave no way on ({where})")
    return found


def _space(raw: Json) -> Space:
    key = text(raw, "key")
    return Space(text(raw, "id"), key, line(raw, "name") or key, raw.get("status") == "archived")


def _items(value: object) -> list[Json]:
    return [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []
