"""An answer as an Outline: statements with the numbers of their sources, the sources, what is not known."""

from collections.abc import Iterator

from bots.outline import Block, Bullets, Heading, Link, Outline, Paragraph, Span, Words, words
from review.answer import Answered, Reference
from review.wording import cut

ASKED = 80
"""Characters of the question that are repeated where nothing was found."""


def answer_outline(answer: Answered) -> Outline:
    """For people who asked a question. What they may not see is told as what does not exist."""
    blocks: list[Block] = [
        words(f"{said.text} {''.join(f'[{number}]' for number in said.sources)}") for said in answer.statements
    ]
    if not blocks:
        blocks.append(Paragraph(tuple(_nothing(answer))))
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


def _nothing(answer: Answered) -> Iterator[Span]:
    """That nothing was found, and what comes nearest."""
    about = f"about “{cut(answer.question, ASKED)}”"
    if not answer.searched:
        yield Words(f"I could not search for anything {about}.")
        return
    yield Words(f"I found nothing that everybody here may see {about}.")
    for number, one in enumerate(answer.nearest):
        yield Words(", " if number else " Nearest: ")
        yield from _source(one)
    if answer.nearest:
        yield Words(".")


def _source(reference: Reference) -> Iterator[Span]:
    """Title, kind and age."""
    locator = reference.cited.locator
    yield Link(locator.label, locator) if locator.url else Words(locator.label)
    said = "said" if reference.kind == "thread" else "changed"
    age = f", {said} {reference.updated:%Y-%m-%d}" if reference.updated else ""
    stale = ", from a source that was not read lately" if reference.stale else ""
    yield Words(f" ({reference.kind}{age}{stale})")
