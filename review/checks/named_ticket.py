"""A page states another value than a ticket that it names: the same quantity in both."""

from dataclasses import replace

from core.tickets import Ticket
from review.case import Case, Checked
from review.checks.demands import demanded, unchanged
from review.checks.linked_ticket import is_rejected
from review.checks.matching import matches
from review.checks.places import named_keys, shown
from review.checks.statements import Statement
from review.types import Finding, Priority, Settled

ID = "named-ticket"


def check(case: Case) -> Checked:
    named = _named(case)
    claims = case.focus.first(unchanged(demanded(case)), lambda claim: claim.sentence.text) if named else []
    findings: dict[str, Finding] = {}
    settled: list[Settled] = []
    sources: set[str] = set()
    for ticket in named:
        rules = [rule for rule in demanded(replace(case, ticket=ticket)) if rule.role != "from"]
        for claim in claims:
            alike = matches(claim, rules, exactly=True)
            equal = next((match.rule for match in alike if match.equal), None)
            if equal:
                what = f"“{claim.value}” is what {ticket.key} says, too."
                settled.append(Settled(what, (equal.place.cite(equal.sentence.text),)))
                sources.add(ticket.document_id)
            elif alike:
                found = _finding(claim, ticket, alike[0].rule)
                findings.setdefault(found.fingerprint, found)
    return Checked(tuple(findings.values()), settled=tuple(dict.fromkeys(settled)), sources=frozenset(sources))


def _named(case: Case) -> list[Ticket]:
    """The tickets that the page names, as far as they are there for this audience and were not turned down."""
    opened = (case.open_ticket(key) for key in named_keys(case.ticket))
    return [ticket for ticket in opened if ticket is not None and not is_rejected(ticket, case.words)]


def _finding(claim: Statement, ticket: Ticket, rule: Statement) -> Finding:
    return Finding(
        rule=ID,
        category="conflict",
        priority=Priority.P2 if ticket.done else Priority.P1,
        statement=f"The page says “{claim.value}” ({claim.place.name}: “{shown(claim.sentence.text)}”), but "
        f"{ticket.key}, which it names, says “{rule.value}” ({rule.place.name}: “{shown(rule.sentence.text)}”).",
        why="Whoever reads only one of the two builds and tests another value than whoever reads the other.",
        question=f"Which value holds, “{claim.value}” or “{rule.value}”, and which of the two texts will be corrected?",
        evidence=(claim.place.cite(claim.sentence.text), rule.place.cite(rule.sentence.text)),
    )
