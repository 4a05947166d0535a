"""Nothing is told that does not stand on what was read (laws 4 and 5)."""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Literal

from review.decisions import Decisions
from review.differing import sides_differ
from review.register import Register, normal
from review.types import Cited, Finding
from review.wording import cut, cut_quote

STATEMENT = 500
QUESTION = 400
QUOTE = 300
EVIDENCE = 6
"""Characters of each text of a finding, and how many citations it keeps."""


Reason = Literal["not cited", "no conflict", "overtaken"]
"""Why a finding does not stand: a citation is not in what was read; the sides of a conflict say the same; the text that
it quotes was replaced, or a comment decided otherwise since."""


@dataclass(frozen=True, slots=True)
class Refused:
    """A finding that does not stand."""

    finding: Finding
    reason: Reason

    @property
    def rule(self) -> str:
        return self.finding.rule


@dataclass(frozen=True, slots=True)
class Verified:
    """What may be told, in order, and what did not stand."""

    findings: tuple[Finding, ...]
    refused: tuple[Refused, ...]


def verify(findings: Iterable[Finding], register: Register, decisions: Decisions | None = None) -> Verified:
    """Keep the findings whose every citation stands in the register, whose sides differ if they are conflicts, and that
    no later decision in the ticket has overtaken; merge repeated ones; order by priority.

    Without `decisions` nothing is overtaken: of the rules' findings, what was decided is told as settled and not
    refused. The order depends on what is found, never on the order of finding, so the same findings read the same.
    """
    standing: dict[str, Finding] = {}
    refused: list[Refused] = []
    for finding in findings:
        proven = proven_finding(finding, register)
        reason = _why_not(proven, decisions)
        if proven is None or reason:
            refused.append(Refused(finding, reason or "not cited"))
            continue
        known = standing.get(proven.fingerprint)
        standing[proven.fingerprint] = proven if known is None else _preferred(known, proven)
    return Verified(tuple(sorted(standing.values(), key=_place)), tuple(refused))


def _why_not(proven: Finding | None, decisions: Decisions | None) -> Reason | None:
    if proven is None:
        return "not cited"
    if proven.category == "conflict" and not sides_differ(proven):
        return "no conflict"
    overtaken = decisions and (decisions.is_history(proven) or decisions.overtaking(proven))
    return "overtaken" if overtaken else None


def _place(finding: Finding) -> tuple[int, bool, str, str]:
    """The urgent before the rest, then the rules before the model."""
    return finding.priority, finding.rule == "model", finding.category, finding.fingerprint


def proven_finding(finding: Finding, register: Register) -> Finding | None:
    """The finding with locators, labels and quotes as the register has them; None if a citation does not stand."""
    proven = [proven_citation(cited, register) for cited in finding.evidence]
    evidence = tuple(cited for cited in proven if cited is not None)
    if not evidence or len(evidence) < len(proven):
        return None
    return replace(
        finding,
        statement=cut(finding.statement, STATEMENT),
        why=cut(finding.why, STATEMENT),
        question=cut(finding.question, QUESTION),
        evidence=tuple(dict.fromkeys(evidence))[:EVIDENCE],
    )


def proven_citation(cited: Cited, register: Register) -> Cited | None:
    """The citation as the register knows it: where the quote stands, or where an absence was looked for."""
    quote = normal(cited.quote)
    if not (quote or cited.looked_for.strip()):
        return None
    passage = register.standing(cited)
    if passage is None or not register.audience.may_read(passage.labels):
        return None
    return Cited(passage.locator, passage.labels, cut_quote(quote, QUOTE), cut(cited.looked_for, QUESTION))


def _preferred(one: Finding, other: Finding) -> Finding:
    """Of two findings of the same thing: the more urgent, a rule's before a model's, then by wording and place."""

    def order(finding: Finding) -> tuple[object, ...]:
        places = [cited.locator.url for cited in finding.evidence]
        by_model = finding.rule == "model"
        return finding.priority, by_model, finding.rule, finding.statement, finding.why, finding.question, places

    return min(one, other, key=order)
