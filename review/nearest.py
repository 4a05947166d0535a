"""What comes nearest to a question that nothing answers: documents that were found, by their titles."""

from collections.abc import Iterable

from core.types import Evidence
from review.text import language_of, stems

NEAREST = 3
"""Documents that are named."""
NEAR = 1 / 3
"""Share of the question's words that a title must have: less is chance."""


def nearest(question: str, found: Iterable[Evidence]) -> tuple[Evidence, ...]:
    """The documents whose titles have most of the question's words, a passage each; those found first before others
    that have as many.
    """
    language = language_of(question)
    asked = stems(question, language)
    first: dict[str, Evidence] = {}
    for one in found:
        first.setdefault(one.document_id, one)
    shared = {name: len(stems(one.locator.title, language) & asked) for name, one in first.items()}
    near = [one for name, one in first.items() if shared[name] > NEAR * len(asked)]
    return tuple(sorted(near, key=lambda one: -shared[one.document_id])[:NEAREST])
