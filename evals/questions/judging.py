"""Three judges read answers blind: whether what is cited supports each statement, and whether the question is answered.

A judge is shown a question, an answer and the texts that it cites, one answer at a time, and nothing of how it was
made; the answers of all ways come to each judge in one random order of its own.
"""

import random
import re
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain, zip_longest
from typing import Literal

from pydantic import BaseModel, Field

from crosscheck.settings import Secrets
from crosscheck.settings_evaluating import JUDGES, Eval
from evals.accuracy.asking import Asked as Judge
from evals.accuracy.asking import NotAnswered, ask, by_settings
from evals.accuracy.asking import Question as Prompted
from evals.accuracy.types import Spent
from evals.harness.agreement import agreement, together
from evals.harness.cases import score
from evals.harness.errors import EvalError
from evals.harness.types import Counted, Failure, Measurement, Metric, Values
from evals.questions.measure import Asked, Progress
from evals.questions.types import Answer, Checked, Source
from review.agents.fence import Fence
from review.agents.templates import rendered

SUPPORTED, ANSWERED = "judged: supported", "judged: answers the question"
AGREED_SUPPORTED, AGREED_ANSWERED = "judges agree: supported", "judges agree: answers the question"
TOKENS, DOLLARS = "judges' tokens", "judges' cost"
METRICS = (
    Metric(SUPPORTED, "Of an answer's statements: what its sources support by most judges; partly is half"),
    Metric(ANSWERED, "Answers that answer their question by most judges; partly is half"),
    Metric(AGREED_SUPPORTED, "Krippendorff's alpha of the judges; 1: they agree, 0: as by chance", "neither", "score"),
    Metric(AGREED_ANSWERED, "Krippendorff's alpha of the judges; 1: they agree, 0: as by chance", "neither", "score"),
    Metric(TOKENS, "That all judges read and wrote for one answer", "neither", "tokens"),
    Metric(DOLLARS, "Of all judges for one answer", "neither", "dollars"),
)
SOURCE = 6_000
"""Characters of the texts of one source that a judge is shown."""
SEED = 0

Said = Literal["yes", "partly", "no"]
_WORTH: Mapping[Said, float] = {"yes": 1.0, "partly": 0.5, "no": 0.0}
_INSTRUCTIONS = """\
You judge an answer that was given to a question of somebody in a software team. You are given the question, the \
answer's statements, each with the numbers of the sources that it cites, and what stands in these sources.

For each statement say whether the sources that it cites support it:

- `yes`: everything in it stands in the sources that it cites, or follows from them.
- `partly`: some of it does, and nothing in them says the contrary.
- `no`: they do not say it, or say something else, or it cites none.

For the whole answer say whether it answers the question, taken as it is:

- `yes`: who asked knows what they wanted to know.
- `partly`: a part of what was asked is answered.
- `no`: it is about something else, or leaves open what was asked.

Judge by what is shown here alone, not by what you know. A source that a statement does not cite does not support it. \
Numbers, names and conditions must be the same. Length and style count for nothing.
"""


class Support(BaseModel):
    """A verdict on one statement."""

    statement: int = Field(description="The statement's number.")
    supported: Said


class Opinion(BaseModel):
    """A judge's answer."""

    statements: list[Support] = Field(description="One for every statement.")
    answers: Said = Field(description="Whether the question is answered.")


@dataclass(frozen=True, slots=True)
class Verdict:
    """What one judge says of one answer, as numbers from 0 to 1."""

    supported: tuple[float, ...]
    """By statement."""
    answers: float
    spent: Spent


@dataclass(frozen=True, slots=True)
class Limits:
    """What judges may cost and see."""

    dollars: float
    """Of all; then no more answers are shown. What is not priced is not counted."""
    withheld: frozenset[str] = frozenset()
    """Access labels and sources that are not shown to a model."""

    def hide(self, answer: Answer) -> bool:
        return any(self.withheld & {*one.labels, *_sources(one)} for one in answer.sources)


@dataclass(frozen=True, slots=True)
class _Shown:
    """An answer before a judge."""

    judge: Judge
    way: int
    case: str
    row: Checked


def judges_of(chosen: Eval, secrets: Secrets) -> tuple[Judge, ...]:
    """Raises EvalError unless the settings name three, ModelNotKnown for one that cannot be asked."""
    if len(chosen.judges) != JUDGES:
        raise EvalError(
            f"[eval] names {len(chosen.judges)} judges, and answers are judged by exactly {JUDGES}: an odd number "
            "has a majority. Write one [[eval.judges]] table for each."
        )
    return tuple(by_settings(one, secrets) for one in chosen.judges)


def judged(
    asked: Sequence[Asked], judges: Sequence[Judge], limits: Limits, report: Progress, seed: int = SEED
) -> list[Measurement]:
    """The measurements of these ways with what the judges say. A judge that fails is a failure of that answer."""
    shown = in_order(asked, judges, limits, seed)
    spent: list[float] = []
    scored = score(
        shown,
        _within(limits.dollars, spent),
        {},
        lambda done, total, _name: report(f"judged {done} of {total}"),
        at_once=len(judges),
    )
    verdicts: dict[int, dict[str, list[Verdict]]] = defaultdict(lambda: defaultdict(list))
    for name, verdict in scored.outputs.items():
        verdicts[shown[name].way][shown[name].case].append(verdict)
    failures: dict[int, list[Failure]] = defaultdict(list)
    for one in scored.failures:
        of = shown[one.case]
        failures[of.way].append(Failure(of.case, f"judge {of.judge.label}", one.reason))
    return [_with(one, limits, verdicts[at], failures[at], judges) for at, one in enumerate(asked)]


def in_order(asked: Sequence[Asked], judges: Sequence[Judge], limits: Limits, seed: int) -> dict[str, _Shown]:
    """What each judge is shown, in turn: all that says something, in an order that is drawn anew for each judge."""
    answers = [
        (at, case, row)
        for at, one in enumerate(asked)
        for case, row in one.scored.outputs.items()
        if not (row.answer.refused or limits.hide(row.answer))
    ]
    rows = []
    for judge in judges:
        drawn = list(answers)
        random.Random(f"{seed}\n{judge.label}").shuffle(drawn)
        rows.append([_Shown(judge, *one) for one in drawn])
    turns = chain.from_iterable(zip_longest(*rows))
    return {f"{one.judge.label}\n{one.way}\n{one.case}": one for one in turns if one}


def verdict(judge: Judge, question: str, answer: Answer) -> Verdict:
    """What one judge says. Raises NotAnswered."""
    opinion, spent = ask(judge, _prompted(question, answer), Opinion, lambda it: _fault(it, len(answer.statements)))
    said = {one.statement: one.supported for one in opinion.statements}
    supported = tuple(_WORTH[said[number]] for number in sorted(said))
    return Verdict(supported, _WORTH[opinion.answers], spent)


def _within(dollars: float, spent: list[float]) -> Callable[[_Shown], Verdict]:
    def judge(shown: _Shown) -> Verdict:
        if sum(spent) >= dollars:
            raise EvalError(f"the judges have cost the {dollars:g} $ that [eval].dollars allows")
        try:
            found = verdict(shown.judge, shown.row.question.text, shown.row.answer)
        except NotAnswered as error:
            spent.append(error.spent.dollars or 0)
            raise
        spent.append(found.spent.dollars or 0)
        return found

    return judge


def _prompted(question: str, answer: Answer) -> Prompted:
    fence = Fence()
    parts = ["# Question", fence.text(question, len(question)), "# Answer"]
    for number, one in enumerate(answer.statements, 1):
        cites = f"cites {', '.join(map(str, one.sources))}" if one.sources else "cites nothing"
        parts += [f"Statement {number}, {cites}:", fence.text(one.text, len(one.text))]
    parts.append("# Sources")
    for source in answer.sources:
        text = "\n[...]\n".join(source.texts)
        parts += [f"Source {source.number}:", fence.text(f"{source.title}\n---\n{text}", SOURCE)]
    instructions = f"{_INSTRUCTIONS}\n{rendered('fence', mark=fence.mark)}"
    return Prompted("judge of answers", instructions, "\n\n".join(parts), "Gives the verdicts. Ends the work.")


def _sources(cited: Source) -> set[str]:
    """By which names of the settings it may be withheld: its connector's, or its repository's or folder's."""
    kind, _, rest = cited.document.partition(":")
    return {kind, re.split(r"[:@!]", rest, maxsplit=1)[0]}


def _fault(opinion: Opinion, statements: int) -> str:
    """What is wrong with a judge's answer, empty where nothing is."""
    if sorted(one.statement for one in opinion.statements) != list(range(1, statements + 1)):
        return f"Give one verdict for each statement, 1 to {statements}, and no other."
    return ""


def _with(
    asked: Asked,
    limits: Limits,
    verdicts: Mapping[str, Sequence[Verdict]],
    failures: Sequence[Failure],
    judges: Sequence[Judge],
) -> Measurement:
    one, values = asked.measurement(), dict(_values(verdicts))
    return replace(
        one,
        notes=(*one.notes, *_left_out(asked, limits), *_own(one, judges)),
        metrics=(*one.metrics, *(metric for metric in METRICS if metric.name in values)),
        values={**one.values, **values},
        failures=(*one.failures, *failures),
        made_with={**one.made_with, "judges": ", ".join(f"{judge.label} ({judge.name})" for judge in judges)},
    )


def _own(one: Measurement, judges: Sequence[Judge]) -> Iterator[str]:
    """A sentence for each judge that answered itself: models may favour what they wrote."""
    answered = {one.way, *one.made_with.get("answered by", "").split("; ")}
    for judge in judges:
        if answered & {judge.name, judge.name.partition(":")[2]}:
            yield f"The judge {judge.label} is the model that answered."


def _left_out(asked: Asked, limits: Limits) -> Iterator[str]:
    if hidden := sum(limits.hide(row.answer) for row in asked.scored.outputs.values()):
        yield f"Answers that judges were not shown, since they cite what [model].withhold keeps from models: {hidden}."


def _values(verdicts: Mapping[str, Sequence[Verdict]]) -> Iterator[tuple[str, Values]]:
    """By metric, where any case has a value."""
    support = {case: list(zip(*(one.supported for one in found), strict=True)) for case, found in verdicts.items()}
    answers = {case: [[one.answers for one in found]] for case, found in verdicts.items()}
    spent = {case: [one.spent for one in found] for case, found in verdicts.items()}
    values: Mapping[str, Values] = {
        SUPPORTED: {case: Counted(sum(map(together, units)), len(units)) for case, units in support.items()},
        ANSWERED: {case: Counted(together(units[0])) for case, units in answers.items()},
        AGREED_SUPPORTED: agreement(support),
        AGREED_ANSWERED: agreement(answers),
        TOKENS: {case: Counted(sum(one.tokens_in + one.tokens_out for one in took)) for case, took in spent.items()},
        DOLLARS: {case: Counted(sum(given)) for case, took in spent.items() if (given := _known(took))},
    }
    yield from ((name, found) for name, found in values.items() if found)


def _known(took: Sequence[Spent]) -> list[float]:
    """What they cost; empty where the price of one is not known."""
    given = [one.dollars for one in took if one.dollars is not None]
    return given if len(given) == len(took) else []
