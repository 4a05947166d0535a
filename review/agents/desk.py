"""What one agent has before it."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from core.types import Evidence
from review.agents.audit import Audit
from review.agents.fence import Fence
from review.agents.meter import Stage
from review.agents.prompt import Prompt
from review.agents.scope import AgentScope
from review.agents.veil import Veil
from review.budget import Budget
from review.reading import Reading
from review.register import Passage


@dataclass(slots=True)
class Desk:
    """One agent's means in one review."""

    scope: AgentScope
    reading: Reading
    fence: Fence
    budget: Budget
    veil: Veil
    audit: Audit
    stage: Stage
    shown: set[str] = field(default_factory=set)
    """Ids of the passages that it was shown: all that it may cite."""

    uncut: set[str] = field(default_factory=set)
    """Of these, what its prompt holds in full."""

    def lay(self, prompt: Prompt) -> None:
        """Remember what its prompt holds."""
        self.uncut.update(prompt.uncut)
        self.show(prompt.shown)

    def show(self, passages: Iterable[Passage]) -> None:
        """Remember what is sent to it."""
        passages = tuple(passages)
        self.shown.update(passage.id for passage in passages)
        self.audit.sent(self.scope.name, passages)

    def told(self, found: Sequence[Evidence | Passage]) -> str:
        """What was found as far as it fits, without what no model is shown."""
        enter = self.reading.register.add_evidence
        entered = [one if isinstance(one, Passage) else enter(one) for one in found]
        passages = [passage for passage in entered if passage is not None and not self.veil.hides(passage)]
        fitting, left = [], self.budget.answer_characters
        for passage in passages:
            if left > 0:
                fitting.append((passage, min(left, self.budget.source_characters)))
                left -= len(passage.text)
        self.show(passage for passage, _ in fitting)
        return "\n\n".join(self.fence.passage(*one) for one in fitting)
