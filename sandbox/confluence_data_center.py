"""Confluence Data Center's REST v1 over the same pages, below a context path, for personal access tokens."""

from collections.abc import Callable, Sequence
from urllib.parse import urlencode

from starlette.routing import Route

from sandbox.confluence import Confluence, Sheet
from sandbox.confluence_api import time_of
from sandbox.confluence_cql import BadCql, Hit, search
from sandbox.confluence_data_center_comments import DataCenterComments
from sandbox.confluence_data_center_json import (
    API,
    MOST,
    ROOT,
    DataCenterJson,
    Json,
    expanded,
    key_of,
    listed,
    no_content,
    refused,
)
from sandbox.confluence_talk import Note
from sandbox.records import PageVersion, Person
from sandbox.wire import Call, Reply, route

_EXPERIMENTAL = ROOT + "/rest/experimental/content/{content}/version"


class DataCenterApi:
    """Handlers; each takes the lock for as long as it runs."""

    def __init__(self, confluence: Confluence) -> None:
        self._confluence = confluence
        self._json = DataCenterJson(confluence)

    def routes(self) -> list[Route]:
        one = API + "/content/{content}"
        reads: list[tuple[str, Callable[[Call], Reply]]] = [
            (API + "/space", self.spaces),
            (API + "/content", self.pages),
            (API + "/content/scan", self.scan),
            (API + "/content/search", self.content_search),
            (API + "/search", self.search),
            (one, self.content),
            (one + "/child/attachment", self.attachments),
            (one + "/child/page", self.children),
            (one + "/restriction/byOperation/{operation}", self.restriction),
            (_EXPERIMENTAL, self.versions),
            (API + "/user", self.user),
            (API + "/user/current", self.current),
            (API + "/user/memberof", self.groups),
            (API + "/group/{name}", self.group),
            (ROOT + "/download/attachments/{content}/{name:path}", self.download),
        ]
        table = [*(("GET", path, handler) for path, handler in reads)]
        table += DataCenterComments(self._confluence, self._seen).table()
        return [route(method, path, self._locked(handler), self._authenticate) for method, path, handler in table]

    def _locked(self, handler: Callable[[Call], Reply]) -> Callable[[Call], Reply]:
        def locked(call: Call) -> Reply:
            with self._confluence.lock:
                return handler(call)

        return locked

    def _authenticate(self, header: str | None) -> Person:
        accounts = self._confluence.accounts
        token = (header or "").removeprefix("Bearer ")
        found = next((one for one in accounts.people.values() if token and accounts.token(one.id) == token), None)
        if found is None or self._confluence.known(found.id) is None:
            raise refused(401, "Basic or token authentication is needed")
        return found

    def spaces(self, call: Call) -> Reply:
        keys = set(call.listed("spaceKey"))
        seen = [
            space for space in self._confluence.spaces.values() if self._confluence.sees_space(call.account, space.key)
        ]
        return listed(call, [self._json.space(space) for space in seen if not keys or space.key in keys])

    def pages(self, call: Call) -> Reply:
        """Current pages of a space, or of all."""
        key, title = call.query.get("spaceKey"), call.query.get("title")
        asked = expanded(call, "")
        found = [
            self._json.page(page, asked)
            for page in self._confluence.pages.values()
            if self._seen(call, page) and key in {None, page.space} and title in {None, page.title}
        ]
        return listed(call, found)

    def scan(self, call: Call) -> Reply:
        """Comments of a space, from a place that the answer before named."""
        if call.query.get("type") != "comment":
            raise refused(400, "only comments are scanned here")
        key, after = call.query.get("spaceKey"), call.query.get("cursor", "cursor:false:0").rpartition(":")[2]
        limit = min(call.number("limit", 25), MOST)
        pages = self._confluence.pages
        ahead = [
            note
            for note in self._confluence.notes
            if int(note.id) > int(after) and pages[note.page].space == key and self._seen(call, pages[note.page])
        ]
        shown = [self._json.note(note, expanded(call, "")) for note in ahead[:limit]]
        out = {"results": shown, "cursor": f"cursor:false:{after}", "limit": limit, "size": len(shown)}
        links = {"base": call.base + ROOT, "context": ROOT}
        if len(ahead) > limit:
            out["nextCursor"] = f"cursor:false:{shown[-1]['id']}"
            kept = [(name, value) for name, value in call.query.multi_items() if name != "cursor"]
            links["next"] = f"{API.removeprefix(ROOT)}/content/scan?{urlencode([*kept, ('cursor', out['nextCursor'])])}"
        return Reply(out | {"_links": links})

    def content(self, call: Call) -> Reply:
        """A page, comment or file; with `status=historical` an earlier version of it."""
        number, asked = str(call.path["content"]), expanded(call)
        note, file = self._confluence.notes.get(number), self._confluence.files.get(number)
        page = self._page(call, note.page if note else file.page if file else number)
        shown = None if file else self._shown(call, (note or page).versions)
        if file:
            out = self._json.file(file, asked)
        else:
            out = self._json.note(note, asked, shown) if note else self._json.page(page, asked, shown)
        out["_links"] |= {"base": call.base + ROOT, "context": ROOT}
        return Reply(out)

    @staticmethod
    def _shown(call: Call, versions: Sequence[PageVersion]) -> int:
        """The number of the version that is asked for: an earlier one only when history is asked for too."""
        number = call.number("version", 0) or len(versions)
        earlier = bool({"historical", "any"} & set(call.listed("status")))
        if number > len(versions) or (number < len(versions) and not earlier):
            raise no_content(call.path["content"])
        return number

    def versions(self, call: Call) -> Reply:
        """Newest first, without bodies."""
        number = str(call.path["content"])
        note = self._confluence.notes.get(number)
        page = self._page(call, note.page if note else number)
        held = list(enumerate((note or page).versions, 1))
        return listed(call, [self._json.version(at, version) for at, version in reversed(held)])

    def attachments(self, call: Call) -> Reply:
        page, asked = self._page(call), expanded(call, "")
        return listed(call, [self._json.file(file, asked) for file in self._confluence.files.on(page.id)])

    def children(self, call: Call) -> Reply:
        above, asked = self._page(call), expanded(call, "")
        found = [page for page in self._confluence.pages.values() if page.parent == above.id]
        return listed(call, [self._json.page(page, asked) for page in found if self._seen(call, page)])

    def restriction(self, call: Call) -> Reply:
        page = self._page(call)
        people = [self._json.person(self._confluence.person(user)) for user in sorted(page.users)]
        groups = [{"type": "group", "name": name} for name in sorted(page.groups)]
        start, limit = call.number("start", 0), call.number("limit", 100, most=MOST)

        def part(values: Sequence[Json]) -> Json:
            some = list(values[start : start + limit])
            return {"results": some, "start": start, "limit": limit, "size": len(some)}

        return Reply({"operation": "read", "restrictions": {"user": part(people), "group": part(groups)}, "_links": {}})

    def search(self, call: Call) -> Reply:
        def shown(hit: Hit) -> Json:
            title = hit.page.title if hit.type == "page" else f"Re: {hit.page.title}"
            content = self._hit(hit, set())
            where = {"url": content["_links"]["webui"], "lastModified": time_of(hit.modified)}
            return {"content": content, "title": title, "excerpt": "", "entityType": "content", **where}

        return listed(call, [shown(hit) for hit in self._found(call)])

    def content_search(self, call: Call) -> Reply:
        asked = expanded(call, "")
        return listed(call, [self._hit(hit, asked) for hit in self._found(call)])

    def _hit(self, hit: Hit, asked: set[str]) -> Json:
        content = hit.content
        return self._json.note(content, asked) if isinstance(content, Note) else self._json.page(content, asked)

    def _found(self, call: Call) -> list[Hit]:
        try:
            return search(self._confluence, call.query.get("cql", ""), call.account, ("current", "archived"))
        except BadCql as e:
            raise refused(400, str(e)) from None

    def user(self, call: Call) -> Reply:
        return Reply(self._json.person(self._person(call)))

    def _person(self, call: Call) -> Person:
        wanted = call.query.get("key") or call.query.get("username") or ""
        people = self._confluence.accounts.people.values()
        found = next((one for one in people if wanted in {key_of(one), one.id}), None)
        if found is None or self._confluence.known(found.id) is None:
            raise refused(404, f"No user found with key : {wanted}")
        return found

    def current(self, call: Call) -> Reply:
        return Reply(self._json.person(call.account))

    def groups(self, call: Call) -> Reply:
        return listed(
            call, [{"type": "group", "name": name, "_links": {}} for name in sorted(self._person(call).groups)]
        )

    def group(self, call: Call) -> Reply:
        name = str(call.path["name"])
        if name not in self._confluence.accounts.groups:
            raise refused(404, f"No group found with name: {name}")
        return Reply({"type": "group", "name": name, "_links": {}})

    def download(self, call: Call) -> Reply:
        page = self._page(call)
        file = next((one for one in self._confluence.files.on(page.id) if one.name == call.path["name"]), None)
        if file is None:
            raise refused(404, "There is no such attachment")
        return Reply(file.data, 200, {"content-type": file.media_type})

    def _page(self, call: Call, page_id: str | None = None) -> Sheet:
        """A page, by the call's path if no other is named."""
        page = self._confluence.pages.get(page_id or str(call.path["content"]))
        if page is None or not self._seen(call, page):
            raise no_content(call.path["content"])
        return page

    def _seen(self, call: Call, page: Sheet) -> bool:
        return (
            page.status != "trashed"
            and page.space in self._confluence.spaces
            and self._confluence.sees(call.account, page)
        )
