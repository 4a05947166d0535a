"""Confluence Data Center: REST v1."""

from collections.abc import Iterator, Mapping
from typing import Any
from urllib.parse import quote

from pydantic import AwareDatetime, Field

from bots.confluence.records import (
    ARCHIVED,
    ARCHIVED_SPACE,
    DANGLING,
    RESOLVED,
    VIEW_SPACE,
    Account,
    Comment,
    Found,
    Page,
)
from bots.confluence.wire import Answer, Body, Hit, Query, Ways, address, checked, connection, listed, own_account, read
from bots.errors import BotError, Gone, NotAllowed, Unavailable, Uncertain

_API = "/rest/api"
_AT_ONCE = 100
_VIEW = "to view the page"
_OF_COMMENT = "body.storage,version,history,container,ancestors,extensions.inlineProperties,extensions.resolution"
_SETTLED = {"resolved": RESOLVED, "dangling": DANGLING}


class _Person(Answer):
    user_key: str = ""
    username: str = ""
    display_name: str = ""

    @property
    def id(self) -> str:
        """The key, which stays when somebody is renamed; empty for nobody who is known."""
        return self.user_key or self.username


class _Me(_Person):
    type: str = "known"


class _Item(Answer):
    id: str
    type: str = ""
    title: str = ""


class _History(Answer):
    created_by: _Person = _Person()
    created_date: AwareDatetime


class _Marking(Answer):
    original_selection: str = ""


class _Resolution(Answer):
    status: str = ""


class _Extensions(Answer):
    location: str = ""
    inline_properties: _Marking = _Marking()
    resolution: _Resolution = _Resolution()


class _Comment(Answer):
    id: str = Field(pattern=r"^[0-9]{1,19}$")
    type: str
    status: str = "current"
    container: _Item = _Item(id="")
    ancestors: tuple[_Item, ...] = ()
    history: _History
    extensions: _Extensions = _Extensions()
    body: Body = Body()
    ways: Ways = Field(Ways(), alias="_links")


class _Space(Answer):
    key: str
    status: str = "current"


class _Page(_Item):
    status: str = "current"
    space: _Space
    ways: Ways = Field(Ways(), alias="_links")


class _Group(Answer):
    name: str


class DataCenter:
    """`site` is with its context path; the token is a personal access token."""

    def __init__(self, site: str, token: str, *, timeout: float) -> None:
        self._base = site
        self._wiki = connection(site, "", token, timeout=timeout)

    def account(self) -> Account:
        payload = own_account(self._wiki, f"{_API}/user/current")
        me = read(_Me, payload, "the bot's account")
        if me.type != "known" or not me.id:  # anonymous access is allowed there, and the token good for nothing
            raise NotAllowed("Confluence does not accept the posting account's token, so it could not tell who it is")
        return Account(me.id, frozenset({me.user_key, me.username} - {""}), me.display_name)

    def comment(self, comment_id: str, *, inline: bool | None = None) -> Comment:
        del inline  # both kinds are read alike
        comment = self._record(self._content(comment_id, _OF_COMMENT, "show comment"), "a comment")
        if comment is None:
            raise Gone(f"{comment_id} is no comment, or not there any more")
        return comment

    def _content(self, content_id: str, expand: str, what: str) -> Any:
        path, query = f"{_API}/content/{checked(content_id)}", {"expand": expand}
        return self._wiki.ask("GET", path, what=f"{what} {content_id}", needs=_VIEW, query=query)

    def _record(self, payload: Any, what: str, error: type[BotError] = Unavailable) -> Comment | None:
        """None for what is no comment, or is none any more."""
        if isinstance(payload, Mapping) and (payload.get("type"), payload.get("status")) != ("comment", "current"):
            return None
        raw = read(_Comment, payload, what, error)
        extensions, author = raw.extensions, raw.history.created_by
        resolution = "resolved" if extensions.location == "resolved" else extensions.resolution.status
        return Comment(
            id=raw.id,
            page_id=raw.container.id if raw.container.type == "page" else "",
            page_title=raw.container.title,
            inline=extensions.location in {"inline", "resolved"},
            above=raw.ancestors[0].id if raw.ancestors else "",
            author_id=author.id,
            author=author.display_name,
            created=raw.history.created_date,
            settled=_SETTLED.get(resolution, ""),
            marked=extensions.inline_properties.original_selection,
            storage=raw.body.storage.value,
            url=address(self._base, raw.ways.webui),
        )

    def replies(self, comment_id: str, *, inline: bool) -> Iterator[Comment]:
        del inline
        path, what = f"{_API}/content/{checked(comment_id)}/child/comment", f"the answers to comment {comment_id}"
        for raw in self._list(path, {"expand": _OF_COMMENT, "limit": _AT_ONCE}, what):
            reply = self._record(raw, "a comment")
            if reply is not None:
                yield reply

    def author_of(self, comment: Comment) -> str:
        return comment.author

    def page(self, page_id: str) -> Page:
        page = read(_Page, self._content(page_id, "space", "show page"), "a page")
        if page.type != "page" or page.status not in {"current", "archived"}:
            raise Gone(f"{page_id} is no page, or not there any more")
        ended = ARCHIVED if page.status == "archived" else ARCHIVED_SPACE if page.space.status == "archived" else ""
        return Page(page.id, page.title, page.space.key, ended, address(self._base, page.ways.webui))

    def write(
        self, page_id: str, thread: str, storage: str, *, inline: bool, what: str, until: float | None
    ) -> Comment:
        body: dict[str, Any] = {
            "type": "comment",
            "container": {"id": page_id, "type": "page"},
            "ancestors": [{"id": thread}],
            "body": {"storage": {"value": storage, "representation": "storage"}},
        }
        if inline:  # or it lands in the footer
            body["extensions"] = {"location": "inline"}
        payload = self._wiki.ask(
            "POST",
            f"{_API}/content",
            what=what,
            needs="to add comments",
            query={"expand": _OF_COMMENT},
            body=body,
            writes=True,
            until=until,
        )
        written = self._record(payload, "the comment just written", Uncertain)
        if written is None:
            raise Uncertain(f"Confluence was to {what}, but answered with something else")
        return written

    def delete(self, comment_id: str, *, inline: bool, what: str, until: float | None) -> None:
        del inline
        path = f"{_API}/content/{checked(comment_id)}"
        self._wiki.ask("DELETE", path, what=what, needs="to delete its own comments", writes=True, until=until)

    def search(self, cql: str) -> Iterator[Found]:
        for raw in self._list(f"{_API}/search", {"cql": cql, "limit": _AT_ONCE}, "a search's results"):
            hit = read(Hit, raw, "a search")
            yield Found(str(hit.content.get("id", "")), hit.last_modified)

    def groups(self, person_id: str) -> frozenset[str]:
        path, what = f"{_API}/user/memberof", "a person's groups"
        try:
            found = list(self._list(path, {"key": person_id, "limit": _AT_ONCE}, what))
        except Gone:  # somebody who has no key, only a name
            found = list(self._list(path, {"username": person_id, "limit": _AT_ONCE}, what))
        return frozenset(read(_Group, raw, "a group").name for raw in found)

    def has_group(self, name: str) -> bool:
        path = f"{_API}/group/{quote(name, safe='')}"
        try:
            self._wiki.ask("GET", path, what="show a group", needs="to see groups")
        except Gone:
            return False
        return True

    def missing_permissions(self, space: str) -> list[str] | None:
        """What somebody may do there, only a space's administrator is told, and not by group."""
        seen = next(self._list(f"{_API}/space", {"spaceKey": space}, "spaces"), None)
        return [VIEW_SPACE] if seen is None else None

    def close(self) -> None:
        self._wiki.close()

    def _list(self, path: str, query: Query, what: str) -> Iterator[dict[str, Any]]:
        def ask(asked: Query) -> Any:
            return self._wiki.ask("GET", path, what=f"list {what}", needs=_VIEW, query=asked)

        return listed(ask, query, what)
