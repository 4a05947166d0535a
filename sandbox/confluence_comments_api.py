"""Confluence Cloud's comments over REST v2: who reads and writes them, their versions and properties."""

import json
from collections.abc import Callable, Iterable
from typing import Any

from starlette.routing import Route

from sandbox import adf, storage
from sandbox.confluence import Confluence, Sheet
from sandbox.confluence_api import V2, ConfluenceApi, bad, detailed, not_found, paged, refusal, time_of, version_of
from sandbox.confluence_talk import Note, Property
from sandbox.confluence_writing import Unfit, checked, editor_made
from sandbox.records import PageVersion
from sandbox.storage_adf import from_adf
from sandbox.wire import Call, Reply

READABLE = {"current", "archived"}
LONGEST_PROPERTY = 32_768
Json = dict[str, Any]


class ConfluenceCommentsApi:
    """Handlers beside `ConfluenceApi`. What one may not see is not there; what one may not do is forbidden."""

    def __init__(self, confluence: Confluence, api: ConfluenceApi) -> None:
        self._confluence = confluence
        self._api = api

    def routes(self) -> list[Route]:
        out: list[Route] = []
        for inline in (False, True):
            kind = "inline" if inline else "footer"
            every, one = f"{V2}/{kind}-comments", f"{V2}/{kind}-comments/{{note:int}}"
            out += [
                self._route("GET", every, inline, self._list),
                self._route("POST", every, inline, self._create),
                self._route("GET", one, inline, self._get),
                self._route("PUT", one, inline, self._update),
                self._route("DELETE", one, inline, self._delete),
                self._route("GET", one + "/children", inline, self._children),
                self._route("GET", one + "/versions", inline, self._versions),
                self._route("GET", one + "/versions/{number:int}", inline, self._version),
                self._route("GET", f"{V2}/pages/{{page:int}}/{kind}-comments", inline, self._of_page),
            ]
        properties = V2 + "/comments/{note:int}/properties"
        return [
            *out,
            self._api.route(properties, self.properties),
            self._api.route(properties, self.add_property, "POST"),
            self._api.route(properties + "/{property:int}", self.property),
            self._api.route(properties + "/{property:int}", self.set_property, "PUT"),
            self._api.route(properties + "/{property:int}", self.remove_property, "DELETE"),
        ]

    def _route(self, method: str, path: str, inline: bool, handler: Callable[[Call, bool], Reply]) -> Route:
        return self._api.route(path, lambda call: handler(call, inline), method)

    def _list(self, call: Call, inline: bool) -> Reply:
        return self._listed(call, self._confluence.notes, inline)

    def _of_page(self, call: Call, inline: bool) -> Reply:
        page = self._api.visible(call, READABLE)
        states = set(call.listed("resolution-status"))
        top = (n for n in self._confluence.notes if n.page == page.id and n.parent is None)
        return self._listed(call, (note for note in top if not states or note.state in states), inline)

    def _children(self, call: Call, inline: bool) -> Reply:
        """The replies to a comment. They do not say which page they are on."""
        above = self._seen(call, inline)
        reply = self._listed(call, (n for n in self._confluence.notes if n.parent == above.id), inline)
        for child in reply.payload["results"]:
            del child["pageId"]
        return reply

    def _listed(self, call: Call, notes: Iterable[Note], inline: bool) -> Reply:
        shown = self._api.form(call)
        seen = [note for note in notes if note.inline is inline and self._sees(call, note.page)]
        order = call.query.get("sort", "created-date")
        if order.removeprefix("-") not in {"created-date", "modified-date"}:
            raise bad(f"Provided value {{{order}}} for 'sort' is not valid")
        at = 0 if order.endswith("created-date") else -1
        seen.sort(key=lambda note: note.versions[at].at, reverse=order.startswith("-"))
        return paged(call, [self._json(note, shown) for note in seen])

    def _get(self, call: Call, inline: bool) -> Reply:
        note = self._seen(call, inline)
        return self._one(call, note, call.number("version", len(note.versions)))

    def _one(self, call: Call, note: Note, number: int | None = None, status: int = 200) -> Reply:
        number = number or len(note.versions)
        if number > len(note.versions):
            raise not_found()
        out = self._json(note, self._api.form(call), number)
        out["_links"]["base"] = f"{call.base}/wiki"
        if call.query.get("include-properties") == "true":
            held = [_property(one) for one in note.properties.values()]
            out["properties"] = out.get("properties", {}) | {"results": held, "meta": {"hasMore": False}}
        return Reply(out, status)

    def _create(self, call: Call, inline: bool) -> Reply:
        asked = parsed(call)
        parent, page_id = asked.get("parentCommentId"), asked.get("pageId")
        if (parent is None) is (page_id is None):
            raise bad("Exactly one of pageId and parentCommentId must be provided")
        marked: str | None = None
        if parent is not None:
            above = self._confluence.notes.get(str(parent))
            if above is None or above.inline is not inline or not self._sees(call, above.page):
                raise not_found()  # a comment of the other kind is none here
            page_id, marked = above.page, above.marked
        page = self._confluence.pages.get(str(page_id))
        if page is None or not self._sees(call, page.id):
            raise not_found()
        self._must_comment(call, page)
        if inline and parent is None:
            marked = self._selection(page, asked.get("inlineCommentProperties"))
        version = self._written(call, asked.get("body"))
        note = self._confluence.notes.write(page.id, version, parent=parent and str(parent), marked=marked)
        return self._one(call, note, status=201)

    def _selection(self, page: Sheet, asked: Any) -> str:
        """The page's text that a new inline comment is about."""
        asked = asked if isinstance(asked, dict) else {}
        text, count, at = (asked.get(f"textSelection{end}") for end in ("", "MatchCount", "MatchIndex"))
        body = storage.words(self._confluence.storage(page.versions[-1]))
        if not isinstance(text, str) or not text.strip() or type(count) is not int or type(at) is not int:
            raise bad("inlineCommentProperties must be provided for a top level inline comment")
        if body.count(" ".join(text.split())) != count or not 0 <= at < count:
            raise bad("The text selection was not found on the page")
        return text

    def _must_comment(self, call: Call, page: Sheet) -> None:
        if page.status != "current" or not self._confluence.may_comment(call.account, page):
            raise refusal(403, "FORBIDDEN", "User does not have permission to comment on this content")

    def _written(self, call: Call, asked: Any, message: str = "") -> PageVersion:
        """A version of a comment by the caller, from a body as it is or below its representation."""
        if isinstance(asked, dict) and "representation" not in asked and len(asked) == 1:
            asked = next(iter(asked.values()))
        if not isinstance(asked, dict) or not isinstance(asked.get("value"), str):
            raise bad("A body must be provided")
        kind, value = asked.get("representation"), asked["value"]
        if kind == "atlas_doc_format":
            value = from_adf(_document(value))
        elif kind != "storage":
            raise bad(f"Provided value {{{kind}}} for 'representation' is not understood here")
        try:
            checked(value, self._confluence.longest_comment)
        except Unfit as e:
            code = "CONTENT_TOO_LARGE" if e.status == 413 else "INVALID_REQUEST_PARAMETER"
            raise refusal(e.status, code, str(e)) from e
        return PageVersion(self._confluence.now(), call.account.id, "", message, value)

    def _update(self, call: Call, inline: bool) -> Reply:
        """A body by the author; resolving or reopening by whoever may comment."""
        note, asked = self._seen(call, inline), parsed(call)
        self._must_comment(call, self._confluence.pages[note.page])
        resolved = asked.get("resolved") if inline else None
        if "body" in asked or resolved is None:
            self._own(call, note)
            message = self._next(asked.get("version"), len(note.versions))
            self._confluence.notes.rewrite(note, self._written(call, asked.get("body"), message))
        if isinstance(resolved, bool):
            self._settle(call, note, resolved)
        return self._one(call, note)

    @staticmethod
    def _next(version: Any, held: int) -> str:
        """The message of a version that is to come after those that there are."""
        if not isinstance(version, dict) or version.get("number") != held + 1:
            raise refusal(409, "CONFLICT", f"Version must be incremented: {held + 1}")
        return str(version.get("message") or "")

    def _settle(self, call: Call, note: Note, resolved: bool) -> None:
        if note.state == "dangling":
            raise bad("A dangling comment cannot be updated")
        if resolved is not (note.state == "resolved"):
            self._confluence.notes.resolve(note.id, "resolved" if resolved else "reopened", call.account.id)

    def _delete(self, call: Call, inline: bool) -> Reply:
        note = self._own(call, self._seen(call, inline))
        self._confluence.notes.remove(note.id)
        return Reply(status=204)

    def _own(self, call: Call, note: Note) -> Note:
        """The note, if the caller is its author and may still comment there."""
        self._must_comment(call, self._confluence.pages[note.page])
        if note.author != call.account.id:
            raise refusal(403, "FORBIDDEN", "User does not have permission to change this comment")
        return note

    def _versions(self, call: Call, inline: bool) -> Reply:
        note, shown = self._seen(call, inline), self._api.form(call)
        title = self._title(note)
        out = []
        for number, version in enumerate(note.versions, 1):
            said = {"id": note.id, "title": title, "body": self._body(note, version, shown)}
            out.append(version_of(number, version) | {"comment": said})
        if call.query.get("sort", "-modified-date").startswith("-"):
            out.reverse()
        return paged(call, out)

    def _version(self, call: Call, inline: bool) -> Reply:
        return Reply(detailed(self._seen(call, inline).versions, int(call.path["number"])))

    def _seen(self, call: Call, inline: bool | None) -> Note:
        """The note of the call's path; of either kind for None."""
        note = self._confluence.notes.get(str(call.path["note"]))
        if note is None or inline not in {None, note.inline} or not self._sees(call, note.page):
            raise not_found()
        return note

    def _sees(self, call: Call, page_id: str) -> bool:
        page = self._confluence.pages.get(page_id)
        return page is not None and page.status in READABLE and self._confluence.sees(call.account, page)

    def _title(self, note: Note) -> str:
        return f"Re: {self._confluence.pages[note.page].title}"

    def _body(self, note: Note, version: PageVersion, shown: str | None) -> Json:
        body = self._api.body(version, shown)
        if shown == "storage" and self._confluence.rewrites:
            body[shown]["value"] = editor_made(body[shown]["value"], note.id)
        return body

    def _json(self, note: Note, shown: str | None, number: int | None = None) -> Json:
        page, number = self._confluence.pages[note.page], number or len(note.versions)
        version = note.versions[number - 1]
        out: Json = {
            "id": note.id,
            "status": "current",
            "title": self._title(note),
            "pageId": note.page,
            "version": version_of(number, version),
            "body": self._body(note, version, shown),
            "_links": {"webui": f"/spaces/{page.space}/pages/{page.id}?focusedCommentId={note.id}"},
        }
        out |= {"parentCommentId": note.parent} if note.parent else {}
        if note.marked is not None:
            out["resolutionStatus"] = note.state
            out["properties"] = {"inlineMarkerRef": f"mark-{note.id}", "inlineOriginalSelection": note.marked}
            if note.settled is not None:
                out["resolutionLastModifiedAt"] = time_of(note.settled[0])
                out["resolutionLastModifierId"] = note.settled[1]
        return out

    def properties(self, call: Call) -> Reply:
        key = call.query.get("key")
        held = self._seen(call, None).properties.values()
        return paged(call, [_property(one) for one in held if key in {None, one.key}])

    def add_property(self, call: Call) -> Reply:
        note, asked = self._own(call, self._seen(call, None)), parsed(call)
        key = _key(asked)
        if key in note.properties:
            raise refusal(409, "CONFLICT", f"A property with the key {key} exists already")
        return Reply(_property(self._confluence.notes.keep(note, key, asked["value"], call.account.id)))

    def property(self, call: Call) -> Reply:
        return Reply(_property(self._held(call, self._seen(call, None))))

    def set_property(self, call: Call) -> Reply:
        note, asked = self._own(call, self._seen(call, None)), parsed(call)
        held = self._held(call, note)
        if _key(asked) != held.key:
            raise bad("The key of a property cannot be changed")
        self._next(asked.get("version"), len(held.values))
        return Reply(_property(self._confluence.notes.keep(note, held.key, asked["value"], call.account.id)))

    def remove_property(self, call: Call) -> Reply:
        note = self._own(call, self._seen(call, None))
        del note.properties[self._held(call, note).key]
        return Reply(status=204)

    @staticmethod
    def _held(call: Call, note: Note) -> Property:
        found = next((one for one in note.properties.values() if one.id == str(call.path["property"])), None)
        if found is None:
            raise not_found()
        return found


def parsed(call: Call) -> Json:
    try:
        asked = json.loads(call.body)
    except (ValueError, RecursionError) as e:
        raise bad("The request body is not valid JSON") from e
    if not isinstance(asked, dict):
        raise bad("The request body is no object")
    return asked


def _document(value: str) -> adf.Node:
    try:
        document = json.loads(value)
        wrong = adf.problem(document)
    except (ValueError, RecursionError, TypeError) as e:
        raise bad("The body is no document in atlas_doc_format") from e
    if wrong:
        raise bad(f"The body is no document in atlas_doc_format: {wrong}")
    return dict(document)


def _key(asked: Json) -> str:
    key = asked.get("key")
    if not isinstance(key, str) or not 1 <= len(key) <= 255 or "value" not in asked:
        raise bad("A property needs a key and a value")
    if len(json.dumps(asked["value"])) > LONGEST_PROPERTY:
        raise bad(f"The value of a property is limited to {LONGEST_PROPERTY} characters")
    return key


def _property(one: Property) -> Json:
    at, by, value = one.values[-1]
    version = {"createdAt": time_of(at), "message": "", "number": len(one.values), "minorEdit": False, "authorId": by}
    return {"id": one.id, "key": one.key, "value": value, "version": version}
