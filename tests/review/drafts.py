"""A small world for drafts of test cases: tickets by key, a search over a list of evidence."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from core.errors import CoreError, SourceGone
from core.tickets import Ticket
from core.types import Audience, Evidence, Locator, NullMetrics, Query, SearchResult
from review.service import Models
from review.test_cases.draft import TestCaseDrafter
from review.test_cases.types import Draft, DraftedCase
from tests.review.cases import AUDIENCE, LABELS, NOW, START, WORDS, Shelf


@dataclass
class Shop:
    """What a drafter reads."""

    tickets: dict[str, Ticket] = field(default_factory=dict)
    evidence: Sequence[Evidence] = ()
    error: CoreError | None = None
    pulls: Any = None
    users_of: Any = None

    def ticket(self, key: str) -> Ticket:
        if key not in self.tickets:
            raise SourceGone(f"no {key}")
        return self.tickets[key]

    def search(self, query: Query, audience: Audience) -> SearchResult:
        return Shelf(self._readable(audience))(query)

    def lookup(self, key: str, audience: Audience) -> tuple[Evidence, ...]:
        return tuple(one for one in self._readable(audience) if one.kind == "commit" and key in one.text)

    def open_document(self, document_id: str, audience: Audience, limit: int) -> tuple[Evidence, ...]:
        return tuple(one for one in self._readable(audience) if one.document_id == document_id)[:limit]

    def drafter(self, models: Models | None = None, **options: Any) -> TestCaseDrafter:
        return TestCaseDrafter(
            self,
            self,
            lambda _audience: (),
            words=WORDS,
            clock=lambda: NOW,
            metrics=NullMetrics(),
            models=models,
            pulls=self.pulls,
            users_of=self.users_of,
            **options,
        )

    def _readable(self, audience: Audience) -> list[Evidence]:
        if self.error:
            raise self.error
        return [one for one in self.evidence if audience.may_read(one.labels)]


def drafted(subject: Ticket, *evidence: Evidence, others: Sequence[Ticket] = (), **options: Any) -> Draft:
    """A draft by rules alone."""
    shop = Shop({one.key: one for one in (subject, *others)}, evidence, **options)
    return shop.drafter().draft(subject.key, AUDIENCE)


def of_kind(draft: Draft, kind: str) -> list[DraftedCase]:
    return [one for one in draft.cases if one.kind == kind]


def commit(key: str, text: str, paths: Sequence[str] = (), sha: str = "c0ffee") -> Evidence:
    identity = f"git:shop@{sha}"
    locator = Locator(identity, text.partition("\n")[0], f"https://code.example/{sha}")
    return Evidence(
        f"{identity}#0", identity, "shop", "commit", f"{key} {text}", identity, locator, LABELS, START, 1.0, "exact",
        {"paths": "\n".join(paths)},
    )  # fmt: skip


def hidden(evidence: Evidence) -> Evidence:
    return replace(evidence, labels=frozenset({"confluence:HR"}))
