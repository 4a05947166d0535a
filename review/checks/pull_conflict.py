"""A limit that the ticket's pull request sets is not the one that the ticket states."""

from collections.abc import Iterator, Sequence
from dataclasses import replace

from core.pulls.types import Snapshot
from review.case import Case, Checked
from review.checks.constants import UNNAMED, constant
from review.checks.demands import demanded
from review.checks.matching import matches, same_value
from review.checks.places import Place, shown
from review.checks.pulls import Line, alive, difference, is_test, name_of
from review.checks.statements import Statement
from review.text import Language, language_of, stem_words
from review.types import Finding, Priority, Settled

ID = "pull-conflict"


def check(case: Case) -> Checked:
    wanted = [claim for claim in demanded(case) if claim.role != "from"]
    findings: list[Finding] = []
    settled: list[Settled] = []
    sources: set[str] = set()
    for snapshot in alive(case) if wanted else ():
        lines = [line for line in difference(case, snapshot).lines if line.added and not is_test(line.path)]
        set_here = {id(found): (line, found) for line, found in _constants(lines, snapshot)}
        for claim in wanted:
            compared = _compared(claim, [found for _, found in set_here.values()])
            best = next(iter(matches(claim, list(compared), exactly=True)), None)
            if best is None:
                continue
            line, found = set_here[compared[best.rule]]
            if best.equal:
                what = f"“{claim.value}” is what {name_of(snapshot)} sets, too."
                settled.append(Settled(what, evidence=(line.cite(),)))
                sources.add(snapshot.ref.document_id)
            elif not any(same_value(other.quantity, best.rule.quantity) for other in wanted):
                findings.append(_finding(claim, line, found, snapshot))
    unique = {finding.fingerprint: finding for finding in findings}
    return Checked(tuple(unique.values()), settled=tuple(dict.fromkeys(settled)), sources=frozenset(sources))


def _constants(lines: Sequence[Line], snapshot: Snapshot) -> Iterator[tuple[Line, Statement]]:
    place = Place(name_of(snapshot), "", snapshot.locator, snapshot.labels)
    for line in lines:
        stem, _, _ = line.path.rpartition(".")
        if found := constant(line.text, place, [stem or line.path, line.around]):
            yield line, found


def _compared(claim: Statement, found: Sequence[Statement]) -> dict[Statement, int]:
    """The constants as the claim would call what they count, each with the identity of the constant itself.

    A name tells often another noun than the ticket: `MAX_OPEN_TABS` of windows that are open. What the name
    says must then all be in the ticket's sentence.
    """
    language: Language = language_of(claim.sentence.text)
    counted = claim.quantity.dimension.startswith("count ")
    about = claim.around | set(stem_words(claim.quantity.dimension.split()[1:], language) if counted else ())
    compared: dict[Statement, int] = {}
    for one in found:
        dimension = one.quantity.dimension
        if counted and dimension.startswith("count ") and dimension != claim.quantity.dimension:
            named = one.near | ({dimension.split()[1]} if dimension != UNNAMED else set())
            if len(one.near & about) >= 2 and len(named - about) <= 1:
                renamed = replace(one, quantity=replace(one.quantity, dimension=claim.quantity.dimension))
                compared[renamed] = id(one)
        elif dimension != UNNAMED:
            compared[one] = id(one)
    return compared


def _finding(claim: Statement, line: Line, found: Statement, snapshot: Snapshot) -> Finding:
    code = found.sentence.text.strip()
    draft = snapshot.pull.state == "draft"
    return Finding(
        rule=ID,
        category="conflict",
        priority=Priority.P2 if draft else Priority.P1,
        statement=f"The ticket says “{claim.value}” ({claim.place.name}: “{shown(claim.sentence.text)}”), but the "
        f"{name_of(snapshot)} sets “{shown(code)}” in {line.path}.",
        why="What would be delivered is not what the ticket asks for; a test written from either fails the other.",
        question=f"Which value holds, “{claim.value}” or “{found.value}”?",
        evidence=(claim.place.cite(claim.sentence.text), line.cite()),
    )
