"""A number or limit contradicts a page: the same quantity with another value."""

from collections.abc import Iterator

from core.types import Evidence, Filters, Query
from review.case import Case, Checked
from review.checks.demands import CLAIMS, demanded, unchanged
from review.checks.matching import Match, matches
from review.checks.pages import in_force, void_words
from review.checks.places import evidence_place, shown
from review.checks.statements import Statement, statements
from review.text import language_of, phrases, visible_prose
from review.types import Finding, Priority, Settled, Unknown
from review.words import Words

ID = "policy-conflict"
_SEARCHES = 12
_TEXT = 400
"""Characters that are searched for."""
_PAGES = 12
"""Passages that a search returns."""


def check(case: Case) -> Checked:
    if case.ticket.kind == "page" and (notice := void_words(case.ticket.description, case.words)):
        said = shown(notice.strip("> *_#|!"))
        what = f"The page says of itself that it holds no longer: “{said}”. Its numbers were not compared."
        return Checked(settled=(Settled(what),))
    stated = demanded(case)
    wanted = case.focus.first(unchanged(stated), lambda claim: claim.sentence.text)
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
        alike = matches(claim, found.get(claim.sentence.text, []))
        if not alike:
            continue
        agreeing = [match for match in alike if match.agrees]
        if not agreeing:
            conflicts.append((claim, alike))
        elif len(agreeing) < len(alike):
            unknowns.append(_pages_disagree(alike, case.ticket.kind))
        else:
            settled.append(_agreed(claim, alike[0].rule))
        if agreeing:
            sources |= {match.rule.place.locator.document_id for match in alike}
    if len(looked_up) == _SEARCHES or len(stated) == CLAIMS:
        what = f"Only the first numbers of the {case.ticket.kind} were compared with policies."
        unknowns.append(Unknown(what, f"A shorter {case.ticket.kind}."))
    return Checked(
        tuple(_findings(conflicts, case.ticket.kind)),
        tuple(dict.fromkeys(unknowns)),
        tuple(dict.fromkeys(settled)),
        sources=frozenset(sources),
    )


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
            is_void = not in_force(page, self._case.words)
            self._void[page.document_id] = self._void.get(page.document_id, False) or is_void
            self._rules[page.id] = [] if is_void else list(_rules(page, self._case.words))


def _rules(page: Evidence, words: Words) -> Iterator[Statement]:
    """What a page says today: not what it says was, nor its examples."""
    language = language_of(page.text)
    heading = page.locator.heading or ""
    for rule in statements(evidence_place(page), f"{page.locator.title} {heading}", words, language):
        if rule.sentence.prose not in phrases(words.superseded) and not rule.sentence.prose.rstrip().endswith("?"):
            yield rule


def _agreed(claim: Statement, rule: Statement) -> Settled:
    what = f"“{claim.value}” is what the page “{rule.place.name}” says, too."
    return Settled(what, evidence=(rule.place.cite(rule.sentence.text),))


def _pages_disagree(alike: list[Match], noun: str) -> Unknown:
    one = next(match.rule for match in alike if match.agrees)
    other = next(match.rule for match in alike if not match.agrees)
    return Unknown(
        f"Two pages differ: “{one.place.name}” says “{shown(one.sentence.text)}”, “{other.place.name}” says "
        f"“{shown(other.sentence.text)}”. The {noun} follows the first; which one holds could not be told.",
        "Saying which of the two pages is in force.",
    )


def _findings(conflicts: list[tuple[Statement, list[Match]]], noun: str) -> Iterator[Finding]:
    """One for each rule of a page and value of the ticket, however often the value is repeated."""
    grouped: dict[tuple[str, str, float, float], list[tuple[Statement, list[Match]]]] = {}
    for claim, alike in conflicts:
        rule = alike[0].rule
        key = (rule.place.locator.document_id, rule.sentence.text, claim.quantity.low, claim.quantity.high)
        grouped.setdefault(key, []).append((claim, alike))
    for group in grouped.values():
        claim, alike = group[0]
        yield _finding(noun, claim, [other for other, _ in group[1:]], [match.rule for match in alike])


def _finding(noun: str, claim: Statement, repeated: list[Statement], rules: list[Statement]) -> Finding:
    rule = rules[0]
    today = "takes today's value to be" if claim.role == "from" else "says"
    statement = (
        f"The {noun} {today} “{claim.value}” ({claim.place.name}), but the page “{rule.place.name}” says "
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
