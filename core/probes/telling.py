"""Standings in plain words, for product owners."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from core.errors import SourceError, SourceGone
from core.probes.joining import Joining, Part, Past
from core.probes.resolving import called
from core.probes.standing import Between, Contained, Standing, document_of, moment
from core.probes.types import Memory, Probe, Reading, Running
from core.probes.work import Tracked, Work
from core.pulls.wording import counted, named
from core.types import Locator
from core.visibility import repository

_LISTED = 3  # commits between that a sentence names
_TITLE = 80  # characters of each
_AGAIN = "Asking again later, or an administrator, who can see why it does not answer."
_SET_UP = "An administrator, who can add the repository to the settings."


@dataclass(frozen=True, slots=True)
class Asked:
    """A piece of work, and the environment that is asked."""

    probe: Probe
    name: str
    """Of the work, as a sentence begins with it."""
    work: Work | SourceError
    """Or why it could not be looked for."""
    reading: Reading
    tracked: Tracked | None
    """None: the repository is not read here."""
    several: bool = False
    """Other probes read the same environment, and may tell something else."""

    @property
    def environment(self) -> str:
        """As sentences call it."""
        return f"{self.probe.environment} ({self.probe.name})" if self.several else self.probe.environment


def labels_of(probe: Probe) -> frozenset[str]:
    """Who may know what it reads: its own labels, and its repository's, whose commits are told."""
    return probe.labels | {repository(probe.repo)}


def standing(asked: Asked, memory: Memory) -> Standing:
    """Never raises for what an environment or a repository does."""
    if asked.reading.unread:
        return unread(asked, memory)
    if asked.tracked is None:
        return _apart(asked, "its repository is not read here", _SET_UP)
    if not asked.reading.running:
        by = f"An administrator, who can see what runs on {asked.environment}."
        return _apart(asked, "nothing runs there", by)
    if isinstance(asked.work, SourceError):
        return _unjoined(asked, asked.work)
    try:
        return _joined(asked, asked.tracked, asked.work, memory)
    except SourceError as error:
        return _unjoined(asked, error)


def unread(asked: Asked, memory: Memory | None = None) -> Standing:
    """Of an environment that could not be read, with what it ran when it was read last."""
    environment, why = asked.environment, asked.reading.unread
    remarks = []
    if seen := next(iter(memory.earlier(asked.probe.name) if memory else ()), None):
        ran = called(seen.version, seen.commit)
        remarks.append(f"{environment} was last read on {moment(seen.last)}; then it ran {ran}.")
    answer = f"Whether {_inside(asked.name)} is on {environment} is not known: it could not be read ({why})."
    made = _made(asked, "unknown")
    return replace(made, says=(answer, *remarks), remarks=tuple(remarks), unread=why, settled_by=_AGAIN)


def _unjoined(asked: Asked, error: SourceError) -> Standing:
    """Without the words of the error, which are for administrators."""
    if isinstance(error, SourceGone):
        return _apart(asked, "its repository has not been read since", "The next reading of the repository.")
    return _apart(asked, "its repository could not be read just now", "Asking again later.")


def _joined(asked: Asked, tracked: Tracked, work: Work, memory: Memory) -> Standing:
    joining = Joining(tracked, work, asked.environment)
    earlier = memory.earlier(asked.probe.name)
    parts = [joining.part(one) for one in asked.reading.running]
    pasts = [joining.past(part, earlier) for part in parts]
    contained = _together([part.contained for part in parts])
    since, first_seen = _since(asked.reading, parts, pasts, contained)
    found = replace(
        _made(asked, contained),
        version=", ".join(dict.fromkeys(named(part.running.version) for part in parts if part.running.version)),
        commit=", ".join(dict.fromkeys(filter(None, (part.resolved.commit or part.running.commit for part in parts)))),
        since=since,
        first_seen=first_seen,
        left=max((past.left.last for past in pasts if past.left), default=None) if contained == "no" else None,
        between=_widest(parts) if contained in {"no", "partly"} else None,
        settled_by=next((part.settled_by for part in parts if part.settled_by), "") if contained == "unknown" else "",
    )
    remarks = (*_remarks(asked, parts, pasts), *work.notes)
    return replace(found, says=(_answer(asked, found, parts), *_running(asked, parts), *remarks), remarks=remarks)


def _widest(parts: Sequence[Part]) -> Between | None:
    return max((part.between for part in parts if part.between), key=lambda one: one.count, default=None)


def _together(every: Sequence[Contained]) -> Contained:
    kinds = set(every)
    if "partly" in kinds or kinds >= {"yes", "no"}:
        return "partly"
    return "unknown" if "unknown" in kinds else every[0]


def _since(
    reading: Reading, parts: Sequence[Part], pasts: Sequence[Past], contained: Contained
) -> tuple[datetime | None, bool]:
    """When the last of the instances came to what they run, or to the work if that was there before; and whether that
    is only when it was first seen.
    """
    moments: list[tuple[datetime, bool]] = []
    for part, past in zip(parts, pasts, strict=True):
        told, seen = part.running.since, past.first
        earlier = seen is not None and (seen.version, seen.commit) != (part.running.version, part.running.commit)
        if told and not (contained == "yes" and earlier):
            moments.append((told, False))
        elif seen:
            moments.append((seen.first, True))
        elif contained == "yes":
            moments.append((reading.at, True))
    return max(moments, default=(None, False))


def _answer(asked: Asked, found: Standing, parts: Sequence[Part]) -> str:
    name, environment = asked.name, asked.environment
    whole = sum(part.running.instances for part in parts if part.contained == "yes")
    every = sum(part.running.instances for part in parts)
    share = (
        f"{whole} of {counted(every, 'instance')} {'has' if whole == 1 else 'have'} it" if _are_counted(parts) else ""
    )
    match found.contained:
        case "yes":
            return f"{name} is on {environment}{_when(found)}."
        case "no" if found.left:
            return f"{name} is not on {environment} any more: it was last seen there on {moment(found.left)}."
        case "no":
            return f"{name} is not on {environment} yet{_stands_between(found.between)}."
        case "partly":
            return f"{name} is partly on {environment}{f': {share}' if share and 0 < whole < every else ''}."
        case "unknown":
            why = next((part.resolved.why for part in parts if part.resolved.why), share if whole else "")
            return f"Whether {_inside(name)} is on {environment} is not known{f': {why}' if why else ''}."


def _when(found: Standing) -> str:
    if found.since is None:
        return ""
    return (
        f"; it was first seen there on {moment(found.since)}" if found.first_seen else f" since {moment(found.since)}"
    )


def _are_counted(parts: Sequence[Part]) -> bool:
    return all(part.running.instances for part in parts)


def _stands_between(between: Between | None) -> str:
    if between is None:
        return ""
    number = f"more than {between.count:,} commits" if between.more else counted(between.count, "commit")
    listed = ", ".join(f"“{_brief(one.title)}”" for one in between.commits[:_LISTED])
    return f": {number} {'stands' if between.count == 1 and not between.more else 'stand'} between ({listed})"


def _running(asked: Asked, parts: Sequence[Part]) -> Iterator[str]:
    """What runs there."""
    if any(part.resolved.commit or part.running.version for part in parts):
        runs = " and ".join(_runs(part.running, part.resolved.commit, several=len(parts) > 1) for part in parts)
        yield f"{asked.environment} runs {runs}, as read on {moment(asked.reading.at)}."


def _remarks(asked: Asked, parts: Sequence[Part], pasts: Sequence[Past]) -> Iterator[str]:
    """What has to be known of that, each once."""
    environment = asked.environment
    if len({part.resolved.commit or part.running.version for part in parts}) > 1:
        yield f"Not all instances on {environment} run the same."
    if any(part.running.dirty for part in parts):
        yield f"It was built with changes that are in no commit, so what else {environment} runs is not known."
    every = (note for part, past in zip(parts, pasts, strict=True) for note in (*part.notes, *_own(part), *past.notes))
    yield from dict.fromkeys(every)


def _own(part: Part) -> Iterator[str]:
    yield from filter(None, (part.resolved.note, *(named(note) for note in part.running.notes)))


def _runs(running: Running, commit: str, *, several: bool) -> str:
    what = called(running.version, commit or running.commit)
    where = f" in {named(running.where)}" if running.where else ""
    return f"{what}{where} ({counted(running.instances, 'instance')})" if several and running.instances else what


def _apart(asked: Asked, why: str, settled_by: str) -> Standing:
    """What runs, without Git."""
    parts = asked.reading.running
    environment = asked.environment
    says = [f"Whether {_inside(asked.name)} is on {environment} is not known: {why}."]
    if parts:
        runs = " and ".join(called(one.version, one.commit) for one in parts)
        says.append(f"{environment} runs {runs}, as read on {moment(asked.reading.at)}.")
    return replace(
        _made(asked, "unknown"),
        says=tuple(says),
        version=", ".join(dict.fromkeys(named(one.version) for one in parts if one.version)),
        commit=", ".join(dict.fromkeys(one.commit for one in parts if one.commit)),
        settled_by=settled_by,
    )


def _made(asked: Asked, contained: Contained) -> Standing:
    probe = asked.probe
    return Standing(
        probe=probe.name,
        environment=probe.environment,
        repo=probe.repo,
        contained=contained,
        says=(),
        remarks=(),
        labels=labels_of(probe),
        locator=Locator(document_of(probe.name), f"{asked.environment} of {probe.repo}", probe.url),
        read_at=asked.reading.at,
    )


def _brief(title: str) -> str:
    return title if len(title) <= _TITLE else f"{title[:_TITLE].rstrip()}..."


def _inside(name: str) -> str:
    """A name that begins a sentence, within one."""
    return name[:1].lower() + name[1:]
