"""What models may spend in a day."""

from typing import Protocol

from review.errors import ModelFailed


class Purse(Protocol):
    """Tokens, read and written, of one day (UTC), of everybody who asks a model."""

    @property
    def limit(self) -> int:
        """Of a day."""

    def left(self) -> int:
        """Of today; not above zero: nothing."""

    def take(self, tokens: int) -> None:
        """Note what was used, whether or not it was left."""


class SpendingReached(ModelFailed):
    """What models may use in a day is used up. Asking again before the next day does not help."""

    def __init__(self, limit: int) -> None:
        super().__init__(
            f"The models have used up the {limit:,} tokens of a day; they are asked again after 00:00 UTC."
        )
