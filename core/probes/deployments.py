"""What runs where: environments read side by side, joined with Git, within an audience and a time."""

import re
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Future, wait
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from typing import Protocol

from core.errors import BadQuery, SourceError, SourceGone, SourceUnavailable
from core.probes.parallel import begun, in_time
from core.probes.readings import Readings
from core.probes.standing import DeployedState, Standing
from core.probes.telling import Asked, labels_of, standing, unread
from core.probes.types import Memory, Probe, Reading
from core.probes.work import Tracked, Work, baseline, of_commit, of_ticket
from core.pulls.wording import listed, named, short
from core.tickets import KEY
from core.types import Audience

_COMMIT = re.compile(r"[0-9a-f]{7,64}", re.IGNORECASE)
_READING = 0.75  # share of the whole time that readings may take, so that what was read is still joined
_AT_ONCE = 8  # joins with Git, of all questions together

Look = Callable[[str, Tracked], Work | None]
"""Finds the work in a repository; None where there is none of it. Raises SourceError."""
Found = Work | SourceError | None


class Merges(Protocol):
    """Knows by which commit a pull request came into its base branch."""

    def merge_of(self, repo: str, number: int) -> str | None:
        """None: it is not merged, or nothing tells by which commit. Raises SourceError."""


@dataclass(frozen=True, slots=True)
class Brought:
    """The commit by which work came, or would come, into its repository."""

    repo: str
    commit: str
    name: str
    """As a sentence begins with it: `Pull request 7 of shop`."""


@dataclass(frozen=True, slots=True)
class _Question:
    name: str
    """Of the work, where it could not be looked at."""
    look: Look
    probes: Sequence[Probe]


class Deployments:
    """For any number of threads. Probes that an audience may not know of are, for it, not there."""

    def __init__(
        self,
        probes: Sequence[Probe],
        repositories: Mapping[str, Tracked],
        memory: Memory,
        *,
        clock: Callable[[], datetime],
        seconds: float = 5,
        fresh: float = 60,
        whole: float = 8,
        merges: Merges | None = None,
    ) -> None:
        """One read may take `seconds` and is not made again for `fresh` seconds; a question takes no longer than
        `whole` seconds, whatever environments, Git and the memory do.
        """
        self._probes = tuple(probes)
        self._repositories = repositories
        self._memory = memory
        self._clock = clock
        self._seconds = seconds
        self._whole = whole
        self._merges = merges
        self._readings = Readings(memory, clock=clock, seconds=seconds, fresh=fresh)
        self._turns = threading.BoundedSemaphore(_AT_ONCE)

    def labels(self, probe: str) -> frozenset[str] | None:
        """Who may know what this probe reads; None: there is no such probe."""
        return next((labels_of(one) for one in self._probes if one.name == probe), None)

    def environments(self, audience: Audience) -> tuple[str, ...]:
        """Names of those that the audience may know of."""
        return tuple(dict.fromkeys(probe.environment for probe in self._known(audience)))

    def state(
        self,
        audience: Audience,
        *,
        environment: str | None = None,
        repo: str | None = None,
        commit: str | None = None,
        ticket: str | None = None,
        pull: int | None = None,
        seconds: float | None = None,
    ) -> DeployedState:
        """How one commit, ticket or pull request (of `repo`) stands in the environments; without any of them, how the
        newest state of each repository's baseline branch does. `seconds`: less than the whole.

        Raises BadQuery for more than one of them, and for what cannot be one.
        """
        name, look = self._looking(repo, commit, ticket, pull)
        known = [probe for probe in self._known(audience) if repo in {None, probe.repo}]
        if environment is not None:
            wanted = environment.strip().casefold()
            asked = [probe for probe in known if probe.environment.casefold() == wanted]
        else:
            asked = known
        if not asked:
            return DeployedState(notes=tuple(_no_environment(environment, repo, known)))
        found = self._standings([_Question(name, look, asked)], seconds)[0]
        repos = listed(sorted({probe.repo for probe in asked}))
        return DeployedState(found, () if found else (f"{name} was not found in {repos}.",))

    def of_commits(
        self, brought: Sequence[Brought], audience: Audience, *, seconds: float | None = None
    ) -> tuple[tuple[Standing, ...], ...]:
        """How each of these stands, in their order. Environments are read once for all of them."""
        known = self._known(audience)
        questions = [
            _Question(one.name, _exactly(one), [probe for probe in known if probe.repo == one.repo]) for one in brought
        ]
        return tuple(self._standings(questions, seconds))

    def _known(self, audience: Audience) -> list[Probe]:
        return [probe for probe in self._probes if audience.may_read(labels_of(probe))]

    def _looking(self, repo: str | None, commit: str | None, ticket: str | None, pull: int | None) -> tuple[str, Look]:
        if sum(one is not None for one in (commit, ticket, pull)) > 1:
            raise BadQuery("Only one of a commit, a ticket and a pull request can be asked for at once.")
        if commit is not None:
            if not _COMMIT.fullmatch(text := commit.strip()):
                raise BadQuery(f"“{named(commit)}” is no commit id. Give seven of its digits at least.")
            return f"Commit {short(text)}", lambda name, tracked: of_commit(name, tracked, text)
        if ticket is not None:
            if not KEY.fullmatch(key := ticket.strip().upper()):
                raise BadQuery(f"“{named(ticket)}” is no ticket's key. One looks like PAY-12.")
            return f"The work of {key}", lambda name, tracked: of_ticket(name, tracked, key)
        if pull is not None:
            if repo is None:
                raise BadQuery("A pull request has its number in one repository: name that too.")
            return f"Pull request {pull}", lambda name, tracked: self._of_pull(name, tracked, pull)
        return "The newest state of the code", baseline

    def _of_pull(self, repo: str, tracked: Tracked, number: int) -> Work | None:
        name = f"Pull request {number} of {repo}"
        commit = self._merges.merge_of(repo, number) if self._merges else None
        if commit and not tracked.mirror.has(commit):
            raise SourceGone(f"{short(commit)} is not there yet")
        if commit:
            return Work(name, (commit,))
        head = tracked.mirror.fetched_pull(number)
        return Work(name, (head,), notes=(f"{name} is not known to be merged.",)) if head else None

    def _standings(self, questions: Sequence[_Question], seconds: float | None) -> list[tuple[Standing, ...]]:
        """For each question one of each probe, but none of a repository that has nothing of the work."""
        whole = self._whole if seconds is None else min(seconds, self._whole)
        began = time.monotonic()
        times = _Times(began + min(self._seconds, _READING * whole), began + whole)
        tasks = {}
        for number, question in enumerate(questions):
            works = {repo: self._work(question.look, repo) for repo in {probe.repo for probe in question.probes}}
            for probe in question.probes:
                tasks[number, probe.name] = partial(self._standing, question, probe, works[probe.repo], times)
        done = in_time(tasks, times.end, "deployed")
        every = []
        for number, question in enumerate(questions):
            found = [done.get((number, one.name), self._late(question, one, whole)) for one in question.probes]
            every.append(tuple(one for one in found if one is not None))
        return every

    def _work(self, look: Look, repo: str) -> "Future[Found]":
        """Looked for once, however many environments run the repository."""

        def find() -> Found:
            tracked = self._repositories.get(repo)
            try:
                return look(repo, tracked) if tracked else SourceUnavailable(f"{repo} is not read here")
            except SourceError as error:
                return error

        return begun(find, "deployed work")

    def _standing(self, question: _Question, probe: Probe, work: "Future[Found]", times: "_Times") -> Standing | None:
        reading = self._readings.read(probe, times.reading)
        wait([work], max(0.0, times.end - time.monotonic()))
        found = work.result() if work.done() and not work.cancelled() else SourceUnavailable("Git took too long")
        with self._turns:
            if found is None or time.monotonic() >= times.end:
                return None
            return standing(self._asked(question, probe, found, reading), self._memory)

    def _asked(self, question: _Question, probe: Probe, found: Work | SourceError, reading: Reading) -> Asked:
        name = found.name if isinstance(found, Work) else f"{question.name} in {probe.repo}"
        place = (probe.environment, probe.repo)
        several = sum((one.environment, one.repo) == place for one in question.probes) > 1
        return Asked(probe, name, found, reading, self._repositories.get(probe.repo), several)

    def _late(self, question: _Question, probe: Probe, seconds: float) -> Standing:
        why = f"no answer within {seconds:.2g} s"
        reading = Reading(probe.name, probe.environment, probe.repo, self._clock(), unread=why)
        return unread(self._asked(question, probe, SourceUnavailable(why), reading))


@dataclass(frozen=True, slots=True)
class _Times:
    """By the monotonic clock: until when readings, and all else, are waited for."""

    reading: float
    end: float


def _exactly(brought: Brought) -> Look:
    def look(_repo: str, tracked: Tracked) -> Work:
        if not tracked.mirror.has(brought.commit):
            raise SourceGone(f"{short(brought.commit)} is not there yet")
        return Work(brought.name, (brought.commit,))

    return look


def _no_environment(environment: str | None, repo: str | None, known: Sequence[Probe]) -> Iterator[str]:
    of = f" that runs {named(repo)}" if repo else ""
    if environment is None or not known:
        yield f"No environment is known{of}."
    else:
        names = listed(sorted({probe.environment for probe in known}))
        yield f"No environment{of} is called {named(environment)}. Known are: {names}."
