"""Chooses which of the evidence matters. The model answers with numbers; the program keeps what they name."""

from collections.abc import Sequence

from review.agents.asking import Prepared, Question
from review.agents.prompt import Matter
from review.agents.templates import rendered
from review.register import Passage

NAME = "relevance"
EACH = 800
"""Characters of a passage that the choice is made by."""
OWN = 3
"""Pieces of a ticket's or page's own text."""
FEWEST = 3
"""Passages from which a choice is worth a call."""


def question(matter: Matter, own: Sequence[Passage], passages: Sequence[Passage]) -> Question[list[int]]:
    """Asks which of the passages matter for the matter whose texts are `own`. They are numbered from 1."""

    def prepare(share: float) -> Prepared:
        each = int(EACH * share)
        numbered = [f"{n}\n{matter.fence.passage(passage, each)}" for n, passage in enumerate(passages, start=1)]
        ticket = [matter.fence.passage(passage, matter.budget.source_characters) for passage in own[:OWN]]
        marked = ["# Marked", matter.fence.text(matter.marked, EACH)] if matter.marked else []
        head = f"# {matter.ticket.kind.capitalize()}"
        return Prepared("\n\n".join([head, *ticket, *marked, "# Passages", *numbered]))

    return Question(
        name=NAME,
        instructions=rendered("relevance"),
        output=list[int],
        says="Gives the numbers of the passages that matter. Ends the work.",
        prepare=prepare,
    )


def dropped(passages: Sequence[Passage], chosen: Sequence[int]) -> frozenset[str]:
    """Ids of the passages that were not chosen. Numbers that name nothing count for nothing."""
    kept = {passages[number - 1].id for number in chosen if 1 <= number <= len(passages)}
    return frozenset(passage.id for passage in passages) - kept
