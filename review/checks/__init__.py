"""The rules that need no model, one module each. A further rule is one more line here.

The order is that in which findings of one priority are told.
"""

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
    not_deployed,
    other_base,
    policy_conflict,
    pull_conflict,
    reserved_deeds,
    thresholds,
    unanswered_question,
    undecided,
)

RULES: tuple[Rule, ...] = (
    Rule(acceptance_criteria.ID, "No acceptance criteria or expected result", acceptance_criteria.check),
    Rule(policy_conflict.ID, "A number or limit contradicts a policy page", policy_conflict.check),
    Rule(pull_conflict.ID, "A number or limit contradicts the pull request", pull_conflict.check),
    Rule(reserved_deeds.ID, "A page lets only others do it, or forbids it in a case", reserved_deeds.check),
    Rule(changed_after_agreement.ID, "The text changed after it was agreed", changed_after_agreement.check),
    Rule(undecided.ID, "Something is marked as undecided", undecided.check),
    Rule(unanswered_question.ID, "A question in the comments has no answer", unanswered_question.check),
    Rule(cited_page.ID, "A page that the ticket relies on holds no longer", cited_page.check),
    Rule(linked_ticket.ID, "A blocker is open, or a linked ticket was rejected", linked_ticket.check),
    Rule(not_deployed.ID, "Done, but not merged or not deployed", not_deployed.check),
    Rule(other_base.ID, "The pull request goes into another version", other_base.check),
    Rule(contradicted_by_tests.ID, "Tests or test records contradict the ticket", contradicted_by_tests.check),
    Rule(flipped_value.ID, "A value was changed back and forth", flipped_value.check),
    Rule(thresholds.ID, "What holds at a limit is not said", thresholds.check),
    Rule(named_in_pull.ID, "What the ticket names is not in the pull request", named_in_pull.check),
    Rule(existing_data.ID, "Stored data changes its shape, and nothing is said of what is there", existing_data.check),
    Rule(earlier_bug.ID, "An earlier bug's condition is not covered", earlier_bug.check),
    Rule(consumers.ID, "Others use what the pull request changes", consumers.check),
)
