"""What an evaluation asks of an installation: its own questions, and what search finds for them. Each answers within an
audience, as JSON.
"""

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict
from datetime import datetime
from time import perf_counter
from typing import TYPE_CHECKING, Any

from core.errors import BadQuery
from core.types import Audience, Filters, Query, SearchResult

if TYPE_CHECKING:
    from crosscheck.own_questions import Told
    from crosscheck.wiring import Program  # imports every part; a client of the service needs none

Report = Callable[[dict[str, Any]], None]


class OwnOperations:
    """Operations by their names, for `crosscheck.operations.Local`."""

    def __init__(self, program: "Program") -> None:
        self._program = program

    def all(self) -> Mapping[str, Callable[..., dict[str, Any]]]:
        return {"own_tickets": self._tickets, "own_verdicts": self._verdicts, "own_search": self._search}

    def _tickets(self, report: Report, *, audience: str) -> dict[str, Any]:
        from crosscheck.own_questions import of_tickets

        program = self._program
        if program.settings.jira is None:
            return {"questions": [], "left_out": {}}
        for_whom = program.audiences.named(audience)
        with program.index.searched() as generation:
            return _told(of_tickets(generation.store, program.jira_reader.ticket, for_whom, report))

    def _verdicts(self, report: Report, *, audience: str) -> dict[str, Any]:
        from crosscheck.console.operations import ConsoleOperations
        from crosscheck.own_questions import of_verdicts
        from state.looking import Looking

        program, held = self._program, self._program.audiences.named(audience)
        reader = ConsoleOperations(program).reader(held)
        with program.index.searched() as generation:

            def kind_of(document: str) -> str | None:
                found = generation.store.read(document, held, 1)
                return found[0].kind if found else None

            return _told(of_verdicts(Looking(program.database), program.jobs, reader, kind_of, report))

    def _search(
        self, report: Report, *, questions: Sequence[Mapping[str, Any]], audience: str, limit: int
    ) -> dict[str, Any]:
        """What search finds for each of these questions (`text`, `as_of`, `without`), and each of its arms alone: ids
        of documents, best first. With `as_of`, code is found as it is today.
        """
        for_whom = self._program.audiences.named(audience)
        with self._program.index.searched() as generation:
            embedders = generation.embedders
            answers = []
            for done, question in enumerate(questions, 1):
                answers.append(_answer(generation.searcher.search, question, for_whom, limit))
                report({"step": "search", "done": done, "total": len(questions)})
        return {"answers": answers, "documents by": embedders.documents.name, "code by": embedders.code.name}


def _told(told: "Told") -> dict[str, Any]:
    return {"questions": [asdict(one) for one in told.questions], "left_out": dict(told.left_out)}


def _answer(
    search: Callable[[Query, Audience], SearchResult], question: Mapping[str, Any], audience: Audience, limit: int
) -> dict[str, Any]:
    as_of = question.get("as_of")
    filters = Filters(
        as_of=datetime.fromisoformat(as_of) if as_of else None,
        code_of_today=bool(as_of),
        without=frozenset(question.get("without") or ()),
    )
    began = perf_counter()
    try:
        found = search(Query(str(question["text"]), filters=filters, limit=limit), audience)
    except BadQuery as refusal:
        return {"refused": str(refusal)}
    return {
        "seconds": perf_counter() - began,
        "documents": list(dict.fromkeys(one.document_id for one in found.evidence)),
        "arms": _arms(found),
        "degraded": list(found.degraded),
    }


def _arms(found: SearchResult) -> dict[str, list[str]]:
    ranked: dict[str, list[tuple[int, str, str]]] = defaultdict(list)
    for candidate in found.trace.candidates if found.trace else ():
        for arm, rank in candidate.ranks.items():
            ranked[arm].append((rank, candidate.id, candidate.document_id))
    return {arm: list(dict.fromkeys(name for _, _, name in sorted(some))) for arm, some in ranked.items()}
