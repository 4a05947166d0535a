"""The rules that need no model, one module each. A further rule is one more line here.

The order is that in which findings of one priority are told.
"""

from core.tickets import Kind
from review.case import Rule
from review.checks import (
    acceptance_criteria,
    changed_after_agreement,
    cited_page,
    consumers,
    contradicted_by_tests,
    earlier_bug,
    existing_data,
    flipped_value,
    linked_ticket,
    named_in_pull,
    named_ticket,
    not_deployed,
    other_base,
    policy_conflict,
    pull_conflict,
    reserved_deeds,
    thresholds,
    unanswered_question,
    undecided,
)

_TICKETS: frozenset[Kind] = frozenset({"ticket"})
"""Of a page there are no criteria, no state of the work and no pull requests."""
_PAGES: frozenset[Kind] = frozenset({"page"})

RULES: tuple[Rule, ...] = (
    Rule(acceptance_criteria.ID, "No acceptance criteria or expected result", acceptance_criteria.check, _TICKETS),
    Rule(policy_conflict.ID, "A number or limit contradicts a page", policy_conflict.check),
    Rule(named_ticket.ID, "A number or limit contradicts a ticket that is named", named_ticket.check, _PAGES),
    Rule(pull_conflict.ID, "A number or limit contradicts the pull request", pull_conflict.check, _TICKETS),
    Rule(reserved_deeds.ID, "A page lets only others do it, or forbids it in a case", reserved_deeds.check),
    Rule(changed_after_agreement.ID, "The text changed after it was agreed", changed_after_agreement.check),
    Rule(undecided.ID, "Something is marked as undecided", undecided.check),
    Rule(unanswered_question.ID, "A question in the comments has no answer", unanswered_question.check),
    Rule(cited_page.ID, "A page that is relied on holds no longer", cited_page.check),
    Rule(linked_ticket.ID, "A linked ticket stands in the way", linked_ticket.check, _TICKETS),
    Rule(not_deployed.ID, "Done, but not merged or not deployed", not_deployed.check, _TICKETS),
    Rule(other_base.ID, "The pull request goes into another version", other_base.check, _TICKETS),
    Rule(contradicted_by_tests.ID, "Tests or test records contradict the text", contradicted_by_tests.check),
    Rule(flipped_value.ID, "A value was changed back and forth", flipped_value.check),
    Rule(thresholds.ID, "What holds at a limit is not said", thresholds.check),
    Rule(named_in_pull.ID, "What the ticket names is not in the pull request", named_in_pull.check, _TICKETS),
    Rule(
        existing_data.ID,
        "Stored data changes its shape, and nothing is said of what is there",
        existing_data.check,
        _TICKETS,
    ),
    Rule(earlier_bug.ID, "An earlier bug's condition is not covered", earlier_bug.check),
    Rule(consumers.ID, "Others use what the pull request changes", consumers.check, _TICKETS),
)
