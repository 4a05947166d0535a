"""What a thread shows while somebody waits: a message that becomes the answer, or the assistant's status."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any

import structlog

from bots.errors import BotError, Gone, NotAllowed
from bots.text import one_line
from bots.types import Place, Post, Trigger
from crosscheck.slack.ports import Shows

log = structlog.get_logger(__name__)

AT_WORK = "Looking into it"
NO_FILE = "The file could not be posted; an administrator can see why in the list of jobs."
TITLE = 80
"""Characters of a thread's title."""


class Waiting:
    """One question's sign of life. Showing it is a courtesy: only what keeps any answer away is raised."""

    def __init__(self, client: Shows, place: Place, key: str, *, panel: bool, shown: bool) -> None:
        """`panel`: it was asked in the assistant's panel, which has a line of its own for that. Not `shown`: nothing
        is written.
        """
        self._client = client
        self._place = place
        self._key = key
        self._panel = panel
        self._shown = shown
        self.message: str | None = None
        """The id of the message that is to become the answer; None where there is none."""

    def begin(self, since: datetime | None, title: str) -> None:
        """`since`: from when on an earlier attempt may have begun; None: this is the first.

        Raises Gone and NotAllowed, since no answer could be posted either.
        """
        if not self._shown:
            return
        try:
            if self._panel:
                self._client.status(self._place, f"{AT_WORK.lower()}…")
                self._client.title(self._place, one_line(title, TITLE))
            else:
                self.message = self._client.working(self._place, f"{AT_WORK} …", self._key, since)
        except (Gone, NotAllowed):
            if not self._panel:
                raise
        except BotError as error:
            log.info("no sign of life shown", reason=str(error))

    def end(self) -> None:
        """Nothing becomes of it."""
        if self.message is not None:
            ended(self._client, self._place.id, self.message, "", self._key)

    def say(self, what: str) -> None:
        """What is being done now."""
        text = one_line(what, 200)
        if self.message is not None:
            self._client.say(self._place, self.message, f"{text} …", self._key)
        elif self._panel and self._shown:
            try:
                self._client.status(self._place, f"{text[:1].lower()}{text[1:]}…")
            except BotError as error:
                log.info("status not shown", reason=str(error))


class Signs:
    """`crosscheck.delivery.SignOfLife`: the message is known by its id, or found by its key."""

    def __init__(self, client: Shows) -> None:
        self._client = client

    def becomes(self, payload: Mapping[str, Any], trigger: Trigger) -> str | None:
        """Written, if it is not there, by an attempt that does not know of one: an edit can be repeated, a post not."""
        known: str | None = payload.get("becomes")
        if known is not None or not payload.get("working"):
            return known
        return self._client.working(trigger.place, f"{AT_WORK} …", payload["working"], trigger.created)

    def end(self, payload: Mapping[str, Any], text: str, post: Post | None = None) -> None:
        """As far as the message is known. That a file did not come is said in a message of its own."""
        if payload.get("becomes"):
            ended(self._client, payload["place_id"], payload["becomes"], text, payload["working"])
        elif text and post is not None and post.body["kind"] == "file":
            try:
                self._client.working(post.place, NO_FILE, f"{post.delivery_key}|no file", post.since)
            except BotError as error:
                log.warning("not told that a file is missing", reason=str(error))


def ended(client: Shows, channel: str, message: str, text: str, key: str) -> None:
    """Nothing becomes of the message. Raises nothing: there is no more to be done about it."""
    try:
        client.end(channel, message, text, key)
    except BotError as error:
        log.warning("sign of life left standing", reason=str(error))
