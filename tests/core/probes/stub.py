"""A server on loopback whose answers are scripted, its worst manners among them."""

import json
import ssl
import threading
import time
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import urlsplit

from sandbox.exchange import Exchange


class Stub:
    """`answers` by path, still escaped as it came: JSON, a status with headers and a body, what is made of the
    query, or Raw. What is missing is 404. `asked` are the requests, of any method.
    """

    def __init__(self, server, scheme):
        self.url = f"{scheme}://127.0.0.1:{server.server_port}"
        self.port = server.server_port
        self.answers = {}
        self.asked = []
        self.over = threading.Event()

    def paths(self):
        return [exchange.path for exchange in self.asked]


@dataclass(frozen=True)
class Raw:
    """What the server writes itself, by its connection and an event that is set when the test is over."""

    write: object


class _Server(ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, *_):
        """Handshakes that fail and clients that go away are what is tested."""


@contextmanager
def stub(tls=None):
    class Handler(BaseHTTPRequestHandler):
        def answer(self):
            parts = urlsplit(self.path)
            found = here.answers.get(parts.path, (404, {}, b'{"message": "Not Found"}'))
            found = found(parts.query) if callable(found) else found
            given = {name.lower(): value for name, value in self.headers.items()}
            status, headers, body = found if isinstance(found, tuple) else (200, {}, found)
            raw = isinstance(found, Raw)
            content = body if isinstance(body, bytes) else b"" if raw else json.dumps(body).encode()
            sent = {"content-type": "application/json", **headers}
            here.asked.append(
                Exchange("stub", self.command, self.path, parts.path, parts.query, given, b"", status, sent, content)
            )
            with suppress(OSError):
                if raw:
                    found.write(self.wfile, here.over)
                    return
                self.send_response(status)
                for name, value in {**sent, "content-length": str(len(content))}.items():
                    self.send_header(name, value)
                self.end_headers()
                self.wfile.write(content)

        def __getattr__(self, name):
            if name.startswith("do_"):
                return self.answer
            raise AttributeError(name)

        def log_message(self, *_):
            pass

    server = _Server(("127.0.0.1", 0), Handler)
    if tls:
        server.socket = tls.wrap_socket(server.socket, server_side=True, do_handshake_on_connect=False)
    here = Stub(server, "https" if tls else "http")
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
    thread.start()
    try:
        yield here
    finally:
        here.over.set()
        server.shutdown()
        server.server_close()
        thread.join()


def hangs(file, over):
    over.wait(20)


def drips(start):
    """A byte each twentieth of a second after what it starts with."""

    def write(file, over):
        file.write(start)
        until = time.monotonic() + 20
        while not over.wait(0.05) and time.monotonic() < until:
            file.write(b" ")
            file.flush()

    return Raw(write)


def raw(content):
    return Raw(lambda file, over: file.write(content))


def server_context(certificate, key, *, authority=None, newest=None):
    """Of a server that demands a client's certificate by `authority`, if there is one."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate, key)
    if newest:
        context.maximum_version = newest
    if authority:
        context.verify_mode = ssl.CERT_REQUIRED
        context.load_verify_locations(authority)
    return context
