"""Applies the rules, each on its own. One that could not look is an unknown, not a pass."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from core.errors import CoreError
from review.case import Case, Checked, Rule
from review.errors import ReviewError
from review.reading import plain_reason
from review.types import Unknown


@dataclass(frozen=True, slots=True)
class Applied:
    """Everything that the rules say together."""

    checked: Checked
    failed: frozenset[str]
    """Ids of the rules that could not look."""


def apply(rules: Iterable[Rule], case: Case) -> Applied:
    """What the rules that are for such a ticket or page say of it."""
    applied: list[Checked] = []
    failed: dict[str, list[Rule]] = {}
    for rule in rules:
        if case.ticket.kind not in rule.kinds:
            continue
        try:
            applied.append(rule.check(case))
        except CoreError as error:
            failed.setdefault(plain_reason(error), []).append(rule)
        except ReviewError as error:
            failed.setdefault(str(error), []).append(rule)
    checked = Checked(
        findings=tuple(finding for one in applied for finding in one.findings),
        unknowns=(*(unknown for one in applied for unknown in one.unknowns), *_not_applied(failed)),
        settled=tuple(settled for one in applied for settled in one.settled),
        sources=frozenset[str]().union(*(one.sources for one in applied)),
    )
    return Applied(checked, frozenset(rule.id for rules in failed.values() for rule in rules))


def _not_applied(failed: Mapping[str, Sequence[Rule]]) -> Iterator[Unknown]:
    """One unknown a reason, so that an index out of use is not told once a rule."""
    for reason, rules in failed.items():
        titles = "; ".join(rule.title for rule in rules)
        yield Unknown(f"Could not be applied, since {reason}: {titles}.", "Asking again when it works.")
