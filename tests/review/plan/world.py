"""A small index behind the seam of a plan's check: answers each search with what it holds of the kinds asked for."""

from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import Any

from pydantic_ai.messages import ModelMessage, ModelResponse, ToolCallPart, UserPromptPart
from pydantic_ai.models.function import AgentInfo, FunctionModel

from core.errors import CoreError, IndexUnusable
from core.types import Audience, Evidence, Locator, NullMetrics, Query, SearchResult
from core.usage.types import Consumer, Consumption, Kind
from review.plan.check import PlanChecker
from review.service import Models
from review.words import defaults

NOW = datetime(2026, 11, 2, 9, 0, tzinfo=UTC)
OPEN = frozenset({"org"})
AUDIENCE = Audience(OPEN)


def passage(document: str, kind: str, title: str, text: str, **changes: Any) -> Evidence:
    where = Locator(document, title, f"https://host.example/{document}")
    base = Evidence(f"{document}#0", document, "main", kind, text, title, where, OPEN, NOW, 1.0, "hybrid")
    return replace(base, **changes)


POLICY = passage(
    "confluence:1",
    "page",
    "Account security policy",
    "A passenger's account is locked after 5 failed sign-in attempts in a row.\n\nThe lock lasts 30 minutes.",
)
OLD = passage(
    "confluence:2",
    "page",
    "Account security policy 2024",
    "**Superseded.** A passenger's account is locked after 8 failed sign-in attempts in a row.",
    attributes={"archived": "true"},
)
BUG = passage(
    "jira:97",
    "ticket",
    "SHOP-97 Account stays locked after the password was reset",
    "Steps: lock an account by failed sign-in attempts, reset the password, sign in.",
    attributes={"key": "SHOP-97", "type": "Bug", "status": "Done", "resolution": "Fixed", "done": "true"},
)
FIX = passage(
    "git:api@abc1234567",
    "commit",
    "SHOP-97 Resetting the password ends the lock",
    "SHOP-97 Resetting the password ends the lock\n\nFiles:\n- src/accounts.py",
    attributes={"paths": "src/accounts.py"},
)
CODE = passage("git:api:src/accounts.py", "code", "src/accounts.py", '"""Accounts."""\nMAX_FAILED_SIGN_INS = 10\n')
READER = passage("git:app:src/reader.ts", "code", "src/reader.ts", "const age = passenger.passenger_age;\n")
HIDDEN = passage(
    "confluence:9",
    "page",
    "Secret account rules",
    "An account of the board is locked after 2 failed sign-in attempts in a row.",
    labels=frozenset({"confluence:BOARD"}),
)
PLAN = """Lock an account after failed sign-ins

1. In src/accounts.py an account is locked after 8 failed sign-in attempts in a row.
2. Send the passenger a mail.
"""
KNOWING = """Lock an account after failed sign-ins

1. src/accounts.py: "A passenger's account is locked after 5 failed sign-in attempts in a row." (Account security
   policy)
2. The password reset goes on ending the lock, which was SHOP-97.
"""


@dataclass
class Index:
    """`leaking` forgets the audience; `failing` are kinds of which a search fails."""

    documents: list[Evidence] = field(default_factory=lambda: [POLICY, OLD, BUG, FIX, CODE, HIDDEN])
    leaking: bool = False
    failing: frozenset[str] = frozenset()
    queries: list[Query] = field(default_factory=list)

    def search(self, query: Query, audience: Audience) -> SearchResult:
        self.queries.append(query)
        kinds = query.filters.kinds
        if kinds & self.failing:
            raise IndexUnusable("broken")
        found = [one for one in self._readable(audience) if not kinds or one.kind in kinds]
        return SearchResult(tuple(found[: query.limit]))

    def lookup(self, key: str, audience: Audience) -> tuple[Evidence, ...]:
        return tuple(one for one in self._readable(audience) if key in one.locator.title)

    def open_document(self, document_id: str, audience: Audience, limit: int) -> tuple[Evidence, ...]:
        return tuple(one for one in self._readable(audience) if one.document_id == document_id)[:limit]

    def _readable(self, audience: Audience) -> list[Evidence]:
        return [one for one in self.documents if self.leaking or audience.may_read(one.labels)]


@dataclass
class Uses:
    """Every name of which something is known, used in one place."""

    by_name: dict[str, Evidence]
    error: CoreError | None = None

    def consumers(
        self,
        name: str,
        audience: Audience,
        *,
        kind: Kind | None = None,
        repos: frozenset[str] = frozenset(),
        branches: frozenset[str] = frozenset(),
        limit: int = 30,
    ) -> Consumption:
        del kind, repos, branches, limit
        if self.error:
            raise self.error
        one = self.by_name.get(name)
        if one is None or not audience.may_read(one.labels):
            return Consumption("symbol", name, (), ())
        _, repo, path = one.document_id.split(":")
        used = Consumer(repo, "main", path, 1, one.text.strip(), "text", "likely", "It holds the name.", one)
        return Consumption("symbol", name, (), (used,))


def checker(index: Index | None = None, **changes: Any) -> PlanChecker:
    given = {"words": defaults(), "clock": lambda: NOW, "metrics": NullMetrics(), **changes}
    return PlanChecker(index or Index(), lambda _audience: (), **given)


class Saying:
    """A model that gives each agent the answer that is set for it, and keeps what it was shown."""

    def __init__(self, *answers: dict[str, Any]) -> None:
        self._answers = list(answers)
        self.prompts: list[str] = []

    def __call__(self, messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        parts = [part for message in messages for part in message.parts if isinstance(part, UserPromptPart)]
        self.prompts.append("\n".join(str(part.content) for part in parts))
        answer = self._answers[min(len(self.prompts), len(self._answers)) - 1]
        return ModelResponse([ToolCallPart(info.output_tools[0].name, answer)])

    @property
    def models(self) -> Models:
        return Models(FunctionModel(self, model_name="scripted"))
