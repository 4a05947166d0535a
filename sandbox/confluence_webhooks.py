"""Comment webhooks of Confluence: as Data Center sends them, or as a rule of Cloud's Automation does.

Data Center signs the raw body. Its payload is that of Connect's webhooks, with user keys for account ids
(https://developer.atlassian.com/server/confluence/webhooks/). Automation signs nothing: whoever writes the rule puts a
secret into a header.
"""

import json
from collections.abc import Mapping
from typing import Any, Literal
from urllib.parse import quote

from sandbox.confluence import Confluence
from sandbox.confluence_data_center_json import ROOT, key_of
from sandbox.confluence_talk import Event, Note
from sandbox.deliveries import Deliveries, Delivery
from sandbox.records import PageVersion

CARRIER = "X-Automation-Webhook-Token"
"""The header that carries the secret of an Automation."""
Json = dict[str, Any]


class ConfluenceWebhooks(Deliveries):
    """`shape` may be changed at any time."""

    def __init__(self, confluence: Confluence, secret: str, base: str) -> None:
        """`base` is the server's address, without a context path."""
        super().__init__(secret)
        self._confluence = confluence
        self._base = base
        self.shape: Literal["data-center", "automation"] = "data-center"

    def deliver_to(self, url: str) -> None:
        super().deliver_to(url)
        self._confluence.notes.fire = self.fire

    def fire(self, event: Event, note: Note) -> None:
        payload = self._automation(event, note) if self.shape == "automation" else self._data_center(event, note)
        self.send(event, json.dumps(payload).encode())

    def headers(self, delivery: Delivery) -> Mapping[str, str]:
        if self.shape == "automation":
            return {"User-Agent": "Automation for Confluence app, Atlassian", CARRIER: self.secret}
        return {
            "User-Agent": "Atlassian HttpClient / Confluence-10.0.3",
            "X-Event-Key": delivery.event,
            "X-Request-Id": delivery.id,
            "X-Hub-Signature": self.signature(delivery.body),
        }

    def _automation(self, event: Event, note: Note) -> Json:
        page = self._confluence.pages[note.page]
        return {"event": event, "comment": {"id": note.id}, "page": {"id": page.id, "title": page.title}}

    def _data_center(self, event: Event, note: Note) -> Json:
        page = self._confluence.pages[note.page]
        way = f"{self._base}{ROOT}/display/{page.space}/{quote(page.title)}"
        comment = self._part(note.id, page.space, note.versions, f"{way}?focusedCommentId={note.id}#comment-{note.id}")
        comment["parent"] = self._part(page.id, page.space, page.versions, way) | {"title": page.title}
        above = self._confluence.notes.get(note.parent) if note.parent else None
        if above is not None:
            comment["inReplyTo"] = {"id": int(above.id)}
        return {
            "timestamp": int(note.versions[-1].at.timestamp() * 1000),
            "event": event,
            "userKey": self._key(note.versions[-1].author),
            "comment": comment,
        }

    def _key(self, account_id: str) -> str:
        return key_of(self._confluence.person(account_id))

    def _part(self, number: str, space: str, versions: list[PageVersion], way: str) -> Json:
        first, last = versions[0], versions[-1]
        return {
            "spaceKey": space,
            "id": int(number),
            "version": len(versions),
            "creatorKey": self._key(first.author),
            "lastModifierKey": self._key(last.author),
            "creationDate": int(first.at.timestamp() * 1000),
            "modificationDate": int(last.at.timestamp() * 1000),
            "self": way,
        }
