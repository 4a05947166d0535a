"""A draft as CSV for TestRail's import.

Columns are called as TestRail calls the fields of its template "Test Case (Steps)", so that the import maps them by
name. In the wizard choose the layout "Test cases use multiple rows" with `Title` as the column that tells where a case
begins. Described by the vendor under "Import from CSV/Excel" (https://support.testrail.com), and with the same words at
https://docs.testrail.techmatrix.jp/testrail/docs/702/user-guide/howto/import-csv
"""

from collections.abc import Iterator

from crosscheck.test_case_files.cells import as_csv, steps
from review.test_cases.types import Draft, DraftedCase
from review.wording import cut

COLUMNS = (
    "Title", "Section", "Template", "Type", "Priority", "References", "Preconditions", "Steps (Step)",
    "Steps (Expected Result)",
)  # fmt: skip
TITLE = 250
"""Characters that TestRail keeps of a title."""
PRIORITIES = {"high": "High", "medium": "Medium", "low": "Low"}


def write(draft: Draft) -> bytes:
    """A row a step; what is said of the whole case stands in its first."""
    return as_csv(COLUMNS, (row for one in draft.cases for row in _rows(draft, one)))


def _rows(draft: Draft, one: DraftedCase) -> Iterator[tuple[str, ...]]:
    head = (
        cut(one.title, TITLE),
        cut(draft.headline, 140),
        "Test Case (Steps)",
        "Regression" if one.kind == "regression" else "Functional",
        PRIORITIES[one.urgency],
        draft.ticket,
        "\n".join(one.preconditions),
    )
    for number, (action, expected) in enumerate(steps(one)):
        yield (*(("",) * len(head) if number else head), action, expected)
