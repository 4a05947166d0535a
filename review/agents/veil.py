"""What may not be shown to a model, by the settings."""

from collections.abc import Sequence

from core.pulls.types import Snapshot
from review.agents.choosing import cited_by
from review.register import Passage, Register
from review.types import Finding, Unknown
from review.wording import cut

NAMED = 3
"""Titles that are told."""


class Veil:
    """Access labels and sources that no model is shown. The reply's readers may read them, so titles can be told."""

    def __init__(self, withheld: frozenset[str]) -> None:
        self._withheld = withheld

    def hides(self, passage: Passage) -> bool:
        """Whether a passage must not be shown."""
        return passage.source in self._withheld or not passage.labels.isdisjoint(self._withheld)

    def hides_pull(self, snapshot: Snapshot) -> bool:
        """Whether nothing of a pull request must be shown."""
        return snapshot.ref.repo in self._withheld or not snapshot.labels.isdisjoint(self._withheld)

    def hides_finding(self, finding: Finding, register: Register) -> bool:
        """Whether a finding's wording may hold what must not be shown."""
        labels = frozenset[str]().union(*(cited.labels for cited in finding.evidence))
        return not labels.isdisjoint(self._withheld) or any(map(self.hides, cited_by([finding], register)))

    def unknowns(self, register: Register) -> Sequence[Unknown]:
        """What of the register was withheld, if anything was."""
        titles = {p.locator.document_id: cut(p.locator.title, 120) for p in register if self.hides(p)}
        if not titles:
            return []
        more = f" and {len(titles) - NAMED} more" if len(titles) > NAMED else ""
        named = "; ".join(list(titles.values())[:NAMED])
        what = f"Not shown to the model, as the settings want it, and read by the rules alone: {named}{more}."
        return [Unknown(what, "Reading it oneself, or the setting model.withhold.")]
