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
from state.reviews import Reviews
from state.spending import Spending

if TYPE_CHECKING:  # the models' packages take longer to import than all else together, and few commands need them
    from pydantic_ai.models import Model

    from review.answer import Answerer
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
        return pulls(self.repositories, self.settings)

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
