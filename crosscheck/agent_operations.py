"""What programs ask for over MCP and HTTP, and the command line as well: sources, plans, consumers, deployed versions,
schemas. Each answers within an audience, as JSON.
"""

from collections.abc import Callable, Mapping
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from core.probes.standing import Standing
from core.schema.types import SchemaHistory, Step
from core.usage.types import Kind
from crosscheck.errors import NotOffered
from crosscheck.records import cited_record, evidence_record, freshness_record, locator_record, unknown_record
from review.gather import stale_sentence
from review.plan.types import PlanReview

if TYPE_CHECKING:
    from core.types import Audience
    from crosscheck.wiring import Program  # imports every part; a client of the service needs none

Report = Callable[[dict[str, Any]], None]
_NO_PROBES = "No environment is configured: an administrator can add [[probes]] to the settings."
_NO_LABELS = "These labels let you read no source, so nothing can be said of a plan: an administrator can give others."
_NO_DATABASES = "No database is configured: an administrator can add [[databases]] to the settings."


class AgentOperations:
    """Operations by their names, for `crosscheck.operations.Local`."""

    def __init__(self, program: "Program") -> None:
        self._program = program

    def all(self) -> Mapping[str, Callable[..., dict[str, Any]]]:
        return {
            "lookup": self._lookup,
            "open": self._open,
            "plan": self._plan,
            "consumers": self._consumers,
            "deployed": self._deployed,
            "schema": self._schema,
            "freshness": self._freshness,
        }

    def _lookup(self, _report: Report, *, key: str, audience: str, limit: int) -> dict[str, Any]:
        for_whom = self._program.audiences.named(audience)
        found = self._program.searcher.lookup(key, for_whom)[:limit]
        return {"evidence": [evidence_record(one) for one in found], "degraded": self._stale(for_whom)}

    def _open(
        self, _report: Report, *, source: str, audience: str, ref: str | None, start: int, size: int
    ) -> dict[str, Any]:
        """`start` and `size` are characters; a part ends with a line where one ends in it."""
        opened = self._program.opener.open(source, self._program.audiences.named(audience), ref)
        begin = min(max(start, 0), len(opened.text))
        end = min(len(opened.text), begin + max(size, 1))
        if end < len(opened.text):
            end = opened.text.rfind("\n", begin, end) + 1 or end
        return {
            "id": opened.locator.document_id,
            "title": opened.locator.label,
            "url": opened.locator.url,
            "kind": opened.kind,
            "version": opened.version,
            "text": opened.text[begin:end],
            "start": begin,
            "end": end,
            "total": len(opened.text),
            "notes": list(opened.notes),
        }

    def _plan(
        self, report: Report, *, plan: str, audience: str, repository: str | None, branch: str | None
    ) -> dict[str, Any]:
        said: list[str] = []

        def say(what: str) -> None:
            said.append(what)
            report({"step": "plan", "name": what, "done": len(said), "total": None})

        for_whom = self._program.audiences.named(audience)
        if not self._program.sources.freshness(for_whom):
            raise NotOffered(_NO_LABELS)
        checked = self._program.plan_checker.check(plan, for_whom, repo=repository, branch=branch, say=say)
        return plan_record(checked)

    def _consumers(
        self,
        _report: Report,
        *,
        name: str,
        audience: str,
        kind: Kind | None,
        repositories: list[str],
        branches: list[str],
        limit: int,
    ) -> dict[str, Any]:
        found = self._program.index.consumers(
            name,
            self._program.audiences.named(audience),
            kind=kind,
            repos=frozenset(repositories),
            branches=frozenset(branches),
            limit=limit,
            freshness=self._program.sources.freshness,
        )
        return {
            "kind": found.kind,
            "name": found.name,
            "defined": [evidence_record(one.evidence) for one in found.defined],
            "consumers": [
                {
                    "repo": one.repo,
                    "branch": one.branch,
                    "path": one.path,
                    "line": one.line,
                    "text": one.text,
                    "url": one.evidence.locator.url,
                    "how": one.how,
                    "confidence": one.confidence,
                    "why": one.why,
                }
                for one in found.consumers
            ],
            "more": found.more,
            "not_looked": list(found.not_looked),
        }

    def _deployed(
        self,
        _report: Report,
        *,
        audience: str,
        environment: str | None,
        repository: str | None,
        commit: str | None,
        pull: int | None,
        ticket: str | None,
    ) -> dict[str, Any]:
        deployments = self._program.deployments
        if deployments is None:
            raise NotOffered(_NO_PROBES)
        state = deployments.state(
            self._program.audiences.named(audience),
            environment=environment,
            repo=repository,
            commit=commit,
            pull=pull,
            ticket=ticket,
        )
        return {"standings": [standing_record(one) for one in state.standings], "notes": list(state.notes)}

    def _schema(
        self,
        _report: Report,
        *,
        audience: str,
        database: str | None,
        table: str | None,
        column: str | None,
        state: str | None,
    ) -> dict[str, Any]:
        histories = self._program.schema_histories
        if histories is None:
            raise NotOffered(_NO_DATABASES)
        found = histories.histories(
            self._program.audiences.named(audience), database=database, table=table, column=column
        )
        return {"histories": [history_record(one, state) for one in found]}

    def _freshness(self, _report: Report, *, audience: str) -> dict[str, Any]:
        sources = self._program.sources.told(self._program.audiences.named(audience))
        return {"sources": [freshness_record(one) for one in sources]}

    def _stale(self, audience: "Audience") -> list[str]:
        return [stale_sentence(one) for one in self._program.sources.freshness(audience) if one.stale]


def plan_record(checked: PlanReview) -> dict[str, Any]:
    return {
        "nothing_new": checked.nothing_new,
        "sources": [
            {
                **locator_record(one.locator),
                "kind": one.kind,
                "source": one.source,
                "text": one.text,
                "why": one.why,
                "updated": one.updated.isoformat(),
            }
            for one in checked.sources
        ],
        "checks": [
            {
                "category": one.category,
                "priority": one.priority.name,
                "statement": one.statement,
                "why": one.why,
                "evidence": [cited_record(cited) for cited in one.evidence],
            }
            for one in checked.checks
        ],
        "unknowns": [unknown_record(one) for one in checked.unknowns],
        "degraded": list(checked.degraded),
        "made_by": checked.made_by,
        "audience": sorted(checked.audience.labels),
        "at": checked.at.isoformat(),
        "numbers": dict(checked.numbers),
    }


def standing_record(one: Standing) -> dict[str, Any]:
    return {
        "environment": one.environment,
        "repo": one.repo,
        "contained": one.contained,
        "says": list(one.says),
        "version": one.version,
        "commit": one.commit,
        "since": one.since.isoformat() if one.since else None,
        "read_at": one.read_at.isoformat(),
        "between": {"count": one.between.count, "commits": [asdict(commit) for commit in one.between.commits]}
        if one.between
        else None,
        "url": one.url,
    }


def history_record(history: SchemaHistory, state: str | None = None) -> dict[str, Any]:
    steps = [step_record(step) for step in history.steps if state in {None, step.state}]
    return {
        "database": history.database,
        "environment": history.environment,
        "tool": history.tool,
        "repo": history.repo,
        "at": history.at.isoformat(),
        "unread": history.unread,
        "notes": list(history.notes),
        "steps": steps,
    }


def step_record(step: Step) -> dict[str, Any]:
    touched = [
        f"{one.table}.{one.column} {one.how}" if one.column else f"{one.table} {one.how}" for one in step.touched
    ]
    return {
        "id": step.id,
        "title": step.title,
        "state": step.state,
        "at": step.at.isoformat() if step.at else None,
        "touched": touched,
        "tickets": list(step.tickets),
        "commit": step.commit,
        "url": step.locator.url if step.locator else "",
        "notes": list(step.notes),
    }
