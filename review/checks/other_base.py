"""A pull request goes into another release than the one that the ticket is planned for."""

import re
from collections.abc import Iterator

from core.pulls.types import Snapshot
from core.tickets import Field
from review.case import Case, Checked
from review.checks.places import Place
from review.checks.pulls import alive, cited, name_of
from review.types import Finding, Priority, Settled

ID = "other-base"
_FIELDS = re.compile(r"fix(?:ed)?[ _-]?(?:in[ _-]?)?versions?(?:/s)?|lösungsversion(?:en)?|release", re.IGNORECASE)
_NUMBER = r"v?\d{1,4}(?:[._]\d{1,4}){0,3}"
_VERSION = re.compile(rf"(?<![\w.]){_NUMBER}(?:[._]x)?(?![\w.]*\d)", re.IGNORECASE)
_RELEASE = re.compile(
    rf"(?:(?:releases?|rel|hotfix(?:es)?|maint(?:enance)?|stable|support|versions?|branch(?:es)?)[/_-]+)+(?P<named>{_NUMBER})(?:[._]x)?"
    rf"|(?P<bare>v?\d{{1,4}}(?:[._]\d{{1,4}})+)(?:[._]x)?|(?P<line>v?\d{{1,4}})[._]x",
    re.IGNORECASE,
)
"""Branches that are a release's: `release/2.3`, `hotfix-2.3.1`, `2.3.x`. No other branch is compared."""

Version = tuple[int, ...]


def check(case: Case) -> Checked:
    planned = next(_planned(case), None)
    snapshots = alive(case)
    if planned is None or not snapshots:
        return Checked()
    field, versions = planned
    bases = [(snapshot, _of_branch(snapshot.pull.base_branch)) for snapshot in snapshots]
    if any(version is None for _, version in bases):
        return Checked()  # the main line may become any version
    fitting = [snapshot for snapshot, version in bases if any(_same_line(version or (), v) for v in versions)]
    if fitting:
        what = f"The {name_of(fitting[0])} goes into the version that the ticket names ({field.text.strip()})."
        sources = frozenset(snapshot.ref.document_id for snapshot in fitting[:1])
        return Checked(settled=(Settled(what, evidence=(cited(fitting[0]),)),), sources=sources)
    return Checked(findings=tuple(_finding(case, field, snapshot) for snapshot, _ in bases))


def _planned(case: Case) -> Iterator[tuple[Field, tuple[Version, ...]]]:
    """Fields that say for which versions the ticket is planned, with versions that have numbers."""
    for field in case.ticket.fields:
        if _FIELDS.fullmatch(field.name.strip()):
            versions = tuple(_version(found.group()) for found in _VERSION.finditer(field.text))
            if versions and len(versions) >= len([name for name in field.text.split(",") if name.strip()]):
                yield field, versions


def _of_branch(branch: str) -> Version | None:
    """The version of a release's branch; None for any other branch."""
    found = _RELEASE.fullmatch(branch.removeprefix("refs/heads/"))
    return _version(found["named"] or found["bare"] or found["line"]) if found else None


def _version(text: str) -> Version:
    return tuple(int(part) for part in re.findall(r"\d+", text))


def _same_line(branch: Version, version: Version) -> bool:
    """`2.3` and `2.3.1` are one line; `2.3` and `2.4` are not."""
    shared = min(len(branch), len(version))
    return branch[:shared] == version[:shared]


def _finding(case: Case, field: Field, snapshot: Snapshot) -> Finding:
    ticket, base = case.ticket, snapshot.pull.base_branch
    place = Place(field.name, field.text, ticket.locator, ticket.labels)
    return Finding(
        rule=ID,
        category="conflict",
        priority=Priority.P1,
        statement=f"The ticket is planned for “{field.text.strip()}” ({field.name}), but the {name_of(snapshot)} goes "
        f"into “{base}”.",
        why="The change would be shipped in another release than the one it was promised for, or not in that one.",
        question="For which version is this, and does the pull request need another target, or a second one?",
        evidence=(place.cite(field.text.strip()), cited(snapshot)),
    )
