"""Confluence Cloud's REST v2, and of v1 the paths that v2 has no successor for."""

import base64
import json
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from typing import Any
from urllib.parse import urlencode

from starlette.routing import Route

from sandbox.adf_html import to_html
from sandbox.confluence import Confluence, Sheet
from sandbox.records import PageVersion, Person, Space
from sandbox.wire import Call, Refused, Reply, route

V2, V1 = "/wiki/api/v2", "/wiki/rest/api"
FORMATS = ("storage", "atlas_doc_format")
Json = dict[str, Any]


def not_found() -> Refused:
    return Refused(404, {"errors": [{"status": 404, "code": "NOT_FOUND", "title": "Not Found", "detail": None}]})


def bad(detail: str) -> Refused:
    return refusal(400, "INVALID_REQUEST_PARAMETER", detail)


def refusal(status: int, code: str, title: str) -> Refused:
    return Refused(status, {"errors": [{"status": status, "code": code, "title": title, "detail": None}]})


class ConfluenceApi:
    """Handlers; each takes the lock for as long as it runs."""

    def __init__(self, confluence: Confluence) -> None:
        self._confluence = confluence

    def routes(self) -> list[Route]:
        one = V2 + "/pages/{page:int}"
        table = [
            (V2 + "/spaces", self.spaces),
            (V2 + "/spaces/{space:int}", self.space),
            (V2 + "/spaces/{space:int}/pages", self.pages_in_space),
            (V2 + "/spaces/{space:int}/operations", self.operations),
            (V2 + "/pages", self.pages),
            (one, self.page),
            (one + "/versions", self.versions),
            (one + "/versions/{number:int}", self.version),
            (one + "/children", self.children),
            (one + "/direct-children", self.direct_children),
            (one + "/ancestors", self.ancestors),
            (one + "/labels", self.labels),
            (V1 + "/content/{page:int}/restriction/byOperation", self.restrictions),
            (V1 + "/content/{page:int}/restriction/byOperation/{operation}", self.restriction),
            (V1 + "/user/current", self.user),
        ]
        return [self.route(path, handler) for path, handler in table]

    def route(self, path: str, handler: Callable[[Call], Reply], method: str = "GET") -> Route:
        """A handler that holds the lock, for people who are logged in."""

        def locked(call: Call) -> Reply:
            with self._confluence.lock:
                return handler(call)

        return route(method, path, locked, self._authenticate)

    def _authenticate(self, header: str | None) -> Person:
        person = self._confluence.accounts.login(header)
        if person is None or self._confluence.known(person.id) is None:
            error = {"status": 401, "code": "UNAUTHORIZED", "title": "Unauthorized", "detail": None}
            raise Refused(401, {"errors": [error]})
        return person

    def spaces(self, call: Call) -> Reply:
        keys, ids = set(call.listed("keys")), set(call.listed("ids"))
        kind, status = call.query.get("type", "global"), call.query.get("status", "current")
        found = [
            space
            for space in self._confluence.spaces.values()
            if self._confluence.sees_space(call.account, space.key)
            and (not keys or space.key in keys)
            and (not ids or self._confluence.space_id(space.key) in ids)
            and (kind, status) == ("global", self._confluence.space_status(space.key))
        ]
        return paged(call, [self._space(space) for space in found])

    def space(self, call: Call) -> Reply:
        return Reply(self._space(self._confluence.spaces[self._space_of(call)]))

    def operations(self, call: Call) -> Reply:
        """What the account may do in a space."""
        key = self._space_of(call)
        held = [
            ("read", "space"),
            *([("create", "comment")] if self._confluence.may_comment_in(call.account, key) else []),
        ]
        return Reply({"operations": [{"operation": one, "targetType": target} for one, target in held]})

    def _space_of(self, call: Call) -> str:
        key = self._confluence.space_key(str(call.path["space"]))
        if key is None or not self._confluence.sees_space(call.account, key):
            raise not_found()
        return key

    def _space(self, space: Space) -> Json:
        pages = self._confluence.pages.values()
        home = next((p.id for p in pages if p.space == space.key and p.parent is None), None)
        out: Json = {
            "id": self._confluence.space_id(space.key),
            "key": space.key,
            "name": space.name,
            "type": "global",
            "status": self._confluence.space_status(space.key),
            "authorId": self._confluence.accounts.reader.id,
            "createdAt": time_of(datetime(2024, 1, 1, tzinfo=UTC)),
            "_links": {"webui": f"/spaces/{space.key}"},
        }
        return out | ({"homepageId": home} if home else {})

    def pages_in_space(self, call: Call) -> Reply:
        return self._pages(call, {self._space_of(call)})

    def pages(self, call: Call) -> Reply:
        wanted = call.listed("space-id")
        keys = {self._confluence.space_key(space_id) for space_id in wanted} if wanted else set(self._confluence.spaces)
        return self._pages(call, {key for key in keys if key is not None})

    def _pages(self, call: Call, spaces: set[str]) -> Reply:
        statuses = set(call.listed("status")) or {"current", "archived"}
        ids, title = set(call.listed("id")), call.query.get("title")
        found = [
            page
            for page in self._confluence.pages.values()
            if page.space in spaces
            and page.status in statuses
            and (not ids or page.id in ids)
            and (title is None or page.title == title)
            and self._confluence.sees(call.account, page)
        ]
        shown = self.form(call)
        return paged(call, [self._page(page, shown) for page in _sorted(found, call.query.get("sort", "id"))])

    def page(self, call: Call) -> Reply:
        statuses = set(call.listed("status")) or {"current", "archived"}
        page = self.visible(call, statuses)
        shown = self.form(call, (*FORMATS, "view"))
        number = call.number("version", len(page.versions))
        if not 1 <= number <= len(page.versions):
            raise not_found()
        out = self._page(page, shown, number)
        if call.query.get("include-labels") == "true":
            out["labels"] = {"results": labels_of(page), "meta": {"hasMore": False}, "_links": {"self": ""}}
        out["_links"]["base"] = f"{call.base}/wiki"
        return Reply(out)

    def visible(self, call: Call, statuses: set[str]) -> Sheet:
        """The page of the call's path, if the account sees it."""
        page = self._confluence.pages.get(str(call.path["page"]))
        if page is None or page.status not in statuses or not self._confluence.sees(call.account, page):
            raise not_found()
        return page

    def _page(self, page: Sheet, shown: str | None, number: int | None = None) -> Json:
        number = number or len(page.versions)
        first, version = page.versions[0], page.versions[number - 1]
        return {
            "id": page.id,
            "status": page.status,
            "title": page.title,
            "spaceId": self._confluence.space_id(page.space),
            **({"parentId": page.parent, "parentType": "page"} if page.parent else {}),
            "position": 0,
            "authorId": first.author,
            "ownerId": first.author,
            "createdAt": time_of(first.at),
            "version": version_of(number, version),
            "body": self.body(version, shown),
            "_links": {
                "webui": f"/spaces/{page.space}/pages/{page.id}",
                "editui": f"/pages/resumedraft.action?draftId={page.id}",
                "tinyui": f"/x/{page.id}",
            },
        }

    def form(self, call: Call, known: Sequence[str] = FORMATS) -> str | None:
        shown = call.query.get("body-format")
        if shown is not None and shown not in known:
            raise bad(f"Provided value {{{shown}}} for 'body-format' is not valid")
        return shown

    def body(self, version: PageVersion, shown: str | None) -> Json:
        if shown is None:
            return {}
        if shown == "storage":
            value = self._confluence.storage(version)
        else:
            document = self._confluence.document(version)
            value = to_html(document) if shown == "view" else json.dumps(document, ensure_ascii=False)
        return {shown: {"representation": shown, "value": value}}

    def versions(self, call: Call) -> Reply:
        page = self.visible(call, {"current", "archived", "trashed"})
        shown = self.form(call)
        out = []
        for number, version in enumerate(page.versions, 1):
            described = {"title": version.title or page.title, "id": page.id, "body": self.body(version, shown)}
            out.append(version_of(number, version) | {"page": described})
        if call.query.get("sort", "-modified-date").startswith("-"):
            out.reverse()
        return paged(call, out)

    def version(self, call: Call) -> Reply:
        page = self.visible(call, {"current", "archived", "trashed"})
        return Reply(detailed(page.versions, int(call.path["number"])))

    def children(self, call: Call) -> Reply:
        return paged(call, self._children(call))

    def direct_children(self, call: Call) -> Reply:
        return paged(call, [child | {"type": "page"} for child in self._children(call)])

    def _children(self, call: Call) -> list[Json]:
        """Those below the page that the account sees, in the order of their making."""
        above = self.visible(call, {"current", "archived"})
        found = [
            page
            for page in self._confluence.pages.values()
            if page.parent == above.id
            and page.status in {"current", "archived"}
            and self._confluence.sees(call.account, page)
        ]
        return [
            {
                "id": page.id,
                "status": page.status,
                "title": page.title,
                "spaceId": self._confluence.space_id(page.space),
                "childPosition": at,
            }
            for at, page in enumerate(found)
        ]

    def ancestors(self, call: Call) -> Reply:
        """Topmost first; with a limit, the nearest ones."""
        page = self.visible(call, {"current", "archived", "trashed"})
        nearest = self._confluence.ancestors(page)[: limit_of(call)]
        results = [{"id": ancestor.id, "type": "page"} for ancestor in reversed(nearest)]
        return Reply({"results": results, "_links": {"base": f"{call.base}/wiki"}})

    def labels(self, call: Call) -> Reply:
        return paged(call, labels_of(self.visible(call, {"current", "archived"})))

    def restrictions(self, call: Call) -> Reply:
        page = self._restricted(call)
        own = f"{call.base}{V1}/content/{page.id}/restriction/byOperation"
        every: Json = {op: self._restriction(call, page, op, f"{own}/{op}") for op in ("read", "update")}
        return Reply(every | {"_links": {"self": own, "base": f"{call.base}/wiki", "context": "/wiki"}})

    def restriction(self, call: Call) -> Reply:
        page, operation = self._restricted(call), str(call.path["operation"])
        if operation not in {"read", "update"}:
            raise Refused(400, {"statusCode": 400, "message": f"No OperationKey for name: {operation}"})
        own = f"{call.base}{V1}/content/{page.id}/restriction/byOperation/{operation}"
        return Reply(self._restriction(call, page, operation, own))

    def _restricted(self, call: Call) -> Sheet:
        page = self._confluence.pages.get(str(call.path["page"]))
        if page is None or page.status == "trashed" or not self._confluence.sees(call.account, page):
            message = f"No content found with id: ContentId{{id={call.path['page']}}}"
            raise Refused(404, {"statusCode": 404, "message": message})
        return page

    def _restriction(self, call: Call, page: Sheet, operation: str, own: str) -> Json:
        """The page's own restriction only: an ancestor's is found at the ancestor."""
        start, limit = call.number("start", 0), call.number("limit", 100, most=200)
        mine = operation == "read"
        users = [self.person(account) for account in sorted(page.users if mine else ())]
        groups = [self.group(name) for name in sorted(page.groups if mine else ())]

        def part(values: list[Json]) -> Json:
            shown = values[start : start + limit]
            return {"results": shown, "start": start, "limit": limit, "size": len(shown), "totalSize": len(values)}

        return {
            "operation": operation,
            "restrictions": {"user": part(users), "group": part(groups)},
            "_expandable": {"content": f"/rest/api/content/{page.id}"},
            "_links": {"self": own},
        }

    def person(self, account_id: str) -> Json:
        person = self._confluence.person(account_id)
        return {
            "type": "known",
            "accountId": person.id,
            "accountType": "app" if person.bot else "atlassian",
            "email": person.email,
            "publicName": person.name,
            "displayName": person.name,
            "isGuest": False,
            "_expandable": {"operations": "", "personalSpace": ""},
            "_links": {},
        }

    def group(self, name: str) -> Json:
        return {"type": "group", "name": name, "id": self._confluence.accounts.group_id(name), "_links": {}}

    def user(self, call: Call) -> Reply:
        return Reply(self.person(call.account.id) | {"_links": {"base": f"{call.base}/wiki", "context": "/wiki"}})


def labels_of(page: Sheet) -> list[Json]:
    return [{"id": str(9000 + at), "name": name, "prefix": "global"} for at, name in enumerate(page.labels)]


def version_of(number: int, version: PageVersion) -> Json:
    return {
        "createdAt": time_of(version.at),
        "message": version.message,
        "number": number,
        "minorEdit": False,
        "authorId": version.author,
    }


def detailed(versions: Sequence[PageVersion], number: int) -> Json:
    """One version of a page or comment, with the numbers of its neighbours; it has no body."""
    if not 1 <= number <= len(versions):
        raise not_found()
    near = {"prevVersion": number - 1} if number > 1 else {}
    near |= {"nextVersion": number + 1} if number < len(versions) else {}
    version = versions[number - 1]
    more = {"contentTypeModified": False, "collaborators": [version.author]}
    return version_of(number, version) | more | near


def time_of(at: datetime) -> str:
    return at.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def _sorted(pages: list[Sheet], order: str) -> list[Sheet]:
    keys: dict[str, Callable[[Sheet], Any]] = {
        "id": lambda page: int(page.id),
        "title": lambda page: page.title,
        "created-date": lambda page: page.versions[0].at,
        "modified-date": lambda page: page.versions[-1].at,
    }
    name = order.removeprefix("-")
    if name not in keys:
        raise bad(f"Provided value {{{order}}} for 'sort' is not valid")
    return sorted(pages, key=keys[name], reverse=order.startswith("-"))


def limit_of(call: Call) -> int:
    limit = call.number("limit", 25)
    if not 1 <= limit <= 250:
        raise bad(f"Provided value {{{limit}}} for 'limit' is not in the range 1 to 250")
    return limit


def paged(call: Call, values: Sequence[Any]) -> Reply:
    """A page of a list, with the next one's address in `_links` and in the `Link` header."""
    limit, start = limit_of(call), _start(call.query.get("cursor"))
    links = {"base": f"{call.base}/wiki"}
    headers = {}
    if start + limit < len(values):
        kept = [(name, value) for name, value in call.query.multi_items() if name != "cursor"]
        cursor = base64.urlsafe_b64encode(f"from:{start + limit}".encode()).decode()
        links["next"] = f"{call.url_path}?{urlencode([*kept, ('cursor', cursor)])}"
        headers["link"] = f'<{links["next"]}>; rel="next", <{links["base"]}>; rel="base"'
    return Reply({"results": list(values[start : start + limit]), "_links": links}, headers=headers)


def _start(cursor: str | None) -> int:
    if cursor is None:
        return 0
    try:
        kind, _, start = base64.urlsafe_b64decode(cursor).decode().partition(":")
        if kind == "from":
            return int(start)
    except ValueError:
        pass
    raise bad("Provided cursor is not valid")
