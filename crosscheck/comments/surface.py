"""What tells one surface of comments from another: its client, and where it is answered."""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal, Protocol

from bots.outline import Outline
from bots.types import Place, Trigger
from crosscheck.delivery import Posts


class CommentClient(Posts, Protocol):
    """The bot's account on one site. Raises BotError."""

    @property
    def site(self) -> str: ...

    def whoami(self) -> str: ...
    def now(self) -> datetime | None: ...

    def render(self, outline: Outline) -> Sequence[Mapping[str, Any]]:
        """Bodies of the comments that tell it, in order."""
        ...

    def file(self, name: str, content: bytes) -> Mapping[str, Any] | None:
        """The body of a post that attaches a file to the place; None where that is not done."""
        ...

    def belongs(self, place: Place, person_id: str, groups: Collection[str], roles: Collection[str]) -> bool:
        """Whether a person is in one of these groups, or has one of these roles there."""
        ...


@dataclass(frozen=True, slots=True)
class Surface:
    name: str
    """jira or confluence: the prefix of its documents' ids as well."""
    client: CommentClient
    containers: Collection[str]
    """Keys of the projects or spaces that are answered in."""
    floor: Callable[[], datetime]
    """When this installation began to answer there: a first start must not answer the comments of years."""
    needs: str
    """What the reading account needs to read a place, for people."""
    kind: Literal["ticket", "page"] = "ticket"
    """What is commented on."""
    attaches: bool = True
    """Whether files are attached there."""

    def why_ignored(self, trigger: Trigger) -> str | None:
        """Why a comment, as read now, is not answered; None when it is.

        A webhook may tell of everything on the site; only what is configured is answered in.
        """
        if trigger.by_bot:
            return "written by the bot itself"
        if trigger.command is None:
            return "the comment holds no command (any more)"
        if trigger.created < self.floor():
            return "written before this installation began to answer"
        if trigger.place.container not in self.containers:
            return f"{trigger.place.container} is not among the configured projects or spaces"
        return trigger.place.ended or None

    def document_id(self, place: Place) -> str:
        """Of the ticket or page."""
        return f"{self.name}:{place.id}"

    def subject(self, place: Place) -> str:
        """What the readers of tickets and pages take for a key."""
        return place.key if self.kind == "ticket" else self.document_id(place)
