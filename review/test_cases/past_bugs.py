"""Regression cases from bugs of the same matter that were repaired before."""

from collections.abc import Sequence

from core.tickets import Ticket
from review.case import Case
from review.checks import earlier_bug
from review.checks.places import Place, written
from review.reading import Reading
from review.register import Passage
from review.test_cases.material import bare
from review.test_cases.reproduction import KEYED, Reproduction, condition_of, reproduction
from review.test_cases.types import DraftedCase, Step
from review.types import Cited
from review.wording import cut
from review.words import Words

MOST = 5
"""Earlier bugs that are tried again."""


def past_bugs(case: Case, reading: Reading) -> list[DraftedCase]:
    """One case for each earlier bug, the likest first. Raises CoreError."""
    cases = [_case(document, quotes, case, reading) for document, quotes in _alike(case).items()]
    return [one for one in cases if one is not None][:MOST]


def is_fixed_bug(ticket: Ticket, words: Words) -> bool:
    """Whether a bug was closed by a repair."""
    ended = {(ticket.resolution or "").strip().lower(), ticket.status.strip().lower()}
    is_bug = ticket.type.strip().lower() in words.bugs
    return is_bug and ticket.done and not ended & {*words.rejected, *words.unfixed}


def _alike(case: Case) -> dict[str, tuple[Cited, ...]]:
    """Documents of the bugs that a review would speak of, with what it would quote, and of the linked ones."""
    checked = earlier_bug.check(case)
    found = {
        finding.evidence[0].locator.document_id: tuple(c for c in finding.evidence if c.quote)
        for finding in checked.findings
    }
    found |= {document: () for document in sorted(checked.sources) if document not in found}
    for link in sorted(case.ticket.links, key=lambda one: one.key):
        if link.done and link.type.strip().lower() in case.words.bugs:
            found.setdefault(link.locator.document_id, ())
    return found


def _case(document: str, quotes: Sequence[Cited], case: Case, reading: Reading) -> DraftedCase | None:
    passages = reading.register.of(document)
    if not passages:
        return None
    title = passages[0].locator.title
    key = next(iter(KEYED.findall(title)), "")
    bug = case.open_ticket(key) if key else None
    if bug is not None and not is_fixed_bug(bug, case.words):
        return None
    told = reproduction(_places(bug, passages), case.words)
    sources = tuple(dict.fromkeys((*told.cited, *quotes))) or _by_title(passages)
    return _written(bug.summary if bug else title, key, told, sources) if sources else None


def _places(bug: Ticket | None, passages: Sequence[Passage]) -> list[Place]:
    """The bug's own texts as they are now; as the index has them where it cannot be opened."""
    if bug is not None:
        return [place for place in written(bug) if place.part != "title"]
    return [Place(one.locator.title, one.text, one.locator, one.labels) for one in passages if one.kind == "ticket"]


def _by_title(passages: Sequence[Passage]) -> tuple[Cited, ...]:
    first = passages[0]
    line = next((line.strip() for line in first.text.splitlines() if line.strip()), "")
    return (Cited(first.locator, first.labels, quote=line),) if line else ()


def _written(title: str, key: str, told: Reproduction, sources: tuple[Cited, ...]) -> DraftedCase:
    name = bare(KEYED.sub("", title))
    condition = condition_of(title)
    actions = told.actions or (f"Bring this about: {condition}",)
    expected = told.expected[0].text if told.expected else f"What was wrong then does not happen: “{name}”"
    return DraftedCase(
        kind="regression",
        title=f"Earlier bug {key} does not come back: {cut(name, 140)}".replace("  ", " "),
        preconditions=tuple(f"{one.text}." for one in told.before),
        steps=tuple(Step(f"{action}.") for action in actions),
        expected=f"{expected}.",
        urgency="medium",
        reason="What broke here once breaks again most easily when the same place is changed.",
        sources=sources,
        condition=f"bug {key or name.lower()}",
    )
