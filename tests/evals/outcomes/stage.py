"""A small company in which reviews are told by the real worker, and people act, while a clock is moved by hand."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from datetime import timedelta
from itertools import count
from pathlib import Path

from crosscheck.comments.intake import KIND
from evals.outcomes.reading import Installation
from evals.outcomes.types import Outcome
from evals.playground import OPENED, company
from sandbox.records import Ticket
from sandbox.server import Sandbox
from state.reviews import Reviews
from tests.crosscheck.live import Small
from tests.fakes import Clock

OPEN = "The format of an export is TBD."
TEXT = f"{OPEN}\n\nExports are kept for 30 days.\n\nAcceptance criteria:\n\n- Exports are deleted after 30 days."
DECIDED = TEXT.replace("TBD", "PDF")
PRODUCT_OWNER, DEVELOPER = "po-1", "dev-1"
_TICKETS = 40


@dataclass
class Stage:
    box: Sandbox
    program: Small
    clock: Clock
    _numbers: Iterator[int] = field(default_factory=lambda: count(1))

    def ticket(self, text: str = TEXT) -> str:
        """The key of a ticket that nothing has happened to, with this text."""
        key = f"RUN-{next(self._numbers)}"
        self.box.jira.set_fields(key, {"description": text}, PRODUCT_OWNER)
        return key

    def reviewed(self, text: str = TEXT) -> str:
        """A ticket of which a review was told."""
        key = self.ticket(text)
        self.clock.forward(hours=1)
        self.ask(key)
        return key

    def ask(self, key: str, argument: str = "") -> str:
        """Write a command and have it answered; the id of its comment."""
        comment = self.say(key, f"#qa-check {argument}".strip())
        payload = {"surface": "jira", "place_id": self.box.jira.issue(key).id, "message_id": comment}
        name = f"jira|{self.box.jira_url}|{comment}|{KIND}"
        job = self.program.jobs.accept(name, KIND, payload, surface="jira", via="poll", subject=key)
        while self.program.worker.run_once():
            pass
        assert job is not None
        assert {post.state for post in self.program.jobs.show(job).posts} == {"sent"}
        return comment

    def say(self, key: str, text: str, by: str = PRODUCT_OWNER) -> str:
        self.clock.forward(hours=1)
        return self.box.jira.add_comment(key, by, text)

    def edit(self, key: str, text: str = DECIDED, by: str = DEVELOPER) -> None:
        self.clock.forward(hours=1)
        self.box.jira.set_fields(key, {"description": text}, by)

    def grow_old(self, days: float = 8) -> None:
        self.clock.forward(days=days)

    def name(self, key: str) -> str:
        """What the database calls a ticket."""
        return f"{self.box.jira_url}|jira:{self.box.jira.issue(key).id}"

    def outcomes(self, key: str, *, rerun: bool = False) -> Mapping[str, Outcome]:
        """What came of the findings of a ticket, of each rule the first that was told."""
        installation = Installation(self.program, self.program if rerun else None)
        return {one.rule: one for one in reversed(installation.subject(self.name(key)).outcomes)}

    def number(self, key: str, rule: str) -> int:
        """Of a rule's finding in the last review of a ticket."""
        findings = self.reviews.told(self.name(key))[-1].findings
        return next(number for number, one in enumerate(findings, 1) if one["rule"] == rule)

    @property
    def reviews(self) -> Reviews:
        return Reviews(self.program.database)


@contextmanager
def staged(folder: Path) -> Iterator[Stage]:
    tickets = tuple(
        Ticket(
            key=f"RUN-{number}",
            type="Story",
            summary=f"Export report {number}",
            description="To be written.",
            status="Open",
            reporter=PRODUCT_OWNER,
            created=OPENED,
            updated=OPENED,
        )
        for number in range(1, _TICKETS + 1)
    )
    clock = Clock()
    clock.now = OPENED + timedelta(hours=1)
    with Sandbox.start(replace(company(1), tickets=tickets)) as box:
        box.jira.now = clock
        program = Small(box, folder / "data", clock=clock)
        program.floor()
        yield Stage(box, program, clock)
        program.close()
