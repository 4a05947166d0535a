"""Deliveries by HTTP: signed requests to the app's own address (https://docs.slack.dev/authentication/verifying-requests-from-slack)."""

import hashlib
import hmac
import http.client
import json
import time
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from typing import Any
from urllib.parse import urlencode, urlsplit

from sandbox.slack.deliveries import Sent

AT_ONCE = 32
"""Requests under way at a time."""


class HttpMode:
    """Sends to one address. An answer of 2xx acknowledges, and its body is what comes with that."""

    def __init__(self, url: str, secret: str, timeout: Callable[[], float]) -> None:
        self._url = urlsplit(url)
        self._secret = secret.encode()
        self._timeout = timeout
        self._pool = ThreadPoolExecutor(AT_ONCE, thread_name_prefix="sandbox-slack-http")

    def send(self, sent: Sent, on_ack: Callable[[Sent, Mapping[str, Any] | None], None]) -> bool:
        self._pool.submit(self._deliver, sent, on_ack)
        return True

    def renew(self) -> None:
        """There is nothing to renew."""

    def verify(self, challenge: str) -> bool:
        """Whether the address answers Slack's question as the app's owner enters it."""
        body = {"token": "verification-token-of-old", "challenge": challenge, "type": "url_verification"}
        status, kind, answer = self._post("application/json", json.dumps(body).encode(), {})
        said = json.loads(answer).get("challenge") if "json" in kind else answer.decode()
        return status == 200 and said == challenge

    def close(self) -> None:
        self._pool.shutdown(wait=False, cancel_futures=True)

    def _deliver(self, sent: Sent, on_ack: Callable[[Sent, Mapping[str, Any] | None], None]) -> None:
        retry = {"X-Slack-Retry-Num": str(sent.number), "X-Slack-Retry-Reason": sent.reason} if sent.number else {}
        try:
            status, kind, answer = self._post(*_body(sent), retry)
        except (OSError, http.client.HTTPException):
            return
        if 200 <= status < 300:
            on_ack(sent, _answer(kind, answer))

    def _post(self, kind: str, body: bytes, more: Mapping[str, str]) -> tuple[int, str, bytes]:
        at = str(int(time.time()))
        headers = {
            "Content-Type": kind,
            "User-Agent": "Slackbot 1.0 (+https://api.slack.com/robots)",
            "X-Slack-Request-Timestamp": at,
            "X-Slack-Signature": signature(self._secret, at, body),
            **more,
        }
        connection = http.client.HTTPConnection(
            self._url.hostname or "", self._url.port, timeout=max(self._timeout(), 0.05)
        )
        try:
            connection.request("POST", self._url.path or "/", body, headers)
            answer = connection.getresponse()
            return answer.status, answer.getheader("content-type") or "", answer.read()
        finally:
            connection.close()


def signature(secret: bytes, at: str, body: bytes) -> str:
    """Version 0 of Slack's signatures."""
    return "v0=" + hmac.new(secret, f"v0:{at}:".encode() + body, hashlib.sha256).hexdigest()


def _body(sent: Sent) -> tuple[str, bytes]:
    form = "application/x-www-form-urlencoded"
    if sent.kind == "events_api":
        return "application/json", json.dumps(sent.payload).encode()
    if sent.kind == "slash_commands":
        return form, urlencode(sent.payload).encode()
    return form, urlencode({"payload": json.dumps(sent.payload)}).encode()


def _answer(kind: str, body: bytes) -> dict[str, Any] | None:
    if not body:
        return None
    if "json" in kind:
        said = json.loads(body)
        return said if isinstance(said, dict) else None
    return {"text": body.decode()}
