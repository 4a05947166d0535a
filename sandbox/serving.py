"""uvicorn servers of one sandbox, on one event loop in one thread."""

import asyncio
import logging
import socket
import threading
import time
from collections.abc import Mapping

import uvicorn
from starlette.types import ASGIApp

HOST = "127.0.0.1"


class Serving:
    """Serves applications on loopback until `close`. Ports are bound on construction, so URLs are known before."""

    def __init__(self, ports: Mapping[str, int]) -> None:
        self._sockets: dict[str, socket.socket] = {}
        try:
            for name, port in ports.items():
                self._sockets[name] = _bound(port)
        except OSError:
            self._close_sockets()
            raise
        self._servers: dict[str, uvicorn.Server] = {}
        self._thread: threading.Thread | None = None
        self._loop: asyncio.AbstractEventLoop | None = None
        self._stop = asyncio.Event()

    def url(self, name: str) -> str:
        return f"http://{HOST}:{self._sockets[name].getsockname()[1]}"

    def start(self, apps: Mapping[str, ASGIApp]) -> None:
        logging.getLogger("uvicorn.error").setLevel(logging.CRITICAL)
        for name, app in apps.items():
            config = uvicorn.Config(
                app,
                http="h11",
                ws="websockets-sansio",
                ws_ping_interval=None,
                lifespan="off",
                log_config=None,
                access_log=False,
                timeout_keep_alive=300,
            )
            self._servers[name] = uvicorn.Server(config)
        self._thread = threading.Thread(target=self._run, name="sandbox", daemon=True)
        self._thread.start()
        while not all(server.started for server in self._servers.values()):
            if not self._thread.is_alive():
                raise RuntimeError("the sandbox's servers did not start")
            time.sleep(0.002)

    def disconnect(self, name: str, client: tuple[str, int]) -> None:
        """Close a client's connection at once; call it on the event loop."""
        for connection in list(self._servers[name].server_state.connections):
            if getattr(connection, "client", None) == client:
                connection.transport.abort()

    def close(self) -> None:
        if self._thread is not None and self._loop is not None and self._thread.is_alive():
            self._loop.call_soon_threadsafe(self._stop.set)
            self._thread.join(10)
        self._close_sockets()

    def _run(self) -> None:
        asyncio.run(self._serve())

    async def _serve(self) -> None:
        """Until told to stop; then at once, whatever is under way (uvicorn's own way out takes 0.2 s)."""
        self._loop = asyncio.get_running_loop()
        serving = [
            asyncio.create_task(server.serve(sockets=[self._sockets[name]])) for name, server in self._servers.items()
        ]
        stopped = asyncio.create_task(self._stop.wait())
        await asyncio.wait([*serving, stopped], return_when=asyncio.FIRST_COMPLETED)
        for server in self._servers.values():
            for listener in server.servers:
                listener.close()
            for connection in list(server.server_state.connections):
                connection.transport.abort()
        await asyncio.sleep(0)

    def _close_sockets(self) -> None:
        for bound in self._sockets.values():
            bound.close()


def _bound(port: int) -> socket.socket:
    # With the protocol named, asyncio switches Nagle's delay off (40 ms a request otherwise).
    bound = socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    bound.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        bound.bind((HOST, port))
        bound.listen(512)
    except OSError:
        bound.close()
        raise
    return bound
