"""Confluence Data Center's comments over REST v1: listed, written, changed and removed, with their properties."""

import json
from collections.abc import Callable
from typing import Any

from sandbox.confluence import Confluence, Sheet
from sandbox.confluence_data_center_json import (
    API,
    DataCenterJson,
    Json,
    common,
    expanded,
    listed,
    no_content,
    refused,
)
from sandbox.confluence_talk import Note
from sandbox.confluence_writing import Unfit, checked
from sandbox.records import PageVersion
from sandbox.wire import Call, Reply

Handler = Callable[[Call], Reply]
_CREATED = "body.storage,history,space,container.history,container.version,version,ancestors"
_EDITOR = ("matchIndex", "lastFetchTime", "serializedHighlights")
"""What only Confluence's own editor knows of a marked text, and a new inline comment has to say."""


class DataCenterComments:
    """Handlers. `seen` tells whether a call's account sees a page."""

    def __init__(self, confluence: Confluence, seen: Callable[[Call, Sheet], bool]) -> None:
        self._confluence = confluence
        self._seen = seen
        self._json = DataCenterJson(confluence)

    def table(self) -> list[tuple[str, str, Handler]]:
        one = API + "/content/{content}"
        return [
            ("POST", API + "/content", self.create),
            ("PUT", one, self.update),
            ("DELETE", one, self.delete),
            ("GET", one + "/child/comment", self.list),
            ("GET", one + "/property", self.properties),
            ("POST", one + "/property", self.add_property),
            ("GET", one + "/property/{key}", self.property),
            ("PUT", one + "/property/{key}", self.set_property),
            ("DELETE", one + "/property/{key}", self.remove_property),
        ]

    def list(self, call: Call) -> Reply:
        """Of a page, or the replies to a comment; without `depth=all` the nearest ones only."""
        number, deep = str(call.path["content"]), call.query.get("depth") == "all"
        notes = self._confluence.notes
        above = notes.get(number)
        page = self._confluence.pages.get(above.page if above else number)
        if page is None or not self._seen(call, page):
            raise no_content(number)
        asked, places = expanded(call, ""), set(call.listed("location"))
        found = [note for note in notes if note.page == page.id and self._below(note, above, deep=deep)]
        shown = [self._json.note(note, asked) for note in found]
        return listed(call, [one for one in shown if not places or one["extensions"]["location"] in places])

    def _below(self, note: Note, above: Note | None, *, deep: bool) -> bool:
        if not deep:
            return note.parent == (above.id if above else None)
        at: Note | None = note
        while above is not None and at is not None and at.parent != above.id:
            at = self._confluence.notes.get(at.parent) if at.parent else None
        return at is not None

    def create(self, call: Call) -> Reply:
        asked = _parsed(call)
        if asked.get("type") != "comment":
            raise refused(400, "Only comments are written here")
        page, above = self._place(call, asked)
        if not self._confluence.may_comment(call.account, page):
            raise refused(403, "Could not create content with type comment")
        marked = self._marked(asked, above)
        parent = above.id if above is not None else None
        note = self._confluence.notes.write(page.id, self._written(call, asked), parent=parent, marked=marked)
        return Reply(self._json.note(note, expanded(call, _CREATED)))

    def _place(self, call: Call, asked: Json) -> tuple[Sheet, Note | None]:
        """The page, and the comment that is answered: the last ancestor, or the container."""
        container, ancestors = asked.get("container"), asked.get("ancestors") or []
        if not isinstance(container, dict) or not isinstance(ancestors, list):
            raise refused(400, "Could not create content with type comment", "container")
        last = ancestors[-1] if ancestors else container
        number = str(last.get("id")) if isinstance(last, dict) else ""
        above = self._confluence.notes.get(number)
        page = self._confluence.pages.get(above.page if above else str(container.get("id")))
        astray = (ancestors and above is None) or (above is not None and str(container.get("id")) not in
                                                    {above.page, above.id})  # fmt: skip
        if page is None or astray or not self._seen(call, page):
            raise no_content(number)
        return page, above

    @staticmethod
    def _marked(asked: Json, above: Note | None) -> str | None:
        """The marked text of the thread, for who says that the comment is inline. A reply that does not say so lands at
        the foot of the page.
        """
        extensions = _object(asked.get("extensions"))
        if extensions.get("location") != "inline":
            return None
        if above is not None:
            return above.marked
        marking = _object(extensions.get("inlineProperties"))
        missing = [name for name in ("originalSelection", *_EDITOR) if name not in marking]
        if missing:
            raise refused(400, "Could not create content with type comment", *missing)
        return str(marking["originalSelection"])

    def _written(self, call: Call, asked: Json, message: str = "") -> PageVersion:
        value = _object(_object(asked.get("body")).get("storage")).get("value")
        if not isinstance(value, str):
            raise refused(400, "Content body is required", "body.storage")
        try:
            checked(value, self._confluence.longest_comment)
        except Unfit as e:
            raise refused(e.status, str(e)) from e
        return PageVersion(self._confluence.now(), call.account.id, "", message, common(value))

    def update(self, call: Call) -> Reply:
        note, asked = self._own(call), _parsed(call)
        version = _object(asked.get("version"))
        if version.get("number") != len(note.versions) + 1:
            raise refused(409, f"Version must be incremented on update. Current version is: {len(note.versions)}")
        self._confluence.notes.rewrite(note, self._written(call, asked, str(version.get("message") or "")))
        return Reply(self._json.note(note, expanded(call, _CREATED)))

    def delete(self, call: Call) -> Reply:
        self._confluence.notes.remove(self._own(call).id)
        return Reply(status=204)

    def _note(self, call: Call) -> Note:
        note = self._confluence.notes.get(str(call.path["content"]))
        if note is None or not self._seen(call, self._confluence.pages[note.page]):
            raise no_content(call.path["content"])
        return note

    def _own(self, call: Call) -> Note:
        note = self._note(call)
        allowed = self._confluence.may_comment(call.account, self._confluence.pages[note.page])
        if not allowed or note.author != call.account.id:
            raise refused(403, "User not permitted to change this comment")
        return note

    def properties(self, call: Call) -> Reply:
        return listed(call, [self._json.property(one) for one in self._note(call).properties.values()])

    def property(self, call: Call) -> Reply:
        held = self._note(call).properties.get(str(call.path["key"]))
        if held is None:
            raise refused(404, f"No property found with key: {call.path['key']}")
        return Reply(self._json.property(held))

    def add_property(self, call: Call) -> Reply:
        note, asked = self._own(call), _parsed(call)
        key = asked.get("key")
        if not isinstance(key, str) or not key or "value" not in asked:
            raise refused(400, "A property needs a key and a value")
        if key in note.properties:
            raise refused(409, f"A property with the key {key} exists already")
        return Reply(self._json.property(self._confluence.notes.keep(note, key, asked["value"], call.account.id)))

    def set_property(self, call: Call) -> Reply:
        note, asked, key = self._own(call), _parsed(call), str(call.path["key"])
        held, number = note.properties.get(key), _object(asked.get("version")).get("number")
        if number != (len(held.values) if held else 0) + 1 or "value" not in asked:
            raise refused(409, "Version must be incremented on update")
        return Reply(self._json.property(self._confluence.notes.keep(note, key, asked["value"], call.account.id)))

    def remove_property(self, call: Call) -> Reply:
        if self._own(call).properties.pop(str(call.path["key"]), None) is None:
            raise refused(404, f"No property found with key: {call.path['key']}")
        return Reply(status=204)


def _parsed(call: Call) -> dict[str, Any]:
    try:
        asked = json.loads(call.body)
    except (ValueError, RecursionError) as e:
        raise refused(400, "The request body is not valid JSON") from e
    if not isinstance(asked, dict):
        raise refused(400, "The request body is no object")
    return asked


def _object(value: Any) -> dict[str, Any]:
    """What is no object says nothing."""
    return value if isinstance(value, dict) else {}
