"""What Jira Cloud and Jira Data Center do differently."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from bots.errors import NotAllowed
from bots.jira.answers import Comment, Found
from bots.outline import Outline


@dataclass(frozen=True, slots=True)
class Identity:
    """A person, by everything that names them or their groups, in lower case: Jira compares names without it."""

    names: frozenset[str]
    groups: frozenset[str]


class Flavour(Protocol):
    """Every call raises the errors of `bots.errors`."""

    @property
    def api(self) -> str:
        """The path that REST's resources begin with."""
        ...

    def render(self, outline: Outline) -> list[Mapping[str, Any]]:
        """The bodies of the comments that tell it."""
        ...

    def text_of(self, body: Mapping[str, Any]) -> Any:
        """A body, as a comment's field takes it."""
        ...

    def level(self, restriction: Mapping[str, Any]) -> dict[str, Any]:
        """A restriction, as a comment's field takes it. Raises NotAllowed when it cannot be repeated."""
        ...

    def with_properties(self, comments: Sequence[Comment], *keys: str) -> Iterator[Comment]:
        """Comments with these of their properties; those that are gone are missing."""
        ...

    def search(self, jql: str) -> Iterator[Found]:
        """The tickets that a query finds."""
        ...

    def permissions_query(self, project: str, names: Sequence[str]) -> Mapping[str, str]:
        """The query that tells at least these permissions."""
        ...

    def identity(self, person_id: str) -> Identity:
        """Raises Gone when there is nobody of this id."""
        ...


def level_by(restriction: Mapping[str, Any], keys: Sequence[str]) -> dict[str, Any]:
    """A restriction named by the first of these of its keys that it has."""
    kind, by = restriction.get("type"), next((key for key in keys if restriction.get(key)), None)
    if kind not in {"role", "group"} or by is None:
        raise NotAllowed(f"The comment is limited in a way that the bot cannot repeat ({kind}); it says nothing wider")
    return {"type": kind, by: restriction[by]}
