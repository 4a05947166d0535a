"""Whether anything that came later can be seen: the second opinion on knowledge as of a moment.

It knows nothing of how sources are taken back. It takes what they say today, and looks for what is only said after the
moment (runs of five words, short texts whole), for later tickets' keys, later commits' ids, values that fields had only
later, and dates that are later and that nobody named before.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import islice

import numpy as np

from core.connectors.base import moment as time_of
from core.masking import masked
from core.tickets import KEY
from evals.asof.commits import Commits
from evals.asof.said import Present, Said, Turn
from evals.asof.shown import Shown
from evals.asof.words import RUN, Numbers, numbered, runs, telling, words

MOST = 200
"""Leaks that are told of each kind."""
_DATE = re.compile(
    r"\b(?:19|20)\d\d-[01]\d-[0-3]\d(?:[T ][0-2]\d:[0-5]\d(?::[0-5]\d(?:\.\d+)?)?(?:Z|[+-]\d\d:?\d\d)?)?"
)
_COMMIT = re.compile(r"\b[0-9a-f]{10,40}\b")
_TICKET = re.compile(r"jira:([0-9]+)(?::.*)?", re.DOTALL)
_ATTRIBUTES = {"status": "status", "resolution": "resolution", "priority": "priority", "issuetype": "type"}
_HEAD = 3  # lines of an opened ticket that say its state


@dataclass(frozen=True, slots=True)
class Leak:
    """Something that is seen and was not there yet."""

    where: str
    """What shows it."""
    what: str
    """The words, and whose they are."""
    since: datetime


def leaks(present: Present, moment: datetime, commits: Mapping[str, str], shown: Iterable[Shown]) -> tuple[Leak, ...]:
    """What of `shown` came after `moment`, or with what the repositories' commits cannot reach; no more than `MOST` of
    a kind. `commits` are those that `knowledge` took; a repository that has none there is wholly later.

    Raises SourceError where a repository cannot be read.
    """
    seen = list(shown)
    views = [Commits(git.name, *present.repositories.now(git), commits.get(git.name)) for git in present.gits]
    later = [said for said in present.texts if said.at > moment]
    later += [said for view in views for said in view.later()]
    earlier = [said.text for said in present.texts if said.at <= moment]
    earlier += [text for view in views for text in view.earlier()]
    checks = (
        _words(later, earlier, seen),
        _keys(present, moment, earlier, seen),
        _ids(views, seen),
        _turns(present.turns, moment, earlier, seen),
        _dates(views, moment, earlier, seen),
    )
    return tuple(leak for check in checks for leak in islice(check, MOST))


# Words


def _words(later: Sequence[Said], earlier: Sequence[str], seen: Sequence[Shown]) -> Iterator[Leak]:
    texts = [(one, numbered(words(one.text))) for one in seen]
    facts = [(said, found, size) for said in later if (size := telling(found := words(said.text)))]
    suspects: dict[int, set[int]] = {}
    for size in range(1, RUN + 1):
        wanted = _all(runs(numbered(found), size) for _, found, own in facts if own == size)
        visible = _all(runs(numbers, size) for _, numbers in texts)
        suspects[size] = set(np.intersect1d(wanted, visible).tolist())
    _clear(suspects, earlier)
    if any(suspects.values()):  # where a credential is masked, words meet that stand apart
        _clear(suspects, (masked(text)[0] for text in earlier))
    if any(suspects.values()):
        yield from _located(facts, texts, suspects)


def _clear(suspects: Mapping[int, set[int]], earlier: Iterable[str]) -> None:
    """Takes out what earlier texts say, too."""
    for text in earlier:
        numbers = numbered(words(text))
        for size, some in suspects.items():
            if some:
                some -= set(runs(numbers, size).tolist())


def _located(
    facts: Sequence[tuple[Said, list[str], int]],
    texts: Sequence[tuple[Shown, Numbers]],
    suspects: Mapping[int, set[int]],
) -> Iterator[Leak]:
    """Each later text once for each place that shows it."""
    places: dict[tuple[int, int], list[str]] = {}
    for one, numbers in texts:
        for size, some in suspects.items():
            for number in set(runs(numbers, size).tolist()) & some:
                places.setdefault((size, number), []).append(one.where)
    told: set[tuple[str, int]] = set()
    for fact, (said, found, size) in enumerate(facts):
        for at, number in enumerate(runs(numbered(found), size).tolist()):
            for where in places.get((size, number), ()):
                if (where, fact) not in told:
                    told.add((where, fact))
                    yield Leak(where, f"“{' '.join(found[at : at + size])}” of {said.where}", said.at)


def _all(arrays: Iterable[Numbers]) -> Numbers:
    some = [array for array in arrays if len(array)]
    return np.unique(np.concatenate(some)) if some else np.empty(0, dtype=np.uint64)


# Names


def _keys(present: Present, moment: datetime, earlier: Sequence[str], seen: Sequence[Shown]) -> Iterator[Leak]:
    later = {key: at for key, at in present.keys.items() if at > moment}
    named = {key for text in earlier for key in KEY.findall(text)}
    for one in seen:
        for key in sorted(set(KEY.findall(one.text)) & later.keys() - named):
            yield Leak(one.where, f"the key {key}", later[key])


def _ids(views: Sequence[Commits], seen: Sequence[Shown]) -> Iterator[Leak]:
    later = {number[:10]: (view.name, number, at) for view in views for number, at in view.ids.items()}
    for one in seen:
        for text in set(_COMMIT.findall(one.text)):
            name, number, at = later.get(text[:10], ("", "", None))
            if at and number.startswith(text):
                yield Leak(one.where, f"the commit {text[:10]} of {name}", at)


# State


def _turns(turns: Sequence[Turn], moment: datetime, earlier: Sequence[str], seen: Sequence[Shown]) -> Iterator[Leak]:
    later: dict[str, list[Turn]] = {}
    for turn in turns:
        if turn.at > moment:
            later.setdefault(turn.number, []).append(turn)
    for one in seen:
        ticket = _TICKET.fullmatch(one.document)
        for turn in later.get(ticket[1], ()) if ticket else ():
            before = next(first.before for first in later[turn.number] if first.field == turn.field)
            if turn.field == "link":
                phrase = turn.after.removeprefix("This issue ").strip()
                if phrase and phrase in one.text and not any(phrase in text for text in earlier):
                    yield Leak(one.where, f"the link “{phrase}”", turn.at)
            elif turn.after and turn.after != before and _says(one, turn):
                yield Leak(one.where, f"the {turn.field} {turn.after}", turn.at)


def _says(one: Shown, turn: Turn) -> bool:
    if one.attributes:
        return one.attributes.get(_ATTRIBUTES.get(turn.field, "")) == turn.after
    head = "\n".join(one.text.splitlines()[:_HEAD])
    return bool(re.search(rf"(?:^|, |\(){re.escape(turn.after)}(?:$|,|\)| \()", head, re.MULTILINE))


# Dates


def _dates(views: Sequence[Commits], moment: datetime, earlier: Sequence[str], seen: Sequence[Shown]) -> Iterator[Leak]:
    """A commit that was there may bear a later date than the moment."""
    newest = max([moment, *(view.newest for view in views if view.newest)])
    repositories = {view.name for view in views}
    named = {text for one in earlier for text in _DATE.findall(one)}
    for one in seen:
        latest = newest if one.source in repositories or one.document.startswith("git:") else moment
        if one.updated and one.updated > latest:
            yield Leak(one.where, f"its date {one.updated.isoformat()}", one.updated)
        for text in set(_DATE.findall(one.text)) - named:
            if (at := time_of(text.replace(" ", "T"))) > newest and text[:10] not in named:
                yield Leak(one.where, f"the date {text}", at)
