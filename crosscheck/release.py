"""What is still to be settled before a release: the urgent findings of many tickets, as a table and as CSV."""

import csv
import io
from collections.abc import Iterator, Mapping
from typing import Any

URGENT = ("P0", "P1")
MOST = 500
"""Tickets that one expression may bring; a release has fewer."""

_COLUMNS = ("ticket", "title", "priority", "category", "statement", "question", "sources", "address")
_STARTS_FORMULA = ("=", "+", "-", "@", "\t", "\r")  # what spreadsheets take for one (OWASP, CSV injection)


def open_points(reviews: list[Mapping[str, Any]]) -> list[dict[str, str]]:
    """A row for each finding that is urgent, the most urgent first, then by ticket."""
    rows = [_row(review, finding) for review in reviews for finding in review["findings"]]
    urgent = [row for row in rows if row["priority"] in URGENT]
    return sorted(urgent, key=lambda row: (row["priority"], _number(row["ticket"]), row["statement"]))


def as_csv(rows: list[dict[str, str]]) -> str:
    """The rows for a spreadsheet. No text from outside becomes a formula there."""
    written = io.StringIO(newline="")
    writer = csv.DictWriter(written, _COLUMNS)
    writer.writeheader()
    writer.writerows({name: _inert(value) for name, value in row.items()} for row in rows)
    return written.getvalue()


def _row(review: Mapping[str, Any], finding: Mapping[str, Any]) -> dict[str, str]:
    return {
        "ticket": review["key"],
        "title": review["title"],
        "priority": finding["priority"],
        "category": finding["category"],
        "statement": finding["statement"],
        "question": finding["question"],
        "sources": "; ".join(dict.fromkeys(_titles(finding))),
        "address": review["url"],
    }


def _titles(finding: Mapping[str, Any]) -> Iterator[str]:
    return (cited["title"] for cited in finding["evidence"])


def _number(key: str) -> tuple[str, int]:
    project, _, number = key.rpartition("-")
    return project, int(number) if number.isdecimal() else 0


def _inert(value: str) -> str:
    return f"'{value}" if value.startswith(_STARTS_FORMULA) else value
