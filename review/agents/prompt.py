"""What the model is shown. Everything that others wrote stands in blocks whose marks nobody can have foreseen."""

import re
import secrets
from collections.abc import Sequence
from dataclasses import dataclass

from jinja2 import Environment, PackageLoader, StrictUndefined, select_autoescape

from core.tickets import Ticket
from review.budget import Budget
from review.register import Passage, Register
from review.types import Finding

COMMENTS = 40
CHANGES = 20
"""The newest of each that are shown; the rules read all."""

LEFT_OUT = 9

# Autoescape stays off for .md: a prompt is no HTML, and quotes must be copied literally. The fence keeps data apart.
_TEMPLATES = Environment(
    loader=PackageLoader("review", "prompts"),
    undefined=StrictUndefined,
    autoescape=select_autoescape(),
    trim_blocks=True,
    lstrip_blocks=True,
)

# Credentials that people paste into tickets, in the forms that their issuers publish. They are not shown to a model.
_SECRETS = re.compile(
    r"-----BEGIN [A-Z ]*PRIVATE KEY-----.{0,8000}?(?:-----END [A-Z ]*PRIVATE KEY-----|\Z)"
    r"|\bxox[abeprs]-[\w-]{10,}"  # Slack
    r"|\bxapp-[\w-]{10,}"
    r"|\bgh[opsur]_\w{20,}|\bgithub_pat_\w{20,}|\bglpat-[\w-]{20,}"
    r"|\bA(?:KIA|SIA)[A-Z0-9]{16}\b"  # AWS
    r"|\bATATT[\w=-]{20,}"  # Atlassian
    r"|\bsk-[\w-]{20,}"  # OpenAI, Anthropic
    r"|\beyJ[\w-]{8,}\.eyJ[\w-]{8,}\.[\w-]{8,}"  # JSON Web Token
    r"|(?<=://)[^\s:/@]{1,100}:[^\s:/@]{1,100}(?=@)",  # user and password in a URL
    re.DOTALL,
)


def redacted(text: str) -> str:
    """Text without credentials of well-known forms."""
    return _SECRETS.sub("[credential removed]", text)


class Fence:
    """Puts a text into a block that ends only where the fence ends it: the mark is drawn anew for each review."""

    def __init__(self) -> None:
        self.mark = f"source-{secrets.token_hex(8)}"

    def passage(self, passage: Passage, limit: int) -> str:
        """A passage with its id, cut at `limit` characters."""
        kind = "".join(c for c in passage.kind if c.isalnum())
        return self._block(
            f' id="{passage.id}" kind="{kind}"', f"{_shown(passage.title, 200)}\n---\n", passage.text, limit
        )

    def text(self, text: str, limit: int) -> str:
        """A text that cannot be cited."""
        return self._block("", "", text, limit)

    def _block(self, attributes: str, head: str, text: str, limit: int) -> str:
        return f"<{self.mark}{attributes}>\n{head}{_shown(text, limit)}\n</{self.mark}>"


def _shown(text: str, limit: int) -> str:
    """Credentials go before the cut, which could leave a part of one."""
    text = redacted(text)
    return text if len(text) <= limit else f"{text[:limit]}\n[{len(text) - limit} more characters are not shown]"


@dataclass(frozen=True, slots=True)
class Prompt:
    """What is sent, and what of the ticket itself was left out of it."""

    instructions: str
    case: str
    whole: frozenset[str]
    """Ids of the ticket's own texts that are shown uncut."""
    unseen: int
    """The ticket's own texts, changes and comments included, that are not shown or not in full."""


def build(
    ticket: Ticket, register: Register, facts: Sequence[Finding], request: str, fence: Fence, budget: Budget
) -> Prompt:
    """The prompt for one ticket. `request` is the text that asked for the review; it proves nothing."""
    shown, left = [], budget.prompt_characters
    for passage in _in_order(ticket, register, facts):
        size = min(len(passage.text), budget.source_characters)
        if size <= left:
            shown.append(passage)
            left -= size
    own = {ticket.document_id, *(comment.locator.document_id for comment in ticket.comments)}
    uncut = {p.id for p in shown if p.locator.document_id in own and len(p.text) <= budget.source_characters}
    return Prompt(
        instructions=_TEMPLATES.get_template("instructions.md").render(mark=fence.mark),
        case=_TEMPLATES.get_template("case.md").render(
            key=ticket.key,
            request=fence.text(request, budget.source_characters) if request else "",
            sources=[fence.passage(passage, budget.source_characters) for passage in shown],
            facts=[_fact(number, fact, register, fence) for number, fact in enumerate(facts, start=1)],
        ),
        whole=frozenset(passage_id for passage_id in uncut if register[passage_id].kind in ("ticket", "comment")),
        unseen=sum(passage.locator.document_id in own for passage in register) - len(uncut),
    )


def _in_order(ticket: Ticket, register: Register, facts: Sequence[Finding]) -> list[Passage]:
    """What matters most comes first: the ticket, what the rules cite, the newest comments, links, evidence, history.
    Of many comments and changes only the newest are there.
    """
    comments = [comment.locator.document_id for comment in reversed(ticket.comments)]
    age = {document: place for place, document in enumerate(comments)}
    changes = [p for p in register.of(ticket.document_id) if p.kind == "history"]
    old = {passage.id for passage in changes[:-CHANGES]}
    cited = {passage.id for fact in facts for passage in _cited(fact, register)}

    def rank(passage: Passage) -> tuple[int, int]:
        document = passage.locator.document_id
        if passage.kind == "ticket" and document == ticket.document_id:
            return 0, 0
        if passage.id in cited:
            return 1, 0
        if document in age:
            return (2, age[document]) if age[document] < COMMENTS else (LEFT_OUT, 0)
        if passage.kind == "history":
            return (5, 0) if passage.locator == ticket.locator and passage.id not in old else (LEFT_OUT, 0)
        return (3, 0) if passage.kind == "link" else (4, 0)

    ranked = sorted((rank(passage), number, passage) for number, passage in enumerate(register))
    return [passage for (place, _), _, passage in ranked if place != LEFT_OUT]


def _cited(fact: Finding, register: Register) -> list[Passage]:
    """Where each citation of a finding stands."""
    standing = (register.standing(cited) for cited in fact.evidence)
    return [passage for passage in standing if passage is not None]


def _fact(number: int, fact: Finding, register: Register, fence: Fence) -> str:
    sources = ", ".join(dict.fromkeys(passage.id for passage in _cited(fact, register)))
    told = f"{fact.statement}\nWhy: {fact.why}\nQuestion: {fact.question}"
    return f"F{number}, {fact.priority.name}, {fact.category}, from {sources}\n{fence.text(told, 2_000)}"
