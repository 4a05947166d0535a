"""What of a plan contradicts what is deployed, or how far databases are migrated."""

import re
from collections.abc import Iterable, Iterator

from core.probes.standing import Standing
from core.schema.types import SchemaHistory, State, Step, Touched
from review.checks.places import shown
from review.plan.matter import Matter
from review.plan.ports import Deployments, Histories
from review.plan.types import PlanCheck
from review.types import Cited, Priority, Unknown

_WORK = 4
"""Commits and tickets that the plan names, of which it is asked where they stand."""
_MOST = 2
_UNDONE: dict[State, str] = {
    "pending": "is not applied yet",
    "failed": "failed",
    "edited": "was changed after it had been applied",
    "out of order": "is out of order",
}
_NAME = re.compile(r"[^\W\d]\w*(?:\.[^\W\d]\w*)?")
_OF_DATABASE = re.compile(r"\b(?:migrat\w*|columns?|tables?|schema|alter|Spalten?|Tabellen?)\b", re.IGNORECASE)


def deployed(matter: Matter, deployments: Deployments) -> Iterator[PlanCheck]:
    """Work that the plan names and that an environment does not run. Raises CoreError."""
    commits = [key.text for key in matter.given.keys if key.kind == "commit"]
    works = [*(("commit", one) for one in commits), *(("ticket", one) for one in sorted(matter.given.tickets))]
    told = 0
    for kind, name in works[:_WORK]:
        state = deployments.state(matter.reading.audience, seconds=matter.time.left, **{kind: name})
        matter.reading.note(_unread(state.standings))
        behind = [one for one in state.standings if one.contained in {"no", "partly"} and one.says]
        if behind and told < _MOST:
            told += 1
            yield _not_there(matter, name, behind)


def _unread(standings: Iterable[Standing]) -> Iterator[Unknown]:
    for one in standings:
        if one.unread:
            what = f"What {one.environment} runs of {one.repo} could not be read: {one.unread}."
            yield Unknown(what, one.settled_by or "Asking again later.")


def _not_there(matter: Matter, name: str, behind: list[Standing]) -> PlanCheck:
    for one in behind:
        matter.reading.register.add_evidence(one.evidence)
    where = ", ".join(dict.fromkeys(one.environment for one in behind))
    return PlanCheck(
        category="deployed or migrated",
        priority=Priority.P2,
        statement=f"The plan names {shown(name)}, which is not, or not wholly, in what runs on {shown(where)}: "
        f"{shown(behind[0].says[0], 200)}.",
        why="What builds on it works there only after it has been deployed, and tests there tell nothing before.",
        evidence=tuple(Cited(one.locator, one.labels, quote=one.says[0]) for one in behind[:3]),
    )


def migrated(matter: Matter, histories: Histories) -> Iterator[PlanCheck]:
    """Migrations of what the plan changes that are pending, failed or not as Git has them. Raises CoreError."""
    names = _names(matter)
    undone: dict[tuple[str, str], list[tuple[SchemaHistory, Step]]] = {}
    for history in histories.histories(matter.reading.audience):
        if history.unread:
            what = f"How far {history.database} is migrated could not be read: {history.unread}."
            matter.reading.note([Unknown(what, "Asking again later.")])
        for step in history.steps:
            if step.state in _UNDONE and step.locator and any(_is_named(one, names) for one in step.touched):
                undone.setdefault((history.repo, step.id), []).append((history, step))
    for found in list(undone.values())[:_MOST]:
        if check := _undone(matter, found):
            yield check


def _names(matter: Matter) -> frozenset[str]:
    """Names of a plan that speaks of databases; a plan that does not means none by `account`."""
    given = matter.given
    text = "\n".join((given.prose, *given.diff.files, *given.diff.removed, *given.diff.added))
    names = frozenset(name.lower() for name in _NAME.findall(text))
    parts = frozenset(part for name in names for part in name.split("."))
    return (
        names | parts if _OF_DATABASE.search(text) else frozenset(name for name in names if "_" in name or "." in name)
    )


def _is_named(touched: Touched, names: frozenset[str]) -> bool:
    table, column = touched.table.lower(), touched.column.lower()
    if not column:
        return table in names
    return f"{table}.{column}" in names or (column in names and ("_" in column or table in names))


def _undone(matter: Matter, found: list[tuple[SchemaHistory, Step]]) -> PlanCheck | None:
    """None if its file is not in the index, for then nothing can be cited."""
    step = found[0][1]
    if step.locator is None:
        return None
    file = next(iter(matter.reading.open_document(step.locator.document_id, 1)), None)
    quote = next((line.strip() for line in file.text.splitlines() if line.strip()), "") if file else ""
    if file is None or not quote:
        return None
    where = ", ".join(dict.fromkeys(f"{one.database} ({one.environment})" for one, _ in found))
    touched = ", ".join(dict.fromkeys(".".join(filter(None, (one.table, one.column))) for one in step.touched))
    return PlanCheck(
        category="deployed or migrated",
        priority=Priority.P1 if step.state in {"failed", "edited"} else Priority.P2,
        statement=f"Migration {shown(step.id)} “{shown(step.title)}” {_UNDONE[step.state]} on {shown(where)}; it "
        f"touches {shown(touched, 200)}. Plan for both states of the database, or wait for it.",
        why="There the database does not look as the files in Git say, and a further migration runs after this one.",
        evidence=(Cited(file.locator, file.labels, quote=quote),),
    )
