"""What a plan uses of databases that is not there as Git has it, and migrations that may not be changed any more."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from core.keys import parse
from core.schema.histories import NO_FILES
from core.schema.types import SchemaHistory, State, Step, Touched
from core.types import Evidence
from review.checks.places import shown
from review.environments import names
from review.plan.given import Given
from review.plan.known import path_of_document
from review.plan.matter import Matter
from review.plan.ports import Histories
from review.plan.saying import is_awaited, own_tickets
from review.plan.types import PlanCheck
from review.types import Cited, Priority, Unknown

_MOST = 2
_UNDONE: dict[State, str] = {
    "pending": "is not applied yet",
    "failed": "failed",
    "edited": "was changed after it had been applied",
    "out of order": "was applied out of order",
}
_DONE: frozenset[State] = frozenset({"applied", "edited", "out of order"})
_CHANGES = re.compile(
    r"\b(?:add|adds|append|put|insert|change|changes|edit|extend|alter|amend|modify|rewrite|fix|rename|remove|drop"
    r"|adjust|update|correct|ergänze\w*|ändere|ändern|erweitere\w*)\b",
    re.IGNORECASE,
)
_LEFT_ALONE = re.compile(
    r"\b(?:not|never|stays?|unchanged|untouched|new\s+(?:file|migration)|nicht|bleibt|neue\w*\s+Migration)\b",
    re.IGNORECASE,
)
_IDENTIFIER = r"[A-Za-z_]\w{0,80}"
_TABLE = re.compile(
    rf"\b(?:FROM|JOIN|INTO|UPDATE|ON|(?i:TABLE|tables?|Tabellen?))\s+(?:IF\s+(?:NOT\s+)?EXISTS\s+)?[`\"]?(?P<name>{_IDENTIFIER})"
    rf"|`(?P<quoted>{_IDENTIFIER})`|\b(?P<before>{_IDENTIFIER})(?=\s+(?i:table)\b)"
)
"""A table's name in SQL, whose words are in capitals, or called a table in prose."""


@dataclass(frozen=True)
class _Used:
    """The names of tables and columns in a sentence, or in all that diffs change."""

    text: str

    @cached_property
    def words(self) -> frozenset[str]:
        return frozenset(word.lower() for word in re.findall(r"\w+", self.text))

    @cached_property
    def tables(self) -> frozenset[str]:
        return frozenset(name.lower() for found in _TABLE.finditer(self.text) for name in found.groups() if name)

    def uses(self, touched: Touched) -> bool:
        """A column by `table.column`, by a name of several words, or beside its table; a table where it was made."""
        table, column = touched.table.lower().rpartition(".")[2], touched.column.lower()
        if not column:
            return touched.how != "changed" and table in self.tables
        if column not in self.words:
            return False
        dotted = rf"(?<!\w){re.escape(table)}\.{re.escape(column)}(?!\w)"
        return "_" in column or table in self.tables or re.search(dotted, self.text, re.IGNORECASE) is not None


Found = tuple[SchemaHistory, Step]


def check(matter: Matter, histories: Histories) -> Iterator[PlanCheck]:
    """Applied migrations that the plan changes, then what it uses whose migration is not done as Git has it. Raises
    CoreError.
    """
    read = histories.histories(matter.reading.audience)
    for history in read:
        if history.unread:
            what = f"How far {history.database} is migrated could not be read: {history.unread}."
            matter.reading.note([Unknown(what, "Asking again later.")])
        for note in history.notes:
            if note.startswith(NO_FILES):
                what = f"What is pending in {history.database} is not known. {note}"
                matter.reading.note([Unknown(what, "Setting its `path` to the folder that has them.")])
    steps = [(history, step) for history in read for step in history.steps if step.locator]
    changed = _changed_files(matter.given)
    edited = _by_step(
        one for one in steps if one[1].state in _DONE and any(_same(_path(one[1]), file) for file in changed)
    )
    undone = _by_step(_undone(matter, steps))
    checks = [_told(matter, found, edited=True) for found in edited.values()]
    checks += [_told(matter, found, edited=False) for key, found in undone.items() if key not in edited]
    yield from [one for one in checks if one][:_MOST]


def _by_step(found: Iterator[Found]) -> dict[tuple[str, str], list[Found]]:
    steps: dict[tuple[str, str], list[Found]] = {}
    for history, step in found:
        steps.setdefault((history.repo, step.id), []).append((history, step))
    return steps


def _changed_files(given: Given) -> frozenset[str]:
    """The files of its diffs, and those that a sentence says are changed."""
    naming = (one.text for one in given.sentences if _CHANGES.search(one.text) and not _LEFT_ALONE.search(one.text))
    named = (key.text for text in naming for key in parse(text).found if key.kind == "path")
    return frozenset((*given.diff.files, *named))


def _undone(matter: Matter, steps: Sequence[Found]) -> Iterator[Found]:
    """What the plan uses and does not know to be undone. Its own ticket's migration goes out together with it."""
    given = matter.given
    own = own_tickets(given, matter.branch)
    used = [
        _Used(text)
        for text in (*(one.text for one in given.sentences), "\n".join((*given.diff.removed, *given.diff.added)))
        if text
    ]
    meant = {history.environment for history, _ in steps if names(given.text, history.environment)}
    for history, step in steps:
        if step.state not in _UNDONE or not any(one.uses(touched) for one in used for touched in step.touched):
            continue
        early = step.state == "pending" and (
            not own.isdisjoint(step.tickets) or bool(meant and history.environment not in meant)
        )
        path = _path(step)
        if not early and not is_awaited(given, (step.id, path, path.rpartition("/")[2])):
            yield history, step


def _path(step: Step) -> str:
    return path_of_document(step.locator.document_id) if step.locator else ""


def _same(path: str, named: str) -> bool:
    named = named.removeprefix("./")
    return path == named or path.endswith(f"/{named}") or named.endswith(f"/{path}")


def _told(matter: Matter, found: Sequence[Found], *, edited: bool) -> PlanCheck | None:
    """None if its file is not in the index, for then nothing can be cited."""
    step = found[0][1]
    file = _file(matter, step)
    quote = _quote(file.text, step) if file else ""
    if file is None or not quote:
        return None
    where = ", ".join(dict.fromkeys(f"{history.environment} of {history.repo}" for history, _ in found))
    touched = ", ".join(dict.fromkeys(".".join(filter(None, (one.table, one.column))) for one in step.touched))
    name = f"{shown(step.id)} “{shown(step.title)}”"
    cited = (Cited(file.locator, file.labels, quote=quote),)
    if edited:
        return PlanCheck(
            category="deployed or migrated",
            priority=Priority.P1,
            statement=f"The plan changes migration {name}, which is applied on {shown(where)} already. Write a further "
            "migration instead.",
            why="What is applied does not run again: those databases would not change, and a tool that compares "
            "checksums stops there.",
            evidence=cited,
        )
    return PlanCheck(
        category="deployed or migrated",
        priority=Priority.P1 if step.state in {"failed", "edited"} else Priority.P2,
        statement=f"The plan uses {shown(touched, 160)}, but migration {name} {_UNDONE[step.state]} on {shown(where)}. "
        "Plan for both states of the database, or wait for it.",
        why="There the database does not look as the files in Git say.",
        evidence=cited,
    )


def _file(matter: Matter, step: Step) -> Evidence | None:
    opened = matter.reading.open_document(step.locator.document_id, 1) if step.locator else ()
    return next(iter(opened), None)


def _quote(text: str, step: Step) -> str:
    """The first line of a file that holds something which the migration touches, else its first."""
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    touched = [(one.column or one.table).lower() for one in step.touched]
    telling = (line for line in lines if any(name in line.lower() for name in touched))
    return next(telling, lines[0] if lines else "")
