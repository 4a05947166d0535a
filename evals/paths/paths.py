"""The common ways through the program."""

import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import partial

from core.types import Query
from crosscheck.wiring import Program
from evals.paths.cases import COMMENTED, NAMES, PLANS, QUESTIONS, TICKETS
from evals.paths.errors import Unanswered
from evals.paths.workplace import Workplace

PATIENCE = 60.0
"""Seconds to wait for a posted reply."""
LOOKUP, SEARCH, MCP_SEARCH = "exact lookup", "search", "MCP search over HTTP"
ASK, ASK_MODEL, ASK_FILTER = "ask, search alone", "ask, model", "ask, model with filter by numbers"
REVIEW, REVIEW_MODEL = "review, rules", "review, model"
CASES, CASES_MODEL = "test cases, rules", "test cases, model"
PLAN, PLAN_MODEL = "plan check, rules", "plan check, model"
COMMENT = "comment to posted reply"

_SETTLED = 0.02  # seconds between two looks


@dataclass(frozen=True, slots=True)
class Done:
    """When a use was over, on the monotonic clock, and what else was measured on the way."""

    at: float
    acknowledged_ms: float | None = None
    """From the webhook to the answer to it."""


Used = Callable[[], Done]


@dataclass(frozen=True, slots=True)
class Path:
    """One way through the program, and what is asked on it."""

    name: str
    cases: Mapping[str, Used] = field(repr=False)
    """By what is asked. Each raises Unanswered where what came back does not count."""
    asks: bool = False
    """Whether a model answers."""


def paths(at: Workplace, cases: int) -> tuple[Path, ...]:
    """All of them, each with so many cases, in the order in which people should read them."""
    questions, tickets, plans = QUESTIONS[:cases], TICKETS[:cases], PLANS[:cases]

    def over(use: Callable[[str], None], asked: Iterable[str]) -> dict[str, Used]:
        return {one: partial(_until_returned, use, one) for one in asked}

    def planned(program: Program) -> dict[str, Used]:
        use = {name: partial(_plan, at, program, repo, text) for name, repo, text in plans}
        return {name: partial(_until_returned, lambda name: use[name](), name) for name in use}

    return (
        Path(LOOKUP, over(partial(_searched, at), NAMES[:cases])),
        Path(SEARCH, over(partial(_searched, at), questions)),
        Path(MCP_SEARCH, over(partial(_called, at), questions)),
        Path(ASK, over(partial(_asked, at, at.rules), questions)),
        Path(ASK_MODEL, over(partial(_asked, at, at.asking), questions), asks=True),
        Path(ASK_FILTER, over(partial(_asked, at, at.filtering), questions), asks=True),
        Path(REVIEW, over(partial(_reviewed, at, at.rules), tickets)),
        Path(REVIEW_MODEL, over(partial(_reviewed, at, at.asking), tickets), asks=True),
        Path(CASES, over(partial(_drafted, at, at.rules), tickets)),
        Path(CASES_MODEL, over(partial(_drafted, at, at.asking), tickets), asks=True),
        Path(PLAN, planned(at.rules)),
        Path(PLAN_MODEL, planned(at.asking), asks=True),
        Path(COMMENT, {key: partial(_commented, at, key) for key in COMMENTED[:cases]}),
    )


def _until_returned(use: Callable[[str], None], asked: str) -> Done:
    use(asked)
    return Done(time.monotonic())


def _searched(at: Workplace, text: str) -> None:
    if not at.rules.searcher.search(Query(text), at.readers).evidence:
        raise Unanswered("Nothing was found.")


def _called(at: Workplace, text: str) -> None:
    answer = at.call("search", {"text": text})
    if answer.is_error:
        raise Unanswered(f"The call ended with an error: {answer.content}")


def _asked(at: Workplace, program: Program, question: str) -> None:
    answered = program.answerer.answer(question, at.readers)
    if not answered.searched or (program.model is not None and not answered.statements):
        raise Unanswered(f"There was no answer: {answered.degraded or answered.unknowns}")
    _made_by(program, answered.made_by, answered.degraded)


def _reviewed(at: Workplace, program: Program, key: str) -> None:
    review = program.reviewer.review(key, at.readers)
    _made_by(program, review.made_by, review.degraded)


def _drafted(at: Workplace, program: Program, key: str) -> None:
    draft = program.drafter.draft(key, at.readers)
    _made_by(program, draft.made_by, draft.degraded)


def _plan(at: Workplace, program: Program, repo: str, text: str) -> None:
    checked = program.plan_checker.check(text, at.readers, repo=repo)
    _made_by(program, checked.made_by, checked.degraded)


def _made_by(program: Program, who: str, degraded: tuple[str, ...]) -> None:
    """Raises Unanswered where a model was to answer and what it said does not stand."""
    if program.model is not None and ("scripted" not in who or degraded):
        raise Unanswered(f"The model did not answer all: {' '.join(degraded) or who}")


def _commented(at: Workplace, key: str) -> Done:
    """A comment until the reply stands in the ticket; what the service still does then is waited for."""
    box, program = at.box, at.rules
    asker = next(one.reporter for one in box.company.tickets if one.key == key)
    box.webhooks.answers.clear()
    trigger = box.jira.add_comment(key, asker, "#qa-check")
    done = _first(lambda: next(reversed(box.jira.issue(key).notes)) != trigger, "reply", 0.002)

    def idle() -> bool:
        counts = (program.jobs.counts(), program.outbox.counts())
        return not any(one[state] for one in counts for state in ("queued", "running"))

    _first(idle, "end of the job", _SETTLED)
    box.webhooks.wait()
    return Done(done, 1000 * box.webhooks.answers[0][1])


def _first(condition: Callable[[], bool], what: str, step: float) -> float:
    """When the condition was first true, on the monotonic clock. Raises Unanswered."""
    give_up = time.monotonic() + PATIENCE
    while time.monotonic() < give_up:
        if condition():
            return time.monotonic()
        time.sleep(step)
    raise Unanswered(f"No {what} within {PATIENCE:g} s.")
