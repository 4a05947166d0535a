"""The middle layer of the program: what reviews and answers."""

from collections.abc import Mapping
from functools import cached_property
from typing import TYPE_CHECKING

from core.pulls.pulls import RepositoryPulls
from core.pulls.repository import Repository
from crosscheck.audience import Audiences
from crosscheck.finding import Finding
from crosscheck.memory import Memory
from crosscheck.opening import Opener
from crosscheck.repositories import pulls, repositories
from review.budget import Budget
from review.checks import RULES
from review.words import defaults, extended
from state.deployed import Deployed
from state.reviews import Reviews
from state.spending import Spending

if TYPE_CHECKING:  # the models' packages take longer to import than all else together, and few commands need them
    from pydantic_ai.models import Model

    from core.probes.deployments import Deployments
    from core.probes.types import Probe
    from core.schema.histories import SchemaHistories
    from review.answer import Answerer
    from review.plan.check import PlanChecker
    from review.service import Models, Reviewer
    from review.test_cases.draft import TestCaseDrafter


class Reviewing(Finding):
    """What a model does, and the rules."""

    # Reviewing

    @cached_property
    def audiences(self) -> Audiences:
        chosen = self.settings.audience
        channels = self.settings.slack.channels if self.settings.slack else {}
        return Audiences(chosen.holders, chosen.outsiders, channels, self._page_labels)

    def _page_labels(self, page_id: str) -> frozenset[str]:
        """Who can read a page. The reader is made when it is first needed."""
        return self.page_reader.labels(page_id)

    @cached_property
    def repositories(self) -> Mapping[str, Repository]:
        """By their names. Raises BadSettings for a host that cannot be asked; says what to set."""
        return {repository.name: repository for repository in repositories(self.settings, self.secrets)}

    @cached_property
    def pulls(self) -> RepositoryPulls | None:
        """Reads pull requests; None where no repository is configured."""
        return pulls(self.repositories, self.settings, self.deployments)

    @cached_property
    def probes(self) -> "tuple[Probe, ...]":
        """What tells which version runs where. Raises BadSettings for one that cannot be."""
        from crosscheck.deployed import probes

        return probes(self.settings, self.secrets, self.clock)

    @cached_property
    def deployments(self) -> "Deployments | None":
        """What runs where; None where nothing tells."""
        from core.probes.deployments import Deployments
        from core.pulls.standings import HostMerges
        from crosscheck.deployed import tracked

        if not self.settings.probes:
            return None
        memory, merges = Deployed(self.database), HostMerges(self.repositories)
        repositories = tracked(self.settings, self.repositories)
        return Deployments(self.probes, repositories, memory, clock=self.clock, merges=merges)

    @cached_property
    def schema_histories(self) -> "SchemaHistories | None":
        """How databases changed; None where none is configured."""
        from core.schema.histories import SchemaHistories
        from crosscheck.deployed import databases

        if not self.settings.databases:
            return None
        return SchemaHistories(
            databases(self.settings, self.secrets),
            {name: one.mirror for name, one in self.repositories.items()},
            clock=self.clock,
            branches={name: one.baseline for name, one in self.repositories.items()},
            link=self._file_page,
        )

    def _file_page(self, repo: str, path: str) -> str:
        """The address of a file's page at the baseline, as people open it."""
        one = self.repositories[repo]
        return one.host.page(one.project, one.mirror.head(one.baseline or None), path, None)

    @cached_property
    def plan_checker(self) -> "PlanChecker":
        from review.plan.check import PlanChecker

        rules = self.settings.review
        return PlanChecker(
            self.searcher,
            self.sources.freshness,
            words=extended(defaults(rules.languages), rules.words),
            clock=self.clock,
            metrics=self.metrics,
            consumers=self.index,
            deployments=self.deployments,
            schema=self.schema_histories,
            models=self.models,
            budget=self.budget,
        )

    @cached_property
    def opener(self) -> Opener:
        """Opens what a search found."""
        return Opener(self.searcher, self.subjects.ticket, self.repositories, self.pulls)

    @cached_property
    def reviewer(self) -> "Reviewer":
        from review.service import Reviewer

        rules = self.settings.review
        return Reviewer(
            self.subjects,
            self.searcher,
            self.sources.freshness,
            rules=RULES,
            words=extended(defaults(rules.languages), rules.words),
            models=self.models,
            clock=self.clock,
            metrics=self.metrics,
            agreed_statuses=frozenset(status.casefold() for status in self._jira.agreed_statuses),
            pulls=self.pulls,
            users_of=self.index.users_of,
            budget=self.budget,
            memory=self.memory,
        )

    @property
    def budget(self) -> Budget:
        """What one review or answer may use."""
        chosen = self.settings.model
        if chosen is None:
            return Budget()
        return Budget(requests=chosen.calls, tokens=chosen.tokens, seconds=chosen.seconds)

    @cached_property
    def models(self) -> "Models | None":
        """Who judges beside the rules."""
        from review.agents.scope import DEFAULT_AGENTS, AgentScope
        from review.service import Models

        chosen, model = self.settings.model, self.model
        if chosen is None or model is None:
            return None
        further = [
            AgentScope(one.name, one.kind, one.about, frozenset(one.sources), frozenset(one.repos), one.path)
            for one in self.settings.agents
        ]
        return Models(
            model=model,
            agents=(*DEFAULT_AGENTS, *further),
            purse=self.purse,
            withheld=frozenset(chosen.withhold),
            filtering=chosen.filter,
        )

    @property
    def purse(self) -> Spending:
        """What the models that review and answer may spend in a day."""
        limit = self.settings.model.day_tokens if self.settings.model else 0
        return Spending(self.database, purpose="review", limit=limit, clock=self.clock)

    @cached_property
    def memory(self) -> Memory:
        """What was told and set aside before."""
        return Memory(Reviews(self.database), self._jira.site)

    @cached_property
    def drafter(self) -> "TestCaseDrafter":
        from review.test_cases.draft import TestCaseDrafter

        rules = self.settings.review
        return TestCaseDrafter(
            self.subjects,
            self.searcher,
            self.sources.freshness,
            words=extended(defaults(rules.languages), rules.words),
            clock=self.clock,
            metrics=self.metrics,
            models=self.models,
            budget=self.budget,
            pulls=self.pulls,
            users_of=self.index.users_of,
        )

    @cached_property
    def answerer(self) -> "Answerer":
        from review.answer import Answerer

        return Answerer(
            self.searcher,
            self.sources.freshness,
            models=self.models,
            clock=self.clock,
            metrics=self.metrics,
            budget=self.budget,
            deployments=self.deployments,
        )

    @cached_property
    def model(self) -> "Model | None":
        """The language model that reviews, and the one that is asked when it gives no answer."""
        from review.agents.models import with_fallback

        chosen = self.settings.model
        if chosen is None:
            return None
        first = self._model(chosen.name, chosen.base_url, "model_api_key")
        second = chosen.fallback
        if second is None:
            return first
        return with_fallback(first, self._model(second.name, second.base_url, "fallback_api_key"))
