"""The questions asked in both ways, as plain data and as tables."""

import tempfile
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from pydantic_ai.models.function import FunctionModel
from rich.table import Table

from core.types import Audience
from crosscheck.wiring import Program
from evals.planted.load import company
from evals.planted.setup import audience, playground
from evals.questions.load import questions
from evals.questions.names import Names
from evals.questions.reader import Reader
from evals.questions.score import dropped, judged, scores
from evals.questions.types import Count, Dropped, Judged, Mean, Question, Scores
from review.answer import Answerer
from review.service import Models

NO_MODEL, READER = "no model", "scripted reader"
Progress = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class Result:
    """One way of answering one part of the questions."""

    name: str
    part: str
    scores: Scores
    rows: tuple[Judged, ...]
    dropped: Dropped | None
    """Of the scripted reader's statements; None without a model."""

    def to_json(self, *, details: bool) -> dict[str, Any]:
        """Plain data, with what went wrong or without."""
        data: dict[str, Any] = {"name": self.name, "part": self.part, "scores": asdict(self.scores)}
        if self.dropped:
            data["dropped"] = asdict(self.dropped)
        return data | {"wrong": list(about(self))} if details else data


def measure(parts: Iterable[str], report: Progress) -> list[Result]:
    """Ask each question of the parts without a model, and with the scripted reader.

    Raises QuestionsError, PlantedError, CompanyError.
    """
    with tempfile.TemporaryDirectory() as folder:
        made = company(Path(folder) / "company")
        asked = questions(made)
        names, readers = Names(made), audience(made)
        with playground(made, Path(folder) / "home") as program:
            reader = Reader(asked)
            ways = {NO_MODEL: program.answerer, READER: with_reader(program, reader)}
            results = []
            for part in parts:
                own = [one for one in asked if one.part == part]
                for name, answerer in ways.items():
                    rows = tuple(ask(answerer, own, names, readers, report))
                    left_out = dropped(rows, reader.made) if name == READER else None
                    results.append(Result(name, part, scores(rows), rows, left_out))
            return results


def with_reader(program: Program, reader: Reader) -> Answerer:
    """The program's answerer with a model that reads by script."""
    return Answerer(
        program.searcher,
        program.sources.freshness,
        models=Models(FunctionModel(reader, model_name="reader")),
        clock=program.clock,
        metrics=program.metrics,
    )


def ask(
    answerer: Answerer, asked: Iterable[Question], names: Names, readers: Audience, report: Progress
) -> Iterator[Judged]:
    """Each question once, for its own readers."""
    for question in asked:
        report(question.id)
        own = Audience(readers.labels | question.holds)
        yield judged(question, answerer.answer(question.text, own), names)


def record(report: Progress) -> dict[str, Any]:
    """Both parts, as `make bench` keeps them."""
    return {
        "asked": {
            "precision": "at least 0.9",
            "recall": "at least 0.8",
            "refused": "all that is restricted or unanswerable",
        },
        "measured": [one.to_json(details=one.part == "open") for one in measure(("open", "held"), report)],
    }


def table_of(results: Sequence[Result]) -> Table:
    table = Table(box=None, padding=(0, 2, 0, 0))
    for head in ("", *(f"{one.name}, {one.part}" for one in results)):
        table.add_column(head, overflow="fold")
    all_scores = [one.scores for one in results]
    table.add_row("precision, 95 %", *(_interval(one.precision) for one in all_scores))
    table.add_row("recall, 95 %", *(_interval(one.recall) for one in all_scores))
    for name in dict.fromkeys(name for one in all_scores for name in one.by_category):
        table.add_row(f"  {name}", *(_pair(one.by_category.get(name)) for one in all_scores))
    table.add_row("restricted, refused", *(_plain(one.restricted_refused) for one in all_scores))
    table.add_row("unanswerable, refused", *(_plain(one.unanswerable_refused) for one in all_scores))
    table.add_row("falsely refused", *(_plain(one.falsely_refused) for one in all_scores))
    for name in ("unrelated", "mistaken", "true"):
        counts = (getattr(one.dropped, name) if one.dropped else None for one in results)
        table.add_row(f"{name} statements, dropped", *(_plain(count) if count else "-" for count in counts))
    return table


def about(result: Result) -> Iterator[str]:
    """What went wrong, a sentence for each question."""
    for row in result.rows:
        said = []
        if row.question.answerable and row.refused:
            said.append("falsely refused")
        elif row.missed:
            said.append(f"misses {', '.join(' or '.join(sorted(group)) for group in row.missed)}")
        if row.wrong:
            said.append(f"cites {', '.join(row.wrong)}")
        if said:
            yield f"{row.question.id}: {'; '.join(said)}."


def _interval(mean: Mean) -> str:
    return f"{mean.value:.2f} ({mean.low:.2f} to {mean.high:.2f}) of {mean.of}" if mean.of else "-"


def _pair(pair: tuple[Mean, Mean] | None) -> str:
    return f"{pair[0].value:.2f} and {pair[1].value:.2f} of {pair[1].of}" if pair else "-"


def _plain(count: Count) -> str:
    return f"{count.part} of {count.of}"
