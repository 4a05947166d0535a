"""Who else uses what a plan changes."""

import re
from collections.abc import Iterable, Iterator

from core.usage.types import Consumer, Consumption
from review.checks.constants import words_of_name
from review.checks.places import shown
from review.checks.pulls import is_test
from review.plan.given import Given
from review.plan.matter import Matter
from review.plan.ports import Consumers
from review.plan.types import PlanCheck
from review.types import Cited, Priority, Unknown

_NAMES = 8
"""Names that are looked up: each takes a look at the whole index."""
_USES = 30
_TOLD = 3
"""Uses that are looked at, and told of one name."""
_MOST = 2
_CONFIDENT = frozenset({"sure", "likely"})
_COLUMN = re.compile(
    r"\b(?i:ALTER\s+TABLE)\s+(?P<table>\w{1,80})\s+(?i:DROP|RENAME|ALTER)\s+(?:(?i:COLUMN)\s+)?(?:(?i:IF\s+EXISTS)\s+)?"
    r"(?P<column>\w{1,80})|\b(?i:columns?|Spalten?)\s+[`\"']?(?P<named>\w{1,40}(?:[._]\w{1,40})+)"
)
"""A column that is dropped, renamed or changed in SQL, or named as one."""
_KEY = re.compile(r"[\"'](?P<key>[a-z][a-zA-Z0-9]*(?:_[a-zA-Z0-9]+)+|[a-z]+[A-Z]\w+)[\"']")
"""A field of a message or a setting, in quotes: `"passenger_age"`."""


def check(matter: Matter, consumers: Consumers) -> Iterator[PlanCheck]:
    """Names that other repositories use, then those that other files of the same one do. Raises CoreError."""
    beyond: list[PlanCheck] = []
    within: list[PlanCheck] = []
    columns = _columns(matter.given)
    for name in _names(matter.given, columns):
        if not matter.time.left:
            what = f"Who uses {name} was not looked up: no time was left."
            matter.reading.note([Unknown(what, "Asking for its consumers by name.")])
            break
        used = consumers.consumers(name, matter.reading.audience, limit=_USES)
        homes = _homes(matter, used)
        others = [one for one in _unspoken(matter, (*used.consumers, *used.defined)) if one.repo not in homes]
        if homes and others:
            beyond.append(_told(name, others, matter, beyond=True))
        elif (name in matter.given.defined or name in columns) and (users := _unspoken(matter, used.consumers)):
            within.append(_told(name, users, matter, beyond=False))
    yield from (*beyond, *within)[:_MOST]


def _names(given: Given, columns: list[str]) -> list[str]:
    """What is changed: columns, names of more than one word, which hardly mean two things, then routes."""
    changed = "\n".join((*given.diff.removed, given.prose))
    keys = [found["key"] for found in _KEY.finditer(changed)]
    routes = [key.text for key in given.keys if key.kind == "route"]
    names = [
        name for name in (*columns, *keys, *given.names) if len(words_of_name(name)) > 1 and not name.startswith("_")
    ]
    return list(dict.fromkeys((*names, *routes)))[:_NAMES]


def _columns(given: Given) -> list[str]:
    text = "\n".join((given.prose, *given.diff.added))
    return [found["named"] or f"{found['table']}.{found['column']}" for found in _COLUMN.finditer(text)]


def _homes(matter: Matter, used: Consumption) -> frozenset[str]:
    """The repositories that the plan changes the name in: a field of a message is declared on both of its ends."""
    if matter.repo is not None:
        return frozenset({matter.repo})
    named = frozenset(one.repo for one in used.defined if matter.known.has_path(one.path))
    return named or frozenset(one.repo for one in used.defined)


def _unspoken(matter: Matter, uses: Iterable[Consumer]) -> list[Consumer]:
    """Code that is no test, in files that the plan does not name."""
    return [
        one
        for one in uses
        if one.line is not None
        and one.confidence in _CONFIDENT
        and not is_test(one.path)
        and not matter.known.has_path(one.path)
    ]


def _told(name: str, users: list[Consumer], matter: Matter, *, beyond: bool) -> PlanCheck:
    for one in users:
        matter.reading.register.add_evidence(one.evidence)
    first = list({(one.repo, one.path): one for one in users}.values())
    places = "; ".join(f"{one.path} in {one.repo}, line {one.line}" for one in first[:_TOLD])
    more = f" and {len(first) - _TOLD} more files" if len(first) > _TOLD else ""
    return PlanCheck(
        category="consumer",
        priority=Priority.P2 if beyond else Priority.P3,
        statement=f"“{shown(name)}” is also used in {shown(places, 300)}{more}, which the plan does not name. "
        "See that what changes holds there, too.",
        why="What works there today rests on the old behaviour, and nobody may look at it before it breaks."
        if not beyond
        else "Another repository rests on it, and is changed and deployed at another time.",
        evidence=tuple(Cited(one.evidence.locator, one.evidence.labels, quote=one.text) for one in first[:_TOLD]),
    )
