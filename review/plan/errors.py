"""What can be wrong with a plan.

ReviewError
└── BadPlan    empty, or longer than is read    tell
"""

from review.errors import ReviewError


class BadPlan(ReviewError):
    """The plan cannot be checked as it is. The message says what to change."""
