"""Checks a plan for one audience: what could change it that it does not show to know. Reads only."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from datetime import datetime
from time import perf_counter

from core.errors import CoreError, SourceGone
from core.tickets import Ticket
from core.types import Audience, Filters, Freshness, Metrics, Query
from review.budget import Budget
from review.discussion import Say, silent
from review.errors import ModelFailed
from review.gather import note_stale_sources
from review.plan import deployed, migrated, numbers, regressions, reserved, superseded, uses
from review.plan.given import read
from review.plan.judge import PlanJudge
from review.plan.matter import Matter, Time, look
from review.plan.ports import Consumers, Deployments, Histories
from review.plan.sources import choose
from review.plan.types import MOST_CHECKS, Category, PlanCheck, PlanReview, PlanSource
from review.reading import Reading, Searcher, plain_reason
from review.service import Models
from review.types import Unknown
from review.verify import proven_citation
from review.wording import cut
from review.words import Words

SECONDS = 10.0
"""For everything but the model. A look that has begun is not broken off; no further one begins."""
STATEMENT = 500
"""Characters of a check's texts."""
_ORDER: tuple[Category, ...] = ("requirement or policy", "past regression", "consumer", "deployed or migrated")
"""Of checks of one priority. A broken rule makes the plan wrong, an old fault makes it incomplete."""

Look = Callable[[Matter], Iterable[PlanCheck]]


class PlanChecker:
    """Checks plans. Holds nothing of any one plan, so threads may share it."""

    def __init__(
        self,
        searcher: Searcher,
        freshness: Callable[[Audience], Sequence[Freshness]],
        *,
        words: Words,
        clock: Callable[[], datetime],
        metrics: Metrics,
        consumers: Consumers | None = None,
        deployments: Deployments | None = None,
        schema: Histories | None = None,
        models: Models | None = None,
        budget: Budget | None = None,
        seconds: float = SECONDS,
    ) -> None:
        """What is None is not configured, and nothing is said of it."""
        self._searcher = searcher
        self._freshness = freshness
        self._words = words
        self._clock = clock
        self._metrics = metrics
        self._consumers = consumers
        self._deployments = deployments
        self._schema = schema
        self._budget = budget or Budget()
        self._judge = PlanJudge(models, self._budget) if models else None
        self._seconds = seconds

    def check(
        self,
        plan: str,
        audience: Audience,
        *,
        repo: str | None = None,
        branch: str | None = None,
        say: Say = silent,
    ) -> PlanReview:
        """What could change a plan or diff of up to 60,000 characters: at most three sources and five checks, of which
        the plan shows to know none, the most important first.

        `repo` is the repository that it is for, by its name in the index; on a `branch` in development its files there
        are searched beside the baseline. Raises BadPlan. What a source, an environment or a model does is an unknown,
        or said in `degraded`.
        """
        started = perf_counter()
        given = read(plan)
        reading = Reading(_NoTickets(), self._searcher, audience, self._budget, self._metrics, say=say)
        note_stale_sources(self._freshness(audience), reading)
        time = Time(self._seconds)
        repo = _as_indexed(repo, reading) if repo else None
        matter = look(given, reading, self._words, time, repo=repo, branch=branch)
        found = perf_counter()
        checks = proven(self._checks(matter), reading)
        sources = choose(matter, _documents(checks))
        judged = perf_counter()
        sources, checks, made_by = self._ask_models(matter, sources, checks)
        spent = {
            "search_seconds": found - started,
            "rules_seconds": judged - found,
            "model_seconds": perf_counter() - judged,
        }
        return self._review(matter, sources, checks, made_by, spent)

    def _checks(self, matter: Matter) -> Iterator[PlanCheck]:
        for name, see in self._looks():
            if not matter.time.left:
                what = f"{name} were not looked at: no time was left."
                matter.reading.note([Unknown(what, "Checking parts of the plan one by one.")])
                continue
            matter.reading.say(f"Looking at {name[0].lower()}{name[1:]}")
            try:
                yield from see(matter)
            except CoreError as error:
                what = f"{name} were not all looked at: {plain_reason(error)}."
                matter.reading.note([Unknown(what, "Asking again when it works.")])

    def _looks(self) -> Iterator[tuple[str, Look]]:
        """The rules, by what they look at."""
        consumers, deployments, schema = self._consumers, self._deployments, self._schema
        yield "Limits and policies", numbers.check
        yield "Pages that hold no longer", superseded.check
        yield "Who may do what", reserved.check
        yield "Past regressions", regressions.check
        if consumers:
            yield "Consumers in other repositories", lambda matter: uses.check(matter, consumers)
        if schema:
            yield "Migrations of the databases", lambda matter: migrated.check(matter, schema)
        if deployments:
            yield "Deployed versions", lambda matter: deployed.check(matter, deployments)

    def _ask_models(
        self, matter: Matter, sources: tuple[PlanSource, ...], checks: tuple[PlanCheck, ...]
    ) -> tuple[tuple[PlanSource, ...], tuple[PlanCheck, ...], str]:
        """What the models leave of it and add, or the rules' result as it is; and who judged, in plain words."""
        if self._judge is None:
            return sources, checks, "rules alone: no model is configured"
        matter.reading.say("Judging with the model")
        try:
            judged = self._judge.judge(matter, sources, checks)
        except ModelFailed as error:
            self._metrics.count("crosscheck_plan_model_failures_total")
            matter.reading.degrade(f"{error} This is what the rules found.")
            return sources, checks, "rules alone"
        return judged.sources, proven(judged.checks, matter.reading), f"rules and {judged.by}"

    def _review(
        self,
        matter: Matter,
        sources: tuple[PlanSource, ...],
        checks: tuple[PlanCheck, ...],
        made_by: str,
        spent: dict[str, float],
    ) -> PlanReview:
        reading, told = matter.reading, checks[:MOST_CHECKS]
        named = {*_documents(told), *(one.locator.document_id for one in sources)}
        return PlanReview(
            sources=sources,
            checks=told,
            unknowns=tuple(dict.fromkeys((*reading.unknowns, *reading.unread(sorted(named))))),
            degraded=reading.degraded,
            made_by=made_by,
            audience=reading.audience,
            at=self._clock(),
            rests_on=reading.register.documents() if self._judge else frozenset(named),
            numbers={"found": len(matter.found), "sources": len(sources), "checks": len(checks), **spent},
        )


def proven(checks: Iterable[PlanCheck], reading: Reading) -> tuple[PlanCheck, ...]:
    """The checks whose every citation stands in what was read, each document's rule once, in order."""
    standing_: dict[tuple[str, ...], PlanCheck] = {}
    for check in checks:
        evidence = [proven_citation(cited, reading.register) for cited in check.evidence]
        cited = tuple(one for one in evidence if one is not None)
        if cited and len(cited) == len(evidence):
            key = (check.category, *sorted(one.locator.document_id + one.quote for one in cited))
            texts = cut(check.statement, STATEMENT), cut(check.why, STATEMENT)
            standing_.setdefault(key, replace(check, statement=texts[0], why=texts[1], evidence=cited))
    return tuple(sorted(standing_.values(), key=lambda one: (one.priority, _ORDER.index(one.category))))


def _as_indexed(repo: str, reading: Reading) -> str | None:
    """A repository's name if the audience knows it; otherwise none, which is noted, and the plan is checked without."""
    try:
        notes = reading.search(Query("repository", filters=Filters(repos=frozenset({repo})), limit=1)).notes
    except CoreError:
        return repo  # what follows says that the index cannot be used
    reading.note(Unknown(note, "Naming a repository as freshness lists it.") for note in notes)
    return None if notes else repo


def _documents(checks: Iterable[PlanCheck]) -> list[str]:
    """What the checks rest on first of all, in their order."""
    return [check.evidence[0].locator.document_id for check in checks]


class _NoTickets:
    """Plans are checked by the index alone."""

    def ticket(self, key: str) -> Ticket:
        raise SourceGone(f"{key} is not read live here")
