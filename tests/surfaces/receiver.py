"""Where the platforms send what happens: kept, to be handed to a program as often and in whatever order one likes."""

from collections.abc import Mapping
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Lock, Thread


@dataclass(frozen=True, slots=True)
class Delivery:
    headers: Mapping[str, str]
    body: bytes


class Server(ThreadingHTTPServer):
    request_queue_size = 128
    """What is not taken at once would come a second later."""


class Receiver:
    """Takes whatever is sent to its address."""

    def __init__(self) -> None:
        self._kept: list[Delivery] = []
        self._lock = Lock()
        self._server = Server(("127.0.0.1", 0), self._handler())
        self._thread = Thread(target=self._server.serve_forever, args=(0.05,), name="receiver")
        self._thread.start()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._server.server_address[1]}/"

    def take(self) -> list[Delivery]:
        """What came since the last look."""
        with self._lock:
            kept, self._kept = self._kept, []
        return kept

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    def _keep(self, delivery: Delivery) -> None:
        with self._lock:
            self._kept.append(delivery)

    def _handler(self) -> type[BaseHTTPRequestHandler]:
        keep = self._keep

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["content-length"]))
                keep(Delivery({name.lower(): value for name, value in self.headers.items()}, body))
                self.send_response(200)
                self.send_header("content-length", "0")
                self.end_headers()

            def log_message(self, *_: object) -> None: ...

        return Handler
