"""Plans with the sources that matter to them, and what became of them."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from evals.harness.intervals import Interval

PARTS = ("open", "held")


@dataclass(frozen=True, slots=True)
class Plan:
    """A plan, and what ought to change it. Documents are named as `plans.toml` says; of `mixed` by the set's ids."""

    id: str
    part: str
    text: str
    repository: str | None
    wanted: tuple[frozenset[str], ...]
    """Of each group one is enough."""
    standing: tuple[str, ...] = ()
    """Words that checks of what is deployed or migrated must have."""

    @property
    def needs(self) -> bool:
        """Whether anything ought to change it."""
        return bool(self.wanted or self.standing)


@dataclass(frozen=True, slots=True)
class Judged:
    """What a check named, and what plain search did for the same text: names of documents, at most three."""

    plan: Plan
    named: tuple[str, ...]
    searched: tuple[str, ...]
    unnamed: tuple[str, ...]
    """The first three of plain search that the plan does not name itself."""
    nothing_new: bool
    categories: tuple[str, ...]
    """Of the checks, in their order."""
    degraded: tuple[str, ...]
    seconds: float
    standings: tuple[str, ...] = ()
    """What was told of what is deployed or migrated."""

    @property
    def stands(self) -> bool:
        """Whether all was told that the plan's `standing` demands."""
        return all(any(word in told for told in self.standings) for word in self.plan.standing)

    def hits(self, names: tuple[str, ...]) -> bool:
        return any(group & set(names) for group in self.plan.wanted)


@dataclass(frozen=True, slots=True)
class Share:
    part: int
    of: int

    @property
    def value(self) -> float:
        return self.part / self.of if self.of else 0.0


@dataclass(frozen=True, slots=True)
class Scores:
    """Numbers of many plans."""

    plans: int
    hit: Share
    """Plans that need something of which a wanted source is among the three."""
    hit_search: Share
    hit_search_unnamed: Share
    to_search: Interval | None
    """The check less plain search, paired, with its 95 % interval; None where no plan needs anything."""
    to_search_unnamed: Interval | None
    groups: Share
    """Groups of wanted documents of which one is among the three."""
    right: Share
    """Of the sources that are named, over plans that need something, how many are wanted."""
    silent: Share
    """Plans that need something and are told that there is nothing new."""
    nothing_new: Share
    """Plans that need nothing and are told so."""
    standing: Share
    """Plans that rest on what is not deployed or not migrated and are told so."""
    standing_elsewhere: Share
    """Plans that do not and are told so all the same."""
    degraded: int
    seconds: float
    """Of a check, the median."""
    longest: float
    checks: Mapping[str, int] = field(default_factory=dict)
    """How often a check of each category was told."""
