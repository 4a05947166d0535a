"""Confluence Cloud's attachments over REST v2, its search by CQL, its people, and the host that its files are at."""

import json
import secrets
from collections.abc import Callable, Iterable
from typing import Any
from urllib.parse import quote, urlencode

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from sandbox.confluence import Confluence
from sandbox.confluence_api import V1, V2, ConfluenceApi, not_found, paged, time_of
from sandbox.confluence_cql import BadCql, Hit, search
from sandbox.confluence_talk import File, Note
from sandbox.wire import Call, Refused, Reply

Json = dict[str, Any]
_STATUSES = {"current", "archived"}


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
            (V1 + "/user/memberof", self.groups),
            (V1 + "/group/picker", self.some_groups),
            (V1 + "/group/by-id", self.group),
            ("/wiki/download/attachments/{page:int}/{name:path}", self.download),
        ]
        people = self._api.route(V2 + "/users-bulk", self.people, "POST")
        return [*(self._api.route(path, handler) for path, handler in table), people]

    def media_routes(self) -> list[Route]:
        return [Route("/file/{token}/binary", self.media, methods=["GET"])]

    def _sees(self, call: Call, page_id: str) -> bool:
        page = self._confluence.pages.get(page_id)
        return page is not None and page.status in _STATUSES and self._confluence.sees(call.account, page)

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
            hits = search(self._confluence, cql, call.account)
        except BadCql as e:
            raise Refused(400, {"statusCode": 400, "message": str(e)}) from None
        asked = set(call.listed("expand"))
        reply = paged(call, [self._hit(hit, asked) for hit in hits])
        found = reply.payload["results"]
        limit = call.number("limit", 25)
        more = {"start": 0, "limit": limit, "size": len(found), "totalSize": len(hits)}
        return Reply(reply.payload | more | {"cqlQuery": cql, "searchDuration": 1}, headers=reply.headers)

    @staticmethod
    def _hit(hit: Hit, asked: set[str]) -> Json:
        page, note = hit.page, hit.content if isinstance(hit.content, Note) else None
        title = page.title if note is None else f"Re: {page.title}"
        where = f"/spaces/{page.space}/pages/{page.id}"
        content: Json = {"id": hit.content.id, "type": hit.type, "status": page.status, "title": title}
        if note is not None:
            content["extensions"] = {"location": "inline" if note.inline else "footer"}
            content["_expandable"] = {"container": f"/rest/api/content/{page.id}"}
            where += f"?focusedCommentId={note.id}"
            if "content.container" in asked:
                content["container"] = {"id": page.id, "type": "page", "status": page.status, "title": page.title}
        return {
            "content": content,
            "title": title,
            "excerpt": "",
            "url": where,
            "breadcrumbs": [],
            "entityType": "content",
            "iconCssClass": "aui-icon",
            "lastModified": time_of(hit.modified),
        }

    def groups(self, call: Call) -> Reply:
        person = self._confluence.known(call.query.get("accountId", ""))
        names = sorted(person.groups) if person is not None else []
        start, limit = call.number("start", 0), call.number("limit", 200, most=200)
        shown = [self._api.group(name) for name in names[start : start + limit]]
        return Reply({"results": shown, "start": start, "limit": limit, "size": len(shown), "_links": {}})

    def some_groups(self, call: Call) -> Reply:
        """Those with a part of a name."""
        wanted = call.query.get("query", "").casefold()
        found = [self._api.group(name) for name in self._confluence.accounts.groups if wanted in name.casefold()]
        return Reply({"results": found[:200], "start": 0, "limit": 200, "size": len(found[:200]), "_links": {}})

    def group(self, call: Call) -> Reply:
        name = self._confluence.accounts.group_name(call.query.get("id", ""))
        if name is None:
            raise Refused(404, {"statusCode": 404, "message": "No group with this id"})
        return Reply(self._api.group(name))

    def people(self, call: Call) -> Reply:
        asked = json.loads(call.body or b"{}").get("accountIds", [])
        known = [account for account in asked if self._confluence.known(account) is not None]
        return Reply({"results": [self._person(account) for account in known], "_links": {}})

    def _person(self, account: str) -> Json:
        shown = self._api.person(account)
        names = ("displayName", "publicName", "accountId", "accountType", "email")
        return {name: shown[name] for name in names} | {"accountStatus": "active"}
