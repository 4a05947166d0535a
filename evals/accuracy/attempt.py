"""One candidate, one task, one arm."""

import asyncio
from collections import Counter
from collections.abc import Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from pathlib import Path

from pydantic_ai import Agent, Tool
from pydantic_ai.exceptions import AgentRunError, UsageLimitExceeded
from pydantic_ai.models.anthropic import AnthropicModelSettings
from pydantic_ai.usage import UsageLimits

from crosscheck.settings_evaluating import Eval
from evals.accuracy.arms import Served, crosscheck_tools
from evals.accuracy.asking import NotAnswered
from evals.accuracy.models import Account, AccountedModel, Candidate
from evals.accuracy.tools import Tools
from evals.accuracy.types import Arm, Attempt, Task
from evals.accuracy.workplace import NotDone, Workplace, workplace
from evals.harness.errors import EvalError
from review.agents.failures import reason
from review.agents.fence import Fence
from review.agents.loop import run
from review.agents.meter import Meter, Stage
from review.agents.patient import PatientModel
from review.agents.templates import rendered
from review.errors import ModelNotKnown

TEXT = 40_000
"""Characters of a ticket."""
_ANSWER = 16_000  # tokens that a model may write at once
_REQUEST_SECONDS = 600.0
_PAUSE = 2.0  # seconds before a failed request is sent again, doubled each time
_RETRIES = 3  # of a tool that was called with wrong arguments
_GRACE = 240.0  # seconds for what has begun when the time is over
_SAID = 4_000  # characters

_INSTRUCTIONS = """\
You implement a ticket in a repository that you have a copy of. Look at the code that it concerns before you change \
it, keep to the way the repository does things, and change nothing that the ticket does not need. Write or adapt the \
tests that belong to it. Nothing can be run here. Your changes are what counts: make them with the tools, whole and \
ready to be merged. When you are done, say in a few sentences what you did.
"""
_CROSSCHECK = """\
You also have Crosscheck's tools, which find evidence in the team's tickets, pages, code and records of tests: call \
check_plan when you know what you are going to change, and search and open_source for what you need to know.
"""


@dataclass(slots=True)
class _Work:
    """One attempt as it goes on."""

    account: Account
    place: Workplace
    fence: Fence = field(default_factory=Fence)
    calls: Counter[str] = field(default_factory=Counter)
    ended: str = "done"
    said: str = ""


def attempted(
    task: Task, candidate: Candidate, arm: Arm, repository: Path, served: Served | None, limits: Eval
) -> Attempt:
    """What the candidate makes of the task.

    `repository` is a Git repository that has `task.base`. `served` is what Crosscheck knew at `task.moment`: needed in
    its own arm, not used in the baseline. What goes beyond `limits` is ended, and what was changed until then counts;
    so it is where the model fails. Neither raises.

    Raises:
        EvalError: the tree at `task.base` cannot be read.
        NotAnswered: in Crosscheck's arm its tools are not there to the end.

    """
    if arm == "crosscheck" and served is None:
        raise EvalError(f"{task.id}: the arm with Crosscheck needs a server of its tools.")
    with workplace(task.repo, repository, task.base) as place:
        work = _Work(Account(candidate.price), place)
        try:
            attempt = _attempt(task, candidate, arm, served if arm == "crosscheck" else None, limits, work)
            run(attempt, limits.seconds + _GRACE)
        except ExceptionGroup as error:  # of the connection's tasks: without its tools the arm would be the baseline
            raise NotAnswered(
                f"{task.id}: the connection to Crosscheck's tools was lost.", work.account.spent()
            ) from error
        except TimeoutError as error:
            said = f"{task.id}: a tool did not end within {_GRACE:g} seconds after the time was over."
            raise NotAnswered(said, work.account.spent()) from error
        return Attempt(
            task=task.id,
            candidate=candidate.label,
            arm=arm,
            patch=_patch(work),
            spent=work.account.spent(),
            calls=dict(sorted(work.calls.items())),
            ended=work.ended,
            said=work.said,
        )


async def _attempt(
    task: Task, candidate: Candidate, arm: Arm, served: Served | None, limits: Eval, work: _Work
) -> None:
    """Nothing that a model does leaves this as an error: it would pass the connection's task group, which wraps it."""
    async with AsyncExitStack() as stack:
        tools = Tools(work.place, work.fence, work.calls).all()
        if served:
            tools += await stack.enter_async_context(crosscheck_tools(served, work.fence, work.calls))
        stage = _stage(limits)
        try:
            async with asyncio.timeout(limits.seconds):
                work.said = (await _said(task, candidate, arm, tools, stage, work))[:_SAID]
        except (AgentRunError, ModelNotKnown, TimeoutError) as error:
            work.ended = _ending(error, stage, limits)


def _ending(error: Exception, stage: Stage, limits: Eval) -> str:
    if isinstance(error, ModelNotKnown):
        return str(error)
    if isinstance(error, TimeoutError) or stage.seconds <= 0:
        return f"{limits.seconds / 60:g} minutes" if limits.seconds >= 60 else f"{limits.seconds:g} seconds"
    if isinstance(error, UsageLimitExceeded):
        return f"{limits.tokens:,} tokens" if stage.meter.taken < limits.calls else f"{limits.calls} requests"
    return f"The model gave no usable answer: {reason(error)}."


def _stage(limits: Eval) -> Stage:
    meter = Meter(limits.calls, limits.tokens)
    ends = asyncio.get_running_loop().time() + limits.seconds
    return Stage(meter, limits.calls, limits.tokens, ends, _REQUEST_SECONDS)


async def _said(
    task: Task, candidate: Candidate, arm: Arm, tools: Sequence[Tool[None]], stage: Stage, work: _Work
) -> str:
    """What the candidate says in the end."""
    counted = AccountedModel(candidate.model(task, arm), work.account)
    model = PatientModel(counted, stage, alone=True, pause=_PAUSE)
    instructions = f"{_INSTRUCTIONS}{_CROSSCHECK if arm == 'crosscheck' else ''}"
    agent: Agent[None, str] = Agent(
        model,
        output_type=str,
        instructions=f"{instructions}\n{rendered('fence', mark=work.fence.mark)}",
        tools=tools,
        model_settings=AnthropicModelSettings(max_tokens=_ANSWER, anthropic_cache=True),
        retries=_RETRIES,
        name="candidate",
    )
    ticket = work.fence.text(f"{task.title}\n\n{task.text}", TEXT)
    async with model:
        prompt = f"The repository is {task.repo}. The ticket:\n\n{ticket}"
        return (await agent.run(prompt, usage_limits=UsageLimits(request_limit=None))).output


def _patch(work: _Work) -> str:
    try:
        return work.place.patch()
    except NotDone as error:
        work.ended = str(error)
        return ""
