"""What went to Slack: within its published limits, and calling nobody."""

import json
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any
from urllib.parse import parse_qsl

from bots.slack.limits import check
from sandbox.exchange import Exchange
from sandbox.server import Sandbox

_READS = ("conversations.", "users.", "auth.", "apps.", "files.info")


def requests(box: Sandbox) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Each request that could show somebody something: its method, and its arguments."""
    for exchange in box.exchanges.all("slack"):
        area, _, rest = exchange.path.lstrip("/").partition("/")
        if area == "response":
            yield "response_url", json.loads(exchange.body)
        elif area == "api" and not rest.startswith(_READS):
            yield rest, _arguments(exchange)


def faults(box: Sandbox) -> list[str]:
    """What Slack would refuse or show otherwise than meant, and whom it would have called."""
    found = [fault for method, payload in requests(box) for fault in check(method, payload)]
    return found + [f"{ping.what} in {ping.channel}" for ping in box.slack.pings]


@contextmanager
def judged(box: Sandbox) -> Iterator[None]:
    """What goes to Slack meanwhile breaks no limit, and calls nobody. Ordered faults end with it."""
    box.exchanges.clear()
    try:
        yield
    finally:
        box.faults.clear()
    assert faults(box) == []


def sent(box: Sandbox) -> str:
    """Every byte that went to Slack, files too, as one text."""
    return "\n".join(_text(exchange) for exchange in box.exchanges.all("slack"))


def holding(words: Iterable[str], text: str) -> list[str]:
    return [word for word in words if word.lower() in text.lower()]


def _arguments(exchange: Exchange) -> Mapping[str, Any]:
    if "json" in exchange.headers.get("content-type", ""):
        return json.loads(exchange.body)
    return dict(parse_qsl(exchange.body.decode(), keep_blank_values=True))


def _text(exchange: Exchange) -> str:
    text = exchange.body.decode("utf-8", "replace")
    if "form" in exchange.headers.get("content-type", ""):
        text = " ".join(value for _, value in parse_qsl(text))
    return f"{exchange.path}?{exchange.query} {text}"
