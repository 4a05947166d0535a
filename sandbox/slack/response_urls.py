"""The addresses at which an interaction can be answered for half an hour."""

import secrets
from dataclasses import dataclass

from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse, Response
from starlette.routing import Route

from sandbox.slack.calls import ApiError
from sandbox.slack.chat_api import ChatApi, checked
from sandbox.slack.state import Conversation
from sandbox.slack.workspace import Workspace

MOST_ANSWERS = 5
LONGEST_WAIT = 1800.0
"""Seconds that an address takes answers (https://docs.slack.dev/interactivity/handling-user-interaction)."""


@dataclass(slots=True)
class _Address:
    conversation: Conversation
    user: str
    thread: str | None
    at: float
    answers: int = 0


class ResponseUrls:
    """The addresses, each for five answers within half an hour, seen by one person unless the answer says otherwise."""

    def __init__(self, workspace: Workspace, chat: ChatApi, base: str) -> None:
        self._workspace = workspace
        self._chat = chat
        self._base = base
        self._addresses: dict[str, _Address] = {}

    def routes(self) -> list[Route]:
        return [Route("/response/{team}/{address}", self._answer, methods=["POST"])]

    def give(self, conversation: Conversation, user: str, thread: str | None = None) -> str:
        made = secrets.token_urlsafe(12)
        self._addresses[made] = _Address(conversation, user, thread, self._workspace.now())
        return f"{self._base}/response/{self._workspace.team}/{made}"

    async def _answer(self, request: Request) -> Response:
        address = self._addresses.get(request.path_params["address"])
        if address is None or self._workspace.now() > address.at + LONGEST_WAIT:
            return JSONResponse({"ok": False, "error": "expired_url"}, 404)
        if address.answers >= MOST_ANSWERS:
            return JSONResponse({"ok": False, "error": "used_url"}, 404)
        try:
            said = await request.json()
        except ValueError:
            return JSONResponse({"ok": False, "error": "invalid_payload"}, 400)
        try:
            with self._workspace.lock:
                self._put(address, said if isinstance(said, dict) else {})
        except ApiError as error:
            return JSONResponse(error.payload, 400 if error.payload["error"] == "no_text" else 200)
        return PlainTextResponse("ok")

    def _put(self, address: _Address, said: dict[str, object]) -> None:
        address.answers += 1
        if said.get("delete_original"):
            return
        text, blocks = checked(str(said.get("text", "")), said.get("blocks", []))
        open_to_all = said.get("response_type") == "in_channel"
        thread = str(said["thread_ts"]) if "thread_ts" in said else address.thread
        seen_by = None if open_to_all else address.user
        self._chat.put(address.conversation, text, blocks, thread, seen_by=seen_by)
