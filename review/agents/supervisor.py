"""Gives a review's work to agents, side by side, and has one last call judge what they and the rules found."""

from collections.abc import Sequence

from pydantic_ai.exceptions import AgentRunError, FallbackExceptionGroup
from pydantic_ai.models import Model

from core.pulls.types import Snapshot
from core.tickets import Ticket
from review.agents import loop
from review.agents.asking import Asker, one_word, opened
from review.agents.failures import JudgingFailed, failed
from review.agents.judging import Failed, Judging, Subject
from review.agents.meter import Meter
from review.agents.purse import Purse, SpendingReached
from review.agents.scope import DEFAULT_AGENTS, AgentScope
from review.agents.veil import Veil
from review.budget import Budget
from review.merge import Judged
from review.reading import Reading
from review.types import Finding

PAUSE = 1.0
"""Seconds before a request is repeated the first time, where a provider names no time of its own."""


class Supervisor:
    """Asks models. Holds nothing of a review, so threads may share it."""

    def __init__(
        self,
        model: Model,
        budget: Budget,
        agents: Sequence[AgentScope] = DEFAULT_AGENTS,
        purse: Purse | None = None,
        withheld: frozenset[str] = frozenset(),
        *,
        filtering: bool = False,
        pause: float = PAUSE,
    ) -> None:
        """`model` may be one that falls back to others. `withheld` are access labels and names of sources that no model
        is shown; `filtering` spends one call on choosing what of the evidence matters.
        """
        models = opened(model)
        self.name = models[0].model_name
        self._asker = Asker(models, budget.answer_tokens, pause)
        self._budget = budget
        self._agents = tuple(agents)
        self._purse = purse
        self._veil = Veil(withheld)
        self._filtering = filtering

    def judge(
        self,
        ticket: Ticket,
        reading: Reading,
        facts: Sequence[Finding],
        request: str,
        snapshots: Sequence[Snapshot] = (),
        language: str = "en",
        marked: str = "",
    ) -> Judged:
        """The rules' findings after the models' verdicts, and the models' own.

        `marked` is the text that is meant first, if one is. What no model was shown of what was read is noted as
        unknown, and an agent that gave nothing as degraded. Raises JudgingFailed whatever went wrong with the models,
        SpendingReached when the day's tokens are used up.
        """
        meter = self._meter()
        open_pulls = [one for one in snapshots if not self._veil.hides_pull(one)]
        subject = Subject(ticket, facts, request, language, open_pulls, marked)
        judging = Judging(self._asker, self._budget, self._veil, meter, reading, subject)
        try:
            judged = loop.run(judging.judge(self._agents, filtering=self._filtering), self._budget.seconds)
        except Failed as error:
            self._stop_if_spent(meter)
            raise JudgingFailed(str(error), judging.usage, judging.audit.entries()) from error
        except (AgentRunError, FallbackExceptionGroup, TimeoutError) as error:
            self._stop_if_spent(meter)
            raise JudgingFailed(str(failed(error)), judging.usage, judging.audit.entries()) from error
        finally:
            if self._purse:
                self._purse.take(judging.usage.tokens)
        others = [name for name in meter.answered if name != self.name]
        if others:
            reading.degrade(f"{self.name} did not always answer; {' and '.join(others)} was asked instead.")
        return judged

    def _meter(self) -> Meter:
        left = self._purse.left() if self._purse else self._budget.tokens
        if self._purse and left <= 0:
            raise SpendingReached(self._purse.limit)
        return Meter(self._budget.requests, min(self._budget.tokens, left))

    def _stop_if_spent(self, meter: Meter) -> None:
        """Raises SpendingReached if it was the day's limit, and not the review's own, that ended it."""
        if self._purse and meter.tokens < self._budget.tokens and self._purse.left() <= meter.used:
            raise SpendingReached(self._purse.limit)


def try_out(model: Model, seconds: float = 30) -> None:
    """Ask the model, and what it falls back to, for one word each. Raises ModelFailed."""
    try:
        loop.run(one_word(model, seconds), seconds * len(opened(model)))
    except (AgentRunError, FallbackExceptionGroup, TimeoutError) as error:
        raise failed(error) from error
