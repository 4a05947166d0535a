"""What verdicts come to: the score of an attempt, of an arm, and who wins a ticket.

A judge's score of an attempt is the mean over the criteria, met 1, partly 0.5, not met 0; an attempt's score is the
mean over the judges.
"""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean

from evals.accuracy.types import ARMS, Arm, Attempt, Criterion, Met, Task, Verdict
from evals.harness.types import Counted

WORTH: Mapping[Met, float] = {"met": 1.0, "partly": 0.5, "not met": 0.0}
BASELINE, CROSSCHECK = ARMS
FEWEST = 6
"""Tickets from which on a gain can be beyond noise: of five, one arm wins all in 1 of 16 runs by chance alone."""
_TIE = 1e-9  # scores that differ by less differ by the order of a sum


@dataclass(frozen=True, slots=True)
class Ticket:
    """A task, what one candidate made of it in both arms, and what was said of that."""

    task: Task
    criteria: tuple[Criterion, ...]
    attempts: Mapping[Arm, Attempt]
    verdicts: Mapping[Arm, tuple[Verdict, ...]]
    """By the judges that answered, in the same order for both arms."""

    def whole(self, judges: Sequence[str]) -> bool:
        """Whether each of the judges judged both arms."""
        return all([one.judge for one in self.verdicts[arm]] == list(judges) for arm in ARMS)

    def by(self, arm: Arm, judge: str) -> Verdict:
        return next(one for one in self.verdicts[arm] if one.judge == judge)


def score(verdict: Verdict) -> float:
    """0 to 1."""
    return fmean(WORTH[met] for met in verdict.met.values())


def of_arm(ticket: Ticket, arm: Arm) -> float:
    """0 to 1, over the judges."""
    return fmean(map(score, ticket.verdicts[arm]))


def gain(ticket: Ticket, judge: str | None = None) -> float:
    """How much higher Crosscheck's arm scores, of one judge or of all; -1 to 1. What is a tie is exactly 0."""
    if judge is None:
        found = of_arm(ticket, CROSSCHECK) - of_arm(ticket, BASELINE)
    else:
        found = score(ticket.by(CROSSCHECK, judge)) - score(ticket.by(BASELINE, judge))
    return 0.0 if abs(found) < _TIE else found


def fully_met(ticket: Ticket, arm: Arm) -> Counted:
    """Criteria that more than half of the judges call met, of all."""
    verdicts = ticket.verdicts[arm]
    votes = [sum(one.met[criterion.id] == "met" for one in verdicts) for criterion in ticket.criteria]
    return Counted(sum(2 * vote > len(verdicts) for vote in votes), len(ticket.criteria))


@dataclass(frozen=True, slots=True)
class Wins:
    """Tickets by who scores higher."""

    crosscheck: int
    ties: int
    baseline: int

    @property
    def p(self) -> float:
        """How likely a split at least as uneven is among the decided tickets if neither arm is better: the exact
        two-sided sign test (Dixon and Mood, The statistical sign test, JASA 41, 1946).
        """
        decided, fewer = self.crosscheck + self.baseline, min(self.crosscheck, self.baseline)
        tail = sum(math.comb(decided, k) for k in range(fewer + 1))
        return min(1.0, math.ldexp(tail, 1 - decided))


def wins(tickets: Iterable[Ticket]) -> Wins:
    gains = [gain(ticket) for ticket in tickets]
    won, lost = sum(it > 0 for it in gains), sum(it < 0 for it in gains)
    return Wins(won, len(gains) - won - lost, lost)
