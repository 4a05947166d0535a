"""A host of repositories on loopback, whose answers are scripted."""

import json
import threading
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import urlsplit

from core.connectors.http import Limits
from sandbox.exchange import Exchange

QUICK = Limits(attempts=2, longest_wait=0.2, silence_seconds=5, answer_bytes=8_000_000)
HEAD = "a" * 40
MERGE = "b" * 40
SQUASH = "c" * 40


class Scripted:
    """Answers GET requests by their path, still escaped as it came. `answers` holds JSON, or a status with headers and
    JSON; what it lacks is 404. `asked` are the requests that came.
    """

    def __init__(self, server):
        self.url = f"http://127.0.0.1:{server.server_port}"
        self.answers = {}
        self.asked = []

    def reply(self, path):
        found = self.answers.get(path, (404, {}, {"message": "Not Found"}))
        found = found.pop(0) if isinstance(found, list) and found and isinstance(found[0], tuple) else found
        return found if isinstance(found, tuple) else (200, {}, found)

    def paths(self):
        return [exchange.path for exchange in self.asked]


@contextmanager
def scripted():
    class Handler(BaseHTTPRequestHandler):
        def do_GET(self):
            parts = urlsplit(self.path)
            status, headers, answer = host.reply(parts.path)
            content = json.dumps(answer).encode()
            given = {name.lower(): value for name, value in self.headers.items()}
            sent = {"content-type": "application/json", **{name.lower(): value for name, value in headers.items()}}
            host.asked.append(
                Exchange("host", "GET", self.path, parts.path, parts.query, given, b"", status, sent, content)
            )
            self.send_response(status)
            for name, value in {**sent, "content-length": str(len(content))}.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(content)

        def log_message(self, *_):
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    host = Scripted(server)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
    thread.start()
    try:
        yield host
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
