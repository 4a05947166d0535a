"""What a model is shown of a case."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from core.tickets import Ticket
from review.agents.choosing import View, choose, cited_by
from review.agents.fence import Fence
from review.agents.language import tag
from review.agents.templates import rendered
from review.budget import Budget
from review.register import Passage, Register
from review.types import Finding

FACT = 2_000
"""Characters of a finding."""


@dataclass(frozen=True, slots=True)
class Matter:
    """What one review is about."""

    ticket: Ticket
    register: Register
    facts: Sequence[Finding]
    """The rules' findings that a model may see, known to it as F1, F2, ..."""
    request: str
    """The text that asked for the review; it proves nothing."""
    language: str
    """As a BCP 47 tag, for when the request has too little text to tell."""
    fence: Fence
    budget: Budget
    marked: str = ""
    """The text of the ticket or page that is meant first, if one is."""


@dataclass(frozen=True, slots=True)
class Prompt:
    """What is sent, and what is in it."""

    case: str
    shown: tuple[Passage, ...]
    uncut: frozenset[str]
    """Ids of what is shown in full."""


def own_documents(ticket: Ticket) -> frozenset[str]:
    """Ids of the ticket or page and its comments."""
    return frozenset({ticket.document_id, *(comment.locator.document_id for comment in ticket.comments)})


def build(
    matter: Matter,
    view: View,
    candidates: Mapping[str, Finding] | None = None,
    pulls: Sequence[str] = (),
    share: float = 1.0,
) -> Prompt:
    """The prompt for one matter. `candidates` are the agents' findings by id, `pulls` names of pull requests that
    can be read in; `share` is how much of the usual length there is room for.
    """
    budget, fence, register = matter.budget, matter.fence, matter.register
    findings = [*matter.facts, *(candidates or {}).values()]
    characters = int(budget.prompt_characters * share)
    each = min(budget.source_characters, characters)
    shown = choose(matter.ticket, register, findings, view, characters=characters, each=each)
    named = {f"F{number}": fact for number, fact in enumerate(matter.facts, start=1)}
    case = rendered(
        "case",
        noun=matter.ticket.kind,
        key="" if matter.ticket.kind == "page" else matter.ticket.key,
        marked=fence.text(matter.marked, budget.source_characters) if matter.marked else "",
        request=fence.text(matter.request, budget.source_characters) if matter.request else "",
        language=tag(matter.language),
        pulls=pulls,
        sources=[fence.passage(passage, each) for passage in shown],
        facts=[_told(name, fact, register, fence) for name, fact in named.items()],
        candidates=[_told(name, one, register, fence) for name, one in (candidates or {}).items()],
    )
    return Prompt(case, tuple(shown), frozenset(passage.id for passage in shown if len(passage.text) <= each))


def _told(name: str, finding: Finding, register: Register, fence: Fence) -> str:
    sources = ", ".join(passage.id for passage in cited_by([finding], register))
    told = f"{finding.statement}\nWhy: {finding.why}\nQuestion: {finding.question}"
    return f"{name}, {finding.priority.name}, {finding.category}, from {sources}\n{fence.text(told, FACT)}"
