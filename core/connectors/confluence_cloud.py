"""Reads of Confluence Cloud's REST v2, and of v1 for read restrictions and searches, which v2 does not have."""

from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import islice
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

_V2 = "wiki/api/v2/"
_V1 = "wiki/rest/api/"
_PAGE = 250  # what v2 gives at most
_BODIES_AT_ONCE = 50
_SPACES_AT_ONCE = 100
_FOUND_AT_ONCE = 100
_RESTRICTED_AT_ONCE = 100  # users, and groups, of one restriction
_PEOPLE_AT_ONCE = 100
_LISTED = ["current", "archived"]
_ASKED_FOR_REPLIES = 100  # comments of one page
_OPEN = frozenset({"", "open", "reopened"})  # a comment at the foot of a page has no state


class ConfluenceCloud:
    """One site, read with an account's address and API token.

    Comments and attachments are listed for the whole site, for v2 lists them by page or not by place at all: a few
    requests for each thousand, where by page it would be two for each page.
    """

    def __init__(self, site: str, user: str, token: str, limits: Limits, largest: int) -> None:
        self._wire = Wire(site, user, token, limits, largest)
        self._http = self._wire.http
        self.site = f"{self._wire.site}/wiki"

    def spaces(self, keys: Sequence[str]) -> list[Space]:
        found: list[Space] = []
        for start in range(0, len(keys), _SPACES_AT_ONCE):
            wanted = list(keys[start : start + _SPACES_AT_ONCE])
            for raw in self._listing(f"{_V2}spaces", {"keys": wanted}, "spaces"):
                key = text(raw, "key")
                if key in wanted:
                    found.append(Space(text(raw, "id"), key, line(raw, "name") or key))
        return found

    def pages(self, space: Space) -> Iterator[Page]:
        path = f"{_V2}spaces/{checked(space.id)}/pages"
        return map(self._page, self._listing(path, {"status": _LISTED}, f"space {space.key}"))

    def page(self, page_id: str, *, body: bool = True) -> Page:
        asked: Params = {"status": _LISTED, "include-labels": "true"}
        form: Params = {"body-format": "storage"} if body else {}
        raw = an_object(self._http.get(f"{_V2}pages/{checked(page_id)}", {**asked, **form}))
        if not shown(raw):
            raise SourceGone(f"page {page_id} is not shown")
        return self._page(raw)

    def some_pages(self, page_ids: Sequence[str], *, body: bool) -> list[Page]:
        found: list[Page] = []
        at_once = _BODIES_AT_ONCE if body else _PAGE
        for start in range(0, len(page_ids), at_once):
            found += self._some(page_ids[start : start + at_once], body)
        return found

    def _some(self, page_ids: Sequence[str], body: bool) -> list[Page]:
        """Together if that can be, halved if not: an answer too large to be read is some page's fault."""
        form: Params = {"body-format": "storage"} if body else {}
        try:
            asked: Params = {"id": [checked(page_id) for page_id in page_ids], "status": _LISTED, **form}
            return [self._page(raw) for raw in self._listing(f"{_V2}pages", asked, "pages") if shown(raw)]
        except (SourceUnavailable, SourceForbidden, SourceIncomplete):
            raise
        except SourceError:
            if len(page_ids) == 1:
                return []
            middle = len(page_ids) // 2
            return self._some(page_ids[:middle], body) + self._some(page_ids[middle:], body)

    def find(self, space: Space, title: str) -> Page | None:
        asked: Params = {"space-id": checked(space.id), "title": title, "status": _LISTED}
        return next(map(self._page, self._listing(f"{_V2}pages", asked, f"a page of {space.key}")), None)

    def including(self, spaces: Sequence[Space]) -> list[str]:
        found = self._listing(f"{_V1}search", {"cql": including_cql(spaces)}, "a search", _FOUND_AT_ONCE)
        return [text(part(raw, "content"), "id") for raw in found]

    def ancestors(self, page_id: str) -> list[str]:
        found: list[str] = []
        ahead = page_id
        while True:
            answer = self._http.get(f"{_V2}pages/{checked(ahead)}/ancestors", {"limit": str(_PAGE)})
            batch = [text(ancestor, "id") for ancestor in results(answer)]
            new = [ancestor for ancestor in batch if ancestor not in found]
            found += new
            if len(batch) < _PAGE or not new:
                return found
            ahead = batch[0]  # topmost first: a full answer goes on above

    def versions(self, page: Page, most: int) -> list[Version]:
        asked: Params = {"body-format": "storage", "sort": "-modified-date", "limit": str(min(most + 1, _PAGE))}
        answer = self._http.get(f"{_V2}pages/{checked(page.id)}/versions", asked)
        found = [_version(raw) for raw in results(answer) if count(raw.get("number")) < count(page.version)]
        return found[:most]

    def children(self, page_id: str, most: int) -> list[Child]:
        path = f"{_V2}pages/{checked(page_id)}/direct-children"
        listed = self._listing(path, {}, f"pages below {page_id}", min(most, _PAGE))
        pages = (raw for raw in listed if raw.get("type") == "page" and raw.get("status") == "current")
        return [Child(text(raw, "id"), line(raw, "title")) for raw in islice(pages, most)]

    def read_restriction(self, content_id: str) -> tuple[frozenset[str], frozenset[str]]:
        groups: set[str] = set()
        users: set[str] = set()
        start = 0
        while True:
            path = f"{_V1}content/{checked(content_id)}/restriction/byOperation/read"
            answer = an_object(self._http.get(path, {"start": str(start), "limit": str(_RESTRICTED_AT_ONCE)}))
            restrictions = part(answer, "restrictions")
            some_groups, some_users = results(restrictions.get("group")), results(restrictions.get("user"))
            groups |= {text(group, "name") or text(group, "id") for group in some_groups}
            users |= {text(user, "accountId") for user in some_users}
            if max(len(some_groups), len(some_users)) < _RESTRICTED_AT_ONCE:
                return frozenset(groups), frozenset(users)
            start += _RESTRICTED_AT_ONCE

    def comments(self, spaces: Sequence[Space], *, body: bool) -> Iterator[Comment]:
        del spaces  # they are listed for the site alone
        form: Params = {"body-format": "storage"} if body else {}
        for kind in ("footer", "inline"):
            for raw in self._listing(f"{_V2}{kind}-comments", form, f"{kind} comments"):
                if shown(raw):
                    yield self._comment(raw, inline=kind == "inline")

    def comments_of(self, page_id: str) -> Iterator[Comment]:
        """Replies are given for each comment alone; a thread that is closed is not asked for them."""
        form: Params = {"body-format": "storage"}
        ahead: deque[Comment] = deque()
        for kind in ("footer", "inline"):
            path = f"{_V2}pages/{checked(page_id)}/{kind}-comments"
            newest_first: Params = {**form, "sort": "-created-date"}
            for raw in self._listing(path, newest_first, f"{kind} comments of page {page_id}"):
                if shown(raw):
                    comment = self._comment(raw, inline=kind == "inline")
                    yield comment
                    ahead += [comment] if comment.state in _OPEN else []
        for _ in range(_ASKED_FOR_REPLIES):
            if not ahead:
                return
            above = ahead.popleft()
            kind = "inline" if above.inline else "footer"
            path = f"{_V2}{kind}-comments/{checked(above.id)}/children"
            for raw in self._listing(path, form, f"replies to comment {above.id}"):
                if shown(raw):
                    reply = replace(self._comment(raw, inline=above.inline), page=page_id, parent=above.id)
                    yield reply
                    ahead.append(reply)
        if ahead:
            raise SourceIncomplete(f"page {page_id} has too many comments to ask for the replies to each")

    def comment(self, comment_id: str) -> Comment:
        number = checked(comment_id)
        form: Params = {"body-format": "storage"}
        try:
            raw, inline = self._http.get(f"{_V2}footer-comments/{number}", form), False
        except SourceGone:
            raw, inline = self._http.get(f"{_V2}inline-comments/{number}", form), True
        if not shown(an_object(raw)):
            raise SourceGone(f"comment {number} is not shown")
        return self._comment(raw, inline=inline)

    def attachments(self, spaces: Sequence[Space]) -> Iterator[Attachment]:
        del spaces  # as above
        listed = self._listing(f"{_V2}attachments", {"status": _LISTED}, "attachments")
        return (self._attachment(raw) for raw in listed if shown(raw) and raw.get("pageId"))

    def attachments_of(self, page_id: str) -> Iterator[Attachment]:
        path = f"{_V2}pages/{checked(page_id)}/attachments"
        listed = self._listing(path, {"status": _LISTED}, f"attachments of page {page_id}")
        return (replace(self._attachment(raw), page=page_id) for raw in listed if shown(raw))

    def attachment(self, attachment_id: str) -> Attachment:
        raw = an_object(self._http.get(f"{_V2}attachments/{checked(attachment_id)}"))
        if not shown(raw) or not raw.get("pageId"):
            raise SourceGone(f"attachment {attachment_id} is not shown")
        return self._attachment(raw)

    def download(self, attachment: Attachment) -> bytes:
        if not attachment.download.startswith("/"):
            raise SourceGone("Confluence gave an address outside itself for a file")
        return self._wire.download(f"/wiki{attachment.download}")

    def names(self, users: Iterable[str]) -> dict[str, str]:
        wanted = list(users)
        found: dict[str, str] = {}
        for start in range(0, len(wanted), _PEOPLE_AT_ONCE):
            answer = self._http.query(f"{_V2}users-bulk", {"accountIds": wanted[start : start + _PEOPLE_AT_ONCE]})
            found |= {text(p, "accountId"): line(p, "displayName") for p in results(answer) if p.get("displayName")}
        return found

    def _page(self, raw: Json) -> Page:
        number = text(raw, "id")
        version = part(raw, "version")
        labels = part(raw, "labels").get("results")
        return Page(
            id=number,
            title=line(raw, "title"),
            space=text(raw, "spaceId"),
            archived=raw.get("status") == "archived",
            parent=text(raw, "parentId") or None,
            above=None,
            version=text(version, "number"),
            author=text(version, "authorId") or text(raw, "authorId"),
            updated=when(version, "createdAt"),
            created=when(raw, "createdAt"),
            address=self._address(part(raw, "_links"), f"/pages/viewpage.action?pageId={number}"),
            labels=tuple(line(label, "name") for label in labels if isinstance(label, dict))
            if isinstance(labels, list)
            else (),
            body=storage(raw),
            creator=text(raw, "authorId"),
        )

    def _comment(self, raw: Json, *, inline: bool) -> Comment:
        number, page = text(raw, "id"), text(raw, "pageId")
        version = part(raw, "version")
        return Comment(
            id=number,
            page=page or None,
            parent=text(raw, "parentCommentId") or None,
            inline=inline,
            state=text(raw, "resolutionStatus"),
            marked=line(part(raw, "properties"), "inlineOriginalSelection"),
            version=text(version, "number"),
            author=text(version, "authorId"),
            updated=when(version, "createdAt"),
            address=self._address(
                part(raw, "_links"), f"/pages/viewpage.action?pageId={page}&focusedCommentId={number}"
            ),
            body=storage(raw),
            created=when(version, "createdAt") if count(version.get("number")) == 1 else None,
        )

    @staticmethod
    def _attachment(raw: Json) -> Attachment:
        version, size = part(raw, "version"), raw.get("fileSize")
        return Attachment(
            id=text(raw, "id"),
            page=text(raw, "pageId"),
            title=line(raw, "title"),
            size=size if isinstance(size, int) else 0,
            version=text(version, "number"),
            author=text(version, "authorId"),
            updated=when(version, "createdAt"),
            created=when(raw, "createdAt"),
            download=text(raw, "downloadLink"),
        )

    def _address(self, links: Json, otherwise: str) -> str:
        path = text(links, "webui")
        return self.site + (path if path.startswith("/") else otherwise)

    def _listing(self, path: str, params: Params, what: str, size: int = _PAGE) -> Iterator[Json]:
        """A list to its end. The next page is asked for by its cursor alone, so that no answer sends us elsewhere."""
        cursor: str | None = None
        used: set[str] = set()
        while True:
            where = f"{what}, page {len(used) + 1} of the listing"
            asked: Params = {**params, "limit": str(size), **({"cursor": cursor} if cursor else {})}
            try:
                answer = an_object(self._http.get(path, asked))
            except SourceUnavailable as error:
                raise SourceIncomplete(f"{error} ({where})", retry_after=error.retry_after) from error
            batch = results(answer)
            if cursor and not batch:
                raise SourceIncomplete(f"Confluence ended a listing before its end ({where})")
            yield from batch
            following = part(answer, "_links").get("next")
            if not following:
                return
            cursor = next(iter(parse_qs(urlsplit(str(following)).query).get("cursor", [])), None)
            if not cursor or cursor in used:
                raise SourceIncomplete(f"Confluence gave no way on ({where})")
            used.add(cursor)


def _version(raw: Json) -> Version:
    of_page = part(raw, "page")
    return Version(
        number=count(raw.get("number")),
        title=line(of_page, "title"),
        author=text(raw, "authorId"),
        at=when(raw, "createdAt"),
        body=whole_storage(of_page),
    )
