"""Others use what the ticket's pull request changes, and nothing says that they were thought of."""

import re
from collections.abc import Iterator, Sequence

from core.consumers import Use
from core.paths import file_id
from core.pulls.types import Snapshot
from review.case import Case, Checked
from review.checks.constants import words_of_name
from review.checks.places import comment_place, said, shown, written
from review.checks.pulls import Difference, alive, cited, difference, is_test, name_of
from review.text import word_set
from review.types import Cited, Finding, Priority, Settled

ID = "consumers"
_NAMES = 20
"""Changed names that are looked up."""
_SHORTEST = 4
_TOLD = 3
_COMMON = word_set(
    """main init setup teardown call close open read write load save start stop name names type types value values
    data item items list dict size text code path file line test tests self args kwargs config settings model models
    handler handle index create update delete remove clear reset check render build parse format validate execute apply
    from_dict to_dict to_json from_json __init__ constructor toString equals hashCode"""
)
"""Names that much code has, each its own."""
_DEFINES = r"\b(?:def|class|function|func|fn|fun|interface|struct|enum|public|protected|static|export|type|record)\b"


def check(case: Case) -> Checked:
    if not case.snapshots or case.read is None or case.users_of is None:
        return Checked()
    findings: list[Finding] = []
    settled: list[Settled] = []
    for snapshot in alive(case):
        changed = frozenset(
            file_id(snapshot.ref.repo, path) for file in snapshot.files for path in (file.path, file.before) if path
        )
        used = dict(_used(case, snapshot, changed))
        unspoken = {name: users for name, users in used.items() if not _is_spoken_of(case, name, users)}
        if unspoken:
            findings.append(_finding(snapshot, unspoken, difference(case, snapshot)))
        elif used:
            what = f"The ticket speaks of who else uses what the {name_of(snapshot)} changes."
            settled.append(Settled(what, (cited(snapshot),)))
    sources = frozenset(snapshot.ref.document_id for snapshot in case.snapshots if settled)
    return Checked(tuple(findings), settled=tuple(settled), sources=sources)


def _used(case: Case, snapshot: Snapshot, changed: frozenset[str]) -> Iterator[tuple[str, list[Use]]]:
    """The changed names that others use, tests aside: in the same repository only if how they are used changes, in
    others only names of more than one word, which hardly mean two things.
    """
    if case.read is None or case.users_of is None:
        return
    known: set[str] = set()
    for name in [one for one in case.read.changed_symbols(snapshot) if _is_public(one)][:_NAMES]:
        last = re.split(r"\.|::|->|#", name)[-1]
        if last in known:
            continue
        users = [use for use in case.users_of(name, changed) if not is_test(use.path)]
        users = [use for use in users if use.repo == snapshot.ref.repo or len(words_of_name(last)) > 1]
        beyond = [use for use in users if use.repo != snapshot.ref.repo]
        if users and not beyond and not _is_redefined(difference(case, snapshot), last):
            continue
        if users:
            known.add(last)
            yield last, beyond or users


def _is_public(name: str) -> bool:
    last = re.split(r"\.|::|->|#", name)[-1]
    told = len(last) >= _SHORTEST and last.lower() not in _COMMON
    return told and not last.startswith("_") and not last.lower().startswith("test")


def _is_redefined(changes: Difference, name: str) -> bool:
    """Whether the line that defines a function or class was changed or taken away."""
    defined = re.compile(rf"{_DEFINES}.*\b{re.escape(name)}\b")
    return any(not line.added and defined.search(line.text) for line in changes.lines)


def _is_spoken_of(case: Case, name: str, users: Sequence[Use]) -> bool:
    """Whether the ticket names what changes, or where it is used."""
    names = {name, *(use.path for use in users), *(use.path.rpartition("/")[2] for use in users)}
    repos = {use.repo for use in users}
    texts = [place.text for place in [*written(case.ticket), *(comment_place(c) for c in said(case))]]
    told = "\n".join(texts).lower()
    return any(one.lower() in told for one in names) or any(
        re.search(rf"(?<!\w){re.escape(repo.lower()).replace('-', '[- ]')}(?!\w)", told) for repo in repos
    )


def _finding(snapshot: Snapshot, used: dict[str, list[Use]], changes: Difference) -> Finding:
    names = ", ".join(f"“{name}”" for name in list(used)[:_TOLD])
    users = [use for each in used.values() for use in each]
    first = list({(use.repo, use.path): use for use in users}.values())
    told = "; ".join(f"{use.path} in {use.repo}, line {use.line}" for use in first[:_TOLD])
    more = f" and {len(first) - _TOLD} more places" if len(first) > _TOLD else ""
    beyond = any(use.repo != snapshot.ref.repo for use in first)
    quotes = (Cited(use.evidence.locator, use.evidence.labels, quote=use.text) for use in first[:_TOLD])
    return Finding(
        rule=ID,
        category="regression risk",
        priority=Priority.P2 if beyond else Priority.P3,
        statement=f"The {name_of(snapshot)} changes {names}, which is also used where it changes nothing: "
        f"{shown(told, 300)}{more}.",
        why="What works there today rests on the old behaviour, and nobody may look at it before it breaks.",
        question="Does what changes here also hold there, and who tests it?",
        evidence=(_changed(snapshot, next(iter(used)), changes), *quotes),
    )


def _changed(snapshot: Snapshot, name: str, changes: Difference) -> Cited:
    """The changed line that has the name; the pull request itself where none has it."""
    word = re.compile(rf"\b{re.escape(name)}\b")
    return next((line.cite() for line in changes.lines if word.search(line.text)), cited(snapshot))
