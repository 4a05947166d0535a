"""Confluence Cloud: REST v2, and v1 for who the bot is, groups and searches, which v2 does not have."""

from collections.abc import Iterator
from typing import Any

from pydantic import AwareDatetime, Field

from bots.confluence.records import (
    ADD_COMMENTS,
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
from bots.confluence.wire import (
    Answer,
    Body,
    Hit,
    Listed,
    Query,
    Ways,
    address,
    checked,
    connection,
    listed,
    own_account,
    read,
)
from bots.errors import Gone, Rejected, Unavailable, Uncertain

_V2 = "/wiki/api/v2"
_V1 = "/wiki/rest/api"
_AT_ONCE = 100
_GROUPS_AT_ONCE = 200
_VIEW = "to view the page"
_SETTLED = {"resolved": RESOLVED, "dangling": DANGLING}


class _Me(Answer):
    account_id: str = Field(min_length=1)
    display_name: str = ""


class _Version(Answer):
    number: int = 1
    author_id: str = ""
    created_at: AwareDatetime


class _Marking(Answer):
    inline_original_selection: str = ""


class _Comment(Answer):
    id: str = Field(pattern=r"^[0-9]{1,19}$")
    status: str = "current"
    title: str = ""
    page_id: str = ""
    parent_comment_id: str = ""
    version: _Version
    resolution_status: str = ""
    properties: _Marking = _Marking()
    body: Body = Body()
    ways: Ways = Field(Ways(), alias="_links")


class _Page(Answer):
    id: str
    status: str = "current"
    title: str = ""
    space_id: str
    ways: Ways = Field(Ways(), alias="_links")


class _Space(Answer):
    key: str
    status: str = "current"


class _Numbered(Answer):
    id: str = Field(pattern=r"^[0-9]{1,19}$")


class _Operation(Answer):
    operation: str = ""
    target_type: str = ""


class _Operations(Answer):
    operations: tuple[_Operation, ...] = ()


class _Person(Answer):
    display_name: str = ""


class _Group(Answer):
    name: str = ""
    id: str = ""


class Cloud:
    """`site` is without `/wiki`."""

    def __init__(self, site: str, user: str, token: str, *, timeout: float) -> None:
        self._base = f"{site}/wiki"
        self._wiki = connection(site, user, token, timeout=timeout)

    def account(self) -> Account:
        payload = own_account(self._wiki, f"{_V1}/user/current")
        me = read(_Me, payload, "the bot's account")
        return Account(me.account_id, frozenset({me.account_id}), me.display_name)

    def comment(self, comment_id: str, *, inline: bool | None = None) -> Comment:
        if inline is not None:
            return self._comment(comment_id, inline=inline)
        try:
            return self._comment(comment_id, inline=False)
        except Gone:
            return self._comment(comment_id, inline=True)

    def _comment(self, comment_id: str, *, inline: bool) -> Comment:
        path, what = f"{_kind(inline)}/{checked(comment_id)}", f"show comment {comment_id}"
        payload = self._wiki.ask("GET", path, what=what, needs=_VIEW, query={"body-format": "storage"})
        raw = read(_Comment, payload, "a comment")
        if raw.status not in {"current", "archived"}:
            raise Gone(f"Comment {comment_id} is not there any more")
        first = raw.version
        if first.number > 1:  # a space's administrator can change what others wrote
            asked = self._wiki.ask("GET", f"{path}/versions/1", what=what, needs=_VIEW)
            first = read(_Version, asked, "a comment's first version")
        return self._record(raw, first, inline=inline)

    def _record(self, raw: _Comment, version: _Version, *, inline: bool) -> Comment:
        return Comment(
            id=raw.id,
            page_id=raw.page_id,
            page_title=raw.title.removeprefix("Re: "),
            inline=inline,
            above=raw.parent_comment_id,
            author_id=version.author_id,
            author="",
            created=version.created_at,
            settled=_SETTLED.get(raw.resolution_status, ""),
            marked=raw.properties.inline_original_selection,
            storage=raw.body.storage.value,
            url=address(self._base, raw.ways.webui),
        )

    def replies(self, comment_id: str, *, inline: bool) -> Iterator[Comment]:
        path, what = f"{_kind(inline)}/{checked(comment_id)}/children", f"the answers to comment {comment_id}"
        for raw in self._list(path, {"body-format": "storage", "limit": _AT_ONCE}, what):
            reply = read(_Comment, raw, "a comment")
            yield self._record(reply, reply.version, inline=inline)

    def author_of(self, comment: Comment) -> str:
        if not comment.author_id:
            return ""
        what, asked = f"name the author of comment {comment.id}", {"accountIds": [comment.author_id]}
        payload = self._wiki.ask("POST", f"{_V2}/users-bulk", what=what, needs="to see people", body=asked)
        found = read(Listed, payload, "people").results
        return read(_Person, found[0], "a person").display_name if found else ""

    def page(self, page_id: str) -> Page:
        path, what = f"{_V2}/pages/{checked(page_id)}", f"show page {page_id}"
        page = read(_Page, self._wiki.ask("GET", path, what=what, needs=_VIEW), "a page")
        if page.status not in {"current", "archived"}:
            raise Gone(f"Page {page_id} is not there any more")
        path, what = f"{_V2}/spaces/{checked(page.space_id)}", f"show the space of page {page_id}"
        space = read(_Space, self._wiki.ask("GET", path, what=what, needs="to view the space"), "a space")
        ended = ARCHIVED if page.status == "archived" else ARCHIVED_SPACE if space.status == "archived" else ""
        return Page(page.id, page.title, space.key, ended, address(self._base, page.ways.webui))

    def write(
        self, page_id: str, thread: str, storage: str, *, inline: bool, what: str, until: float | None
    ) -> Comment:
        del page_id  # the thread says it
        body = {"parentCommentId": thread, "body": {"representation": "storage", "value": storage}}
        payload = self._wiki.ask(
            "POST", _kind(inline), what=what, needs="to add comments", body=body, writes=True, until=until
        )
        raw = read(_Comment, payload, "the comment just written", Uncertain)
        return self._record(raw, raw.version, inline=inline)

    def delete(self, comment_id: str, *, inline: bool, what: str, until: float | None) -> None:
        path = f"{_kind(inline)}/{checked(comment_id)}"
        self._wiki.ask("DELETE", path, what=what, needs="to delete its own comments", writes=True, until=until)

    def search(self, cql: str) -> Iterator[Found]:
        query: Query = {"cql": cql, "limit": _AT_ONCE, "excerpt": "none"}
        for raw in self._list(f"{_V1}/search", query, "a search's results"):
            hit = read(Hit, raw, "a search")
            yield Found(str(hit.content.get("id", "")), hit.last_modified)

    def groups(self, person_id: str) -> frozenset[str]:
        found: set[str] = set()
        query: Query = {"accountId": person_id, "limit": _GROUPS_AT_ONCE}
        for start in range(0, 100 * _GROUPS_AT_ONCE, _GROUPS_AT_ONCE):  # this list names no way on
            some = list(self._list(f"{_V1}/user/memberof", query | {"start": start}, "a person's groups"))
            for raw in some:
                group = read(_Group, raw, "a group")
                found |= {group.name, group.id} - {""}
            if len(some) < _GROUPS_AT_ONCE:
                return frozenset(found)
        raise Unavailable("Confluence lists a person's groups without an end")

    def has_group(self, name: str) -> bool:
        query: Query = {"query": name, "limit": _GROUPS_AT_ONCE}
        near = self._list(f"{_V1}/group/picker", query, "groups")
        if any(read(_Group, raw, "a group").name.casefold() == name.casefold() for raw in near):
            return True
        try:
            self._wiki.ask("GET", f"{_V1}/group/by-id", what="show a group", needs="to see groups", query={"id": name})
        except (Gone, Rejected):  # the latter for what cannot be an id
            return False
        return True

    def missing_permissions(self, space: str) -> list[str] | None:
        found = next(self._list(f"{_V2}/spaces", {"keys": space}, "spaces"), None)
        if found is None:
            return [VIEW_SPACE]
        path = f"{_V2}/spaces/{read(_Numbered, found, 'a space').id}/operations"
        what = f"tell what the bot may do in the space {space}"
        payload = self._wiki.ask("GET", path, what=what, needs="to view the space")
        held = {(one.operation, one.target_type) for one in read(_Operations, payload, "a space").operations}
        if not held:  # who sees a space may do something in it
            return None
        return [] if ("create", "comment") in held else [ADD_COMMENTS]

    def close(self) -> None:
        self._wiki.close()

    def _list(self, path: str, query: Query, what: str) -> Iterator[dict[str, Any]]:
        def ask(asked: Query) -> Any:
            return self._wiki.ask("GET", path, what=f"list {what}", needs=_VIEW, query=asked)

        return listed(ask, query, what)


def _kind(inline: bool) -> str:
    return f"{_V2}/inline-comments" if inline else f"{_V2}/footer-comments"
