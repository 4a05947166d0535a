"""A running workspace, an app that listens, and short names of its parts."""

import threading
from typing import Any

from slack_sdk import WebClient
from slack_sdk.errors import SlackApiError
from slack_sdk.socket_mode import SocketModeClient
from slack_sdk.socket_mode.request import SocketModeRequest
from slack_sdk.socket_mode.response import SocketModeResponse

from sandbox.server import Sandbox


def web(box: Sandbox) -> WebClient:
    """By default slack_sdk repeats a post whose connection broke off; this one does not."""
    return WebClient(token=box.slack.token, base_url=f"{box.slack_url}/api/", timeout=10, retry_handlers=[])


def error(call: Any, **arguments: Any) -> str:
    """The error that a call is refused with."""
    try:
        call(**arguments)
    except SlackApiError as refused:
        return str(refused.response.get("error"))
    raise AssertionError("it was not refused")


class Listener:
    """An app over Socket Mode that keeps what it hears. `deaf`: it acknowledges nothing."""

    def __init__(self, box: Sandbox, *, deaf: bool = False) -> None:
        self.heard: list[SocketModeRequest] = []
        self.answers: dict[str, Any] = {}
        """Type of envelope -> what comes with the acknowledgement."""
        self.deaf = deaf
        self._changed = threading.Condition()
        self._client = SocketModeClient(box.slack.app_token, web_client=web(box), ping_interval=0.2)
        self._client.socket_mode_request_listeners.append(self._listen)
        self._sockets = box.slack.sockets
        before = box.slack.sockets.connected
        self._client.connect()
        assert box.slack.sockets.wait_connected(before + 1)

    def _listen(self, client: SocketModeClient, request: SocketModeRequest) -> None:
        with self._changed:
            self.heard.append(request)
            self._changed.notify_all()
        if not self.deaf:
            answer = self.answers.get(request.type)
            client.send_socket_mode_response(SocketModeResponse(request.envelope_id, answer))

    def wait(self, count: int, timeout: float = 10) -> bool:
        with self._changed:
            return self._changed.wait_for(lambda: len(self.heard) >= count, timeout)

    @property
    def events(self) -> list[dict[str, Any]]:
        return [request.payload["event"] for request in self.heard if request.type == "events_api"]

    @property
    def kinds(self) -> list[str]:
        return [event["type"] for event in self.events]

    def close(self) -> None:
        """slack_sdk's client waits three seconds for its own reader, unless the other side has closed."""
        self._client.auto_reconnect_enabled = False
        self._sockets.drop()
        self._client.close()
