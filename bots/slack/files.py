"""The bot's own files in a thread: shared, found again by their titles, and deleted."""

from collections.abc import Collection, Mapping
from datetime import datetime
from typing import Any

from bots.errors import Gone, Unavailable, Uncertain
from bots.slack import bodies
from bots.slack.answers import Bot, SharedFile, Uploaded, UploadTarget, read
from bots.slack.connection import Connection
from bots.slack.failures import failure
from bots.slack.threads import Threads
from bots.types import Place
from bots.web_address import web_address

_UPLOAD = "upload a file"


class Files:
    """Every call raises the errors of `bots.errors`."""

    def __init__(self, slack: Connection, threads: Threads) -> None:
        self._slack = slack
        self._threads = threads

    def share(self, place: Place, body: Mapping[str, Any], until: float | None) -> tuple[str, str]:
        """Show a new file in a thread, once; its id and address.

        Until the last of the three requests nobody sees anything of it, so only that one can be Uncertain.
        """
        content = bodies.content(body)
        asked = {"filename": body["name"], "length": len(content)}
        payload = self._slack.ask("files.getUploadURLExternal", asked, what=_UPLOAD, until=until)
        target = read(UploadTarget, payload, "an upload")
        status, headers, _ = self._slack.send(
            target.upload_url, content, "application/octet-stream", what=_UPLOAD, writes=False, until=until
        )
        if status != 200:
            raise failure(status, headers, {}, what=_UPLOAD, writes=False)
        shared = {
            "files": [{"id": target.file_id, "title": body["title"]}],
            "channel_id": place.id,
            "thread_ts": place.thread,
        }
        payload = self._slack.ask(
            "files.completeUploadExternal",
            shared,
            what="show a file in the thread",
            writes=True,
            until=until,
            excused={"file_not_found"},
        )
        if not payload.get("ok"):
            raise Unavailable("Slack lost a file while it was uploaded")
        file = read(Uploaded, payload, "the file just shared", Uncertain).files[0]
        return file.id, web_address(file.permalink) or place.url

    def titled(
        self, bot: Bot, place: Place, titles: Collection[str], since: datetime | None = None
    ) -> list[SharedFile]:
        """The bot's files with these titles that are in a thread now, oldest first."""
        own = self._threads.own(bot, place.id, place.thread, since)
        files = [file for message in own for file in message.files or () if file.there and file.title in titles]
        return list({file.id: file for file in files}.values())

    def delete(self, file: str, until: float | None = None) -> None:
        """One that is not there any more is fine."""
        try:
            self._slack.ask("files.delete", {"file": file}, what="delete a file", writes=True, until=until)
        except Gone:
            return
