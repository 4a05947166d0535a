"""A server on loopback whose answers are the fuzzed bytes."""

import threading
from collections.abc import Mapping
from functools import cache
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import urlsplit


class Answering:
    """`answers` by the end of a path; what fits none gets `otherwise`."""

    def __init__(self) -> None:
        self.answers: Mapping[str, bytes] = {}
        self.otherwise = b"{}"
        here = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"
            wbufsize = -1  # an answer goes out as one: its parts would wait for each other

            def _answer(self) -> None:
                self.rfile.read(int(self.headers.get("Content-Length", 0)))
                path = urlsplit(self.path).path
                body = next((found for end, found in here.answers.items() if path.endswith(end)), here.otherwise)
                self.send_response(200)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            do_GET = do_POST = _answer  # noqa: N815  as the library calls them

            def log_message(self, *_arguments: object) -> None:
                """Nobody reads it."""

        server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        server.daemon_threads = True
        threading.Thread(target=server.serve_forever, daemon=True).start()
        self.url = f"http://127.0.0.1:{server.server_port}"


@cache
def server() -> Answering:
    """One for all targets of this process: they run one after the other."""
    return Answering()


def answering(otherwise: bytes, answers: Mapping[str, bytes] | None = None) -> str:
    """The address of a server that answers so from now on."""
    here = server()
    here.answers, here.otherwise = answers or {}, otherwise
    return here.url
