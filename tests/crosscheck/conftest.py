import pytest

from core.types import NullMetrics
from crosscheck.admission import Admission
from crosscheck.audience import Audiences
from crosscheck.comments.gate import Gate
from crosscheck.comments.handler import CommentHandler
from crosscheck.comments.intake import KIND
from crosscheck.comments.surface import Surface
from crosscheck.comments.telling import FileLost
from crosscheck.delivery import DeliveryHandler
from crosscheck.memory import Memory
from crosscheck.replies import Replies
from crosscheck.settings_commands import Commands
from crosscheck.settings_running import Limits
from crosscheck.worker import Worker
from review.discussion import silent
from state.db import open_database
from state.drafts import Drafts
from state.jobs import Jobs
from state.limits import Asked
from state.outbox import Outbox
from state.reviews import Reviews
from tests import fakes


class Bench:
    """The worker and its handlers over a real database, a fake platform and a fake reviewer."""

    def __init__(self, folder):
        self.clock = fakes.Clock()
        self.engine = open_database(folder / "test.sqlite")
        self.jobs = Jobs(self.engine, self.clock)
        self.outbox = Outbox(self.engine, self.clock)
        self.memory = Memory(Reviews(self.engine), "https://jira.example")
        self.platform = fakes.FakePlatform(fakes.trigger())
        self.audiences = Audiences({"jira:PAY": ["org"], "org": ["confluence:POL"]}, outsiders=())
        self.metrics = fakes.Tally()
        self.labels: dict[str, frozenset[str] | None] = {}
        self.findings = []
        self.review_errors: list[Exception] = []
        self.reviewed: list = []
        self.lease = fakes.timedelta(seconds=60)
        self.commands = Commands()
        self.limits = Limits(person_hour=0, place_hour=0)
        self.surface = Surface("jira", self.platform, ("PAY",), lambda: fakes.START, needs="It needs {container}.")

    def review(self, key, audience, *, trigger=None, closed=frozenset(), say=silent, focus=""):
        self.reviewed.append(audience)
        if self.review_errors:
            raise self.review_errors.pop(0)
        kept = [f for f in self.findings if not any(c.locator.document_id in closed for c in f.evidence)]
        return fakes.review(audience, *kept, key=key)

    def ticket(self, _key):
        return None

    def labels_now(self, ids):
        return {name: self.labels.get(name) for name in ids}

    def handler(self, *, posting=True):
        def make():
            return self

        replies = Replies(
            reviewer=make,
            answerer=make,
            drafter=make,
            freshness=lambda _audience: [],
            labels_now=self.labels_now,
            metrics=self.metrics,
        )
        return CommentHandler(
            {"jira": self.surface},
            commands=self.commands,
            gate=Gate(
                self.commands,
                self.memory,
                self.clock,
                Admission(Asked(self.engine, self.clock), self.limits, NullMetrics()),
            ),
            replies=replies,
            audiences=self.audiences,
            subjects=self,
            memory=self.memory,
            jobs=self.jobs,
            drafts=Drafts(self.engine),
            jira_site="https://jira.example",
            posting=posting,
        )

    def deliverer(self):
        return DeliveryHandler(
            client=self.platform,
            audiences=self.audiences,
            jobs=self.jobs,
            outbox=self.outbox,
            labels_now=self.labels_now,
            ignored=self.surface.why_ignored,
            lease=self.lease,
            sign=FileLost(self.platform),
            clock=self.clock,
            metrics=self.metrics,
        )

    def worker(self, name="w1", *, posting=True):
        return Worker(
            self.jobs,
            self.outbox,
            {KIND: self.handler(posting=posting)},
            self.deliverer(),
            name=name,
            posting=posting,
            threads=1,
            lease=self.lease,
            limit=fakes.timedelta(minutes=15),
            clock=self.clock,
            metrics=self.metrics,
        )

    def ask(self, comment="501"):
        payload = {"surface": "jira", "place_id": "10001", "message_id": comment}
        key = f"jira|http://jira|{comment}|{KIND}"
        return self.jobs.accept(key, KIND, payload, surface="jira", via="poll", subject="PAY-1")

    def drain(self, worker=None, rounds=200):
        """Work, moving the clock over every pause, until nothing is left."""
        worker = worker or self.worker()
        idle = 0
        for _ in range(rounds):
            if worker.run_once():
                idle = 0
                continue
            idle += 1
            if idle == 3:
                return
            self.clock.forward(hours=2)
        raise AssertionError("it never came to rest")


@pytest.fixture
def bench(tmp_path):
    made = Bench(tmp_path)
    yield made
    made.engine.dispose()
