"""What an earlier review of the same ticket told, as it is remembered and read back."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Protocol

from core.types import Audience, Locator
from review.types import Cited, Finding, Priority


class Remembered(Protocol):
    """A review whose reply was posted, as the database gives it back."""

    @property
    def told_at(self) -> datetime: ...
    @property
    def trigger_id(self) -> str: ...
    @property
    def made_for(self) -> frozenset[str]: ...
    @property
    def findings(self) -> Sequence[Mapping[str, Any]]: ...


@dataclass(frozen=True, slots=True)
class Previous:
    """A review that was told."""

    told_at: datetime
    trigger_id: str
    """The comment that asked."""
    made_for: Audience
    findings: tuple[Finding, ...]
    """As they were numbered, from 1."""

    def numbered(self, number: int) -> Finding | None:
        return self.findings[number - 1] if 0 < number <= len(self.findings) else None


def previous_of(remembered: Remembered) -> Previous:
    """The inverse of `told_records`."""
    return Previous(
        told_at=remembered.told_at,
        trigger_id=remembered.trigger_id,
        made_for=Audience(remembered.made_for),
        findings=tuple(_finding(record) for record in remembered.findings),
    )


def told_records(findings: Iterable[Finding]) -> tuple[Mapping[str, Any], ...]:
    """Findings as plain JSON, in the order in which they are numbered."""
    return tuple(
        {
            "rule": finding.rule,
            "category": finding.category,
            "priority": finding.priority.name,
            "statement": finding.statement,
            "why": finding.why,
            "question": finding.question,
            "evidence": [_cited_record(cited) for cited in finding.evidence],
            "fingerprint": finding.fingerprint,
        }
        for finding in findings
    )


def documents(findings: Iterable[Finding]) -> frozenset[str]:
    """Ids of everything that the findings cite."""
    return frozenset(cited.locator.document_id for finding in findings for cited in finding.evidence)


def _cited_record(cited: Cited) -> Mapping[str, Any]:
    locator = cited.locator
    return {
        "document": locator.document_id,
        "title": locator.title,
        "url": locator.url,
        "heading": locator.heading,
        "line": locator.line,
        "labels": sorted(cited.labels),
        "quote": cited.quote,
        "looked_for": cited.looked_for,
    }


def _finding(record: Mapping[str, Any]) -> Finding:
    return Finding(
        rule=record["rule"],
        category=record["category"],
        priority=Priority[record["priority"]],
        statement=record["statement"],
        why=record["why"],
        question=record["question"],
        evidence=tuple(_cited(cited) for cited in record["evidence"]),
    )


def _cited(record: Mapping[str, Any]) -> Cited:
    locator = Locator(record["document"], record["title"], record["url"], record["heading"], record["line"])
    return Cited(locator, frozenset(record["labels"]), record["quote"], record["looked_for"])
