"""Which statements are about the same quantity, judged by what surrounds them."""

import math
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from review.checks.quantities import Quantity
from review.checks.statements import Statement

_ALIKE = 0.45
_EACH = 0.3
"""Shares of the subject that two statements must have in common, on average and from either side, weighted by rarity.
Chosen on small cases of many trades: below, other quantities of the same page match; above, rewordings are lost."""
_ASIDE = 0.3
"""What a stem counts that is told aside."""
_FAR = 60


@dataclass(frozen=True, slots=True)
class Match:
    """A statement of another source about the same quantity, and how alike the subjects are (0 to 1)."""

    rule: Statement
    alike: float
    equal: bool
    agrees: bool
    """Equal, or within the rule's bounds."""


def matches(claim: Statement, rules: Sequence[Statement], *, exactly: bool = False) -> list[Match]:
    """What each document says of the same quantity, the likest first; empty if none says anything like it. `exactly`:
    keeping within a bound is not yet to agree.
    """
    if not rules:
        return []
    weight = _Weights(rule.around for rule in rules)
    by_document: dict[str, list[Match]] = {}
    for rule in rules:
        if _comparable(claim, rule) and (alike := weight.likeness(claim, rule)):
            equal = claim.quantity.agrees(rule.quantity)
            match = Match(rule, alike, equal, equal or (not exactly and _complies(claim.quantity, rule.quantity)))
            by_document.setdefault(rule.place.locator.document_id, []).append(match)
    best = max((m.alike for found in by_document.values() for m in found), default=0.0)
    chosen = [_chosen(found, best) for found in by_document.values() if best >= _ALIKE]
    return sorted((match for match in chosen if match), key=lambda match: -match.alike)


def same_value(one: Quantity, other: Quantity) -> bool:
    return one.dimension == other.dimension and one.agrees(other)


def _comparable(one: Statement, other: Statement) -> bool:
    """Whether both measure the same. `30 desks per room` is what `a room has 30 desks` says."""
    dimension, _, rate = one.quantity.dimension.partition(" per ")
    other_dimension, _, other_rate = other.quantity.dimension.partition(" per ")
    if dimension != other_dimension:
        return False
    return rate == other_rate or (rate or other_rate) in (other.near if rate else one.near)


def _chosen(found: list[Match], best: float) -> Match | None:
    """A document's say, from its statements that are about as like as the best of all; one that agrees speaks for it.
    One with the very same value may be less like: the ticket words it its own way.
    """
    likely = [match for match in found if match.alike >= (best / 2 if match.equal else 0.8 * best)]
    return max(likely, key=lambda match: (match.agrees, match.alike), default=None)


class _Weights:
    """How telling a stem is, by how few of the candidate statements have it (inverse document frequency)."""

    def __init__(self, subjects: Iterable[frozenset[str]]) -> None:
        every = list(subjects)
        self._count = len(every)
        self._having = Counter(stem for subject in every for stem in subject)

    def _share(self, one: Statement, other: Statement) -> float:
        """How much of one clause's subject the other has. What the title above a clause names and the other lacks
        counts double against it, what is told aside little.
        """
        if not one.near:
            return 1.0
        shared = one.near & other.around
        lacking = one.near - shared
        core, aside = lacking - one.aside, lacking & one.aside
        missed = self._of(core) + self._of(core & one.topic) + _ASIDE * self._of(aside)
        common = self._of(shared)
        return common / (common + missed)

    def _of(self, stems: Iterable[str]) -> float:
        return sum(math.log(1 + (self._count + 1) / (self._having[stem] + 1)) for stem in stems)

    def likeness(self, claim: Statement, rule: Statement) -> float:
        """Mean share of either clause's subject that the other has in its clause or around it. 0 when less than two
        stems are shared (the thing counted is one) though there are more, or none of them clause to clause.
        """
        direct = claim.near & rule.near
        shared = direct | (claim.near & rule.context) | (claim.context & rule.near)
        counted = rule.quantity.dimension.startswith("count")
        if not (direct or counted) or _far_apart(claim.quantity, rule.quantity):
            return 0.0
        if len(shared) + counted < 2 and not _is_short_subject(claim.near, rule.near):
            return 0.0
        sides = (self._share(claim, rule), self._share(rule, claim))
        return sum(sides) / 2 if min(sides) >= _EACH else 0.0


def _is_short_subject(one: frozenset[str], other: frozenset[str]) -> bool:
    """Whether a single word is all there is to share: `the deposit is` and `we charge a deposit of`."""
    return min(len(one), len(other)) == 1 and len(one | other) <= 2


def _far_apart(one: Quantity, other: Quantity) -> bool:
    """Values of other orders of magnitude are hardly of the same quantity: ten minutes and four weeks."""
    low, high = sorted((abs(one.high), abs(other.high)))
    return low > 0 and high / low > _FAR


def _complies(claim: Quantity, rule: Quantity) -> bool:
    """Whether the ticket's value keeps to the page's: inside its range, or on the right side of its bound."""
    if rule.bound == "at most" or (rule.bound == "up to" and claim.bound == "exact"):
        return (claim.low if claim.bound == "at least" else claim.high) <= rule.high
    if rule.bound == "at least":
        return (claim.high if claim.bound == "at most" else claim.low) >= rule.low
    if rule.low < rule.high:
        return rule.low <= claim.low and claim.high <= rule.high
    return claim.low < claim.high and claim.low <= rule.low <= claim.high
