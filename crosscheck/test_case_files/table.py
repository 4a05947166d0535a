"""A draft as a table: a row a case."""

from collections.abc import Iterator

from crosscheck.test_case_files.cells import addresses, as_csv, numbered, titles
from review.test_cases.types import Draft

COLUMNS = (
    "id", "number", "ticket", "title", "kind", "priority", "reason", "preconditions", "steps", "expected", "sources",
    "addresses",
)  # fmt: skip


def table(draft: Draft) -> bytes:
    """CSV."""
    return as_csv(COLUMNS, rows(draft))


def rows(draft: Draft) -> Iterator[tuple[str, ...]]:
    """The cells of each case, as text."""
    for number, one in draft.numbered:
        steps = (f"{step.action} Expected: {step.expected}" if step.expected else step.action for step in one.steps)
        yield (
            one.id,
            str(number),
            draft.ticket,
            one.title,
            one.kind,
            one.urgency,
            one.reason,
            "\n".join(one.preconditions),
            numbered(steps),
            one.expected,
            titles(one.sources),
            addresses(one.sources),
        )
