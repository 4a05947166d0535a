"""What the exports share: texts as they may stand in a cell, rows as CSV."""

import csv
import io
from collections.abc import Iterable, Sequence

from bots.text import clean
from review.test_cases.types import DraftedCase
from review.types import Cited

CELL = 32_000
"""Characters of a cell: Excel takes 32,767."""
_STARTS_FORMULA = ("=", "+", "-", "@", "\t", "\r", "\uff1d", "\uff0b", "\uff0d", "\uff20")
"""What spreadsheets take for the beginning of a formula (OWASP, CSV Injection), full-width ones included."""


def cell(text: str) -> str:
    """Cleaned, of a bounded length; lines stay."""
    return clean(text)[:CELL]


def is_formula(text: str) -> bool:
    """Whether a spreadsheet may take a text for a formula, blanks before it aside."""
    return text.startswith(_STARTS_FORMULA) or text.lstrip().startswith(_STARTS_FORMULA)


def inert(text: str) -> str:
    """A cell of a CSV file that no spreadsheet takes for a formula: an apostrophe is put before what looks like one."""
    shown = cell(text)
    return f"'{shown}" if is_formula(shown) else shown


def as_csv(header: Sequence[str], rows: Iterable[Sequence[str]]) -> bytes:
    """CSV as RFC 4180 has it, in UTF-8 without a mark: importers take the mark for a part of the first name."""
    written = io.StringIO(newline="")
    writer = csv.writer(written)
    writer.writerow(header)
    writer.writerows([inert(text) for text in row] for row in rows)
    return written.getvalue().encode()


def numbered(texts: Iterable[str]) -> str:
    """One line each."""
    return "\n".join(f"{number}. {text}" for number, text in enumerate(texts, 1))


def steps(one: DraftedCase) -> list[tuple[str, str]]:
    """Each step with what is expected after it; the case's own expectation comes after the last."""
    pairs = [(step.action, step.expected) for step in one.steps]
    action, expected = pairs[-1]
    pairs[-1] = (action, f"{expected}\n{one.expected}" if expected and expected != one.expected else one.expected)
    return pairs


def titles(sources: Iterable[Cited]) -> str:
    """Where it stands and what is quoted, a line each."""
    return "\n".join(dict.fromkeys(f"{one.locator.label}: “{one.quote}”" for one in sources))


def addresses(sources: Iterable[Cited]) -> str:
    return "\n".join(dict.fromkeys(one.locator.url for one in sources if one.locator.url))


def about(one: DraftedCase) -> str:
    """What a tool's field for free text holds: why, and from what."""
    return f"{one.reason}\n\nSources:\n{titles(one.sources)}\n{addresses(one.sources)}".rstrip()


def labels(key: str, one: DraftedCase) -> list[str]:
    """Labels without spaces, as Jira wants them."""
    return [key, one.kind, "drafted-by-model" if one.by_model else "drafted-by-rule"]
