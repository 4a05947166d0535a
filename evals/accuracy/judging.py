"""Three judges score blind: each is shown both arms' patches in an order of its own, and nothing of their origin."""

import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from pydantic import BaseModel, Field

from crosscheck.settings_evaluating import JUDGES, Eval
from evals.accuracy.agreement import FIRST, NOT_SHOWN
from evals.accuracy.asking import Asked, Question, ask
from evals.accuracy.blinding import blinded
from evals.accuracy.criteria import TEXT
from evals.accuracy.scores import BASELINE
from evals.accuracy.types import ARMS, Arm, Attempt, Criterion, Met, Spent, Task, Verdict
from evals.harness.errors import EvalError
from review.agents.fence import Fence
from review.agents.templates import rendered

PATCH = 80_000
"""Characters of a patch that are shown."""
_REASON = 400  # characters that are kept
_EMPTY = "The patch is empty."

_INSTRUCTIONS = """\
You judge changes that were made for one ticket of a software team. You are given the ticket, criteria that a change \
for it must fulfil, and one or two patches, which were made independently of each other from the same code. You read; \
nothing is run.

For every patch and every criterion say how far the patch fulfils it:

- `met`: the patch does what the criterion says, in every case that the criterion names.
- `partly`: it does some of it, or does it with a fault that a tester would find.
- `not met`: it does not do it, or nothing in the patch shows that it does.

How to judge:

- Judge each patch by the criteria alone, not by the other patch. Both may fulfil everything, or nothing.
- How it is built, its style, its length, its comments and its tests count for nothing beyond what a criterion says.
- What a comment or a text in a patch claims to be done counts only as far as the code does it.
- What a patch does not show is as it was before.
- The order of the patches says nothing.
- Give one sentence of reason for each, which names what in the patch decides it.
"""


class Said(BaseModel):
    """A verdict on one criterion for one patch."""

    patch: str = Field(description="`patch 1` or `patch 2`.")
    criterion: str = Field(description="The criterion's id.")
    met: Met
    reason: str = Field(description="Why, in a sentence.")


class Judgement(BaseModel):
    """A judge's answer."""

    verdicts: list[Said] = Field(description="One for every patch and criterion.")


@dataclass(frozen=True, slots=True)
class Pair:
    """A task and what one candidate made of it in both arms."""

    task: Task
    criteria: tuple[Criterion, ...]
    attempts: Mapping[Arm, Attempt]

    @property
    def of(self) -> str:
        """The candidate's label."""
        return self.attempts[BASELINE].candidate


def three(chosen: Eval) -> None:
    """Raises EvalError unless the settings name three judges."""
    if len(chosen.judges) != JUDGES:
        raise EvalError(
            f"[eval] names {len(chosen.judges)} judges, and an accuracy run needs exactly {JUDGES}: an odd number has "
            "a majority, and always the same ones make results comparable. Write one [[eval.judges]] table for each."
        )


def both(chosen: Eval) -> Iterator[str]:
    """A sentence for each judge that is a candidate too: models may favour what they wrote themselves."""
    for judge in chosen.judges:
        for candidate in chosen.candidates:
            if (judge.name, judge.base_url) == (candidate.name, candidate.base_url):
                yield f"The judge {judge.label} is the same model as the candidate {candidate.label}."


def judged(pair: Pair, judge: Asked, seed: int) -> tuple[Verdict, ...]:
    """One judge's verdicts on both arms, in the order of `ARMS`. Raises NotAnswered.

    A patch that is empty is not shown: it meets nothing. Patches that are the same are shown once. What the judge took
    stands in full with the first arm that it was shown, so that a sum over verdicts is right.
    """
    places = shown_as(pair, judge.label, seed)
    if not places:
        return tuple(_by_rule(pair, judge, arm) for arm in ARMS)
    patches = {place: blinded(pair.attempts[arm].patch) for arm, place in places.items()}
    question = _question(pair, dict(sorted(patches.items())))
    wanted = [(place, one.id) for place in sorted(patches) for one in pair.criteria]
    answer, spent = ask(judge, question, Judgement, lambda it: _fault(it, wanted))
    said = {(one.patch, one.criterion): one for one in answer.verdicts}
    verdicts = []
    for arm in ARMS:
        if arm not in places:
            verdicts.append(_by_rule(pair, judge, arm))
            continue
        own = {one.id: said[places[arm], one.id] for one in pair.criteria}
        met = {name: one.met for name, one in own.items()}
        reasons = {name: " ".join(one.reason.split())[:_REASON] for name, one in own.items()}
        verdicts.append(_verdict(pair, judge, arm, met, reasons, places[arm], spent))
        spent = Spent(dollars=spent.dollars if spent.dollars is None else 0.0)
    return tuple(verdicts)


def shown_as(pair: Pair, judge: str, seed: int) -> dict[Arm, str]:
    """What each arm's patch is called before this judge: the order is drawn anew for each run, task, candidate and
    judge. An arm whose patch is empty is not there.
    """
    patches = {arm: patch for arm in ARMS if (patch := blinded(pair.attempts[arm].patch)).strip()}
    if len(set(patches.values())) == 1:
        return dict.fromkeys(patches, FIRST)
    order = list(patches)
    random.Random(f"{seed}\n{pair.task.id}\n{pair.of}\n{judge}").shuffle(order)
    return {arm: f"patch {number}" for number, arm in enumerate(order, start=1)}


def _question(pair: Pair, patches: Mapping[str, str]) -> Question:
    fence = Fence()
    criteria = "\n".join(f"{one.id}: {blinded(one.text)}" for one in pair.criteria)
    parts = ["# The ticket", fence.text(blinded(f"{pair.task.title}\n\n{pair.task.text}"), TEXT)]
    parts += ["# Criteria", fence.text(criteria, len(criteria))]
    for place, patch in patches.items():
        parts += [f"# {place.capitalize()}", fence.text(patch, PATCH)]
    return Question(
        name="judge",
        instructions=f"{_INSTRUCTIONS}\n{rendered('fence', mark=fence.mark)}",
        prompt="\n\n".join(parts),
        says="Gives the verdicts. Ends the work.",
    )


def _fault(answer: Judgement, wanted: Sequence[tuple[str, str]]) -> str:
    given = [(one.patch, one.criterion) for one in answer.verdicts]
    if missing := [pair for pair in wanted if pair not in given]:
        return f"There is no verdict on {missing[0][0]}, {missing[0][1]}. Give one for every patch and criterion."
    if len(given) > len(wanted):
        return "There is more than one verdict on a patch and criterion, or one on something that was not asked for."
    if silent := [one for one in answer.verdicts if not one.reason.strip()]:
        return f"The verdict on {silent[0].patch}, {silent[0].criterion} has no reason."
    return ""


def _by_rule(pair: Pair, judge: Asked, arm: Arm) -> Verdict:
    ids = [one.id for one in pair.criteria]
    none: dict[str, Met] = dict.fromkeys(ids, "not met")
    return _verdict(pair, judge, arm, none, dict.fromkeys(ids, _EMPTY), NOT_SHOWN, Spent(dollars=0.0))


def _verdict(
    pair: Pair, judge: Asked, arm: Arm, met: dict[str, Met], reasons: dict[str, str], place: str, spent: Spent
) -> Verdict:
    return Verdict(pair.task.id, pair.of, arm, judge.label, met, reasons, place, spent)
