"""Brings together what the rules found and what models say of it. Pure; a model's word counts for little: it cannot
reword a rule's finding, cannot drop one without a reason, and what it adds must cite what it was shown.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from review.agents.answer import Answer, Citation, NewFinding, Verdict
from review.agents.meter import Usage
from review.register import Register, normal
from review.types import Cited, Finding, Priority, Settled
from review.verify import QUESTION, STATEMENT
from review.wording import plain

MODEL = "model"
ADDED = 5
CITED = 6
"""Findings that are taken from one answer and from all together, so that a model cannot crowd the rules out, and
citations of a finding.
"""

SHORTEST_QUOTE = 8
SHORTEST_REASON = 10
"""Characters. A quote of a letter stands in every text, a reason of a word gives none."""


@dataclass(frozen=True, slots=True)
class Judged:
    """Findings after the models have judged, or the rules' as they are."""

    findings: tuple[Finding, ...]
    settled: tuple[Settled, ...] = ()
    """What the model set aside, and why."""
    refused: int = 0
    """Findings of the models that they could not cite, or that were too many."""
    by: str = ""
    """Names of the models that answered."""
    usage: Usage = field(default_factory=Usage)
    audit: tuple[Mapping[str, Any], ...] = ()
    """What was sent as data, asked for and said, in order; plain data for the job's record."""


@dataclass(frozen=True, slots=True)
class Seen:
    """What a model was shown: only of that it can speak."""

    shown: frozenset[str]
    whole: frozenset[str]
    """Of these the ticket's own texts in full, the only ones that it may say to lack something."""


def proposed(new: Sequence[NewFinding], register: Register, seen: Seen) -> tuple[tuple[Finding, ...], int]:
    """The findings of one answer that cite what was shown, with links from the register; and how many do not."""
    made = [_finding(one, register, seen) for one in new[:ADDED]]
    sound = tuple(one for one in made if one is not None)
    return sound, len(new) - len(sound)


def judge(
    facts: Sequence[Finding], candidates: Mapping[str, Finding], answer: Answer, own: Sequence[Finding]
) -> Judged:
    """Apply an answer. `facts` are the rules' findings, known to the model as F1, F2, ...; `candidates` are the agents'
    by their ids, C1, C2, ...; `own` are what the answer itself adds, as `proposed` gave it.
    """
    named = {f"F{number}": fact for number, fact in enumerate(facts, start=1)}
    verdicts = _valid(answer.verdicts, named, candidates)
    kept = {name: one for name, one in (named | dict(candidates)).items() if name not in verdicts}
    for name, verdict in verdicts.items():
        if verdict.decision == "merge" and (name in named) == (verdict.into in named):
            kept[verdict.into] = _joined(kept[verdict.into], (named | dict(candidates))[name])
    of_rules = [one for name, one in kept.items() if name in named]
    ranked = dict.fromkeys([*answer.ranked, *kept])
    of_models = _once([*(kept[name] for name in ranked if name in kept and name not in named), *own])
    return Judged(
        findings=(*of_rules, *of_models[:ADDED]),
        settled=_set_aside({name: one for name, one in verdicts.items() if name in named}, named),
        refused=len(of_models[ADDED:]),
    )


def _once(findings: Iterable[Finding]) -> list[Finding]:
    """Each thing once, as it was said first."""
    first: dict[str, Finding] = {}
    for one in findings:
        first.setdefault(one.fingerprint, one)
    return list(first.values())


def _valid(
    verdicts: Sequence[Verdict], named: Mapping[str, Finding], candidates: Mapping[str, Finding]
) -> dict[str, Verdict]:
    """The drops and merges that count: one verdict on a known finding; a merge into a kept one. A rule's finding goes
    only with a reason, and never into a model's, which would reword it.
    """
    ids = [verdict.finding for verdict in verdicts]
    meant = {
        verdict.finding: verdict
        for verdict in verdicts
        if verdict.decision != "keep"
        and ids.count(verdict.finding) == 1
        and (verdict.finding in candidates or (verdict.finding in named and _allowed(verdict, named)))
    }
    known = named.keys() | candidates.keys()
    return {
        name: verdict
        for name, verdict in meant.items()
        if verdict.decision == "drop" or (verdict.into in known and verdict.into not in meant)
    }


def _allowed(verdict: Verdict, named: Mapping[str, Finding]) -> bool:
    """Whether a rule's finding may go by this verdict."""
    reasoned = len(plain(verdict.reason, STATEMENT)) >= SHORTEST_REASON
    return reasoned and (verdict.decision == "drop" or verdict.into in named)


def _joined(target: Finding, other: Finding) -> Finding:
    """The target with the other's evidence and urgency."""
    evidence = tuple(dict.fromkeys((*target.evidence, *other.evidence)))
    return replace(target, evidence=evidence, priority=min(target.priority, other.priority))


def _set_aside(verdicts: Mapping[str, Verdict], named: Mapping[str, Finding]) -> tuple[Settled, ...]:
    """Nothing of weight goes in silence: urgent findings by name with the model's reason, the others by number."""
    told = []
    urgent = {name: v for name, v in verdicts.items() if named[name].priority <= Priority.P1}
    for name, verdict in urgent.items():
        done = "Set aside by the model" if verdict.decision == "drop" else "Told together with another by the model"
        finding = named[name]
        what = f"{done}: {finding.statement} Its reason: {plain(verdict.reason, STATEMENT)}"
        told.append(Settled(what, finding.evidence, finding.fingerprint))
    if others := len(verdicts) - len(urgent):
        told.append(Settled(f"The model set aside or merged {others} less urgent remarks of the rules."))
    return tuple(told)


def _finding(new: NewFinding, register: Register, seen: Seen) -> Finding | None:
    """A model's finding with links from the register; None if something of it is empty or cannot be cited."""
    statement, why = plain(new.statement, STATEMENT), plain(new.why, STATEMENT)
    question = plain(new.question, QUESTION)
    cited = [_cited(citation, register, seen) for citation in new.citations[:CITED]]
    evidence = tuple(one for one in cited if one is not None)
    if not (statement and why and question and evidence) or len(evidence) < len(cited):
        return None
    return Finding(MODEL, new.category, Priority[new.priority], statement, why, question, evidence)


def _cited(citation: Citation, register: Register, seen: Seen) -> Cited | None:
    if citation.source not in seen.shown:
        return None
    passage = register[citation.source]
    quote, looked_for = normal(citation.quote), plain(citation.looked_for, QUESTION)
    if quote:
        looked_for = ""
        if len(quote) < SHORTEST_QUOTE or not passage.holds(quote):
            return None
    elif (
        not looked_for
        or passage.id not in seen.whole
        or any(normal(looked_for).casefold() in normal(one.text).casefold() for one in register.pieces_of(passage))
    ):
        return None
    return Cited(passage.locator, passage.labels, quote, looked_for)
