"""What Confluence Data Center's answers are made of: spaces, pages, comments, files and people as JSON."""

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any
from urllib.parse import quote, urlencode

from sandbox.confluence import Confluence, Sheet
from sandbox.confluence_api import time_of
from sandbox.confluence_talk import File, Note, Property
from sandbox.records import PageVersion, Person, Space
from sandbox.wire import Call, Refused, Reply

ROOT = "/confluence"
API = ROOT + "/rest/api"
DEFAULT = "history,space,version"
"""What an item has when nothing is said."""
MOST = 200  # items of an answer
_EXPANDED_AT_ONCE = 25  # items of a list within an item
_ACCOUNT = re.compile(r'ri:account-id="([^"]*)"')
_USER_KEY = re.compile(r'ri:userkey="key-([^"]*)"')
_REASONS = {
    400: "Bad Request", 401: "Unauthorized", 403: "Forbidden", 404: "Not Found", 409: "Conflict",
    413: "Request Entity Too Large",
}  # fmt: skip
Json = dict[str, Any]
Part = Callable[[], Json]


def refused(status: int, message: str, *wrong: str) -> Refused:
    errors = [{"message": {"key": one, "args": []}} for one in wrong]
    data = {"authorized": status not in {401, 403}, "valid": not errors, "errors": errors, "successful": False}
    return Refused(status, {"statusCode": status, "data": data, "message": message, "reason": _REASONS[status]})


def no_content(number: object) -> Refused:
    return refused(404, f"No content found with id: ContentId{{id={number}}}")


def key_of(person: Person) -> str:
    """What Data Center calls a person by within its pages."""
    return f"key-{person.id}"


def common(storage: str) -> str:
    """A body as it is kept, with people named as in Cloud."""
    return _USER_KEY.sub(r'ri:account-id="\1"', storage)


def expanded(call: Call, default: str = DEFAULT) -> set[str]:
    """Every name that is asked for, and what it is a part of."""
    names = {name.strip() for name in call.query.get("expand", default).split(",")}
    return {".".join(name.split(".")[:depth]) for name in names for depth in range(1, name.count(".") + 2)}


def listed(call: Call, values: Sequence[Json]) -> Reply:
    start, limit = call.number("start", 0), min(call.number("limit", 25), MOST)
    some = list(values[start : start + limit])
    links = {"base": call.base + ROOT, "context": ROOT}
    if start + limit < len(values):
        kept = [(name, value) for name, value in call.query.multi_items() if name not in {"start", "limit"}]
        query = urlencode([*kept, ("limit", limit), ("start", start + limit)])
        links["next"] = f"{call.url_path.removeprefix(ROOT)}?{query}"
    return Reply({"results": some, "start": start, "limit": limit, "size": len(some), "_links": links})


class DataCenterJson:
    """Pages are never archived here: archived ones are shown as current. Each item has what was asked for alone."""

    def __init__(self, confluence: Confluence) -> None:
        self._confluence = confluence

    def space(self, space: Space) -> Json:
        number = int(self._confluence.space_id(space.key))
        return {
            "id": number,
            "key": space.key,
            "name": space.name,
            "status": self._confluence.space_status(space.key),
            "type": "global",
            "_links": {"webui": f"/display/{space.key}", "self": f"{API}/space/{space.key}"},
        }

    def page(self, page: Sheet, asked: set[str], number: int | None = None) -> Json:
        shown = number or len(page.versions)
        parts: dict[str, Part] = {
            "space": lambda: {"space": self.space(self._confluence.spaces[page.space])},
            "version": lambda: {"version": self.version(shown, page.versions[shown - 1])},
            "history": lambda: {"history": self.history(page.versions[0], latest=shown == len(page.versions))},
            "ancestors": lambda: {
                "ancestors": [self.page(one, set()) for one in reversed(self._confluence.ancestors(page))]
            },
            "metadata.labels": lambda: {
                "metadata": {"labels": {"results": [{"prefix": "global", "name": name} for name in page.labels]}}
            },
            "body.storage": lambda: {"body": self.storage(page.versions[shown - 1])},
            "children.attachment.version": lambda: {"children": {"attachment": self._few(page)}},
        }
        title = page.versions[shown - 1].title or page.title
        out: Json = {"id": page.id, "type": "page", "status": _status(shown, page.versions), "title": title}
        links = {"webui": f"/display/{page.space}/{quote(page.title)}", "self": f"{API}/content/{page.id}"}
        return out | _chosen(parts, asked) | {"_links": links}

    def _few(self, page: Sheet) -> Json:
        """A page's files within the page, with the way to the rest of them."""
        values = [self.file(file, {"version", "history"}) for file in self._confluence.files.on(page.id)]
        size, limit = len(values), _EXPANDED_AT_ONCE
        way = f"/rest/api/content/{page.id}/child/attachment?limit={limit}&start={limit}"
        links = {"next": way} if size > limit else {}
        return {"results": list(values[:limit]), "start": 0, "limit": limit, "size": min(size, limit), "_links": links}

    def note(self, note: Note, asked: set[str], number: int | None = None) -> Json:
        page, shown = self._confluence.pages[note.page], number or len(note.versions)
        version = note.versions[shown - 1]
        parts: dict[str, Part] = {
            "space": lambda: {"space": self.space(self._confluence.spaces[page.space])},
            "version": lambda: {"version": self.version(shown, version)},
            "history": lambda: {"history": self.history(note.versions[0], latest=shown == len(note.versions))},
            "container": lambda: {"container": self.page(page, set())},
            "ancestors": lambda: {"ancestors": self._above(note)},
            "body.storage": lambda: {"body": self.storage(version)},
        }
        status, title = _status(shown, note.versions), f"Re: {page.title}"
        out: Json = {"id": note.id, "type": "comment", "status": status, "title": title}
        out["extensions"] = self._extensions(note, asked)
        out |= _chosen(parts, asked)
        way = f"/display/{page.space}/{quote(page.title)}?focusedCommentId={note.id}#comment-{note.id}"
        out["_links"] = {"webui": way, "self": f"{API}/content/{note.id}"}
        out["_expandable"] = {"container": f"/rest/api/content/{page.id}"} if "container" not in asked else {}
        return out

    def _above(self, note: Note) -> list[Json]:
        """The comments that a reply answers, topmost first."""
        out: list[Json] = []
        while note.parent is not None and (above := self._confluence.notes.get(note.parent)) is not None:
            out.insert(0, {"id": above.id, "type": "comment", "status": "current"})
            note = above
        return out

    @staticmethod
    def _extensions(note: Note, asked: set[str]) -> Json:
        resolved = note.inline and note.state == "resolved"
        out: Json = {"location": "resolved" if resolved else "inline" if note.inline else "footer"}
        if "extensions.inlineProperties" in asked and note.inline:
            out["inlineProperties"] = {"originalSelection": note.marked, "markerRef": f"mark-{note.id}"}
        if "extensions.resolution" in asked and note.inline:
            out["resolution"] = {"status": note.state}
        return out

    def file(self, file: File, asked: set[str]) -> Json:
        at, author, data = file.versions[-1]
        number = len(file.versions)
        stamp = urlencode({"version": number, "modificationDate": int(at.timestamp() * 1000), "api": "v2"})
        first = PageVersion(file.versions[0][0], file.versions[0][1], "")
        parts: dict[str, Part] = {
            "version": lambda: {"version": self.version(number, PageVersion(at, author, ""))},
            "history": lambda: {"history": self.history(first)},
            "container": lambda: {"container": self.page(self._confluence.pages[file.page], set())},
        }
        out: Json = {
            "id": file.id,
            "type": "attachment",
            "status": "current",
            "title": file.name,
            "metadata": {"mediaType": file.media_type},
            "extensions": {"mediaType": file.media_type, "fileSize": len(data), "comment": ""},
            "_links": {"download": f"/download/attachments/{file.page}/{quote(file.name)}?{stamp}"},
        }
        return out | _chosen(parts, asked)

    def storage(self, version: PageVersion) -> Json:
        """People are named by their keys here."""
        value = _ACCOUNT.sub(r'ri:userkey="key-\1"', self._confluence.storage(version))
        return {"storage": {"value": value, "representation": "storage"}}

    def version(self, number: int, version: PageVersion) -> Json:
        by = self.person(self._confluence.person(version.author))
        return {"by": by, "when": time_of(version.at), "message": version.message, "number": number, "minorEdit": False}

    def history(self, first: PageVersion, *, latest: bool = True) -> Json:
        by = self.person(self._confluence.person(first.author))
        return {"latest": latest, "createdBy": by, "createdDate": time_of(first.at)}

    @staticmethod
    def person(person: Person) -> Json:
        return {"type": "known", "username": person.id, "userKey": key_of(person), "displayName": person.name}

    def property(self, one: Property) -> Json:
        at, by, value = one.values[-1]
        version = self.version(len(one.values), PageVersion(at, by, ""))
        return {"id": one.id, "key": one.key, "value": value, "version": version}


def _chosen(parts: Mapping[str, Part], asked: set[str]) -> Json:
    out: Json = {}
    for name, give in parts.items():
        out |= give() if name in asked else {}
    return out


def _status(number: int, versions: Sequence[PageVersion]) -> str:
    return "current" if number == len(versions) else "historical"
