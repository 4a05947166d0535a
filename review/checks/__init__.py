"""The rules that need no model, one module each. A further rule is one more line here.

The order is that in which findings of one priority are told.
"""

from review.case import Rule
from review.checks import (
    acceptance_criteria,
    changed_after_agreement,
    earlier_bug,
    linked_ticket,
    policy_conflict,
    unanswered_question,
    undecided,
)

RULES: tuple[Rule, ...] = (
    Rule(acceptance_criteria.ID, "No acceptance criteria or expected result", acceptance_criteria.check),
    Rule(policy_conflict.ID, "A number or limit contradicts a policy page", policy_conflict.check),
    Rule(changed_after_agreement.ID, "The text changed after it was agreed", changed_after_agreement.check),
    Rule(undecided.ID, "Something is marked as undecided", undecided.check),
    Rule(unanswered_question.ID, "A question in the comments has no answer", unanswered_question.check),
    Rule(linked_ticket.ID, "A blocker is open, or a linked ticket was rejected", linked_ticket.check),
    Rule(earlier_bug.ID, "An earlier bug's condition is not covered", earlier_bug.check),
)
