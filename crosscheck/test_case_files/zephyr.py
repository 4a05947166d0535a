"""A draft as CSV for the import of Zephyr (formerly Zephyr Scale) from a file.

Columns are called as Zephyr's own export calls them, so that the import maps them by name; a case goes on in the rows
below that have no `Name`. Product documentation: https://support.smartbear.com/zephyr-scale-cloud/docs/
"""

from collections.abc import Iterator

from crosscheck.test_case_files.cells import about, as_csv, labels, steps
from review.test_cases.types import Draft, DraftedCase
from review.wording import cut

COLUMNS = (
    "Name", "Status", "Precondition", "Objective", "Folder", "Priority", "Labels", "Coverage (Issues)",
    "Test Script (Step-by-Step) - Step", "Test Script (Step-by-Step) - Test Data",
    "Test Script (Step-by-Step) - Expected Result",
)  # fmt: skip
NAME = 250
"""Characters: Zephyr takes 255."""
PRIORITIES = {"high": "High", "medium": "Normal", "low": "Low"}


def write(draft: Draft) -> bytes:
    """A row a step; what is said of the whole case stands in its first."""
    return as_csv(COLUMNS, (row for one in draft.cases for row in _rows(draft, one)))


def _rows(draft: Draft, one: DraftedCase) -> Iterator[tuple[str, ...]]:
    head = (
        cut(one.title, NAME),
        "Draft",
        "\n".join(one.preconditions),
        about(one),
        f"/{draft.key.replace('/', '-')}",
        PRIORITIES[one.urgency],
        ",".join(labels(draft.key, one)),
        draft.ticket,
    )
    for number, (action, expected) in enumerate(steps(one)):
        yield (*(("",) * len(head) if number else head), action, "", expected)
