"""Questions asked in each way, as measurements: the make-believe company's, and a team's own as it is installed."""

import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pydantic_ai.models.function import FunctionModel

from core.types import Audience, Locator
from crosscheck import settings as config
from crosscheck.errors import BadSettings
from crosscheck.records import answer_record
from crosscheck.wiring import Program
from evals.harness import stored
from evals.harness.cases import Scored, score
from evals.harness.types import Measurement
from evals.planted.load import OVERLAY, company
from evals.planted.measure import digest
from evals.planted.setup import audience, playground
from evals.questions.answers import NameOf, about, checked, read
from evals.questions.load import FILE, questions
from evals.questions.names import Names
from evals.questions.reader import Reader
from evals.questions.scores import METRICS, SCORERS, Scorer, by_script
from evals.questions.types import HELD, PARTS, Answer, Checked, Question, Source
from review.answer import Answerer
from review.service import Models

PART, NO_MODEL, READER = "answers", "no model", "scripted reader"
Ask = Callable[[Question], Answer]
Progress = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class Asked:
    """One way of answering one part of the questions, before it is summed up."""

    set: str
    way: str
    scored: Scored[Checked]
    made_with: Mapping[str, str]
    told: bool
    """What went wrong may be said."""
    notes: tuple[str, ...] = ()

    def measurement(self) -> Measurement:
        values, failures = self.scored.values, self.scored.failures
        metrics = tuple(metric for metric in METRICS if metric.name in values)
        notes = (*self.notes, *(about(self.scored.outputs.values()) if self.told else ()))
        return Measurement(PART, self.set, self.way, metrics, values, failures, notes, self.made_with)


def cases(asked: Iterable[Question], part: str) -> Mapping[str, Question]:
    """The questions of a part by their ids, or by numbers where nobody is to know which they are."""
    own = [one for one in asked if one.part == part]
    return {f"held {at:02}" if part == HELD else one.id: one for at, one in enumerate(own, 1)}


def ask_all(
    asked: Mapping[str, Question], ask: Ask, name_of: NameOf, report: Progress, scorers: Mapping[str, Scorer] = SCORERS
) -> Scored[Checked]:
    """Each question once."""
    return score(
        asked,
        lambda question: checked(question, ask(question), name_of),
        scorers,
        lambda done, total, name: report(f"{done} of {total}: {name}"),
    )


def of_sandbox(parts: Iterable[str], report: Progress, *, model: config.Settings | None = None) -> Iterator[Asked]:
    """The company's questions without a model, with the scripted reader, and with the model of the settings, if any.

    Raises QuestionsError, PlantedError, CompanyError, and BadSettings for settings without a model.
    """
    tables = _tables(model) if model else {}
    secrets = config.Secrets.from_environment() if model else None
    with tempfile.TemporaryDirectory() as folder:
        made = company(Path(folder) / "company")
        asked, names, readers = questions(made), Names(made), audience(made)
        made_with = {"questions": digest(FILE, *sorted(OVERLAY.rglob("*.toml")), *sorted(OVERLAY.rglob("*.csv")))}

        def name_of(source: Source) -> str:
            return names.of(Locator(source.document, source.title, source.url))

        with playground(made, Path(folder) / "home", tables=tables, secrets=secrets) as program:
            reader = Reader(asked)
            ways: dict[str, tuple[Ask, Mapping[str, Scorer]]] = {
                NO_MODEL: (by_answerer(answerer(program), readers), SCORERS),
                READER: (by_answerer(answerer(program, reader), readers), by_script(reader)),
            }
            if model and model.model:
                ways[model.model.name] = by_answerer(program.answerer, readers), SCORERS
            for part in parts:
                for way, (ask, scorers) in ways.items():
                    scored = ask_all(cases(asked, part), ask, name_of, report, scorers)
                    yield Asked(f"sandbox, {part}", way, scored, made_with, told=part != HELD)


def answerer(program: Program, reader: Reader | None = None) -> Answerer:
    """The program's, without its model or with one that reads by script."""
    return Answerer(
        program.searcher,
        program.sources.freshness,
        models=Models(FunctionModel(reader, model_name="reader")) if reader else None,
        clock=program.clock,
        metrics=program.metrics,
    )


def by_answerer(answers: Answerer, readers: Audience) -> Ask:
    """Asks for each question's own readers."""

    def ask(question: Question) -> Answer:
        own = Audience(readers.labels | question.holds)
        return read(answer_record(answers.answer(question.text, own), texts=True))

    return ask


def record(report: Progress) -> dict[str, Any]:
    """Both parts, as `make bench` keeps them."""
    run = stored.made(one.measurement() for one in of_sandbox(PARTS, report))
    return {
        "asked": {
            "citation precision": "at least 0.9",
            "citation recall": "at least 0.8",
            "refused": "all that is restricted or unanswerable",
        },
        "measured": stored.as_json(run, PART)["measurements"],
    }


def _tables(chosen: config.Settings) -> dict[str, Any]:
    """The table of the settings that says who answers."""
    if chosen.model is None:
        raise BadSettings("There is no [model] table in the settings, so there is no model to measure.")
    return {"model": chosen.model.model_dump()}
