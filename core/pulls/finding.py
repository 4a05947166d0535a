"""Which pull requests belong to a ticket: those whose addresses it holds, and those that name it."""

import re
import time
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, field

import structlog

from core.errors import SourceError, SourceForbidden, SourceGone, SourceIncomplete
from core.pulls.naming import names
from core.pulls.repository import Repository
from core.pulls.types import Gap, PullRef
from core.pulls.wording import counted
from core.tickets import Ticket
from core.types import Audience

BY_ADDRESS = "an address in the ticket"
BY_PANEL = "Jira's development panel"
BY_NAME = "its title or branch"
BY_BRANCH = "a branch named after the ticket"
BY_COMMIT = "a commit that names the ticket"
WAYS = (BY_ADDRESS, BY_PANEL, BY_NAME, BY_BRANCH, BY_COMMIT)  # the surest first

_ADDRESS = re.compile(r"""https?://[^\s<>"'`|\\^{}()\[\]]{1,2000}""", re.IGNORECASE)
_OF_PULL = re.compile(
    r"https?://[^?#]*/(?:pull|pulls|pull-requests?|pullrequests|merge_requests)/[1-9][0-9]*(?:[/?#]|$)", re.IGNORECASE
)
_MOST_ADDRESSES = 300  # of one ticket
_MOST_BRANCHES = 4  # of one repository whose pull requests are asked for, the newest
_MOST_COMMITS = 4
_ADMINISTRATOR = "An administrator, who can add the repository and its host to the settings."
_AGAIN = "Asking again later."

log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class Candidate:
    """A pull request, and the ways in which it was found."""

    ref: PullRef
    ways: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Candidates:
    found: tuple[Candidate, ...]
    """The surest first, and of those alike the newest."""
    gaps: tuple[Gap, ...]


@dataclass(slots=True)
class _Search:
    """What is known so far."""

    ways: dict[PullRef, set[str]] = field(default_factory=dict)
    gaps: list[Gap] = field(default_factory=list)

    def add(self, refs: Collection[PullRef], way: str) -> None:
        for ref in refs:
            self.ways.setdefault(ref, set()).add(way)


class Finder:
    """Looks in `repositories`, and asks nobody else. `projects` are the keys of the projects whose tickets are looked
    for by their names.
    """

    def __init__(
        self,
        repositories: Sequence[Repository],
        projects: Collection[str],
        *,
        most: int,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._repositories = sorted(repositories, key=lambda repository: repository.name)
        self._projects = frozenset(projects)
        self._most = most
        self._clock = clock

    def find(self, ticket: Ticket, audience: Audience, until: float) -> Candidates:
        """The pull requests of a ticket, as its audience may read it, in the repositories that this audience may read.
        Of the others nothing is asked or said. After `until`, by the clock, nothing more is asked.
        """
        search = _Search()
        readable = [it for it in self._repositories if audience.may_read(it.labels)]
        hidden = [it for it in self._repositories if not audience.may_read(it.labels)]
        _by_address(ticket, readable, hidden, search)
        if ticket.project in self._projects:
            for at, repository in enumerate(readable):
                if self._clock() > until:
                    search.gaps.append(_out_of_time(readable[at:]))
                    break
                _by_name(ticket.key, repository, search)
        return self._best(search)

    def _best(self, search: _Search) -> Candidates:
        found = [Candidate(ref, tuple(way for way in WAYS if way in ways)) for ref, ways in search.ways.items()]
        found.sort(key=lambda it: (WAYS.index(it.ways[0]), -it.ref.number, it.ref.repo))
        if (more := len(found) - self._most) > 0:
            what = f"Only the {self._most:,} surest pull requests of this ticket were read; not read: {more:,} more."
            search.gaps.append(Gap(what, "Somebody who names in the ticket the pull requests that count."))
        return Candidates(tuple(found[: self._most]), tuple(search.gaps))


def addresses(ticket: Ticket) -> Iterator[str]:
    """All addresses in a ticket, in no certain form."""
    yield from (link.url for link in ticket.remote_links)
    texts = [ticket.description, *(it.text for it in ticket.fields), *(it.text for it in ticket.comments)]
    for text in texts:
        yield from (address.rstrip(".,;:!?*_~") for address in _ADDRESS.findall(text))


def _by_address(ticket: Ticket, readable: Sequence[Repository], hidden: Sequence[Repository], search: _Search) -> None:
    """An address of a repository that the audience may not read is told like one of a repository that nobody knows, if
    people can see it in the ticket; one that only the panel has is not told at all.
    """
    unknown: set[str] = set()
    written = list(dict.fromkeys(addresses(ticket)))[:_MOST_ADDRESSES]
    for way, found in ((BY_ADDRESS, written), (BY_PANEL, ticket.pull_addresses[:_MOST_ADDRESSES])):
        for address in found:
            if ref := _pointed_to(address, readable):
                search.add([ref], way)
            elif (pull := _OF_PULL.match(address)) and (way == BY_ADDRESS or not _pointed_to(address, hidden)):
                unknown.add(pull[0].rstrip("/?#").lower())
    if unknown:
        what = (
            f"The ticket has {counted(len(unknown), 'link')} to pull requests at hosts or in repositories that are not "
            "set up here. What is there was not examined."
        )
        search.gaps.append(Gap(what, _ADMINISTRATOR))


def _pointed_to(address: str, repositories: Sequence[Repository]) -> PullRef | None:
    for repository in repositories:
        if ref := repository.host.in_address(address, {repository.name: repository.project}):
            return ref
    return None


def _by_name(key: str, repository: Repository, search: _Search) -> None:
    """By title and branch as the host knows them, and by branches and commits as the mirror has them, whose pull
    requests the host knows.
    """
    name, host = repository.name, repository.host
    branches, commits = _in_mirror(key, repository, search)
    try:
        search.add(host.with_text(name, repository.project, key), BY_NAME)
        for commit in dict.fromkeys([*branches, *commits]):
            found = host.with_commit(name, repository.project, commit)
            search.add(found, BY_BRANCH if commit in branches else BY_COMMIT)
    except SourceError as error:
        log.warning("pull requests could not be looked for", repository=name, reason=str(error))
        search.gaps.append(_not_asked(name, error))


def _in_mirror(key: str, repository: Repository, search: _Search) -> tuple[list[str], list[str]]:
    """The commits that branches named after the ticket are at, and those whose messages name it."""
    try:
        branches = [tip.commit for tip in repository.mirror.branches() if names(tip.name, key)]
        return branches[:_MOST_BRANCHES], repository.mirror.commits_saying(key, _MOST_COMMITS)
    except SourceError as error:
        log.warning("branches could not be looked through", repository=repository.name, reason=str(error))
        what = f"The branches and commits of {repository.name} could not be looked through for this ticket."
        search.gaps.append(Gap(what, _AGAIN))
        return [], []


def _not_asked(name: str, error: SourceError) -> Gap:
    if isinstance(error, SourceForbidden):
        what = f"Whether {name} has pull requests of this ticket is not known: the account that reads may not look."
        return Gap(what, "An administrator, who can give the account that reads access to it.")
    if isinstance(error, SourceGone):
        what = (
            f"Whether {name} has pull requests of this ticket is not known: its host has no such repository, or does "
            "not show it to the account that reads."
        )
        return Gap(what, "An administrator, who can correct the settings, or give that account access to it.")
    if isinstance(error, SourceIncomplete):
        what = f"Whether {name} has more pull requests of this ticket is not known: not all of them were looked at."
        return Gap(what, "An administrator, who can add the repository's host to the settings.")
    what = f"Whether {name} has more pull requests of this ticket is not known: its host did not answer as it should."
    return Gap(what, _AGAIN)


def _out_of_time(left: Sequence[Repository]) -> Gap:
    what = f"The time was over before {', '.join(it.name for it in left)} could be searched for pull requests."
    return Gap(what, _AGAIN)
