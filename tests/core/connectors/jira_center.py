"""A Jira Data Center on loopback that does what the sandbox's does not: what its answers are is for a test to say."""

import json
import threading
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, unquote, urlsplit

from core.connectors.jira import JiraReader
from tests.core.connectors.conftest import QUICK

ROOT = "/jira"
SERVER = {"deploymentType": "Server", "version": "10.3.5", "serverTime": "2026-03-02T09:00:00.000+0000"}


class Center:
    """`answers` has for a path below the context path its JSON, or bytes, or a status as a number, or a function of the
    query and the body that gives one of these. What is not there is 404. `asked` are method, path and body.
    """

    def __init__(self, port):
        self.url = f"http://127.0.0.1:{port}{ROOT}"
        self.answers = {"/rest/api/2/serverInfo": SERVER, "/rest/api/2/field": []}
        self.asked = []
        self.headers = []

    def reader(self, **options):
        return JiraReader(self.url, "", "t0ps3cret", **{"limits": QUICK, "development": False, **options})

    def paths(self):
        return [path for _, path, _ in self.asked]

    def reply(self, path, query, body):
        found = self.answers.get(path, 404)
        return found(query, body) if callable(found) else found


@contextmanager
def center():
    class Handler(BaseHTTPRequestHandler):
        def do_POST(self):
            self.do_GET()

        def do_GET(self):
            parts = urlsplit(self.path)
            path = unquote(parts.path).removeprefix(ROOT)
            body = json.loads(self.rfile.read(int(self.headers.get("Content-Length") or 0)) or "null")
            host.asked.append((self.command, path, body))
            host.headers.append(self.headers)
            query = {name: values[0] for name, values in parse_qs(parts.query).items()}
            found = host.reply(path, query, body)
            status, found = (found, {"errorMessages": ["No."]}) if isinstance(found, int) else (200, found)
            content = found if isinstance(found, bytes) else json.dumps(found).encode()
            self.send_response(status)
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

        def log_message(self, *_):
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    host = Center(server.server_port)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
    thread.start()
    try:
        yield host
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
