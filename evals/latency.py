"""How long a question takes beside a model of a given speed, and what of that is our own."""

import statistics
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from core.types import Audience, NullMetrics
from crosscheck.demo import playground
from crosscheck.finding import utc_now
from crosscheck.wiring import Program
from review.agents.models import build_model
from review.answer import Answerer
from review.service import Models
from sandbox.load import load_company
from sandbox.model_replies import Pace, Paced, Structured
from sandbox.server import Sandbox

FIRST, PER_SECOND = 0.5, 60.0
"""Seconds to the first token, and tokens a second."""
LETTERS = 4
"""Of a token, as the scripted server counts."""
QUESTIONS = (
    "After how many failed sign-ins is an account locked?",
    "How long does an unpaid booking keep its seats?",
    "Within how many days can a ticket be refunded?",
    "How long are vehicle papers kept?",
    "Which files may be uploaded, and how large?",
    "Who may cancel a booking for a group?",
    "What happens at the gate without a network?",
    "How many text messages does a passenger get?",
    "When does boarding close?",
    "How is the code on a boarding pass signed?",
)
SAID = (
    "An account is locked after five failed attempts in a row, and the lock ends by itself after half an hour.",
    "The ticket that is being built says eight attempts; the policy was not changed, so they contradict each other.",
    "Passenger care can end the lock earlier after checking who is calling.",
)


@dataclass(frozen=True, slots=True)
class Measured:
    """One way of answering, over several questions. Times are medians in milliseconds."""

    name: str
    questions: int
    calls_in_a_row: int
    """The most of any question."""
    total_ms: float
    model_ms: float
    own_ms: float
    """Total less what the model took."""
    own_p90_ms: float


def measure(folder: Path, report: Callable[[str], None]) -> list[dict[str, Any]]:
    """Ask the questions in each way. What a model would write itself is simulated by its length alone."""
    with playground(load_company(), folder, fixed_ports=False) as (box, program):
        for name in program.sources.names([]):
            program.sources.sync(name, True, lambda _: None)
        readers = program.audiences.named("org")
        rows = []
        for name, filtering, rule, questions in (
            ("no filter, references by program", False, _by_program, QUESTIONS),
            ("filter gives indices, references by program", True, _by_program, QUESTIONS),
            ("filter gives texts, references by the model", True, _by_model, QUESTIONS[:4]),
        ):
            report(name)
            rows.append(asdict(_measured(name, box, _answerer(box, program, filtering), readers, rule, questions)))
        return rows


def _answerer(box: Sandbox, program: Program, filtering: bool) -> Answerer:
    model = build_model("openai:scripted", f"{box.model_url}/v1", box.model.key)
    models = Models(model, filtering=filtering)
    return Answerer(program.searcher, program.sources.freshness, models=models, clock=utc_now, metrics=NullMetrics())


Rule = Callable[[dict[str, Any]], Any]


def _measured(
    name: str, box: Sandbox, answerer: Answerer, readers: Audience, rule: Rule, questions: tuple[str, ...]
) -> Measured:
    box.model.pace = Pace(FIRST, PER_SECOND)
    total, model, own, rows = [], [], [], 0
    answerer.answer(questions[0], readers)  # opens what is opened once
    for question in questions:
        box.model.answer_by(rule)
        started = time.perf_counter()
        answered = answerer.answer(question, readers)
        whole = 1000 * (time.perf_counter() - started)
        spent = 1000 * sum(one.ended - one.started for one in box.model.spans)
        if answered.degraded or not answered.statements:
            raise RuntimeError(f"{question} was not answered by the model: {answered.degraded}")
        total.append(whole)
        model.append(spent)
        own.append(whole - spent)
        rows = max(rows, int(answered.numbers["calls_in_a_row"]))
    own.sort()
    median = statistics.median
    return Measured(
        name,
        len(questions),
        rows,
        round(median(total), 1),
        round(median(model), 1),
        round(median(own), 1),
        round(own[int(0.9 * (len(own) - 1))], 1),
    )


def _by_program(request: dict[str, Any]) -> Any:
    """Indices, and statements with the ids of their sources."""
    if _is_choice(request):
        return Structured({"response": [1, 2, 3, 5, 8]})
    return Structured({"statements": [{"text": text, "sources": _ids(request)[:2]} for text in SAID], "open": []})


def _by_model(request: dict[str, Any]) -> Any:
    """The same, as long as if the texts of five passages and five references were written by the model."""
    said = _by_program(request)
    letters = 5 * 800 if _is_choice(request) else 5 * 160
    return Paced(said, Pace(FIRST + letters / LETTERS / PER_SECOND, PER_SECOND))


def _is_choice(request: dict[str, Any]) -> bool:
    """Whether numbers are asked for: the tool that ends the work takes a list."""
    return "statements" not in str(request["tools"])


def _ids(request: dict[str, Any]) -> list[str]:
    text = str(request["messages"])
    return [part.split('"')[0].rstrip("\\") for part in text.replace('\\"', '"').split(' id="')[1:]]
