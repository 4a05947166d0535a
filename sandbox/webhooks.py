"""Comment webhooks as Jira Cloud sends them: signed, with an id that stays over retries, in order unless told not."""

import hashlib
import hmac
import http.client
import json
import queue
import threading
import time
import uuid
from dataclasses import dataclass
from functools import partial
from typing import Any
from urllib.parse import urlsplit

from sandbox.adf import Node, plain
from sandbox.issues import Issue, Note
from sandbox.jira import Jira
from sandbox.jira_json import JiraJson

ATTEMPTS = 5
FIRST_WAIT = 0.05
"""Seconds before the second attempt, doubled each time. Jira waits minutes; the count is Jira's."""
RETRIED = frozenset({408, 409, 425, 429, *range(500, 600)})


@dataclass(frozen=True, slots=True)
class Delivery:
    id: str
    body: bytes


class Webhooks:
    """Delivers comment events to one URL from a thread of its own. `copies` sends each event that many times;
    `reorder` holds back events until so many are there and sends the newest first (or what is there after a moment).
    """

    def __init__(self, jira: Jira, secret: str) -> None:
        self._jira = jira
        self._secret = secret.encode()
        self._queue: queue.Queue[Delivery | None] = queue.Queue()
        self._thread: threading.Thread | None = None
        self._url = ""
        self._closed = threading.Event()
        self._open = 0
        self._idle = threading.Condition()
        self.copies = 1
        self.reorder = 1
        self.failed: list[Delivery] = []
        """Events given up after the last attempt."""

    def deliver_to(self, url: str) -> None:
        self._url = url
        self._jira.fire = self.fire
        if self._thread is None:
            self._thread = threading.Thread(target=self._run, name="sandbox-webhooks", daemon=True)
            self._thread.start()

    def fire(self, event: str, issue: Issue, note: Note) -> None:
        body = json.dumps(_payload(self._jira, event, issue, note)).encode()
        with self._idle:
            self._open += self.copies
        delivery = Delivery(str(uuid.uuid4()), body)
        for _ in range(self.copies):
            self._queue.put(delivery)

    def wait(self, timeout: float = 10) -> bool:
        """Until every event so far was delivered or given up."""
        with self._idle:
            return self._idle.wait_for(lambda: self._open == 0, timeout)

    def close(self) -> None:
        self._closed.set()
        if self._thread is not None:
            self._queue.put(None)
            self._thread.join(10)

    def signature(self, body: bytes) -> str:
        return "sha256=" + hmac.new(self._secret, body, hashlib.sha256).hexdigest()

    def _run(self) -> None:
        while True:
            batch = self._batch()
            if batch is None:
                return
            for delivery in reversed(batch) if self.reorder > 1 else batch:
                self._deliver(delivery)
                with self._idle:
                    self._open -= 1
                    self._idle.notify_all()

    def _batch(self) -> list[Delivery] | None:
        first = self._queue.get()
        if first is None:
            return None
        batch = [first]
        until = time.monotonic() + 0.2
        while len(batch) < self.reorder and time.monotonic() < until:
            try:
                more = self._queue.get(timeout=0.02)
            except queue.Empty:
                continue
            if more is None:
                return None
            batch.append(more)
        return batch

    def _deliver(self, delivery: Delivery) -> None:
        for attempt in range(ATTEMPTS):
            if attempt and self._closed.wait(FIRST_WAIT * 2 ** (attempt - 1)):
                return
            if not self._retry(delivery, attempt):
                return
        self.failed.append(delivery)

    def _retry(self, delivery: Delivery, attempt: int) -> bool:
        """Send once; whether it must be sent again."""
        parts = urlsplit(self._url)
        headers = {
            "Content-Type": "application/json; charset=utf-8",
            "User-Agent": "Atlassian Webhook HTTP Client",
            "X-Atlassian-Webhook-Identifier": delivery.id,
            "X-Atlassian-Webhook-Flow": "Primary",
            "X-Hub-Signature": self.signature(delivery.body),
        }
        if attempt:
            headers["X-Atlassian-Webhook-Retry"] = str(attempt)
        connection = http.client.HTTPConnection(parts.hostname or "", parts.port, timeout=20)
        try:
            path = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
            connection.request("POST", path, delivery.body, headers)
            answer = connection.getresponse()
            answer.read()
        except (OSError, http.client.HTTPException):
            return True
        finally:
            connection.close()
        return answer.status in RETRIED


def _payload(jira: Jira, event: str, issue: Issue, note: Note) -> dict[str, Any]:
    """The body. It says nothing of a comment's visibility, and its text is a plain string, as in Jira's own."""
    view = JiraJson(jira, jira.base)
    user = partial(view.user, api=f"{jira.base}/rest/api/2")
    return {
        "timestamp": int(note.updated.timestamp() * 1000),
        "webhookEvent": event,
        "comment": {
            "self": f"{jira.base}/rest/api/2/issue/{issue.id}/comment/{note.id}",
            "id": note.id,
            "author": user(note.author),
            "body": plain(note.body, _mention),
            "updateAuthor": user(note.updated_by),
            "created": view.time(note.created),
            "updated": view.time(note.updated),
            "jsdPublic": not (issue.project.service_desk and note.internal),
        },
        "issue": {
            "id": issue.id,
            "self": f"{jira.base}/rest/api/2/{issue.id}",
            "key": issue.key,
            "fields": {
                "summary": issue.summary,
                "issuetype": view.type(issue.type),
                "project": view.project(issue.project),
                "assignee": user(issue.assignee) if issue.assignee else None,
                "priority": view.priority(issue),
                "status": view.status(issue.status),
            },
        },
        "eventType": "primaryAction",
    }


def _mention(node: Node) -> str:
    return f"[~accountid:{node.get('attrs', {}).get('id', '')}]"
