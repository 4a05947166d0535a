"""Drafts of test cases as files: for people, and in the forms that test management tools import."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Literal, get_args

from crosscheck.test_case_files import gherkin, testrail, workbook, xray, zephyr
from crosscheck.test_case_files.table import table
from review.test_cases.types import Draft

Form = Literal["csv", "xlsx", "gherkin", "testrail", "xray", "zephyr"]
KEY = 60
"""Characters of a key in a file's name."""
FORMS: tuple[Form, ...] = get_args(Form)


@dataclass(frozen=True, slots=True)
class File:
    """A draft, ready to be stored or uploaded."""

    name: str
    media_type: str
    content: bytes


@dataclass(frozen=True, slots=True)
class _Writer:
    name: str
    ending: str
    media_type: str
    write: Callable[[Draft], bytes]


_CSV = "text/csv; charset=utf-8"
_XLSX = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"
_WRITERS: Mapping[Form, _Writer] = {
    "csv": _Writer("CSV", ".csv", _CSV, table),
    "xlsx": _Writer("Excel", ".xlsx", _XLSX, workbook.write),
    "gherkin": _Writer("Gherkin", ".feature", "text/plain; charset=utf-8", gherkin.write),
    "testrail": _Writer("TestRail", "-testrail.csv", _CSV, testrail.write),
    "xray": _Writer("Xray", "-xray.csv", _CSV, xray.write),
    "zephyr": _Writer("Zephyr", "-zephyr.csv", _CSV, zephyr.write),
}


def exported(draft: Draft, form: Form) -> File:
    """The draft in one of the forms. Its name is the ticket's key, which version it is from the second on, and what
    kind of file it is, and nothing else.
    """
    writer = _WRITERS[form]
    version = f"-v{draft.version}" if draft.version > 1 else ""
    return File(f"{_key(draft)}-test-cases{version}{writer.ending}", writer.media_type, writer.write(draft))


def title_of(draft: Draft, form: Form) -> str:
    """What a draft's file is called where people see it: another title for each version and each form."""
    return f"{_key(draft)} test cases, version {draft.version} ({_WRITERS[form].name})"


def _key(draft: Draft) -> str:
    """The draft's key, harmless wherever it stands."""
    safe = "".join(char for char in draft.key if char.isascii() and (char.isalnum() or char in "-_"))
    return safe[:KEY] or "ticket"
