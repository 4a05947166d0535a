"""An answer as an Outline: statements with the numbers of their sources, the sources, what is not known."""

from collections.abc import Iterator

from bots.outline import Block, Bullets, Heading, Link, Outline, Span, Words, words
from review.answer import Answered, Reference


def answer_outline(answer: Answered) -> Outline:
    """For people who asked a question."""
    blocks: list[Block] = [
        words(f"{said.text} {''.join(f'[{number}]' for number in said.sources)}") for said in answer.statements
    ]
    if not blocks:
        blocks.append(words("No source that may be shown here answers this question."))
    if answer.references:
        blocks.append(Heading("Sources"))
        blocks.append(Bullets(tuple(tuple(_source(one)) for one in answer.references), ordered=True))
    if answer.unknowns:
        blocks.append(Heading("Not known"))
        items = tuple((Words(f"{one.what} What would settle it: {one.settled_by}"),) for one in answer.unknowns)
        blocks.append(Bullets(items))
    blocks.append(Heading("How this was made"))
    made = f"Made by {answer.made_by}. Written on {answer.at:%Y-%m-%d %H:%M} UTC."
    blocks.append(Bullets(tuple((Words(line),) for line in (made, *answer.degraded))))
    return tuple(blocks)


def _source(reference: Reference) -> Iterator[Span]:
    """Title, kind and age."""
    locator = reference.cited.locator
    yield Link(locator.label, locator) if locator.url else Words(locator.label)
    changed = f", changed {reference.updated:%Y-%m-%d}" if reference.updated else ""
    yield Words(f" ({reference.kind}{changed})")
