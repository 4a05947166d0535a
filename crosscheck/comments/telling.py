"""What is said under a comment when a file of its answer cannot be attached: the comment with the answer is there."""

import time
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import structlog

from bots.errors import BotError
from bots.outline import words
from bots.types import Post, Trigger
from crosscheck.comments.surface import CommentClient

log = structlog.get_logger(__name__)

NO_FILE = "The file could not be attached here; an administrator can see why in the list of jobs."


class FileLost:
    """`crosscheck.delivery.SignOfLife` of comments, which show nothing while somebody waits."""

    def __init__(self, client: CommentClient) -> None:
        self._client = client

    def becomes(self, _payload: Mapping[str, Any], _trigger: Trigger) -> str | None:
        """Nothing is there."""
        return None

    def end(self, payload: Mapping[str, Any], text: str, post: Post | None = None) -> None:
        """A courtesy, at most once: the post was settled before."""
        if post is None or not text or payload["body"].get("type") != "file":
            return
        try:
            body = self._client.render((words(NO_FILE),))[0]  # which kind of site it is may have to be asked
            told = replace(post, body=body, delivery_key=f"{post.delivery_key}|lost", becomes=None)
            self._client.post(told, until=time.monotonic() + self._client.send_seconds)
        except BotError as error:
            log.info("not told that a file is missing", reason=str(error))
