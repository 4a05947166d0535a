"""Deeds that a page reserves for some, or forbids, and that a plan lets others do: the rule of reviews, on a plan."""

from collections.abc import Iterator
from datetime import UTC, datetime

from core.tickets import Ticket
from core.types import Locator
from review.case import Case
from review.checks import reserved_deeds
from review.checks.places import shown
from review.plan.matter import Matter
from review.plan.types import PlanCheck
from review.types import Finding

_PLAN = Locator("plan", "the plan", "")


def check(matter: Matter) -> Iterator[PlanCheck]:
    """One for each rule of a page that the plan breaks or does not speak of. Raises CoreError."""
    for finding in reserved_deeds.check(_case(matter)).findings:
        rules = tuple(one for one in finding.evidence if one.locator.document_id != _PLAN.document_id)
        if rules and not matter.known.says(rules[0].quote):
            yield PlanCheck(
                category="requirement or policy",
                priority=finding.priority,
                statement=_statement(finding, rules[0].quote),
                why=finding.why,
                evidence=rules,
            )


def _statement(finding: Finding, rule: str) -> str:
    said = next(
        (one.quote for one in finding.evidence if one.locator.document_id == _PLAN.document_id and one.quote), ""
    )
    title = next(one.locator.title for one in finding.evidence if one.locator.document_id != _PLAN.document_id)
    if said:
        return (
            f"The plan says “{shown(said)}”, but the page “{shown(title)}” says “{shown(rule)}”. Settle who may do "
            "this before it is built."
        )
    return (
        f"The page “{shown(title)}” says “{shown(rule)}”; the plan does not speak of that case. Decide what holds then."
    )


def _case(matter: Matter) -> Case:
    """The plan in the place of a ticket: only its words count."""
    reading, given = matter.reading, matter.given
    moment = datetime.min.replace(tzinfo=UTC)  # no date of it counts
    ticket = Ticket(
        id="",
        key="",
        project="",
        summary=given.title,
        description=given.prose,
        type="",
        status="",
        done=False,
        resolution=None,
        reporter=None,
        assignee=None,
        created=moment,
        updated=moment,
        labels=frozenset(),
        locator=_PLAN,
    )
    return Case(
        ticket=ticket,
        audience=reading.audience,
        search=reading.search,
        open_ticket=lambda _key: None,
        words=matter.words,
        now=moment,
    )
