"""What reading a repository's pull requests needs to know of it."""

from dataclasses import dataclass

from core.mirror import Mirror
from core.pulls.types import Host


@dataclass(frozen=True, slots=True)
class Repository:
    """A repository, its mirror, and the host of its pull requests."""

    name: str
    """As the settings call it."""
    project: str
    """As its host calls it."""
    labels: frozenset[str]
    host: Host
    mirror: Mirror
    baseline: str = ""
    """Its baseline branch; empty: the one that the repository names its own."""
    released: str = ""
    """The branch, or a glob of the tags, that holds what is deployed; empty: not known."""
