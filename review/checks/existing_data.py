"""The pull request changes how data is stored, and the ticket says nothing of the data that is there already."""

import re
from collections.abc import Iterator

from core.pulls.types import Snapshot
from review.case import Case, Checked
from review.checks.places import absent, comment_place, said, shown, written
from review.checks.pulls import Line, alive, difference, is_test, name_of
from review.text import phrases
from review.types import Cited, Finding, Priority, Settled

ID = "existing-data"
_MIGRATIONS = re.compile(
    r"(?:^|/)(?:migrations?|alembic/versions|db/migrate|flyway|liquibase|schema[-_]?changes)/"
    r"|(?:^|/)V\d+(?:[._]\d+)*__\w+\.sql$|(?:^|/)schema\.(?:prisma|rb|sql)$|\.ddl$|\.sql$",
    re.IGNORECASE,
)
_CHANGES = re.compile(
    r"\balter\s+(?:table|column|type)\b|\bdrop\s+(?:table|column|constraint|type)\b|\brename\s+(?:table|column|to)\b"
    r"|\b(?:add|drop|alter|rename|change|remove|modify)_(?:column|table|constraint|index|field|not_null|reference)s?\b"
    r"|\b(?:add|drop|modify)\s+(?:column|constraint)\b|\b(?:Add|Remove|Alter|Rename)(?:Field|Model|Constraint)\b|\bset\s+not\s+null\b",
    re.IGNORECASE,
)
"""What changes a table that holds something already; a new table holds nothing."""


def check(case: Case) -> Checked:
    changes = [(snapshot, line) for snapshot in alive(case) for line in _changes(case, snapshot)]
    if not changes:
        return Checked()
    spoken = _spoken(case)
    if spoken:
        return Checked(settled=(Settled("The ticket speaks of the data that is there already.", (spoken,)),))
    first: dict[str, Finding] = {}
    for snapshot, line in changes:
        first.setdefault(snapshot.ref.document_id, _finding(case, snapshot, line))
    return Checked(findings=tuple(first.values()))


def _changes(case: Case, snapshot: Snapshot) -> Iterator[Line]:
    if not any(_MIGRATIONS.search(file.path) for file in snapshot.files):
        return
    for line in difference(case, snapshot).lines:
        if line.added and _MIGRATIONS.search(line.path) and not is_test(line.path) and _CHANGES.search(line.text):
            yield line


def _spoken(case: Case) -> Cited | None:
    """Where the ticket says something of existing data."""
    for place in [*written(case.ticket), *(comment_place(comment) for comment in said(case))]:
        if found := phrases(case.words.existing_data).find(place.text):
            return place.cite(found.group(1))
    return None


def _finding(case: Case, snapshot: Snapshot, line: Line) -> Finding:
    return Finding(
        rule=ID,
        category="data and migration",
        priority=Priority.P2,
        statement=f"The {name_of(snapshot)} changes how data is stored (“{shown(line.text, 120)}” in {line.path}), and "
        "the ticket does not say what happens to the data that is there already.",
        why="Records from before the change keep their old shape until somebody decides what they should become.",
        question="What should happen to the existing data, and how can the change be taken back if it goes wrong?",
        evidence=(line.cite(), absent(case.ticket, "what happens to existing data: in the texts and comments")),
    )
