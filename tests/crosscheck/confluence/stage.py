"""The service over the company's wiki, Cloud or Data Center: people comment, and what stands in the threads is read."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from functools import cached_property
from pathlib import Path
from typing import Any, Literal

from pydantic import SecretStr

from crosscheck.settings import Audience, Settings
from crosscheck.settings_running import Worker
from crosscheck.wiring import Program
from evals.playground import NothingFound
from sandbox.load import load_company
from sandbox.records import Company, Page, PageVersion, Space
from sandbox.server import Sandbox
from state.types import JobView
from tests.crosscheck.confluence.texts import CHILDREN, Written
from tests.crosscheck.live import PATIENCE, SETTLED, Live, Opened, at_work, opened, quick, until
from tests.fakes import Tally

Flavour = Literal["cloud", "data-center"]
FLAVOURS: tuple[Flavour, ...] = ("cloud", "data-center")

AUTHOR = "Ingrid Solheim"
TESTER = "Ewa Nowicka"
BOARD = "Renate Vogel"
LEAVER = "Piet Hoekstra"

UNWATCHED = "OLD"
"""A space that is neither read nor answered in."""
WRITTEN = datetime(2026, 9, 1, 8, tzinfo=UTC)
ORGANISATION = ("org",)


class Clock:
    """The time, or later."""

    def __init__(self) -> None:
        self._ahead = timedelta()

    def __call__(self) -> datetime:
        return datetime.now(UTC) + self._ahead

    def forward(self, **span: float) -> None:
        self._ahead += timedelta(**span)

    def back(self) -> None:
        """To the time that it is."""
        self._ahead = timedelta()


class Hurried(Program):
    """Tries a review again at once; a post when the clock is moved."""

    @staticmethod
    def pause(_attempt: int, _asked: float | None) -> timedelta:
        return timedelta(seconds=0.05)

    @staticmethod
    def posting_pause(_attempt: int, _asked: float | None) -> timedelta:
        return timedelta(minutes=1)


class Unindexed(Hurried):
    """The same without an index, for what does not depend on what else there is."""

    @cached_property
    def searcher(self) -> Any:
        return NothingFound()


class Watched(Tally):
    """Counts, and calls once when a review is done and nothing of it is posted yet."""

    def __init__(self) -> None:
        super().__init__()
        self.made: Callable[[], object] | None = None

    def count(self, name: str, amount: float = 1, **labels: str) -> None:
        super().count(name, amount, **labels)
        if name == "crosscheck_attempts_total" and labels == {"step": "review", "outcome": "done"}:
            call, self.made = self.made, None
            if call:
                call()


@dataclass
class Wiki(Live):
    """A running service with the company's Confluence."""

    flavour: Flavour = "cloud"
    clock: Clock = field(default_factory=Clock)

    @property
    def bot(self) -> str:
        return self.box.accounts.bot.id

    @property
    def hook(self) -> str:
        return f"{self.url}/webhooks/confluence"

    def polled(self) -> float:
        return self.metrics.total("crosscheck_polls_total", surface="confluence", outcome="done")

    def looked(self) -> None:
        """Wait until whatever was written so far has been delivered and looked for."""
        assert self.box.confluence_webhooks.wait()
        if "confluence" in self.program.pollers:
            before = self.polled()
            until(lambda: self.polled() >= before + 2, "two polls")

    def settled(self, comment: str, seconds: float = PATIENCE) -> JobView:
        """The job of a comment once nothing of it will change any more."""
        number = until(lambda: self.job(comment), f"a job of comment {comment}", seconds).job.id

        def look() -> JobView | None:
            view = self.program.jobs.show(number)
            over = view and view.job.state in {"done", "gone", "failed"} and {p.state for p in view.posts} <= SETTLED
            return view if over else None

        return until(look, f"the end of the job of comment {comment}", seconds)

    def job(self, comment: str) -> JobView | None:
        """Among the last ones."""
        for summary in self.program.jobs.list(limit=20):
            if summary.key.split("|")[-2] == comment:
                return self.program.jobs.show(summary.id)
        return None

    @property
    def watched(self) -> Watched:
        assert isinstance(self.metrics, Watched)
        return self.metrics

    def rests(self) -> bool:
        """Whether nothing is queued or under way."""
        jobs, posts = self.program.jobs.counts(), self.program.outbox.counts()
        return not any(counts[state] for counts in (jobs, posts) for state in ("queued", "running"))

    def idle(self) -> None:
        self.looked()
        until(self.rests, f"nothing queued: {self.program.jobs.counts()} {self.program.outbox.counts()}")

    @contextmanager
    def scene(self) -> Iterator[None]:
        """What is ordered, moved or taken away meanwhile is as before at the end."""
        wiki, hooks = self.box.confluence, self.box.confluence_webhooks
        before = set(wiki.pages)
        try:
            yield
        finally:
            self.box.faults.clear()
            self.watched.made = None
            wiki.notes.fire = lambda _event, _note: None
            hooks.secret, hooks.copies = self.box.webhook_secret, 1
            wiki.search_lag, wiki.rewrites = 0.0, False
            wiki.silent.clear()
            wiki.locked_spaces.clear()
            self.clock.back()
            for page in set(wiki.pages) - before:
                wiki.purge(page)


def company() -> Company:
    """Skerryline, with a few more pages and a space that nobody looks at."""
    loaded = load_company()
    author = next(person.id for person in loaded.people if person.name == AUTHOR)
    more = tuple(_page(written, author) for written in CHILDREN)
    spaces = (*loaded.spaces, Space(UNWATCHED, "Attic"))
    return replace(loaded, pages=(*loaded.pages, *more), spaces=spaces, repos=(), pulls=())


def _page(written: Written, author: str) -> Page:
    version = PageVersion(WRITTEN, author, written.text)
    return Page(written.id, "PRD", written.title, (version,), written.parent, groups=written.groups)


@contextmanager
def wiki(
    home: Path,
    flavour: Flavour,
    *,
    indexed: bool = False,
    reader: str = "",
    secrets: Mapping[str, SecretStr] | None = None,
    **changes: Any,
) -> Iterator[Wiki]:
    """The service at work. `changes` are of its settings, `confluence` of those in that table; `reader` names the
    person with whose account is read.
    """
    with opened(company(), home) as place:
        clock = Clock()
        settings = _settings(place, flavour, reader, changes)
        given = {
            "confluence_token": SecretStr(_token(place.box, reader)),
            "confluence_post_token": SecretStr(place.box.post_token),
            "confluence_webhook_secret": SecretStr(place.box.webhook_secret),
        }
        made = (Hurried if indexed else Unindexed)(
            settings, place.secrets.model_copy(update={**given, **(secrets or {})}), clock=clock, metrics=Watched()
        )
        with at_work(place.box, made, index=indexed, webhooks=False) as live:
            yield Wiki(live.box, live.program, live.url, flavour=flavour, clock=clock)


def _settings(place: Opened, flavour: Flavour, reader: str, changes: dict[str, Any]) -> Settings:
    box, settings = place.box, place.settings
    assert settings.confluence
    cloud = flavour == "cloud"
    chosen = settings.confluence.model_copy(
        update={
            "site": box.confluence_url if cloud else box.confluence_data_center_url,
            "user": _user(box, reader) if cloud else "",
            "post_user": box.post_user if cloud else "",
            "spaces": tuple(key for key in settings.confluence.spaces if key != UNWATCHED),
            "answers": True,
            "poll_seconds": 0.1,
            **changes.pop("confluence", {}),
        }
    )
    holders = {
        **settings.audience.holders,
        **{f"confluence:{key}": ORGANISATION for key in ("PRD", "ENG", "POL")},
    }
    return quick(
        settings, poll=600, confluence=chosen, audience=Audience(holders=holders), worker=Worker(threads=1), **changes
    )


def _account(box: Sandbox, reader: str) -> str:
    return next((one.id for one in box.company.people if one.name == reader), box.accounts.reader.id)


def _user(box: Sandbox, reader: str) -> str:
    return box.login(_account(box, reader))[0]


def _token(box: Sandbox, reader: str) -> str:
    return box.login(_account(box, reader))[1]
