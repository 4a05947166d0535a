"""What a command can ask for. The command line runs these itself, or through the service when one owns the folder."""

import tomllib
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict
from datetime import UTC, datetime, timedelta
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from bots.errors import BotError
from bots.text import one_line
from core.errors import BadQuery, CoreError
from core.types import Filters, Query
from crosscheck import outlines, release
from crosscheck.agent_operations import AgentOperations
from crosscheck.console.operations import ConsoleOperations
from crosscheck.errors import BadSettings, CrosscheckError
from crosscheck.lifecycle_operations import LifecycleOperations
from crosscheck.own_operations import OwnOperations
from crosscheck.periods import FULL, LABELS
from crosscheck.records import (
    answer_record,
    evidence_record,
    freshness_record,
    job_record,
    listed_record,
    review_record,
    trace_record,
)
from crosscheck.token_operations import TokenOperations
from review.errors import NothingToReview, ReviewError
from review.gather import stale_sentence
from state.errors import StateError
from state.types import JobState

if TYPE_CHECKING:
    from crosscheck.wiring import Program  # imports every part; a client of the service needs none

_UNREAD = 200  # documents that are listed of which something could not be read

Report = Callable[[dict[str, Any]], None]
"""Told of progress while an operation runs."""

EXPECTED = (BotError, CoreError, CrosscheckError, ReviewError, StateError)
"""Errors whose message is for the person who gave the command."""


class Operations(Protocol):
    def run(self, name: str, arguments: Mapping[str, Any], report: Report) -> dict[str, Any]:
        """Run one operation by name; its result as JSON."""
        ...


class Local:
    """Runs operations in this process."""

    def __init__(self, program: "Program") -> None:
        self._program = program
        self._operations: dict[str, Callable[..., dict[str, Any]]] = {
            "search": self._search,
            "review": self._review,
            "ask": self._ask,
            "test_cases": self._test_cases,
            "review_all": self._review_all,
            "review_release": self._review_release,
            "jobs": self._jobs,
            "job": self._job,
            "retry": self._retry,
            "sources": self._sources,
            "sync": self._sync,
            "map": self._map,
            "tune": self._tune,
            "index": self._index,
            "index_move": self._index_move,
            "index_rebuild": self._index_rebuild,
            **AgentOperations(program).all(),
            **ConsoleOperations(program).all(),
            **LifecycleOperations(program).all(),
            **OwnOperations(program).all(),
            **TokenOperations(program).all(),
        }

    def run(self, name: str, arguments: Mapping[str, Any], report: Report) -> dict[str, Any]:
        operation = self._operations.get(name)
        if operation is None:
            raise CrosscheckError(f"There is no operation {name!r}.")
        return operation(report, **arguments)

    def _search(
        self,
        _report: Report,
        *,
        text: str,
        audience: str,
        limit: int,
        filters: Mapping[str, Any],
        variants: Sequence[str] = (),
        explain: bool = False,
    ) -> dict[str, Any]:
        for_whom = self._program.audiences.named(audience)
        found = self._program.searcher.search(Query(text, tuple(variants), _filters(filters), limit), for_whom)
        stale = [stale_sentence(source) for source in self._program.sources.freshness(for_whom) if source.stale]
        return {
            "evidence": [evidence_record(evidence) for evidence in found.evidence],
            "notes": list(found.notes),
            "degraded": [*found.degraded, *stale, *self._holds_nothing(audience)],
            **({"trace": trace_record(found.trace)} if explain and found.trace else {}),
        }

    def _map(self, report: Report, *, text: str | None, audience: str) -> dict[str, Any]:
        """The data of a picture; who asked for it makes the files."""
        from crosscheck.map_data import asked, every_point, map_data

        for_whom, index = self._program.audiences.named(audience), self._program.index
        with index.searched() as generation:
            embedders, question = generation.embedders, None
            if text:
                found = generation.searcher.search(Query(text), for_whom)
                question = asked(text, [one.id for one in found.evidence], embedders)
            return map_data(every_point(generation.store), for_whom, embedders, question, report)

    def _tune(self, report: Report, *, dry_run: bool, forgotten: bool) -> dict[str, Any]:
        from crosscheck.tune import forget, tune

        program = self._program
        if forgotten:
            return forget(program.settings.data)
        with program.index.searched() as generation:
            return tune(generation, program.tuning, program.settings.data, program.clock(), report, dry_run=dry_run)

    def _index(self, _report: Report) -> dict[str, Any]:
        wanted = self._program.settings.index.engine
        return {"engine": wanted, "generations": [asdict(view) for view in self._program.index.views()]}

    def _index_move(self, report: Report, *, to: str) -> dict[str, Any]:
        wanted = self._program.settings.index.engine
        if to != wanted:
            raise BadSettings(
                f'The settings want the engine "{wanted}". Set index.engine to "{to}" first'
                f"{' with index.url' if to == 'server' else ''}, and start the service again if it runs: "
                "the present index answers until the move is done."
            )
        points = self._program.keeper().sources.move_index(
            lambda done, total: report({"step": "move", "name": to, "done": done, "total": total})
        )
        return {"points": points, **self._index(report)}

    def _index_rebuild(self, report: Report) -> dict[str, Any]:
        keeper, before = self._program.keeper(), self._index(report)["generations"]
        report({"step": "rebuild", "name": "index", "done": 0, "total": None})
        keeper.index.optimize()
        return {"before": before, **self._index(report)}

    def _review(self, _report: Report, *, key: str, audience: str) -> dict[str, Any]:
        for_whom = self._program.audiences.named(audience)
        try:
            review = self._program.reviewer.review(key, for_whom)
        except NothingToReview as error:
            raise NothingToReview(" ".join([str(error), *self._holds_nothing(audience)])) from error
        outline = outlines.review_outline(review, self._program.sources.freshness(for_whom), asked=review.at)
        return {**review_record(review), "reply": self._program.readable(outline)}

    def _ask(self, _report: Report, *, text: str, audience: str, texts: bool = False) -> dict[str, Any]:
        from crosscheck.answer_outline import answer_outline

        answer = self._program.answerer.answer(text, self._program.audiences.named(audience))
        reply = self._program.readable(answer_outline(answer))
        return {**answer_record(answer, texts=texts), "hints": self._holds_nothing(audience), "reply": reply}

    def _test_cases(self, _report: Report, *, key: str, audience: str, form: str | None) -> dict[str, Any]:
        from crosscheck.test_case_files.record import draft_answer

        for_whom = self._program.audiences.named(audience)
        try:
            draft = self._program.drafter.draft(key, for_whom)
        except NothingToReview as error:
            raise NothingToReview(" ".join([str(error), *self._holds_nothing(audience)])) from error
        return draft_answer(draft, form, self._program.readable)

    def _holds_nothing(self, audience: str) -> list[str]:
        """A hint for who tries the commands before anybody was told what `org` may read; a program's labels are exact
        and its administrator's choice.
        """
        held = self._program.audiences.named(audience).labels
        if audience.startswith("=") or any(source.labels & held for source in self._program.sources.all()):
            return []
        return [f"The audience {audience!r} holds no label of any source: see [audience.holders], or use --as."]

    def _review_all(
        self, report: Report, *, projects: list[str], audience: str, truth: str | None = None
    ) -> dict[str, Any]:
        keys = [key for project in projects for key in self._keys(project)]
        answer = {"projects": projects, **self._reviews(report, keys, audience)}
        expected = Path(truth) if truth else self._program.settings.review.truth
        if expected:
            reviewed = {review["key"] for review in answer["reviews"]}
            truths = [row for row in _truth(expected) if row["ticket"] in reviewed]
            answer["rules"] = rule_table(answer["reviews"], truths)
        return answer

    def _review_release(self, report: Report, *, jql: str, audience: str) -> dict[str, Any]:
        """The tickets that a JQL expression finds, with what is urgent in them."""
        keys = list(islice(self._program.jira_reader.keys(jql=jql), release.MOST + 1))
        if len(keys) > release.MOST:
            raise BadSettings(f"The expression finds more than {release.MOST} tickets; narrow it down.")
        answer = self._reviews(report, keys, audience)
        return {"jql": jql, "tickets": len(keys), "open": release.open_points(answer["reviews"]), **answer}

    def _reviews(self, report: Report, keys: Sequence[str], audience: str) -> dict[str, Any]:
        """One review after another; one that fails costs only itself."""
        for_whom = self._program.audiences.named(audience)
        reviews, failed = [], []
        for done, key in enumerate(keys, 1):
            try:
                reviews.append(review_record(self._program.reviewer.review(key, for_whom)))
            except (ReviewError, CoreError) as error:
                failed.append({"key": key, "reason": str(error)})
            report({"step": "review", "name": key, "done": done, "total": len(keys)})
        return {"reviews": reviews, "not_reviewed": failed}

    def _keys(self, project: str) -> list[str]:
        return sorted(self._program.jira_reader.keys(project), key=lambda key: int(key.rpartition("-")[2]))

    def _jobs(self, _report: Report, *, state: JobState | None, limit: int) -> dict[str, Any]:
        return {
            "counts": self._program.jobs.counts(),
            "jobs": [listed_record(self._program.jobs.show(job.id)) for job in self._program.jobs.list(state, limit)],
        }

    def _job(self, _report: Report, *, id: int) -> dict[str, Any]:  # noqa: A002  the command's own word
        return job_record(self._program.jobs.show(id))

    def _retry(self, _report: Report, *, id: int, by: str) -> dict[str, Any]:  # noqa: A002
        self._program.jobs.retry(id, by)
        return job_record(self._program.jobs.show(id))

    def _sources(self, _report: Report, *, name: str | None = None) -> dict[str, Any]:
        every = self._program.sources.all()
        if name is None:
            return {"sources": [freshness_record(source) for source in every]}
        self._program.sources.names([name])
        chosen = next(source for source in every if source.source == name)
        unread = self._program.index.registry.unread(name, _UNREAD)
        return {
            "sources": [freshness_record(chosen)],
            "unread": [asdict(view) for view in unread],
            "more": max(0, chosen.partly - len(unread)),
        }

    def _sync(self, report: Report, *, sources: list[str], full: bool) -> dict[str, Any]:
        """One source that fails costs only itself; labels are swept and all is read anew when that is due."""
        known, synced, failed = self._program.keeper().sources, [], []
        known.forget_removed()
        for name in known.names(sources):
            read, sweep = known.due(name, FULL, LABELS)
            try:
                synced.append(known.sync(name, full or read, report))
                if sweep:
                    known.sweep_labels(name)
            except EXPECTED as error:
                failed.append({"source": name, "reason": str(error)})
        return {"sources": synced, "failed": failed}


def _filters(given: Mapping[str, Any]) -> Filters:
    """Filters as a command gives them: names as lists, the date as text."""
    as_of = given.get("as_of")
    try:
        moment = _until(as_of) if as_of else None
    except ValueError as error:
        said = one_line(str(as_of), 40)
        raise BadQuery(f"{said!r} is no date; write it like 2026-03-31 or 2026-03-31T12:00+02:00.") from error
    return Filters(
        sources=frozenset(given.get("sources") or ()),
        repos=frozenset(given.get("repos") or ()),
        kinds=frozenset(given.get("kinds") or ()),
        path=given.get("path"),
        languages=frozenset(name.casefold() for name in given.get("languages") or ()),
        branch=given.get("branch"),
        as_of=moment if moment is None or moment.tzinfo else moment.replace(tzinfo=UTC),
    )


def _until(text: str) -> datetime:
    """A moment; of a day without a time, its end."""
    moment = datetime.fromisoformat(text)
    return moment if len(text) > len("2026-03-31") else moment + timedelta(days=1, microseconds=-1)


def rule_table(reviews: Iterable[Mapping[str, Any]], truth: Iterable[Mapping[str, str]]) -> list[dict[str, Any]]:
    """For each rule: what it had to catch and caught or missed, and what it said without being expected to (false)."""
    said = {(review["key"], finding["rule"]) for review in reviews for finding in review["findings"]}
    rows = list(truth)
    wanted = {(row["ticket"], row["rule"]) for row in rows if row["verdict"] == "catch"}
    tempting = Counter(row["rule"] for row in rows if row["verdict"] == "leave")
    rules = sorted({rule for _, rule in said | wanted} | set(tempting))
    return [
        {
            "rule": rule,
            "caught": sorted(ticket for ticket, r in said & wanted if r == rule),
            "missed": sorted(ticket for ticket, r in wanted - said if r == rule),
            "false": sorted(ticket for ticket, r in said - wanted if r == rule),
            "look_alikes": tempting[rule],
        }
        for rule in rules
    ]


def _truth(path: Path) -> list[dict[str, str]]:
    try:
        rows: list[dict[str, str]] = tomllib.loads(path.read_text("utf-8"))["expect"]
    except (OSError, KeyError, tomllib.TOMLDecodeError) as error:
        raise BadSettings(f"{path} is no file of expectations: it needs [[expect]] tables.") from error
    return rows
