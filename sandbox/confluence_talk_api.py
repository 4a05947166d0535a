"""Confluence Cloud's comments and attachments over REST v2, its search by CQL, and the host that its files are at."""

import json
import re
import secrets
from collections.abc import Callable, Iterable
from typing import Any
from urllib.parse import quote, urlencode

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from sandbox.confluence import Confluence, Sheet
from sandbox.confluence_api import V1, V2, ConfluenceApi, bad, not_found, paged, time_of, version_of
from sandbox.confluence_talk import File, Note
from sandbox.records import Person
from sandbox.wire import Call, Refused, Reply

Json = dict[str, Any]
_CQL = re.compile(r"type = page and space in \((?P<spaces>[^()]*)\) and macro in \((?P<macros>[^()]*)\)")
_STATUSES = {"current", "archived"}


def search(confluence: Confluence, cql: str, person: Person) -> list[Sheet]:
    """The one query that is understood here: pages of some spaces with some macros. Raises ValueError for others."""
    found = _CQL.fullmatch(cql.strip())
    if found is None:
        raise ValueError(cql)
    spaces, macros = (re.findall(r'"([^"]*)"', found[name]) for name in ("spaces", "macros"))
    named = tuple(f'ac:name="{macro}"' for macro in macros)
    return [
        page
        for page in confluence.pages.values()
        if page.space in spaces
        and page.status == "current"
        and confluence.sees(person, page)
        and any(name in confluence.storage(page.versions[-1]) for name in named)
    ]


class TalkApi:
    """Handlers beside `ConfluenceApi`. Files are given out by another host, at addresses that hold a secret."""

    def __init__(self, confluence: Confluence, api: ConfluenceApi, media_url: str) -> None:
        self._confluence = confluence
        self._api = api
        self._media_url = media_url
        self._tokens: dict[str, bytes] = {}

    def routes(self) -> list[Route]:
        one = V2 + "/pages/{page:int}"
        table: list[tuple[str, Callable[[Call], Reply]]] = [
            (V2 + "/attachments", self.files),
            (V2 + "/attachments/{file}", self.file),
            (one + "/attachments", self.files_of_page),
            (V1 + "/search", self.search),
            ("/wiki/download/attachments/{page:int}/{name:path}", self.download),
        ]
        for inline in (False, True):
            kind = "inline" if inline else "footer"
            table += [
                (f"{V2}/{kind}-comments", self._notes(inline)),
                (f"{V2}/{kind}-comments/{{note:int}}", self._note_handler(inline)),
                (f"{V2}/{kind}-comments/{{note:int}}/children", self._children(inline)),
                (f"{one}/{kind}-comments", self._notes_of_page(inline)),
            ]
        people = self._api.route(V2 + "/users-bulk", self.people, "POST")
        return [*(self._api.route(path, handler) for path, handler in table), people]

    def media_routes(self) -> list[Route]:
        return [Route("/file/{token}/binary", self.media, methods=["GET"])]

    def _notes(self, inline: bool) -> Callable[[Call], Reply]:
        def handler(call: Call) -> Reply:
            return self._listed(call, self._confluence.notes, inline)

        return handler

    def _notes_of_page(self, inline: bool) -> Callable[[Call], Reply]:
        def handler(call: Call) -> Reply:
            page = self._api.visible(call, _STATUSES)
            top = (n for n in self._confluence.notes if n.page == page.id and n.parent is None)
            return self._listed(call, top, inline)

        return handler

    def _children(self, inline: bool) -> Callable[[Call], Reply]:
        def handler(call: Call) -> Reply:
            above = self._seen_note(call, inline)
            return self._listed(call, (n for n in self._confluence.notes if n.parent == above.id), inline)

        return handler

    def _note_handler(self, inline: bool) -> Callable[[Call], Reply]:
        def handler(call: Call) -> Reply:
            note = self._seen_note(call, inline)
            out = self._note(note, self._api.form(call))
            out["_links"]["base"] = f"{call.base}/wiki"
            return Reply(out)

        return handler

    def _listed(self, call: Call, notes: Iterable[Note], inline: bool) -> Reply:
        shown = self._api.form(call)
        seen = [note for note in notes if (note.marked is not None) is inline and self._sees(call, note.page)]
        order = call.query.get("sort", "created-date")
        if order.removeprefix("-") not in {"created-date", "modified-date"}:
            raise bad(f"Provided value {{{order}}} for 'sort' is not valid")
        at = 0 if order.endswith("created-date") else -1
        seen.sort(key=lambda note: note.versions[at].at, reverse=order.startswith("-"))
        return paged(call, [self._note(note, shown) for note in seen])

    def _seen_note(self, call: Call, inline: bool) -> Note:
        note = self._confluence.notes.get(str(call.path["note"]))
        if note is None or (note.marked is not None) is not inline or not self._sees(call, note.page):
            raise not_found()
        return note

    def _sees(self, call: Call, page_id: str) -> bool:
        page = self._confluence.pages.get(page_id)
        return page is not None and page.status in _STATUSES and self._confluence.sees(call.account, page)

    def _note(self, note: Note, shown: str | None) -> Json:
        page, last = self._confluence.pages[note.page], note.versions[-1]
        out: Json = {
            "id": note.id,
            "status": "current",
            "title": f"Re: {page.title}",
            "pageId": note.page,
            "version": version_of(len(note.versions), last),
            "body": self._api.body(last, shown),
            "_links": {"webui": f"/spaces/{page.space}/pages/{page.id}?focusedCommentId={note.id}"},
        }
        out |= {"parentCommentId": note.parent} if note.parent else {}
        if note.marked is not None:
            out["resolutionStatus"] = note.state
            out["properties"] = {"inlineMarkerRef": f"mark-{note.id}", "inlineOriginalSelection": note.marked}
        return out

    def files(self, call: Call) -> Reply:
        return self._files(call, self._confluence.files)

    def files_of_page(self, call: Call) -> Reply:
        page = self._api.visible(call, _STATUSES)
        return self._files(call, self._confluence.files.on(page.id))

    def _files(self, call: Call, files: Iterable[File]) -> Reply:
        return paged(call, [self._file(file) for file in files if self._sees(call, file.page)])

    def file(self, call: Call) -> Reply:
        file = self._confluence.files.get(str(call.path["file"]))
        if file is None or not self._sees(call, file.page):
            raise not_found()
        out = self._file(file)
        out["_links"]["base"] = f"{call.base}/wiki"
        return Reply(out)

    def _file(self, file: File) -> Json:
        number = len(file.versions)
        at, author, data = file.versions[-1]
        stamp = {"version": number, "modificationDate": int(at.timestamp() * 1000), "api": "v2"}
        download = f"/download/attachments/{file.page}/{quote(file.name)}?{urlencode(stamp)}"
        webui = (
            f"/pages/viewpageattachments.action?pageId={file.page}&preview=/{file.page}/{file.id}/{quote(file.name)}"
        )
        return {
            "id": file.id,
            "status": "current",
            "title": file.name,
            "createdAt": time_of(file.versions[0][0]),
            "pageId": file.page,
            "mediaType": file.media_type,
            "mediaTypeDescription": file.media_type,
            "comment": "",
            "fileId": f"file-{file.id}",
            "fileSize": len(data),
            "webuiLink": webui,
            "downloadLink": download,
            "version": {
                "createdAt": time_of(at), "message": "", "number": number, "minorEdit": False, "authorId": author
            },
            "_links": {"webui": webui, "download": download},
        }  # fmt: skip

    def download(self, call: Call) -> Reply:
        """To the host of the files, at an address that is good without a login."""
        page_id, name = str(call.path["page"]), str(call.path["name"])
        file = next((file for file in self._confluence.files.on(page_id) if file.name == name), None)
        if file is None or not self._sees(call, page_id):
            raise Refused(404, {"statusCode": 404, "message": "There is no such attachment"})
        token = secrets.token_urlsafe(12)
        self._tokens[token] = file.data
        return Reply(None, 302, {"location": f"{self._media_url}/file/{token}/binary"})

    async def media(self, request: Request) -> Response:
        data = self._tokens.get(request.path_params["token"])
        if data is None or "authorization" in request.headers:  # two ways to say who one is are one too many
            return Response(status_code=403)
        return Response(data, media_type="application/octet-stream")

    def search(self, call: Call) -> Reply:
        cql = call.query.get("cql", "")
        try:
            pages = search(self._confluence, cql, call.account)
        except ValueError:
            raise Refused(400, {"statusCode": 400, "message": f"Could not parse cql : {cql}"}) from None
        reply = paged(call, [self._hit(page) for page in pages])
        found = reply.payload["results"]
        limit = call.number("limit", 25)
        more = {"start": 0, "limit": limit, "size": len(found), "totalSize": len(pages)}
        return Reply(reply.payload | more | {"cqlQuery": cql, "searchDuration": 1}, headers=reply.headers)

    @staticmethod
    def _hit(page: Sheet) -> Json:
        return {
            "content": {"id": page.id, "type": "page", "status": page.status, "title": page.title},
            "title": page.title,
            "excerpt": "",
            "url": f"/spaces/{page.space}/pages/{page.id}",
            "breadcrumbs": [],
            "entityType": "content",
            "iconCssClass": "aui-icon",
            "lastModified": time_of(page.versions[-1].at),
        }

    def people(self, call: Call) -> Reply:
        asked = json.loads(call.body or b"{}").get("accountIds", [])
        known = [account for account in asked if account in self._confluence.accounts.people]
        return Reply({"results": [self._person(account) for account in known], "_links": {}})

    def _person(self, account: str) -> Json:
        shown = self._api.person(account)
        names = ("displayName", "publicName", "accountId", "accountType", "email")
        return {name: shown[name] for name in names} | {"accountStatus": "active"}
