"""Limits that a plan sets otherwise than a page that is in force."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace

from core.types import Evidence, Filters, Locator, Query
from review.checks.constants import UNNAMED, constant, words_of_name
from review.checks.matching import Match, matches
from review.checks.pages import in_force
from review.checks.places import Place, evidence_place, shown
from review.checks.quantities import Quantity
from review.checks.statements import Statement, claims, statements
from review.plan.concern import whole
from review.plan.given import Given
from review.plan.matter import Matter, about
from review.plan.types import PlanCheck
from review.text import Language, language_of, phrases, stem_words, stems
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
_LEAST = 2
"""Words of a subject that are compared without more of the sentence: one alone is met by chance."""
_JOINT = re.compile(r"[,;:]\s|\b(?:and|or|but|while|und|oder|aber|während)\b", re.IGNORECASE)
_EVERY = re.compile(r"\b(?:every|each|alle|jede[nrs]?)\s+\Z", re.IGNORECASE)
_NAME = re.compile(r"(?<!\S)\S{0,80}?\w[/_.]\w\S*")
"""Between clauses; before a time that comes again; a path or a name of code, whose words are no clause's."""
_PLAN, _CODE = "the plan", "its code"
_SET = re.compile(
    r"(?<!\w)(?P<name>[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+)\b[^;\n=]{0,60}?(?:=|->|→|\b(?:to|becomes|auf|wird)\b)\s*"
    r"(?P<value>\d[\d_]*(?:\s*\*\s*\d[\d_]*)*)(?![\d.,:]*\w)"
)
"""A constant that a sentence gives a value: `set LOCK_MINUTES in accounts.py to 15`."""
_NOWHERE = Locator("plan", _PLAN, "")


@dataclass(frozen=True, slots=True)
class _Stated:
    """A number of the plan, and the ways in which it is compared."""

    forms: tuple[Statement, ...]
    """Each way that it may be meant; the first as it stands."""
    closer: Statement | None = None
    """Of words: the same with the words right around it alone, where the whole sentence is like no rule."""
    before: Statement | None = None
    """Of a diff: what the code sets so far."""


def check(matter: Matter) -> Iterator[PlanCheck]:
    """One for each rule of a page that the plan would break. Raises CoreError."""
    told: set[tuple[str, str]] = set()
    every = _stated(matter)[:_LOOKED_UP]
    beside = _beside(matter) if any(one.forms[0].place.name == _CODE for one in every) else frozenset[str]()
    for stated in every:
        if not matter.time.left:
            return
        claim, alike = _compared(stated, _rules(matter, stated.forms[0]), beside)
        if not alike or any(match.agrees for match in alike):
            continue
        rule = alike[0].rule
        key = rule.place.locator.document_id, rule.sentence.text
        if key not in told and not matter.known.says(rule.sentence.text) and _holds(matter, key[0]):
            told.add(key)
            yield _conflict(claim, alike)


def _beside(matter: Matter) -> frozenset[str]:
    """What is said around a constant: by the plan, by the paths that it names, and by the beginnings of these files."""
    given = matter.given
    names = [" ".join(words_of_name(name)) for name in (*given.paths, *given.diff.places)]
    told = given.about or tuple(about(given.paths, matter.reading))
    return stems(" ".join((given.prose[:_TEXT], *names, *told)), given.language)


def _compared(stated: _Stated, rules: list[Statement], beside: frozenset[str]) -> tuple[Statement, list[Match]]:
    """The way of comparing that finds the likest rules, and these."""
    claim = stated.forms[0]
    if claim.place.name == _PLAN:
        rules = [one for one in rules if _is_rhythm(one) == _is_rhythm(claim)]
    found = [(form, alike) for form in stated.forms if (alike := matches(form, rules))]
    if found:
        return max(found, key=lambda pair: pair[1][0].alike)
    if stated.closer:
        return stated.closer, matches(stated.closer, rules)
    alike = _followed(claim, stated.before, rules) or _counted(claim, rules)
    return claim, alike or next(filter(None, (_titled(form, rules, beside) for form in stated.forms)), [])


def _is_rhythm(stated: Statement) -> bool:
    """Whether something is done again and again after that time: then it is not how long anything lasts."""
    return _EVERY.search(stated.sentence.prose[: stated.quantity.start]) is not None


def _stated(matter: Matter) -> list[_Stated]:
    """What the plan demands in words, then what its diff sets; each number once."""
    given = matter.given
    said = Place(_PLAN, given.prose, _NOWHERE, frozenset())
    spoken = [one for one in claims(said, given.title, matter.words, given.language) if one.role != "from"]
    every = [*(_Stated((one,), _closer(one, given.language)) for one in spoken), *_set(given)]
    first = (one.forms[0] for one in every)
    keys = [(one.quantity.dimension, one.quantity.low, one.quantity.high, one.sentence.text) for one in first]
    return list(dict(zip(keys, every, strict=True)).values())


def _set(given: Given) -> Iterator[_Stated]:
    """The constants that the diff changes or adds, and those that the words give a value."""
    place = Place(_CODE, given.prose, _NOWHERE, frozenset())
    around = [*(path.rpartition("/")[2] for path in given.paths), *given.diff.places, *given.about]
    before = {" ".join(line.split()): line for line in given.diff.removed}
    gone = [one for line in before.values() if (one := constant(line, place, around))]
    lines = [line for line in given.diff.added if " ".join(line.split()) not in before]
    lines += [f"{found['name']} = {found['value']}" for found in _SET.finditer(given.prose)]
    for one in filter(None, (constant(line, place, around) for line in lines)):
        yield _Stated(_forms(one), before=next((old for old in gone if _is_same(old, one)), None))


def _is_same(old: Statement, new: Statement) -> bool:
    """Whether two lines set the same constant."""
    return (old.near, old.quantity.dimension) == (new.near, new.quantity.dimension)


def _closer(stated: Statement, language: Language) -> Statement | None:
    """The statement with the words of its own clause as its subject, and all others around it, where names of files
    and of code belong; None if that leaves it less than two words, or as it is.
    """
    prose, quantity = stated.sentence.prose, stated.quantity
    is_count = quantity.dimension.startswith("count")
    counted = frozenset(quantity.dimension.split()[1:2]) if is_count else frozenset[str]()
    left = _JOINT.split(_NAME.sub(" ", prose[: quantity.start]))[-1]
    right = _JOINT.split(_NAME.sub(" ", prose[quantity.end :]))[0]
    measured = prose[quantity.start : quantity.end] if is_count else " "
    near = stems(f"{left}{measured}{right}", language) - counted
    if len(near) < _LEAST or near == stated.near:
        return None
    return replace(stated, near=near, aside=frozenset(), context=stated.around - near)


def _forms(stated: Statement) -> tuple[Statement, ...]:
    """A constant does not say whether its hours are a length of time or come before something; and where it calls a
    measure by its noun, people use the adjective.
    """
    spoken = frozenset(_SPOKEN.get(stem, stem) for stem in stated.near)
    forms = [stated, *([replace(stated, near=spoken)] if spoken != stated.near else ())]
    if stated.quantity.dimension == "time":
        forms += [replace(one, quantity=replace(one.quantity, dimension="time ahead")) for one in forms]
    return tuple(forms)


def _followed(claim: Statement, before: Statement | None, rules: list[Statement]) -> list[Match]:
    """The rule that the code follows so far: it says the very value that the diff takes away, of what all words of the
    constant's name name. Nothing if a rule of the same subject says the new value.
    """
    if before is None or not claim.near:
        return []
    same = [one for one in rules if claim.near <= one.around and _measures(claim.quantity, one.quantity)]
    if any(_keeps(claim.quantity, one.quantity) for one in same):
        return []
    followed = [one for one in same if before.quantity.agrees(one.quantity)]
    return [Match(one, 1.0, equal=False, agrees=False) for one in followed]


def _counted(claim: Statement, rules: list[Statement]) -> list[Match]:
    """Of a constant that names nothing but what it counts: the one limit on the number of those (`MAX_BICYCLES` and `up
    to 20 bicycles`), or the one number of what all its words name (`MAX_FAILED_SIGN_INS` and `5 failed sign-in
    attempts`), if the pages agree on it.
    """
    if claim.place.name != _CODE or not claim.quantity.dimension.startswith("count"):
        return []
    alike = [one for one in rules if _measures(claim.quantity, one.quantity)]
    if not claim.near:
        alike = [one for one in alike if one.quantity.bound in _LIMITS]
    elif claim.quantity.dimension == UNNAMED and len(claim.near) >= _LEAST:
        alike = [one for one in alike if claim.near <= stems(one.value)]
    else:
        return []
    if len({one.quantity.high for one in alike}) != 1:
        return []
    equal = claim.quantity.agrees(alike[0].quantity)
    return [Match(alike[0], 1.0, equal, _keeps(claim.quantity, alike[0].quantity))]


def _titled(claim: Statement, rules: list[Statement], beside: frozenset[str]) -> list[Match]:
    """The rule of what all words of a constant's name name, though the title above it alone does: `HOLD_MINUTES` is
    held against what the decision `seats on hold` says of a booking, if another word of its sentence stands beside
    the constant, and the pages agree on the value.
    """
    if claim.place.name != _CODE or not claim.near or claim.quantity.dimension.startswith("count"):
        return []
    known = replace(claim, context=beside - claim.near)
    shared = [(one, known.around & one.around) for one in rules if claim.near <= one.around]
    shared = [(one, words) for one, words in shared if (words - claim.near) & one.near]
    alike = matches(known, [replace(one, near=words, context=one.around - words) for one, words in shared])
    return alike if len({(one.rule.quantity.low, one.rule.quantity.high) for one in alike}) == 1 else []


def _measures(claim: Quantity, rule: Quantity) -> bool:
    """Whether a constant may measure what the rule does; of a count its name may not say what is counted."""
    if claim.dimension == UNNAMED:
        return rule.dimension.startswith("count ") and " per " not in rule.dimension
    return rule.dimension == claim.dimension or (claim.dimension, rule.dimension) == ("time", "time ahead")


def _keeps(claim: Quantity, rule: Quantity) -> bool:
    """Whether a constant has the value of the rule, or is on the right side of its bound."""
    if rule.bound in _LIMITS:
        return claim.high <= rule.high or claim.agrees(rule)
    return claim.agrees(rule) or (rule.bound == "at least" and claim.low >= rule.low)


def _holds(matter: Matter, document_id: str) -> bool:
    """Whether a page does not say at its beginning, which the search need not bring, that it holds no longer."""
    return all(in_force(one, matter.words) for one in matter.reading.open_document(document_id, 1))


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
    quotes = [whole(match.rule.place.text, match.rule.sentence) for match in alike[:2]]
    said = claim.sentence.text.strip() if claim.place.name == _CODE else claim.value
    return PlanCheck(
        category="requirement or policy",
        priority=Priority.P1,
        statement=f"The plan says “{shown(said)}”, but the page “{shown(rule.place.name)}” says "
        f"“{shown(rule.value)}”: “{shown(quotes[0])}”. Settle which of the two holds before this is built.",
        why="Built as planned it would break the rule that the page states, or the page is out of date.",
        evidence=tuple(match.rule.place.cite(quote) for match, quote in zip(alike, quotes, strict=False)),
    )
