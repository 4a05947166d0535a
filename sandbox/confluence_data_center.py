"""Confluence Data Center's REST v1 over the same pages, below a context path, for personal access tokens."""

import re
from collections.abc import Callable, Sequence
from typing import Any
from urllib.parse import quote, urlencode

from starlette.routing import Route

from sandbox.confluence import Confluence, Sheet
from sandbox.confluence_api import time_of
from sandbox.confluence_talk import File, Note
from sandbox.confluence_talk_api import search
from sandbox.records import PageVersion, Person, Space
from sandbox.wire import Call, Refused, Reply, route

ROOT = "/confluence"
API = ROOT + "/rest/api"
_MOST = 200  # items of an answer
_EXPANDED_AT_ONCE = 25  # items of a list within an item
_ACCOUNT = re.compile(r'ri:account-id="([^"]*)"')
Json = dict[str, Any]


def refused(status: int, message: str) -> Refused:
    reasons = {400: "Bad Request", 401: "Unauthorized", 404: "Not Found"}
    data = {"authorized": status != 401, "valid": True, "errors": [], "successful": False}
    return Refused(status, {"statusCode": status, "data": data, "message": message, "reason": reasons[status]})


class DataCenterApi:
    """Pages are never archived here: archived ones are shown as current."""

    def __init__(self, confluence: Confluence) -> None:
        self._confluence = confluence

    def routes(self) -> list[Route]:
        one = API + "/content/{content}"
        table: list[tuple[str, Callable[[Call], Reply]]] = [
            (API + "/space", self.spaces),
            (API + "/content", self.pages),
            (API + "/content/scan", self.scan),
            (API + "/search", self.search),
            (one, self.content),
            (one + "/child/attachment", self.attachments),
            (one + "/restriction/byOperation/{operation}", self.restriction),
            (API + "/user", self.user),
            (API + "/user/current", self.current),
            (ROOT + "/download/attachments/{content}/{name:path}", self.download),
        ]
        return [route("GET", path, self._locked(handler), self._authenticate) for path, handler in table]

    def _locked(self, handler: Callable[[Call], Reply]) -> Callable[[Call], Reply]:
        def locked(call: Call) -> Reply:
            with self._confluence.lock:
                return handler(call)

        return locked

    def _authenticate(self, header: str | None) -> Person:
        accounts = self._confluence.accounts
        token = (header or "").removeprefix("Bearer ")
        found = next((one for one in accounts.people.values() if token and accounts.token(one.id) == token), None)
        if found is None:
            raise refused(401, "Basic or token authentication is needed")
        return found

    def spaces(self, call: Call) -> Reply:
        keys = set(call.listed("spaceKey"))
        seen = [
            space for space in self._confluence.spaces.values() if self._confluence.sees_space(call.account, space.key)
        ]
        return self._listed(call, [self._space(space) for space in seen if not keys or space.key in keys])

    def _space(self, space: Space) -> Json:
        number = int(self._confluence.space_id(space.key))
        links = {"webui": f"/display/{space.key}", "self": f"{API}/space/{space.key}"}
        return {
            "id": number,
            "key": space.key,
            "name": space.name,
            "status": "current",
            "type": "global",
            "_links": links,
        }

    def pages(self, call: Call) -> Reply:
        """Current pages of a space, or of all."""
        key, title = call.query.get("spaceKey"), call.query.get("title")
        expanded = _expanded(call)
        found = [
            self._page(page, expanded)
            for page in self._confluence.pages.values()
            if self._seen(call, page) and key in {None, page.space} and title in {None, page.title}
        ]
        return self._listed(call, found)

    def scan(self, call: Call) -> Reply:
        """Comments of a space, from a place that the answer before named."""
        if call.query.get("type") != "comment":
            raise refused(400, "only comments are scanned here")
        key, after = call.query.get("spaceKey"), call.query.get("cursor", "cursor:false:0").rpartition(":")[2]
        limit = min(call.number("limit", 25), _MOST)
        pages = self._confluence.pages
        ahead = [
            note
            for note in self._confluence.notes
            if int(note.id) > int(after) and pages[note.page].space == key and self._seen(call, pages[note.page])
        ]
        shown = [self._note(note, _expanded(call)) for note in ahead[:limit]]
        out = {"results": shown, "cursor": f"cursor:false:{after}", "limit": limit, "size": len(shown)}
        links = {"base": call.base + ROOT, "context": ROOT}
        if len(ahead) > limit:
            out["nextCursor"] = f"cursor:false:{shown[-1]['id']}"
            kept = [(name, value) for name, value in call.query.multi_items() if name != "cursor"]
            links["next"] = f"{API.removeprefix(ROOT)}/content/scan?{urlencode([*kept, ('cursor', out['nextCursor'])])}"
        return Reply(out | {"_links": links})

    def content(self, call: Call) -> Reply:
        number, expanded = str(call.path["content"]), _expanded(call)
        confluence = self._confluence
        note, file = confluence.notes.get(number), confluence.files.get(number)
        owner = note.page if note else file.page if file else number
        page = confluence.pages.get(owner)
        if page is None or not self._seen(call, page):
            raise refused(404, f"No content found with id: ContentId{{id={number}}}")
        out = self._note(note, expanded) if note else self._file(file, expanded) if file else self._page(page, expanded)
        out["_links"] |= {"base": call.base + ROOT, "context": ROOT}
        return Reply(out)

    def attachments(self, call: Call) -> Reply:
        page = self._own(call)
        return self._listed(call, [self._file(file, _expanded(call)) for file in self._confluence.files.on(page.id)])

    def restriction(self, call: Call) -> Reply:
        page = self._own(call)
        accounts = self._confluence.accounts
        people = [self._person(accounts.of(user)) for user in sorted(page.users)]
        groups = [{"type": "group", "name": name} for name in sorted(page.groups)]
        start, limit = call.number("start", 0), call.number("limit", 100, most=_MOST)

        def part(values: Sequence[Json]) -> Json:
            some = list(values[start : start + limit])
            return {"results": some, "start": start, "limit": limit, "size": len(some)}

        return Reply({"operation": "read", "restrictions": {"user": part(people), "group": part(groups)}, "_links": {}})

    def search(self, call: Call) -> Reply:
        cql = call.query.get("cql", "")
        try:
            pages = search(self._confluence, cql, call.account)
        except ValueError:
            raise refused(400, f"Could not parse cql : {cql}") from None
        return self._listed(call, [self._hit(page) for page in pages])

    def _hit(self, page: Sheet) -> Json:
        return {"content": self._page(page, set()), "title": page.title, "excerpt": "", "entityType": "content"}

    def user(self, call: Call) -> Reply:
        wanted = call.query.get("key") or call.query.get("username") or ""
        people = self._confluence.accounts.people.values()
        found = next((one for one in people if wanted in {_key(one), one.id}), None)
        if found is None:
            raise refused(404, f"No user found with key : {wanted}")
        return Reply(self._person(found))

    def current(self, call: Call) -> Reply:
        return Reply(self._person(call.account))

    def download(self, call: Call) -> Reply:
        page = self._own(call)
        file = next((one for one in self._confluence.files.on(page.id) if one.name == call.path["name"]), None)
        if file is None:
            raise refused(404, "There is no such attachment")
        return Reply(file.data, 200, {"content-type": file.media_type})

    def _own(self, call: Call) -> Sheet:
        page = self._confluence.pages.get(str(call.path["content"]))
        if page is None or not self._seen(call, page):
            raise refused(404, f"No content found with id: ContentId{{id={call.path['content']}}}")
        return page

    def _seen(self, call: Call, page: Sheet) -> bool:
        return (
            page.status != "trashed"
            and page.space in self._confluence.spaces
            and self._confluence.sees(call.account, page)
        )

    def _page(self, page: Sheet, expanded: set[str]) -> Json:
        last, first = page.versions[-1], page.versions[0]
        parts: dict[str, Callable[[], Json]] = {
            "space": lambda: {"space": self._space(self._confluence.spaces[page.space])},
            "version": lambda: {"version": self._version(len(page.versions), last)},
            "history": lambda: {"history": self._history(first)},
            "ancestors": lambda: {
                "ancestors": [self._page(one, set()) for one in reversed(self._confluence.ancestors(page))]
            },
            "metadata.labels": lambda: {
                "metadata": {"labels": {"results": [{"prefix": "global", "name": name} for name in page.labels]}}
            },
            "body.storage": lambda: {"body": self._storage(last)},
            "children.attachment.version": lambda: {"children": {"attachment": self._few(page)}},
        }
        out: Json = {"id": page.id, "type": "page", "status": "current", "title": page.title}
        for name, give in parts.items():
            out |= give() if name in expanded else {}
        return out | {
            "_links": {"webui": f"/display/{page.space}/{quote(page.title)}", "self": f"{API}/content/{page.id}"}
        }

    def _few(self, page: Sheet) -> Json:
        """A page's files within the page, with the way to the rest of them."""
        values = [self._file(file, set()) for file in self._confluence.files.on(page.id)]
        size, limit = len(values), _EXPANDED_AT_ONCE
        way = f"/rest/api/content/{page.id}/child/attachment?limit={limit}&start={limit}"
        links = {"next": way} if size > limit else {}
        return {"results": list(values[:limit]), "start": 0, "limit": limit, "size": min(size, limit), "_links": links}

    def _note(self, note: Note, expanded: set[str]) -> Json:
        page = self._confluence.pages[note.page]
        above: list[Note] = []
        at = note
        while at.parent is not None and (parent := self._confluence.notes.get(at.parent)) is not None:
            above.append(parent)
            at = parent
        place = "footer" if note.marked is None else "resolved" if note.state == "resolved" else "inline"
        extensions: Json = {"location": place}
        if note.marked is not None:
            extensions["inlineProperties"] = {"originalSelection": note.marked, "markerRef": f"mark-{note.id}"}
            extensions["resolution"] = {"status": note.state}
        out: Json = {
            "id": note.id,
            "type": "comment",
            "status": "current",
            "title": f"Re: {page.title}",
            "container": self._page(page, set()),
            "ancestors": [{"id": one.id, "type": "comment", "status": "current"} for one in reversed(above)],
            "version": self._version(len(note.versions), note.versions[-1]),
            "extensions": extensions,
            "_links": {
                "webui": f"/display/{page.space}/{quote(page.title)}?focusedCommentId={note.id}#comment-{note.id}"
            },
        }
        return out | ({"body": self._storage(note.versions[-1])} if "body.storage" in expanded else {})

    def _file(self, file: File, expanded: set[str]) -> Json:
        at, author, data = file.versions[-1]
        number = len(file.versions)
        stamp = urlencode({"version": number, "modificationDate": int(at.timestamp() * 1000), "api": "v2"})
        version, first = PageVersion(at, author, ""), PageVersion(file.versions[0][0], file.versions[0][1], "")
        out: Json = {
            "id": file.id,
            "type": "attachment",
            "status": "current",
            "title": file.name,
            "version": self._version(number, version),
            "history": self._history(first),
            "metadata": {"mediaType": file.media_type},
            "extensions": {"mediaType": file.media_type, "fileSize": len(data), "comment": ""},
            "_links": {"download": f"/download/attachments/{file.page}/{quote(file.name)}?{stamp}"},
        }
        if "container" in expanded:
            out["container"] = self._page(self._confluence.pages[file.page], set())
        return out

    def _storage(self, version: PageVersion) -> Json:
        """People are named by their keys here."""
        value = _ACCOUNT.sub(r'ri:userkey="key-\1"', self._confluence.storage(version))
        return {"storage": {"value": value, "representation": "storage"}}

    def _version(self, number: int, version: PageVersion) -> Json:
        by = self._person(self._confluence.accounts.of(version.author))
        return {"by": by, "when": time_of(version.at), "message": version.message, "number": number, "minorEdit": False}

    def _history(self, first: PageVersion) -> Json:
        by = self._person(self._confluence.accounts.of(first.author))
        return {"latest": True, "createdBy": by, "createdDate": time_of(first.at)}

    @staticmethod
    def _person(person: Person) -> Json:
        return {"type": "known", "username": person.id, "userKey": _key(person), "displayName": person.name}

    @staticmethod
    def _listed(call: Call, values: Sequence[Json]) -> Reply:
        start, limit = call.number("start", 0), min(call.number("limit", 25), _MOST)
        some = list(values[start : start + limit])
        links = {"base": call.base + ROOT, "context": ROOT}
        if start + limit < len(values):
            kept = [(name, value) for name, value in call.query.multi_items() if name not in {"start", "limit"}]
            query = urlencode([*kept, ("limit", limit), ("start", start + limit)])
            links["next"] = f"{call.url_path.removeprefix(ROOT)}?{query}"
        return Reply({"results": some, "start": start, "limit": limit, "size": len(some), "_links": links})


def _key(person: Person) -> str:
    """What Data Center calls a person by within its pages."""
    return f"key-{person.id}"


def _expanded(call: Call) -> set[str]:
    return {name.strip() for name in call.query.get("expand", "").split(",")}
