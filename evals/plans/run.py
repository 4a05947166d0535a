"""Checks plans, and searches for the same text."""

import time
from collections.abc import Callable, Iterable, Sequence

from core.types import Audience, Evidence, Locator, Query, SearchResult
from evals.plans.types import Judged, Plan
from review.plan.check import PlanChecker
from review.plan.given import read
from review.plan.known import Known
from review.plan.types import MOST_SOURCES

Name = Callable[[Locator], str]
Search = Callable[[Query], SearchResult]
_LIMIT = 10
"""Passages that are asked for: those of the first three documents are among them."""


def judge(plan: Plan, checker: PlanChecker, search: Search, audience: Audience, name: Name) -> Judged:
    """One plan, checked and searched for."""
    started = time.perf_counter()
    review = checker.check(plan.text, audience, repo=plan.repository)
    seconds = time.perf_counter() - started
    found = search(Query(plan.text, limit=_LIMIT)).evidence
    known = Known(read(plan.text))
    return Judged(
        plan=plan,
        named=_first([source.locator for source in review.sources], name),
        searched=_first(_places(found), name),
        unnamed=_first(_places(one for one in found if not known.names(one)), name),
        nothing_new=review.nothing_new,
        categories=tuple(check.category for check in review.checks),
        degraded=review.degraded,
        seconds=seconds,
        standings=tuple(one.statement for one in review.checks if one.category == "deployed or migrated"),
    )


def _places(found: Iterable[Evidence]) -> list[Locator]:
    return [one.locator for one in found]


def _first(places: Sequence[Locator], name: Name) -> tuple[str, ...]:
    return tuple(dict.fromkeys(map(name, places)))[:MOST_SOURCES]
