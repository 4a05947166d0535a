"""A number or limit in the ticket contradicts a policy page: the same quantity with another value."""

import math
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import islice

from core.types import Evidence, Filters, Query
from review.case import Case, Checked
from review.checks.places import comment_place, evidence_place, said, shown, written
from review.checks.quantities import Quantity
from review.checks.statements import Statement, claims, statements
from review.text import Language, language_of, phrases, sentences, visible_prose
from review.types import Finding, Priority, Settled, Unknown
from review.words import Words

ID = "policy-conflict"
_SEARCHES = 12
_CLAIMS = 200
"""Sentences of the ticket that are looked up; each costs a search."""
_TEXT = 400
"""Characters that are searched for."""
_PAGES = 12
"""Passages that a search returns."""
_ALIKE = 0.45
_EACH = 0.3
"""Shares of the subject that two statements must have in common, on average and from either side, weighted by rarity.
Chosen on small cases of many trades: below, other quantities of the same page match; above, rewordings are lost."""
_ASIDE = 0.3
"""What a stem counts that is told aside."""
_FAR = 60
_NOTICE = re.compile(r"\A[\s>*_#|!\[\]-]*(?:(?:status|state|note|notice|stand|hinweis)\W*:[\s*_]*)?", re.IGNORECASE)
"""What may stand before such a note: the marks of a quotation or table, a label."""
_TOP = 300
"""Characters at the top of a passage in which a note that the page is replaced is looked for."""


@dataclass(frozen=True, slots=True)
class Match:
    """A statement of a page about the same quantity, and how alike the subjects are (0 to 1)."""

    rule: Statement
    alike: float
    equal: bool
    agrees: bool
    """Equal, or within the rule's bounds."""


def check(case: Case) -> Checked:
    language = language_of(f"{case.ticket.summary} {case.ticket.description}")
    stated = list(islice(_claims(case, language), _CLAIMS))
    targets = [claim.quantity for claim in stated if claim.role == "to"]
    wanted = [c for c in stated if c.role != "to" and not any(_same(c.quantity, target) for target in targets)]
    looked_up = dict.fromkeys(claim.sentence.text for claim in wanted)
    for text in list(looked_up)[_SEARCHES:]:
        del looked_up[text]
    shelf = _Shelf(case)
    found = {text: shelf.rules_for(text) for text in looked_up}
    conflicts: list[tuple[Statement, list[Match]]] = []
    unknowns: list[Unknown] = []
    settled: list[Settled] = []
    sources: set[str] = set()
    for claim in wanted:
        matches = _matches(claim, found.get(claim.sentence.text, []))
        if not matches:
            continue
        agreeing = [match for match in matches if match.agrees]
        if not agreeing:
            conflicts.append((claim, matches))
        elif len(agreeing) < len(matches):
            unknowns.append(_pages_disagree(matches))
        else:
            settled.append(Settled(f"“{claim.value}” is what the page “{matches[0].rule.place.name}” says, too."))
        if agreeing:
            sources |= {match.rule.place.locator.document_id for match in matches}
    if len(looked_up) == _SEARCHES or len(stated) == _CLAIMS:
        unknowns.append(
            Unknown("Only the first numbers of the ticket were compared with policies.", "A shorter ticket.")
        )
    return Checked(
        tuple(_findings(conflicts)),
        tuple(dict.fromkeys(unknowns)),
        tuple(dict.fromkeys(settled)),
        sources=frozenset(sources),
    )


def _claims(case: Case, language: Language) -> Iterator[Statement]:
    """The quantities that the ticket demands: in its texts, and in comments that decide something. A bug's text tells
    what is wrong today, except where it says what should be.
    """
    words, ticket = case.words, case.ticket
    is_bug = ticket.type.strip().lower() in words.bugs
    for place in written(ticket):
        context = f"{ticket.summary} {place.name if place.name not in {'summary', 'description'} else ''}"
        for claim in claims(place, context, words, language):
            demanded = (
                claim.sentence.prose in phrases(words.must)
                or claim.sentence.heading.lower().strip() in words.acceptance
            )
            labelled = claim.sentence.prose.split(":")[0].lower().strip(" *_") in words.acceptance
            if not is_bug or demanded or labelled:
                yield claim
    for comment in said(case):
        for claim in claims(comment_place(comment), ticket.summary, words, language):
            if claim.sentence.prose in phrases(words.decided):
                yield claim


class _Shelf:
    """Finds what pages rule, each page read once however many sentences find it."""

    def __init__(self, case: Case) -> None:
        self._case = case
        self._rules: dict[str, list[Statement]] = {}
        self._void: dict[str, bool] = {}

    def rules_for(self, sentence: str) -> list[Statement]:
        """What pages that are in force say. What a page says of its own state may stand in another passage."""
        text = " ".join(visible_prose(f"{sentence} {self._case.ticket.summary}").split())[:_TEXT]
        evidence = self._case.search(Query(text, filters=Filters(kinds=frozenset({"page"})), limit=_PAGES)).evidence
        pages = [one for one in evidence if one.kind == "page"]
        for page in pages:
            self._read(page)
        return [rule for page in pages if not self._void[page.document_id] for rule in self._rules[page.id]]

    def _read(self, page: Evidence) -> None:
        if page.id not in self._rules:
            is_void = not _in_force(page, self._case.words)
            self._void[page.document_id] = self._void.get(page.document_id, False) or is_void
            self._rules[page.id] = [] if is_void else list(_rules(page, self._case.words))


def _in_force(page: Evidence, words: Words) -> bool:
    """Neither archived, nor a draft or minutes by its title, nor replaced by its own words."""
    title = re.sub(r"[^\w\s-]", " ", page.locator.title).lower()
    if page.attributes.get("archived") == "true" or page.attributes.get("space", "").startswith("~"):
        return False
    if title in phrases(words.drafts):
        return False
    if any(_opens(_NOTICE.sub("", line, count=1), words) for line in page.text[:_TOP].splitlines()):
        return False
    about_itself = phrases(("this page", "this policy", "this document", "this rule", "diese seite", "diese regel"))
    return not any(
        sentence.prose in phrases(words.superseded) and sentence.prose in about_itself
        for sentence in sentences(page.text)
    )


def _opens(line: str, words: Words) -> bool:
    """Whether a line begins with the words that void a page: `Superseded by ...`, `This was replaced by ...`."""
    found = phrases(words.superseded).find(line)
    return found is not None and found.start(1) <= 12


def _matches(claim: Statement, rules: list[Statement]) -> list[Match]:
    """What each page says of the same quantity, the likest first; empty if no page says anything like it."""
    if not rules:
        return []
    weight = _Weights(rule.around for rule in rules)
    by_page: dict[str, list[Match]] = {}
    for rule in rules:
        if _comparable(claim, rule) and (alike := weight.likeness(claim, rule)):
            equal = claim.quantity.agrees(rule.quantity)
            match = Match(rule, alike, equal, equal or _complies(claim.quantity, rule.quantity))
            by_page.setdefault(rule.place.locator.document_id, []).append(match)
    best = max((m.alike for matches in by_page.values() for m in matches), default=0.0)
    chosen = [_chosen(matches, best) for matches in by_page.values() if best >= _ALIKE]
    return sorted((match for match in chosen if match), key=lambda match: -match.alike)


def _comparable(one: Statement, other: Statement) -> bool:
    """Whether both measure the same. `30 desks per room` is what `a room has 30 desks` says."""
    dimension, _, rate = one.quantity.dimension.partition(" per ")
    other_dimension, _, other_rate = other.quantity.dimension.partition(" per ")
    if dimension != other_dimension:
        return False
    return rate == other_rate or (rate or other_rate) in (other.near if rate else one.near)


def _chosen(matches: list[Match], best: float) -> Match | None:
    """A page's say, from its statements that are about as like as the best of all; one that agrees speaks for the
    page. One with the very same value may be less like: the ticket words it its own way.
    """
    likely = [match for match in matches if match.alike >= (best / 2 if match.equal else 0.8 * best)]
    return max(likely, key=lambda match: (match.agrees, match.alike), default=None)


def _rules(page: Evidence, words: Words) -> Iterator[Statement]:
    """What a page says today: not what it says was, nor its examples."""
    language = language_of(page.text)
    heading = page.locator.heading or ""
    for rule in statements(evidence_place(page), f"{page.locator.title} {heading}", words, language):
        if rule.sentence.prose not in phrases(words.superseded) and not rule.sentence.prose.rstrip().endswith("?"):
            yield rule


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


def _same(one: Quantity, other: Quantity) -> bool:
    return one.dimension == other.dimension and one.agrees(other)


def _complies(claim: Quantity, rule: Quantity) -> bool:
    """Whether the ticket's value keeps to the page's: inside its range, or on the right side of its bound."""
    if rule.bound == "at most" or (rule.bound == "up to" and claim.bound == "exact"):
        return (claim.low if claim.bound == "at least" else claim.high) <= rule.high
    if rule.bound == "at least":
        return (claim.high if claim.bound == "at most" else claim.low) >= rule.low
    if rule.low < rule.high:
        return rule.low <= claim.low and claim.high <= rule.high
    return claim.low < claim.high and claim.low <= rule.low <= claim.high


def _pages_disagree(matches: list[Match]) -> Unknown:
    one = next(match.rule for match in matches if match.agrees)
    other = next(match.rule for match in matches if not match.agrees)
    return Unknown(
        f"Two pages differ: “{one.place.name}” says “{shown(one.sentence.text)}”, “{other.place.name}” says "
        f"“{shown(other.sentence.text)}”. The ticket follows the first; which one holds could not be told.",
        "Saying which of the two pages is in force.",
    )


def _findings(conflicts: list[tuple[Statement, list[Match]]]) -> Iterator[Finding]:
    """One for each rule of a page and value of the ticket, however often the ticket repeats the value."""
    grouped: dict[tuple[str, str, float, float], list[tuple[Statement, list[Match]]]] = {}
    for claim, matches in conflicts:
        rule = matches[0].rule
        key = (rule.place.locator.document_id, rule.sentence.text, claim.quantity.low, claim.quantity.high)
        grouped.setdefault(key, []).append((claim, matches))
    for group in grouped.values():
        claim, matches = group[0]
        yield _finding(claim, [other for other, _ in group[1:]], [match.rule for match in matches])


def _finding(claim: Statement, repeated: list[Statement], rules: list[Statement]) -> Finding:
    rule = rules[0]
    today = "takes today's value to be" if claim.role == "from" else "says"
    statement = (
        f"The ticket {today} “{claim.value}” ({claim.place.name}), but the page “{rule.place.name}” says "
        f"“{rule.value}”: “{shown(rule.sentence.text)}”."
    )
    others = [other for other in rules[1:3] if not other.quantity.agrees(rule.quantity)]
    if others:
        statement += f" The page “{others[0].place.name}” says “{others[0].value}”, so the pages differ, too."
    quotes = [claim.place.cite(claim.sentence.text), rule.place.cite(rule.sentence.text)]
    quotes += [other.place.cite(other.sentence.text) for other in (*others, *repeated[:2])]
    return Finding(
        rule=ID,
        category="conflict",
        priority=Priority.P1,
        statement=statement,
        why="Built as written, this would break the rule that the page states, or the page is out of date.",
        question=f"Which value holds, “{claim.value}” or “{rule.value}”, and which of the two texts will be corrected?",
        evidence=tuple(dict.fromkeys(quotes)),
    )
