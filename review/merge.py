"""Brings together what the rules found and what the model says of it. Pure; the model's word counts for little:
it cannot reword a rule's finding, cannot drop one without a reason, and what it adds must cite what was read.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from review.agents.answer import Answer, Citation, NewFinding, Verdict
from review.register import Register, normal
from review.types import Cited, Finding, Priority, Settled
from review.verify import QUESTION, STATEMENT
from review.wording import plain

MODEL = "model"
ADDED = 5
CITED = 6
"""Findings that are taken from one answer, so that a model cannot crowd the rules out, and citations of a finding."""

SHORTEST_QUOTE = 8
SHORTEST_REASON = 10
"""Characters. A quote of a letter stands in every text, a reason of a word gives none."""


@dataclass(frozen=True, slots=True)
class Judged:
    """Findings after the model has judged, or the rules' as they are."""

    findings: tuple[Finding, ...]
    settled: tuple[Settled, ...] = ()
    """What the model set aside, and why."""
    refused: int = 0
    """Findings of the model that it could not cite, or that were too many."""


def judge(facts: Sequence[Finding], answer: Answer, register: Register, whole: frozenset[str]) -> Judged:
    """Apply an answer. `facts` are the rules' findings, known to the model as F1, F2, ...; `whole` names the sources
    that it was shown uncut, the only ones it may say to lack something.
    """
    named = {f"F{number}": fact for number, fact in enumerate(facts, start=1)}
    verdicts = _valid(answer.verdicts, named)
    kept = {name: fact for name, fact in named.items() if name not in verdicts}
    for name, verdict in verdicts.items():
        if verdict.decision == "merge":
            kept[verdict.into] = _joined(kept[verdict.into], named[name])
    added = [_finding(new, register, whole) for new in answer.findings[:ADDED]]
    return Judged(
        findings=(*kept.values(), *(finding for finding in added if finding is not None)),
        settled=_set_aside(verdicts, named),
        refused=added.count(None) + len(answer.findings[ADDED:]),
    )


def _valid(verdicts: Sequence[Verdict], named: Mapping[str, Finding]) -> dict[str, Verdict]:
    """The drops and merges that count: one verdict on a known finding, with a reason; a merge into a kept one."""
    ids = [verdict.finding for verdict in verdicts]
    reasoned = {
        verdict.finding: verdict
        for verdict in verdicts
        if verdict.decision != "keep"
        and verdict.finding in named
        and ids.count(verdict.finding) == 1
        and len(plain(verdict.reason, STATEMENT)) >= SHORTEST_REASON
    }
    return {
        name: verdict
        for name, verdict in reasoned.items()
        if verdict.decision == "drop" or (verdict.into in named and verdict.into not in reasoned)
    }


def _joined(target: Finding, other: Finding) -> Finding:
    """The target with the other's evidence and urgency."""
    evidence = tuple(dict.fromkeys((*target.evidence, *other.evidence)))
    return replace(target, evidence=evidence, priority=min(target.priority, other.priority))


def _set_aside(verdicts: Mapping[str, Verdict], named: Mapping[str, Finding]) -> tuple[Settled, ...]:
    """Nothing of weight goes in silence: urgent findings by name with the model's reason, the others by number."""
    lines = []
    urgent = {name: v for name, v in verdicts.items() if named[name].priority <= Priority.P1}
    for name, verdict in urgent.items():
        done = "Set aside by the model" if verdict.decision == "drop" else "Told together with another by the model"
        lines.append(f"{done}: {named[name].statement} Its reason: {plain(verdict.reason, STATEMENT)}")
    if others := len(verdicts) - len(urgent):
        lines.append(f"The model set aside or merged {others} less urgent remarks of the rules.")
    return tuple(map(Settled, lines))


def _finding(new: NewFinding, register: Register, whole: frozenset[str]) -> Finding | None:
    """A model's finding with links from the register; None if something of it is empty or cannot be cited."""
    statement, why = plain(new.statement, STATEMENT), plain(new.why, STATEMENT)
    question = plain(new.question, QUESTION)
    cited = [_cited(citation, register, whole) for citation in new.citations[:CITED]]
    evidence = tuple(one for one in cited if one is not None)
    if not (statement and why and question and evidence) or len(evidence) < len(cited):
        return None
    return Finding(MODEL, new.category, Priority[new.priority], statement, why, question, evidence)


def _cited(citation: Citation, register: Register, whole: frozenset[str]) -> Cited | None:
    if citation.source not in register:
        return None
    passage = register[citation.source]
    quote, looked_for = normal(citation.quote), plain(citation.looked_for, QUESTION)
    if quote:
        looked_for = ""
        if len(quote) < SHORTEST_QUOTE:
            return None
    elif not looked_for or passage.id not in whole or normal(looked_for).casefold() in normal(passage.text).casefold():
        return None
    return Cited(passage.locator, passage.labels, quote, looked_for)
