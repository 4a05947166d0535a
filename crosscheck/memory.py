"""What earlier reviews of a ticket told, and what people set aside since: the review's memory, in the database."""

from datetime import datetime

from state.reviews import Reviews
from state.types import Dismissed, ReviewView


class Memory:
    """`review.service.Memory` of one site."""

    def __init__(self, reviews: Reviews, site: str) -> None:
        self._reviews = reviews
        self._site = site

    def subject(self, document_id: str) -> str:
        """What the database calls a ticket."""
        return f"{self._site}|{document_id}"

    def told(self, document_id: str) -> tuple[ReviewView, ...]:
        """The reviews of a ticket that were posted, oldest first."""
        return self._reviews.told(self.subject(document_id))

    def last(self, document_id: str, held: frozenset[str], before: datetime) -> ReviewView | None:
        """The last review, posted before then, that was made for nothing beyond the labels `held`."""
        return self._reviews.last(self.subject(document_id), held, before)

    def dismissals(self, document_id: str) -> tuple[Dismissed, ...]:
        """What was set aside, oldest first."""
        return self._reviews.dismissals(self.subject(document_id))
