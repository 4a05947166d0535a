"""Tests or test records expect another value than the text, or say that what is done does not work."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from core.pulls.types import Snapshot
from core.tickets import KEY
from core.types import Evidence, Filters, Query
from review.case import Case, Checked
from review.checks.demands import demanded, unchanged
from review.checks.matching import matches, same_value
from review.checks.places import shown
from review.checks.pulls import alive, difference, is_test, name_of
from review.checks.statements import Statement
from review.checks.tested_values import of_code, of_record
from review.text import visible_prose
from review.types import Cited, Finding, Priority, Settled, Unknown

ID = "contradicted-by-tests"
_SEARCHES = 6
_PASSAGES = 8
_TEXT = 300
"""Characters that are searched for."""
_PASSED = frozenset({"passed", "pass", "skipped", "not run", "untested", ""})
_BROKEN = frozenset({"failed", "fail", "error", "broken", "blocked"})


@dataclass(frozen=True, slots=True)
class Expected:
    """What a test or a test record expects."""

    statement: Statement
    quote: str
    source: str
    """As the subject of a sentence: `the test record “TC-12 ...”`."""
    evidence: Evidence

    def cite(self) -> Cited:
        return Cited(self.evidence.locator, self.evidence.labels, quote=self.quote.strip())


def check(case: Case) -> Checked:
    values = _values(case)
    state = _results(case)
    return Checked(
        (*state.findings, *values.findings),
        (*state.unknowns, *values.unknowns),
        (*state.settled, *values.settled),
        state.sources | values.sources,
    )


def _values(case: Case) -> Checked:
    stated = demanded(case)
    wanted = case.focus.first(unchanged(stated), lambda claim: claim.sentence.text)
    claims = list({claim.sentence.text: claim for claim in wanted}.values())[:_SEARCHES]
    changed = [one for snapshot in alive(case) for one in _in_pull(case, snapshot)] if wanted else []
    findings: dict[str, Finding] = {}
    settled: list[Settled] = []
    sources: set[str] = set()
    for looked_up in claims:
        expected = [*changed, *_expected(case, looked_up)]
        for claim in (claim for claim in wanted if claim.sentence.text == looked_up.sentence.text):
            found = {one.statement: one for one in expected}
            alike = matches(claim, list(found), exactly=True)
            agreeing = [match for match in alike if match.equal]
            if agreeing:
                one = found[agreeing[0].rule]
                settled.append(Settled(f"“{claim.value}” is what {one.source} expects, too.", (one.cite(),)))
                sources.add(one.evidence.document_id)
            elif alike and not _is_beside(claim, alike[0].rule, stated):
                finding = _finding(claim, found[alike[0].rule], case.ticket.kind)
                findings.setdefault(finding.fingerprint, finding)
    return Checked(tuple(findings.values()), settled=tuple(dict.fromkeys(settled)), sources=frozenset(sources))


def _is_beside(claim: Statement, other: Statement, stated: Sequence[Statement]) -> bool:
    """Whether a value is one that the ticket states elsewhere, or tries the limit from its other side."""
    if any(same_value(one.quantity, other.quantity) for one in stated):
        return True
    counted = claim.quantity.dimension.startswith("count")
    return counted and abs(claim.quantity.high - other.quantity.high) == 1 and claim.quantity.high > 2


def _expected(case: Case, claim: Statement) -> Iterator[Expected]:
    """What test records and tests of the index expect on a claim's subject."""
    text = " ".join(visible_prose(f"{claim.sentence.text} {case.ticket.summary}").split())[:_TEXT]
    for kind in ("qa", "code"):
        filters = Filters(kinds=frozenset({kind}))
        for one in case.search(Query(text, filters=filters, limit=_PASSAGES)).evidence:
            if one.kind == "qa":
                told = of_record(one, case.words)
                source = f"the test record “{shown(one.locator.title, 100)}”"
            elif one.kind == "code" and is_test(_path(one)):
                told, source = of_code(one, case.words), f"a test in {shown(one.locator.title, 100)}"
            else:
                continue
            yield from (Expected(statement, quote, source, one) for statement, quote in told)


def _path(evidence: Evidence) -> str:
    return evidence.document_id.rpartition(":")[2]


def _in_pull(case: Case, snapshot: Snapshot) -> Iterator[Expected]:
    """What the tests expect that a pull request adds or changes."""
    source = f"a test that the {name_of(snapshot)} changes"
    for line in difference(case, snapshot).lines:
        if line.added and is_test(line.path):
            told = of_code(replace(line.evidence, text=line.text), case.words)
            yield from (Expected(statement, quote, source, line.evidence) for statement, quote in told)


def _results(case: Case) -> Checked:
    """The last results of test records that name the ticket, if it is done."""
    ticket = case.ticket
    if not ticket.done or not ticket.key.strip():
        return Checked()
    query = Query(f"{ticket.key} {ticket.summary}"[:_TEXT], filters=Filters(kinds=frozenset({"qa"})), limit=_PASSAGES)
    found = [one for one in case.search(query).evidence if one.kind == "qa"]
    records = {one.document_id: one for one in found if _names(one, ticket.key)}
    finished = _finished(case)
    findings: list[Finding] = []
    unknowns: list[Unknown] = []
    settled: list[Settled] = []
    for record in records.values():
        result = record.attributes.get("status", "").strip().lower()
        title = shown(record.locator.title, 120)
        if result in _BROKEN and record.updated > finished:
            findings.append(_failing(case, record, result))
        elif result in _BROKEN:
            what = f"The test record “{title}” failed last on {record.updated:%Y-%m-%d}, before the ticket was done."
            unknowns.append(Unknown(what, "Running it again, and recording the result."))
        elif result not in _PASSED or result in {"passed", "pass"}:
            settled.append(Settled(f"The test record “{title}” says “{result}”.", (_result(record, result),)))
    sources = frozenset(records) if unknowns or settled else frozenset[str]()
    return Checked(tuple(findings), tuple(unknowns), tuple(settled), sources)


def _names(record: Evidence, key: str) -> bool:
    """Whether a record says that it is of this ticket."""
    return any(found == key for found in KEY.findall(f"{record.text} {record.locator.title}"))


def _finished(case: Case) -> datetime:
    """When the ticket came into its status; when it was changed last, if that is not known."""
    moves = [change.at for change in case.ticket.history if change.field.strip().lower() in {"status", "resolution"}]
    return moves[-1] if moves else case.ticket.updated


def _result(record: Evidence, result: str) -> Cited:
    """The words that tell the result, as far as the passage holds them."""
    line = next((line.strip() for line in record.text.splitlines() if result and result in line.lower()), "")
    return Cited(record.locator, record.labels, line, "" if line else f"its latest result ({result})")


def _failing(case: Case, record: Evidence, result: str) -> Finding:
    ticket = case.ticket
    return Finding(
        rule=ID,
        category="conflict",
        priority=Priority.P1,
        statement=f"The ticket is done (“{ticket.status}”), but the test record “{shown(record.locator.title, 120)}” "
        f"of it says “{result}” on {record.updated:%Y-%m-%d}.",
        why="Either the work is not right, or the test is not; whoever trusts the ticket's state will not look.",
        question="Is the failure a fault of the change, or does the test have to be corrected?",
        evidence=(Cited(ticket.locator, ticket.labels, quote=ticket.status.strip()), _result(record, result)),
    )


def _finding(claim: Statement, expected: Expected, noun: str) -> Finding:
    return Finding(
        rule=ID,
        category="conflict",
        priority=Priority.P2,
        statement=f"The {noun} says “{claim.value}” ({claim.place.name}: “{shown(claim.sentence.text)}”), but "
        f"{expected.source} expects another value: “{shown(expected.quote)}”.",
        why="One of the two is out of date; until that is settled the test fails or proves the wrong thing.",
        question=f"Does “{claim.value}” hold, and will the test be changed with it?",
        evidence=(claim.place.cite(claim.sentence.text), expected.cite()),
    )
