"""Operations as the service has them, with answers that a test chooses."""

import threading
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from typing import Any

from mcp.server.lowlevel.server import Server
from mcp_types import CallToolResult, ResourceLink, TextContent

from crosscheck.errors import CrosscheckError
from crosscheck.mcp.budget import LINK, tokens
from crosscheck.mcp.caller import Caller
from crosscheck.mcp.calls import Calls, Limits
from crosscheck.mcp.cursors import Cursors
from crosscheck.mcp.server import build

NOW = datetime(2026, 3, 31, 12, 0, tzinfo=UTC)
ALICE = Caller("alice", frozenset({"org", "jira:BOOK"}))
KEY = b"0123456789abcdef"


class Operations:
    """Answers by name; remembers what it was asked."""

    def __init__(self, **answers: Any) -> None:
        self.answers: dict[str, Any] = {**ANSWERS, **answers}
        self.asked: list[tuple[str, dict[str, Any]]] = []
        self.lock = threading.Lock()

    def run(self, name: str, arguments: Mapping[str, Any], report: Callable[[dict[str, Any]], None]) -> dict[str, Any]:
        with self.lock:
            self.asked.append((name, dict(arguments)))
        if name not in self.answers:
            raise CrosscheckError(f"There is no operation {name!r}.")
        answer = self.answers[name]
        return answer(arguments, report) if callable(answer) else answer


def server(operations: Operations, caller: Caller = ALICE, limits: Limits | None = None) -> Server[dict[str, Any]]:
    cursors = Cursors(KEY, lambda: NOW)
    return build(operations, Calls(limits or Limits()), lambda _context: caller, cursors, "1.0")


def text(result: CallToolResult) -> str:
    block = result.content[0]
    assert isinstance(block, TextContent)
    return block.text


def links(result: CallToolResult) -> list[ResourceLink]:
    return [block for block in result.content if isinstance(block, ResourceLink)]


def size(result: CallToolResult) -> int:
    """Tokens of all that the client's model is given."""
    return tokens(text(result)) + sum(tokens(link.name) + tokens(link.uri) + LINK for link in links(result))


def passage(number: int, said: str = "A hold ends after 30 minutes.", **more: Any) -> dict[str, Any]:
    return {
        "source": "jira",
        "kind": "ticket",
        "context": f"BOOK-{number} Hold bookings",
        "text": said,
        "score": 0.5,
        "route": "search",
        "updated": "2026-03-04T10:00:00+00:00",
        "unread": [],
        "title": f"BOOK-{number} Hold bookings",
        "url": f"https://jira.example/browse/BOOK-{number}",
        "document": f"jira:{10000 + number}",
        **more,
    }


def cited(number: int, quote: str = "ends after 30 minutes", looked_for: str = "") -> dict[str, Any]:
    return {
        "title": f"BOOK-{number} Hold bookings",
        "url": f"https://jira.example/browse/BOOK-{number}",
        "document": f"jira:{10000 + number}",
        "quote": quote,
        "looked_for": looked_for,
    }


def check(number: int) -> dict[str, Any]:
    return {
        "category": "past regression",
        "priority": "P1",
        "statement": "Check that a hold still ends when the clock goes back.",
        "why": "The same lines were changed for BOOK-7, and reverted.",
        "evidence": [cited(number)],
    }


def plan_source(number: int) -> dict[str, Any]:
    return {**passage(number), "why": "It limits a hold to 30 minutes."}


ANSWERS: dict[str, Any] = {
    "search": {"evidence": [passage(1), passage(2)], "notes": ["BOOK-1 was found by its key."], "degraded": []},
    "lookup": {"evidence": [passage(1)], "degraded": []},
    "open": {
        "id": "jira:10001",
        "title": "BOOK-1 Hold bookings",
        "url": "https://jira.example/browse/BOOK-1",
        "kind": "ticket",
        "version": "v1",
        "text": "A hold ends after 30 minutes.",
        "start": 0,
        "end": 29,
        "total": 29,
        "notes": [],
    },
    "plan": {
        "nothing_new": False,
        "sources": [plan_source(1)],
        "checks": [check(2)],
        "unknowns": [{"what": "The repository web-shop is not indexed.", "settled_by": "Add it to [[repositories]]."}],
        "degraded": [],
        "made_by": "rules alone",
        "at": "2026-03-31T12:00:00+00:00",
    },
    "consumers": {
        "kind": "column",
        "name": "bookings.hold_until",
        "defined": [
            passage(3, kind="code", title="booking-api > db/V7__hold.sql", document="git:booking-api:db/V7.sql")
        ],
        "consumers": [
            {
                "repo": "reports",
                "branch": "",
                "path": "src/holds.py",
                "line": 12,
                "text": "SELECT hold_until FROM bookings",
                "url": "https://git.example/reports/blob/main/src/holds.py#L12",
                "how": "text",
                "confidence": "likely",
                "why": "",
            }
        ],
        "more": 0,
        "not_looked": ["web-shop: it is not indexed."],
    },
    "deployed": {
        "standings": [
            {
                "environment": "staging",
                "repo": "booking-api",
                "contained": "no",
                "says": ["BOOK-1 is not on staging yet."],
                "version": "v2.14.1",
                "commit": "4f2a91c0" * 5,
                "since": "2026-03-30T08:00:00+00:00",
                "read_at": "2026-03-31T11:59:00+00:00",
                "between": {"count": 7, "commits": [{"id": "a" * 40, "title": "BOOK-1 Hold bookings", "url": ""}]},
                "url": "https://argo.example/booking-api",
            }
        ],
        "notes": ["No commit names another ticket."],
    },
    "schema": {
        "histories": [
            {
                "database": "bookings",
                "environment": "staging",
                "tool": "flyway",
                "repo": "booking-api",
                "at": "2026-03-31T11:59:00+00:00",
                "unread": "",
                "notes": [],
                "steps": [
                    {
                        "id": "V7",
                        "title": "hold until",
                        "state": "edited",
                        "at": "2026-03-01T10:00:00+00:00",
                        "touched": ["bookings.hold_until made"],
                        "tickets": ["BOOK-1"],
                        "commit": "b" * 40,
                        "url": "https://git.example/booking-api/blob/main/db/V7__hold.sql",
                        "notes": ["Its file was changed on 2026-03-04, after it was applied."],
                    }
                ],
            }
        ]
    },
    "freshness": {
        "sources": [
            {
                "source": "jira",
                "documents": 120,
                "last_success": "2026-03-31T11:00:00+00:00",
                "stale": True,
                "partly": 2,
                "masked": 0,
                "last_error": "Jira did not answer.",
            }
        ]
    },
}
