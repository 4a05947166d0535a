"""A draft as CSV for Xray's Test Case Importer, which both Xray Cloud and Xray for Data Center have.

Described at https://docs.getxray.app/display/XRAYCLOUD/Importing+Tests+using+Test+Case+Importer: the importer asks for
each column's field, `Issue ID` tells which rows are one test, and `Issue ID`, `Test Summary` and `Test Type` must be
mapped. Columns are called, and filled, as in the vendor's own examples (https://github.com/Xray-App/xray-code-snippets,
`use_cases/import_from_zephyr_scale/cloud/atm-exporter.csv`): its settings have `,` between columns and `;` in a list,
and the priority is one of Jira's ids. Map `Links` to the kind of link by which tests cover a story. At most 1,000 tests
an import.
"""

from collections.abc import Iterator

from crosscheck.test_case_files.cells import about, as_csv, cell, labels, steps
from review.test_cases.types import Draft, DraftedCase
from review.wording import cut

COLUMNS = (
    "Issue ID", "Test Type", "Test Summary", "Test Priority", "Action", "Data", "Result", "Test Repo", "Labels",
    "Description", "Links",
)  # fmt: skip
SUMMARY = 250
"""Characters: Jira takes 255."""
PRIORITIES = {"high": "2", "medium": "3", "low": "4"}
"""Ids of High, Medium and Low in a new Jira."""


def write(draft: Draft) -> bytes:
    """A row a step; what is said of the whole test stands in its first."""
    return as_csv(COLUMNS, (row for number, one in draft.numbered for row in _rows(draft, number, one)))


def _rows(draft: Draft, number: int, one: DraftedCase) -> Iterator[tuple[str, ...]]:
    before = "".join(f"Precondition: {text}\n" for text in one.preconditions)
    summary, priority = cut(cell(one.title), SUMMARY), PRIORITIES[one.urgency]
    about_it = (draft.ticket, ";".join([*labels(draft.key, one), one.id]), f"{before}{about(one)}", draft.ticket)
    for place, (action, result) in enumerate(steps(one)):
        head = ("", "") if place else (summary, priority)
        yield (str(number), "Manual", *head, action, "", result, *(("",) * len(about_it) if place else about_it))
