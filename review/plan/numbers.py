"""Limits that a plan sets otherwise than a page that is in force."""

import re
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
from review.text import language_of, phrases, stem_words
from review.types import Priority

_LOOKED_UP = 8
"""Numbers of a plan that are compared: each takes a search."""
_PAGES = 12
_TEXT = 400
"""Passages of pages that a search returns, and characters that are searched for."""
_NOUNS = ["height", "length", "width", "depth", "weight", "age"]
_ADJECTIVES = ["high", "long", "wide", "deep", "heavy", "old"]
_SPOKEN = dict(zip(stem_words(_NOUNS), stem_words(_ADJECTIVES), strict=True))
_LIMITS = frozenset({"up to", "at most"})
_PLAN, _CODE = "the plan", "its code"
_SET = re.compile(
    r"(?<!\w)(?P<name>[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+)\b[^;\n=]{0,60}?(?:=|\b(?:to|becomes|auf|wird)\b)\s*"
    r"(?P<value>\d[\d_]*(?:\s*\*\s*\d[\d_]*)*)(?![\d.,:]*\w)"
)
"""A constant that a sentence gives a value: `set LOCK_MINUTES in accounts.py to 15`."""
_NOWHERE = Locator("plan", _PLAN, "")


def check(matter: Matter) -> Iterator[PlanCheck]:
    """One for each rule of a page that the plan would break. Raises CoreError."""
    told: set[tuple[str, str]] = set()
    for forms in _stated(matter)[:_LOOKED_UP]:
        if not matter.time.left:
            return
        rules = _rules(matter, forms[0])
        found = [(claim, alike) for claim in forms if (alike := matches(claim, rules))]
        claim, alike = max(found, key=lambda pair: pair[1][0].alike, default=(forms[0], _counted(forms[0], rules)))
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
    said, set_ = (Place(name, given.prose, _NOWHERE, frozenset()) for name in (_PLAN, _CODE))
    around = [*(path.rpartition("/")[2] for path in given.paths), *given.diff.places, *given.about]
    before = {" ".join(line.split()) for line in given.diff.removed}
    lines = [line for line in given.diff.added if " ".join(line.split()) not in before]
    lines += [f"{found['name']} = {found['value']}" for found in _SET.finditer(given.prose)]
    constants = (constant(line, set_, around) for line in lines)
    spoken = [one for one in claims(said, given.title, matter.words, given.language) if one.role != "from"]
    every = [*((one,) for one in spoken), *(_forms(one) for one in constants if one)]
    first = (forms[0] for forms in every)
    keys = [(one.quantity.dimension, one.quantity.low, one.quantity.high, one.sentence.text) for one in first]
    return list(dict(zip(keys, every, strict=True)).values())


def _forms(stated: Statement) -> tuple[Statement, ...]:
    """A constant does not say whether its hours are a length of time or come before something; and where it calls a
    measure by its noun, people use the adjective.
    """
    spoken = frozenset(_SPOKEN.get(stem, stem) for stem in stated.near)
    forms = [stated, *([replace(stated, near=spoken)] if spoken != stated.near else ())]
    if stated.quantity.dimension == "time":
        forms += [replace(one, quantity=replace(one.quantity, dimension="time ahead")) for one in forms]
    return tuple(forms)


def _counted(claim: Statement, rules: list[Statement]) -> list[Match]:
    """Of a constant that names nothing but what it counts (`MAX_BICYCLES`): the one limit on the number of those, if
    the pages agree on it.
    """
    if claim.place.name != _CODE or claim.near or not claim.quantity.dimension.startswith("count"):
        return []
    limits = [
        one for one in rules if one.quantity.dimension == claim.quantity.dimension and one.quantity.bound in _LIMITS
    ]
    if len({one.quantity.high for one in limits}) != 1:
        return []
    equal = claim.quantity.agrees(limits[0].quantity)
    return [Match(limits[0], 1.0, equal, equal or claim.quantity.high <= limits[0].quantity.high)]


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
    said = claim.sentence.text.strip() if claim.place.name == _CODE else claim.value
    return PlanCheck(
        category="requirement or policy",
        priority=Priority.P1,
        statement=f"The plan says “{shown(said)}”, but the page “{shown(rule.place.name)}” says "
        f"“{shown(rule.value)}”: “{shown(rule.sentence.text)}”. Settle which of the two holds before this is built.",
        why="Built as planned it would break the rule that the page states, or the page is out of date.",
        evidence=tuple(match.rule.place.cite(match.rule.sentence.text) for match in alike[:2]),
    )
