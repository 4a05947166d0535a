"""The bot's own attachments: added to a ticket, found again by their names, and deleted."""

import hashlib
import json
import re
from base64 import b64decode, b64encode
from collections.abc import Mapping
from datetime import datetime
from typing import Any
from urllib.parse import quote

from bots.errors import Gone, NotAllowed, Uncertain
from bots.exchange import Exchange
from bots.jira import answers
from bots.jira.answers import Attachment, read
from bots.jira.connection import checked
from bots.text import one_line
from bots.types import Place, Post, Posted, Visibility

_KIND = "attachment:"
_REFUSED = re.compile(r'[\\/:*?"<>|%&+#]')
_LONGEST_NAME = 150


def body(name: str, content: bytes) -> dict[str, Any]:
    """What a post is that attaches a file. Plain JSON, since it waits in the outbox."""
    return {"type": "file", "name": name, "content": b64encode(content).decode()}


def is_file(body: Mapping[str, Any]) -> bool:
    return body.get("type") == "file"


def number_of(remote_id: str) -> str | None:
    """The attachment's own id, None for the id of a comment."""
    return remote_id.removeprefix(_KIND) if remote_id.startswith(_KIND) else None


class Files:
    """Every call raises the errors of `bots.errors`. `api` is the path that REST's resources begin with."""

    def __init__(self, jira: Exchange, site: str, api: str) -> None:
        self._jira = jira
        self._site = site
        self._api = api

    def attach(self, post: Post, until: float | None) -> Posted:
        """Add the file, once.

        Raises NotAllowed where not everybody who sees the ticket may see it: an attachment has no audience of its own.
        """
        if post.place.customers or post.visibility != Visibility():
            raise NotAllowed(f"A file in {post.place.key} would be seen by more people than the comment it answers")
        payload = self._jira.ask(
            "POST",
            f"{self._api}/issue/{checked(post.place.id)}/attachments",
            what=f"attach a file to {post.place.key}",
            needs="Create attachments",
            file=(_name(post), b64decode(post.body["content"])),
            writes=True,
            until=until,
        )
        made = read(answers.Attached, {"attachment": payload}, "the file just attached", Uncertain).attachment
        if not made:
            raise Uncertain(f"Jira does not say which file it attached to {post.place.key}")
        return self._posted(post, made[0])

    def find(self, post: Post, me: str, since: datetime) -> list[Posted]:
        """The bot's files in the ticket that carry the post's delivery key, oldest first."""
        payload = self._jira.ask(
            "GET",
            f"{self._api}/issue/{checked(post.place.id)}",
            what=f"show the files of {post.place.key}",
            needs="Browse projects",
            query={"fields": "attachment"},
        )
        files = read(answers.WithAttachments, payload, "a ticket's files").fields.attachment
        mark = f" {_key_mark(post)}-"
        found = [file for file in files if file.author_id == me and file.created >= since and mark in file.filename]
        return [self._posted(post, file) for file in sorted(found, key=lambda file: (file.created, int(file.id)))]

    def withdraw(self, place: Place, number: str, me: str) -> None:
        """Delete one of the bot's own; one that is not there any more is fine."""
        try:
            path = f"{self._api}/attachment/{checked(number)}"
            payload = self._jira.ask("GET", path, what=f"show a file of {place.key}", needs="Browse projects")
            if read(answers.Attachment, payload, "a file").author_id != me:
                raise NotAllowed(f"Attachment {number} in {place.key} is not the bot's own; it stays")
            what = f"delete a file of {place.key}"
            self._jira.ask("DELETE", path, what=what, needs="Delete own attachments", writes=True)
        except Gone:
            return

    def _posted(self, post: Post, file: Attachment) -> Posted:
        address = f"{self._site}/secure/attachment/{file.id}/{quote(file.filename, safe='')}"
        same = f"{_key_mark(post)}-{digest(post.body)[:6]}" in file.filename
        return Posted(f"{_KIND}{file.id}", address, Visibility(), same)


def digest(body: Mapping[str, Any]) -> str:
    """Tells one body from another; what Jira gives back of a body need not equal what was sent."""
    return hashlib.sha256(json.dumps(body, sort_keys=True).encode()).hexdigest()[:16]


def _key_mark(post: Post) -> str:
    return hashlib.sha256(post.delivery_key.encode()).hexdigest()[:6]


def _name(post: Post) -> str:
    """`PAY-12 test cases 3f9c2a-81b04d.xlsx`: the first mark is the delivery's, the second the content's. An attachment
    has no properties to keep them in.
    """
    name = _REFUSED.sub("_", one_line(str(post.body["name"]), _LONGEST_NAME))
    stem, dot, ending = name.rpartition(".")
    return f"{stem or name} {_key_mark(post)}-{digest(post.body)[:6]}{dot and stem and '.' + ending}"
