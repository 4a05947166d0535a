"""A small world behind the review's seams: tickets by key, evidence by document, a model that says what it is told."""

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import Any

from pydantic_ai.messages import ModelMessage, ModelResponse, ToolCallPart, ToolReturnPart
from pydantic_ai.models.function import AgentInfo, FunctionModel

from core.errors import BadQuery, CoreError, SourceGone
from core.pulls.types import ChangedFile, Found, PullRef, PullRequest, Side, Snapshot
from core.tickets import Comment, Person, Ticket, TicketLink
from core.types import Audience, Evidence, Freshness, Locator, NullMetrics, Query, SearchResult
from review.agents.supervisor import Supervisor
from review.budget import Budget
from review.case import Case, Checked, Rule
from review.merge import Judged
from review.reading import Reading
from review.service import Models, Reviewer
from review.types import Cited, Finding, Priority
from review.words import Words

NOW = datetime(2026, 11, 2, 9, 0, tzinfo=UTC)
OPEN = frozenset({"org", "jira:SHOP"})
AUDIENCE = Audience(OPEN)
ROLE = OPEN | {"jira:SHOP:role:Leads"}
ANN = Person("u-1", "Ann Field")
BOT = Person("u-9", "Crosscheck")
WORDS = Words(("acceptance criteria",), ("tbd",), ("no longer",), ("agreed",), ("rejected",))


def locator(document: str, title: str) -> Locator:
    return Locator(document, title, f"https://jira.example/{document.replace(':', '/')}")


def comment(number: int, text: str, labels: frozenset[str] = OPEN, *, by_bot: bool = False) -> Comment:
    where = locator(f"jira:1:comment:{number}", f"SHOP-1, comment {number}")
    return Comment(str(number), BOT if by_bot else ANN, NOW, NOW, text, (), labels, where, by_bot)


def link(key: str, relation: str = "is blocked by", labels: frozenset[str] = OPEN) -> TicketLink:
    return TicketLink(
        relation, key, f"Summary of {key}", "Task", "Open", False, None, labels, locator(f"jira:{key}", key)
    )


def ticket(key: str = "SHOP-1", **changes: Any) -> Ticket:
    number = key.rpartition("-")[2]
    base = Ticket(
        id=number,
        key=key,
        project="SHOP",
        summary="Vouchers expire after a while",
        description="A voucher expires after 30 days. The customer is told by mail.",
        type="Story",
        status="Open",
        done=False,
        resolution=None,
        reporter=ANN,
        assignee=None,
        created=NOW,
        updated=NOW,
        labels=OPEN,
        locator=locator(f"jira:{number}", key),
    )
    return replace(base, **changes)


def evidence(document: str, text: str, labels: frozenset[str] = OPEN, kind: str = "page") -> Evidence:
    where = locator(document, f"Page {document}")
    return Evidence(f"{document}#0", document, "wiki", kind, text, where.title, where, labels, NOW, 1.0, "hybrid")


POLICY = evidence("confluence:7", "Voucher policy. Vouchers are valid for 90 days after purchase.")
HIDDEN = evidence("confluence:8", "Salary bands for grade seven are confidential.", frozenset({"confluence:HR"}))


@dataclass
class Tickets:
    by_key: dict[str, Ticket] = field(default_factory=dict)
    failing: dict[str, CoreError] = field(default_factory=dict)
    read: list[str] = field(default_factory=list)

    def ticket(self, key: str) -> Ticket:
        self.read.append(key)
        if key in self.failing:
            raise self.failing[key]
        if key not in self.by_key:
            raise SourceGone(f"no {key}")
        return self.by_key[key]


@dataclass
class Index:
    """Answers every search with all that the audience may read; `leaking` forgets the audience."""

    documents: list[Evidence] = field(default_factory=list)
    names: dict[str, str] = field(default_factory=dict)
    degraded: tuple[str, ...] = ()
    error: CoreError | None = None
    leaking: bool = False
    queries: list[Query] = field(default_factory=list)
    lookups: list[str] = field(default_factory=list)

    def search(self, query: Query, audience: Audience) -> SearchResult:
        self.queries.append(query)
        found = [e for e in self._readable(audience) if e.document_id not in query.filters.without]
        return SearchResult(tuple(found[: query.limit]), self.degraded)

    def lookup(self, key: str, audience: Audience) -> tuple[Evidence, ...]:
        self.lookups.append(key)
        wanted = self.names.get(key, key)
        return tuple(e for e in self._readable(audience) if e.document_id == wanted)

    def open_document(self, document_id: str, audience: Audience, limit: int) -> tuple[Evidence, ...]:
        return tuple(e for e in self._readable(audience) if e.document_id == document_id)[:limit]

    def _readable(self, audience: Audience) -> list[Evidence]:
        if self.error:
            raise self.error
        return [e for e in self.documents if self.leaking or audience.may_read(e.labels)]


def finding(cited: Cited, priority: Priority = Priority.P1, statement: str = "The term is in conflict.") -> Finding:
    return Finding("a-rule", "conflict", priority, statement, "Customers would be told wrong.", "Which?", (cited,))


def quoting(one: Ticket | Comment | Evidence, quote: str) -> Cited:
    return Cited(one.locator, one.labels, quote)


def rule(check: Callable[[Case], Checked], name: str = "a-rule") -> Rule:
    return Rule(name, f"Title of {name}", check)


def conflict_rule(case: Case) -> Checked:
    """Cites the ticket against the policy, as a real rule would."""
    found = case.search(Query("voucher")).evidence
    policy = [e for e in found if "90 days" in e.text]
    if not policy or "30 days" not in case.ticket.description:
        return Checked()
    cited = (quoting(case.ticket, "expires after 30 days"), quoting(policy[0], "valid for 90 days"))
    return Checked(findings=(replace(finding(cited[0]), evidence=cited),))


def absence_rule(case: Case) -> Checked:
    cited = Cited(case.ticket.locator, case.ticket.labels, looked_for="acceptance criteria")
    return Checked(
        findings=(
            Finding(
                "no-criteria",
                "not verifiable",
                Priority.P2,
                "There are no criteria.",
                "Why.",
                "When is it done?",
                (cited,),
            ),
        )
    )


Script = Callable[[list[ModelMessage], AgentInfo], ModelResponse]


def calls(*parts: tuple[str, dict[str, Any]]) -> ModelResponse:
    return ModelResponse(parts=[ToolCallPart(name, arguments) for name, arguments in parts])


def review_call(**answer: Any) -> ModelResponse:
    return calls(("final_result", answer))


def scripted(*responses: ModelResponse) -> FunctionModel:
    """A model that gives these responses one after another, the last for ever."""
    left = list(responses)

    def answer(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        return left.pop(0) if len(left) > 1 else left[0]

    return FunctionModel(answer, model_name="scripted")


def new(statement: str = "Nobody says what happens to old vouchers.", **changes: Any) -> dict[str, Any]:
    """A finding as a model writes it; S1 is the ticket."""
    return {
        "category": "missing rule",
        "priority": "P1",
        "statement": statement,
        "why": "Support would have to guess.",
        "question": "What happens to vouchers sold before?",
        "citations": [{"source": "S1", "quote": "A voucher expires after 30 days."}],
    } | changes


@dataclass
class World:
    tickets: Tickets = field(default_factory=lambda: Tickets({"SHOP-1": ticket()}))
    index: Index = field(default_factory=lambda: Index([POLICY]))
    freshness: list[Freshness] = field(default_factory=list)

    def reviewer(self, *rules: Rule, model: Any = None, budget: Budget | None = None) -> Reviewer:
        return Reviewer(
            self.tickets,
            self.index,
            lambda _: self.freshness,
            rules=rules or (rule(conflict_rule), rule(absence_rule, "no-criteria")),
            words=WORDS,
            models=Models(model) if model else None,
            clock=lambda: NOW,
            metrics=NullMetrics(),
            budget=budget,
        )


def snapshot(number: int = 7, repo: str = "shop", *paths: str, labels: frozenset[str] = OPEN) -> Snapshot:
    ref = PullRef(repo, number)
    where = Locator(ref.document_id, f"Pull request {number}", f"https://git.example/{repo}/{number}")
    pull = PullRequest(ref, "Vouchers expire", "", where.url, "open", "h" * 40, "feature", "main")
    files = tuple(ChangedFile(path, "modified") for path in paths or ("src/vouchers.py",))
    return Snapshot(pull, "h" * 40, "b" * 40, files, labels, where)


@dataclass
class PullTexts:
    """Pull requests whose files are texts by path; `found` is what a ticket has."""

    found: tuple[Snapshot, ...] = ()
    texts: dict[str, str] = field(default_factory=dict)

    def of_ticket(self, ticket: Ticket, audience: Audience) -> Found:
        return Found(self.found)

    def overview(self, snapshot: Snapshot) -> Evidence:
        return self._piece(snapshot, None, "\n".join([snapshot.pull.title, *(f.path for f in snapshot.files)]))

    def difference(self, snapshot: Snapshot, path: str) -> tuple[Evidence, ...]:
        return (self._piece(snapshot, path, f"+ {self._text(path)}"),)

    def file(self, snapshot: Snapshot, path: str, side: Side, first: int = 1, last: int | None = None) -> Evidence:
        return self._piece(snapshot, path, f"{side}: {self._text(path)}")

    def grep(self, snapshot: Snapshot, text: str, glob: str | None = None) -> tuple[Evidence, ...]:
        return tuple(self._piece(snapshot, path, one) for path, one in self.texts.items() if text in one)

    def symbol(self, snapshot: Snapshot, name: str) -> tuple[Evidence, ...]:
        return self.grep(snapshot, f"def {name}")

    def changed_symbols(self, snapshot: Snapshot) -> tuple[str, ...]:
        return ()

    def _text(self, path: str) -> str:
        if path not in self.texts:
            raise BadQuery("not in the tree")
        return self.texts[path]

    def _piece(self, snapshot: Snapshot, path: str | None, text: str) -> Evidence:
        document = snapshot.ref.document_id
        where = Locator(document, path or snapshot.locator.title, f"{snapshot.locator.url}/{path}", line=1)
        return Evidence(
            f"{document}#{path}", document, snapshot.ref.repo, "pull", text, where.title, where, OPEN, NOW, 1.0, "read"
        )


SOON = 0.01
"""Seconds before a request is repeated."""


@dataclass
class Bench:
    """A supervisor and what it is given, without the rest of a review."""

    model: Any
    documents: list[Evidence] = field(default_factory=lambda: [POLICY])
    ticket: Ticket = field(default_factory=ticket)
    facts: list[Finding] = field(default_factory=list)
    request: str = ""
    language: str = "en"
    budget: Budget = field(default_factory=Budget)
    pulls: PullTexts | None = None
    users_of: Any = None
    options: dict[str, Any] = field(default_factory=dict)
    reading: Reading = field(init=False)

    def __post_init__(self) -> None:
        world, index = Tickets({self.ticket.key: self.ticket}), Index(self.documents)
        metrics = NullMetrics()
        self.reading = Reading(world, index, AUDIENCE, self.budget, metrics, pulls=self.pulls, users_of=self.users_of)
        self.reading.ticket_under_review(self.ticket.key, None)
        self.snapshots = self.reading.find_pulls(self.ticket)
        for one in self.documents:
            self.reading.register.add_evidence(one)

    def judge(self) -> Judged:
        made = Supervisor(self.model, self.budget, **{"pause": SOON, **self.options})
        return made.judge(self.ticket, self.reading, self.facts, self.request, self.snapshots, self.language)


def by_agent(**scripts: Script | ModelResponse) -> FunctionModel:
    """A model that answers each agent by its own script: `documents`, `code`, `supervisor`, `relevance`."""

    def answer(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        script = scripts.get(who(info), review_call())
        return script if isinstance(script, ModelResponse) else script(messages, info)

    return FunctionModel(answer, model_name="scripted")


def who(info: AgentInfo) -> str:
    """Which agent asks, by its tools and instructions."""
    tools = {tool.name for tool in info.function_tools}
    if tools:
        return "code" if "users_of" in tools else "documents"
    return "relevance" if "numbered passages" in (info.instructions or "") else "supervisor"


def prompt_of(messages: list[ModelMessage]) -> str:
    return str(messages[0].parts[0].content)


def told(messages: list[ModelMessage]) -> list[str]:
    """What the last look-ups returned."""
    return [str(part.content) for part in messages[-1].parts if isinstance(part, ToolReturnPart)]
