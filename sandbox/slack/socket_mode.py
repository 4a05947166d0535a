"""Socket Mode: the websockets that an app opens, and what goes over them (https://docs.slack.dev/apis/events-api/using-socket-mode)."""

import asyncio
import json
import secrets
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from starlette.routing import WebSocketRoute
from starlette.websockets import WebSocket, WebSocketDisconnect

from sandbox.slack.deliveries import Sent

MOST_CONNECTIONS = 10
RENEWAL = 5.0
"""Seconds that a connection of its own is waited for after the app was told to renew it."""

OnAck = Callable[[Sent, Mapping[str, Any] | None], None]


@dataclass(slots=True, eq=False)
class _Connection:
    socket: WebSocket
    loop: asyncio.AbstractEventLoop
    outgoing: "asyncio.Queue[str | None]" = field(default_factory=asyncio.Queue)
    leaving: bool = False
    """The app was told to renew it."""

    def put(self, text: str | None) -> None:
        """None ends it. May be called from any thread."""
        self.loop.call_soon_threadsafe(self.outgoing.put_nowait, text)


class SocketMode:
    """The open connections. Envelopes go to them in turn."""

    def __init__(self, app_id: str) -> None:
        self.silent = False
        """Connections stay open, pings are answered, and nothing else is sent."""
        self._app_id = app_id
        self._tickets: set[str] = set()
        self._connections: list[_Connection] = []
        self._changed = threading.Condition()
        self._waiting: dict[str, tuple[Sent, OnAck]] = {}
        self._opened = 0
        self._turn = 0

    def routes(self) -> list[WebSocketRoute]:
        return [WebSocketRoute("/link", self._serve)]

    def ticket(self) -> str:
        """Good for one connection."""
        made = secrets.token_urlsafe(12)
        self._tickets.add(made)
        return made

    @property
    def connected(self) -> int:
        with self._changed:
            return len(self._connections)

    def wait_connected(self, count: int = 1, timeout: float = 10.0) -> bool:
        """Until so many connections are open and greeted."""
        with self._changed:
            return self._changed.wait_for(lambda: len(self._connections) >= count, timeout)

    def send(self, sent: Sent, on_ack: OnAck) -> bool:
        with self._changed:
            open_now = [c for c in self._connections if not c.leaving]
            if not open_now:
                return False
            self._turn += 1
            chosen = open_now[self._turn % len(open_now)]
            self._waiting[sent.envelope] = (sent, on_ack)
        if not self.silent:
            chosen.put(json.dumps(_envelope(sent)))
        return True

    def renew(self) -> None:
        """Tell every connection that it must be renewed, as Slack does every few hours, and wait for a new one."""
        with self._changed:
            old, opened = list(self._connections), self._opened
            for connection in old:
                connection.leaving = True
        if not old:
            return
        for connection in old:
            self._tell(connection, {"type": "disconnect", "reason": "refresh_requested", "debug_info": _debug()})
        with self._changed:
            self._changed.wait_for(lambda: self._opened > opened, RENEWAL)
        for connection in old:
            connection.put(None)

    def disconnect(self, reason: str = "refresh_requested") -> None:
        """Say that the connections end, and end them."""
        with self._changed:
            connections = list(self._connections)
        for connection in connections:
            self._tell(connection, {"type": "disconnect", "reason": reason, "debug_info": _debug()})
            connection.put(None)

    def drop(self) -> None:
        """End the connections without a word."""
        with self._changed:
            connections = list(self._connections)
        for connection in connections:
            connection.put(None)

    def _tell(self, connection: _Connection, message: Mapping[str, Any]) -> None:
        if not self.silent:
            connection.put(json.dumps(message))

    async def _serve(self, socket: WebSocket) -> None:
        ticket = socket.query_params.get("ticket", "")
        if ticket not in self._tickets:
            await socket.close(4001)
            return
        self._tickets.discard(ticket)
        await socket.accept()
        connection = _Connection(socket, asyncio.get_running_loop())
        with self._changed:
            if len(self._connections) >= MOST_CONNECTIONS:
                self._tell(connection, {"type": "disconnect", "reason": "too_many_websockets", "debug_info": _debug()})
                connection.put(None)
            else:
                self._tell(connection, self._hello(len(self._connections) + 1))
                self._connections.append(connection)
                self._opened += 1
            self._changed.notify_all()
        writing = asyncio.create_task(self._write(connection))
        try:
            await self._read(connection)
        finally:
            with self._changed:
                if connection in self._connections:
                    self._connections.remove(connection)
                self._changed.notify_all()
            writing.cancel()

    async def _write(self, connection: _Connection) -> None:
        while True:
            text = await connection.outgoing.get()
            try:
                if text is None:
                    await connection.socket.close(1000)
                    return
                await connection.socket.send_text(text)
            except (WebSocketDisconnect, RuntimeError):
                return  # closed by the app meanwhile

    async def _read(self, connection: _Connection) -> None:
        while True:
            message = await connection.socket.receive()
            if message["type"] == "websocket.disconnect":
                return
            try:
                said = json.loads(message.get("text") or "")
            except ValueError:
                continue
            if isinstance(said, dict):
                self._heard(said)

    def _heard(self, said: Mapping[str, Any]) -> None:
        with self._changed:
            sent, on_ack = self._waiting.pop(str(said.get("envelope_id")), (None, None))
        if sent is not None and on_ack is not None:
            payload = said.get("payload")
            on_ack(sent, payload if isinstance(payload, dict) else None)

    def _hello(self, count: int) -> dict[str, Any]:
        debug = _debug() | {"build_number": 10, "approximate_connection_time": 18060}
        return {
            "type": "hello",
            "num_connections": count,
            "debug_info": debug,
            "connection_info": {"app_id": self._app_id},
        }


def _debug() -> dict[str, Any]:
    return {"host": "applink-sandbox"}


def _envelope(sent: Sent) -> dict[str, Any]:
    whole: dict[str, Any] = {
        "envelope_id": sent.envelope,
        "payload": sent.payload,
        "type": sent.kind,
        "accepts_response_payload": sent.kind != "events_api",
    }
    if sent.kind == "events_api":
        whole |= {"retry_attempt": sent.number, "retry_reason": sent.reason}
    return whole
