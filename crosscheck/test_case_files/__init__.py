"""Drafts of test cases as files: for people, and in the forms that test management tools import."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Literal, get_args

from crosscheck.test_case_files import gherkin, testrail, workbook, xray, zephyr
from crosscheck.test_case_files.table import table
from review.test_cases.types import Draft

Form = Literal["csv", "xlsx", "gherkin", "testrail", "xray", "zephyr"]
FORMS: tuple[Form, ...] = get_args(Form)


@dataclass(frozen=True, slots=True)
class File:
    """A draft, ready to be stored or uploaded."""

    name: str
    media_type: str
    content: bytes


@dataclass(frozen=True, slots=True)
class _Writer:
    ending: str
    media_type: str
    write: Callable[[Draft], bytes]


_CSV = "text/csv; charset=utf-8"
_WRITERS: Mapping[Form, _Writer] = {
    "csv": _Writer(".csv", _CSV, table),
    "xlsx": _Writer(".xlsx", "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet", workbook.write),
    "gherkin": _Writer(".feature", "text/plain; charset=utf-8", gherkin.write),
    "testrail": _Writer("-testrail.csv", _CSV, testrail.write),
    "xray": _Writer("-xray.csv", _CSV, xray.write),
    "zephyr": _Writer("-zephyr.csv", _CSV, zephyr.write),
}


def exported(draft: Draft, form: Form) -> File:
    """The draft in one of the forms. Its name is the ticket's key and what kind of file it is, and nothing else."""
    writer = _WRITERS[form]
    key = "".join(char for char in draft.key if char.isascii() and (char.isalnum() or char in "-_")) or "ticket"
    return File(f"{key}-test-cases{writer.ending}", writer.media_type, writer.write(draft))
