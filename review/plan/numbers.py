"""Limits that a plan sets otherwise than a page that is in force."""

from collections.abc import Iterator
from dataclasses import replace

from core.types import Evidence, Filters, Locator, Query
from review.checks.constants import constant
from review.checks.matching import Match, matches
from review.checks.pages import in_force
from review.checks.places import Place, evidence_place, shown
from review.checks.statements import Statement, claims, statements
from review.plan.matter import Matter
from review.plan.types import PlanCheck
from review.text import language_of, phrases
from review.types import Priority

_LOOKED_UP = 8
"""Numbers of a plan that are compared: each takes a search."""
_PAGES = 12
_TEXT = 400
"""Passages of pages that a search returns, and characters that are searched for."""
_PLAN, _DIFF = "the plan", "the diff"
_NOWHERE = Locator("plan", _PLAN, "")


def check(matter: Matter) -> Iterator[PlanCheck]:
    """One for each rule of a page that the plan would break. Raises CoreError."""
    told: set[tuple[str, str]] = set()
    for forms in _stated(matter)[:_LOOKED_UP]:
        if not matter.time.left:
            return
        rules = _rules(matter, forms[0])
        found = [(claim, alike) for claim in forms if (alike := matches(claim, rules))]
        claim, alike = max(found, key=lambda pair: pair[1][0].alike, default=(forms[0], []))
        if not alike or any(match.agrees for match in alike):
            continue
        rule = alike[0].rule
        key = rule.place.locator.document_id, rule.sentence.text
        if key not in told and not matter.known.says(rule.sentence.text):
            told.add(key)
            yield _conflict(claim, alike)


def _stated(matter: Matter) -> list[tuple[Statement, ...]]:
    """What the plan demands in words, then what its diff sets, in each way that it may be meant; each number once."""
    given = matter.given
    said, set_ = (Place(name, given.prose, _NOWHERE, frozenset()) for name in (_PLAN, _DIFF))
    around = [*(path.rpartition("/")[2] for path in given.diff.files), *given.diff.places, *given.about]
    before = {" ".join(line.split()) for line in given.diff.removed}
    constants = (constant(line, set_, around) for line in given.diff.added if " ".join(line.split()) not in before)
    spoken = [one for one in claims(said, given.title, matter.words, given.language) if one.role != "from"]
    every = [*((one,) for one in spoken), *(_forms(one) for one in constants if one)]
    first = (forms[0] for forms in every)
    keys = [(one.quantity.dimension, one.quantity.low, one.quantity.high, one.sentence.text) for one in first]
    return list(dict(zip(keys, every, strict=True)).values())


def _forms(stated: Statement) -> tuple[Statement, ...]:
    """A constant does not say whether its hours are a length of time or come before something."""
    if stated.quantity.dimension != "time":
        return (stated,)
    return stated, replace(stated, quantity=replace(stated.quantity, dimension="time ahead"))


def _rules(matter: Matter, claim: Statement) -> list[Statement]:
    """What pages that are in force say today of what the claim is about."""
    text = f"{claim.sentence.prose} {matter.given.title} {' '.join(sorted(claim.near))}"[:_TEXT]
    query = Query(text, filters=Filters(kinds=frozenset({"page"})), limit=_PAGES)
    found = [one for one in matter.reading.search(query).evidence if one.kind == "page"]
    void = {one.document_id for one in found if not in_force(one, matter.words)}
    return [rule for one in found if one.document_id not in void for rule in _ruled(matter, one)]


def _ruled(matter: Matter, page: Evidence) -> Iterator[Statement]:
    context = f"{page.locator.title} {page.locator.heading or ''}"
    for rule in statements(evidence_place(page), context, matter.words, language_of(page.text)):
        if rule.sentence.prose not in phrases(matter.words.superseded):
            yield rule


def _conflict(claim: Statement, alike: list[Match]) -> PlanCheck:
    rule = alike[0].rule
    said = claim.sentence.text.strip() if claim.place.name == _DIFF else claim.value
    return PlanCheck(
        category="requirement or policy",
        priority=Priority.P1,
        statement=f"The plan says “{shown(said)}”, but the page “{shown(rule.place.name)}” says "
        f"“{shown(rule.value)}”: “{shown(rule.sentence.text)}”. Settle which of the two holds before this is built.",
        why="Built as planned it would break the rule that the page states, or the page is out of date.",
        evidence=tuple(match.rule.place.cite(match.rule.sentence.text) for match in alike[:2]),
    )
