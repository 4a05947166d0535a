"""What can go wrong in a review.

ReviewError
├── NothingToReview    the audience may not read the ticket, or it is gone       tell
├── BadPlan            nothing that can be checked as a plan (review/plan/errors.py)   tell
├── ModelFailed        no usable answer from the models; the rules' review stands (caught in service.py)
│   ├── JudgingFailed  ... and what they used all the same (review/agents/failures.py)
│   └── SpendingReached    what they may use in a day is used up (review/agents/purse.py)
└── ModelNotKnown      the settings name a model that cannot be built             wake
"""

from typing import ClassVar, Literal

Advice = Literal["retry", "tell", "wake"]


class ReviewError(Exception):
    """Root. The message is for people."""

    advice: ClassVar[Advice] = "tell"
    retry_after: float | None = None


class NothingToReview(ReviewError):
    """The ticket is not there, or not for this audience: the same sentence for both."""


class ModelFailed(ReviewError):
    """The model gave no usable answer."""

    advice = "retry"


class ModelNotKnown(ReviewError):
    """The settings name a model that cannot be built."""

    advice = "wake"
