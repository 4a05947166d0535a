"""Where tasks come from: repositories with the sources around them, and what was known there at a task's moment."""

import re
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path

import bots
import core
import crosscheck
import review
from core import visibility
from core.mirror import Mirror
from core.types import ORG, Audience
from crosscheck.audience import Audiences
from crosscheck.operations import Local
from crosscheck.settings import Secrets, Settings
from crosscheck.settings_sources import Git
from evals.accuracy.arms import serving
from evals.accuracy.finding import Found, History, by_messages, by_tickets
from evals.accuracy.history import git_folder, readable
from evals.accuracy.run import Knowing, Leaked
from evals.accuracy.store import Store
from evals.accuracy.tickets import TicketsAt
from evals.accuracy.types import Task
from evals.asof.collecting import collect
from evals.asof.leaks import Leak, leaks
from evals.asof.program import Knowledge, knowledge, reader
from evals.asof.said import Present, Said
from evals.asof.shown import answers, index
from evals.harness.errors import EvalError

_NAMED = 3  # leaks that are told
_NOBODY = "=nobody"
_UNSAFE = re.compile(r"[^A-Za-z0-9._-]+")


@dataclass(slots=True)
class Sources:
    """An installation's sources, and who asks."""

    name: str
    """What results over them are called."""
    settings: Settings
    secrets: Secrets
    audience: Audience
    """What the arm with Crosscheck may read."""
    tracked: bool
    """Whether tasks are told by tickets, else by commit messages."""
    _present: Present | None = None
    _collecting: threading.Lock = field(default_factory=threading.Lock)

    def present(self, folder: Path) -> Present:
        """What they say today, by which leaks are found; collected once."""
        with self._collecting:
            if self._present is None:
                self._present = collect(self.settings, self.secrets, folder)
            return self._present


@dataclass(frozen=True, slots=True)
class Repository:
    """`run.Place`: one repository of these sources."""

    history: History
    sources: Sources

    @property
    def set(self) -> str:
        return self.sources.name

    def find(self, most: int) -> Found:
        settings, secrets = self.sources.settings, self.sources.secrets
        if not (self.sources.tracked and settings.jira):
            return by_messages(self.history, most)
        tickets = TicketsAt(lambda moment: reader(settings, secrets, moment), self.sources.audience)
        return by_tickets(self.history, frozenset(settings.jira.projects), tickets, most)

    @contextmanager
    def knowing(self, task: Task, store: Store) -> Iterator[Knowing]:
        """Indexed in the run's folder, and looked through for what is later. What the candidate is told of the task is
        known to it, whenever it was written.
        """
        sources, home = self.sources, store.folder / "index" / self.set
        with knowledge(sources.settings, sources.secrets, task.moment, {self.history.name: task.base}, home) as known:
            if found := list(self._leaks(task, known, store)):
                first = "; ".join(
                    f"{leak.where} shows {leak.what}, of {leak.since:%d %b %Y}" for leak in found[:_NAMED]
                )
                more = f"; and {len(found) - _NAMED} more" if len(found) > _NAMED else ""
                raise Leaked(f"Something later is known: as of {task.moment:%d %b %Y %H:%M} {first}{more}.")
            with serving(Local(known.program), sources.audience) as served:
                yield Knowing(served, known.notes)

    def _leaks(self, task: Task, known: Knowledge, store: Store) -> Iterator[Leak]:
        """In the index, and in what the tools answer: whose own words are those that this program's text has, and those
        that they say to somebody who may read nothing.
        """
        sources, moment = self.sources, task.moment
        present = sources.present(store.folder / "present" / self.set)
        told = Said("the task", f"{task.title}\n{task.text}", moment)
        yield from leaks(_and(present, told), moment, known.commits, index(known.program))
        exactly = f"={','.join(sorted(sources.audience.labels))}"
        asked = [task.title, task.key] if task.told_by == "ticket" else [task.title]
        nobody = (shown.text for shown in answers(known.program, _NOBODY, asked))
        own = (Said("this program", text, moment) for text in (*nobody, *_own_words()))
        yield from leaks(_and(present, told, *own), moment, known.commits, answers(known.program, exactly, asked))


def _and(present: Present, *more: Said) -> Present:
    return replace(present, texts=(*present.texts, *more))


def _own_words() -> Iterator[str]:
    """The text of the packages that answer."""
    for package in (bots, core, crosscheck, review):
        for path in sorted(Path(package.__path__[0]).rglob("*.py")):
            yield path.read_text("utf-8")


def by_settings(
    names: Sequence[str], settings: Settings, secrets: Secrets, audience: str, mirrors: Path
) -> tuple[Repository, ...]:
    """The repositories of the settings with these names, all where none is given, with all of the settings' sources;
    fetched into `mirrors`. `audience` is as `--as` takes it.

    Raises EvalError where there is none, SourceError where it cannot be fetched.
    """
    known = {git.name: git for git in settings.git}
    if missing := [name for name in names if name not in known]:
        there = f"there is {', '.join(known)}" if known else "there is none"
        raise EvalError(
            f"{missing[0]!r} is neither a repository of the settings ({there}) nor a path of one that is here."
        )
    chosen = [known[name] for name in names] if names else list(known.values())
    if not chosen:
        raise EvalError("The settings have no [[git]] table. Add one, or give a path with --repo.")
    sources = Sources(
        "tickets" if settings.jira else "repositories",
        settings,
        secrets,
        Audiences(settings.audience.holders).named(audience),
        tracked=settings.jira is not None,
    )
    return tuple(Repository(_fetched(git, mirrors), sources) for git in chosen)


def by_path(folder: Path, settings: Settings, secrets: Secrets) -> Repository:
    """A repository by its path, alone: its own files and commits are all that is known, and its tasks are told by its
    commits' messages. Of the settings everything but the sources counts. Raises EvalError for what is no repository.
    """
    folder = folder.resolve()
    git_folder(folder)
    name = _UNSAFE.sub("-", folder.name.removesuffix(".git")).strip("-._") or "repository"
    nothing = {"jira": None, "confluence": None, "slack": None, "files": (), "qa": (), "hosts": ()}
    alone = {"git": (Git(name=name, location=str(folder)),), "probes": (), "databases": ()}
    audience = Audience(frozenset({ORG, visibility.repository(name)}))
    sources = Sources(name, settings.model_copy(update=nothing | alone), secrets, audience, tracked=False)
    return Repository(History(name, folder), sources)


def _fetched(git: Git, mirrors: Path) -> History:
    folder = mirrors / f"{git.name}.git"
    with readable(git.name):
        Mirror(folder, git.location).fetch()
    return History(git.name, folder, git.branch or None)
