"""A console over a real program with a real database, its documents, and jobs made by hand."""

from collections.abc import Iterable, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from starlette.applications import Starlette
from starlette.routing import Mount
from starlette.testclient import TestClient

from core.types import Audience
from crosscheck.call_rate import CallRate
from crosscheck.callers import Callers, hashed
from crosscheck.console.site import create_console
from crosscheck.operations import Local, Operations
from crosscheck.settings import Git, Jira, Secrets, Settings
from crosscheck.settings_deployed import Token
from crosscheck.settings_running import Console
from crosscheck.wiring import Program
from state.feedback import Feedback
from state.types import NewPost
from tests import fakes

ALL = ("jira:PAY", "jira:SEC", "repo:shop", "org", "slack:C1")
SAME_SITE = {"Sec-Fetch-Site": "same-origin"}
LEASE = timedelta(minutes=5)


@dataclass(frozen=True)
class Document:
    """As the indexer records it."""

    id: str
    labels: frozenset[str]
    title: str = "A title"
    unread: tuple[str, ...] = ()
    version: str = "1"
    kind: str = "ticket"
    url: str = "https://jira.example/browse/PAY-1"
    masked: int = 0
    chunks: int = 1
    updated: datetime = fakes.START


class Stage:
    """What a test puts there, and looks at."""

    def __init__(self, folder) -> None:
        self.clock = fakes.Clock()
        jira = Jira(site="https://jira.example", read_user="r", post_user="p", projects=("PAY", "SEC"))
        git = Git(name="shop", location="https://git.example/shop.git")
        settings = Settings(data=folder, jira=jira, git=(git,))
        self.program = Program(settings, Secrets(), metrics=fakes.Tally(), clock=self.clock)
        self.feedback = Feedback(self.program.database, self.clock)

    def document(self, source: str, *documents: Document) -> None:
        """Recorded once the index is open: what is not in its folder is forgotten at the opening."""
        self.program.index.views()
        self.program.index.registry.record(source, documents)

    def job(
        self,
        *,
        key: str = "501",
        subject: str = "PAY-1",
        surface: str = "jira",
        place: str = "10001",
        made_for: Iterable[str] = ("jira:PAY",),
        rests_on: Iterable[str] = (),
        result: Mapping[str, Any] | None = None,
        state: str = "done",
        error: str | None = None,
        url: str = "https://jira.example/browse/PAY-1?focusedCommentId=1",
    ) -> int:
        """A job that ended, with one post that was sent."""
        payload = {"surface": surface, "place_id": place, "message_id": key}
        jobs = self.program.jobs
        number = jobs.accept(
            f"{surface}|x|{key}|comment", "comment", payload, surface=surface, via="poll", subject=subject
        )
        assert number is not None
        claim = jobs.claim("w", LEASE)
        assert claim is not None
        assert claim.id == number
        post = NewPost(
            f"{key}|answer|1", 1, 1, {**payload, "made_for": sorted(made_for), "rests_on": sorted(rests_on), "body": {}}
        )
        jobs.finish(claim, state, result or {}, [post], error=error)
        delivery = self.program.outbox.claim("w", LEASE)
        assert delivery is not None
        self.program.outbox.sent(delivery, "77", url, adopted=False)
        return number

    def queued(self, key: str = "600", subject: str = "PAY-2") -> int:
        payload = {"surface": "jira", "place_id": "10002", "message_id": key}
        number = self.program.jobs.accept(
            f"jira|x|{key}|comment", "comment", payload, surface="jira", via="poll", subject=subject
        )
        assert number is not None
        return number

    def end(self, number: int) -> None:
        """Of a job that was queued, so that it is not the next one's turn."""
        claim = self.program.jobs.claim("w", LEASE)
        assert claim is not None
        assert claim.id == number
        self.program.jobs.finish(claim, "gone", {})

    def client(
        self,
        labels: Iterable[str] | None = ALL,
        *,
        settings: Console | None = None,
        address: str = "127.0.0.1",
        base: str = "http://localhost:8765",
        hosts: Iterable[str] = (),
        callers: Callers | None = None,
        operations: Operations | None = None,
        rate: CallRate | None = None,
    ) -> TestClient:
        """A browser that is logged in with these labels; None: that is not."""
        token = Token(name="viewer", sha256=hashed("token-viewer"), labels=tuple(labels or ("org",)))
        callers = callers or Callers([token])
        reading = operations or Local(self.program)
        console = create_console(
            reading, settings or Console(), callers, clock=self.clock, hosts=tuple(hosts), rate=rate
        )
        app = Starlette(routes=[Mount("/console", console)])
        client = TestClient(app, base_url=base, client=(address, 5000), follow_redirects=False)
        if labels is not None:
            client.headers["Authorization"] = "Bearer token-viewer"
        return client


@contextmanager
def staged(folder):
    stage = Stage(folder)
    try:
        yield stage
    finally:
        stage.program.close()


def review(*cited: Mapping[str, Any], audience: Iterable[str] = ("jira:PAY",), **more: Any) -> dict[str, Any]:
    """What a job keeps of a review, as far as the console reads it."""
    return {
        "review": {
            "key": "PAY-1",
            "title": "Refunds",
            "url": "",
            "findings": [{"statement": "It differs.", "evidence": list(cited)}],
            "audience": sorted(Audience(frozenset(audience)).labels),
            "degraded": [],
            "made_by": "rules",
            "numbers": {"tokens_in": 1200, "tokens_out": 340},
        },
        "searches": [],
        "audit": [],
        **more,
    }


def cited(
    document: str, title: str = "PAY-1: Refunds", quote: str = "", url: str = "https://jira.example/browse/PAY-1"
):
    return {"document": document, "title": title, "quote": quote, "url": url, "looked_for": ""}
