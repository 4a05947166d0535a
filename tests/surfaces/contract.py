"""What a surface has to offer to be tested like all others: people write, the world changes, what stands is looked at.

An adapter is a subclass of `Surface` in a module of `tests/surfaces/adapters`.
"""

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar, Literal

from pydantic import SecretStr

from crosscheck.settings import Audience, Secrets, Settings
from crosscheck.settings_running import Limits, Worker
from crosscheck.settings_sources import Jira
from crosscheck.wiring import Program
from evals.playground import secrets_of
from sandbox.server import Sandbox
from tests.surfaces.company import DEVELOPER
from tests.surfaces.receiver import Delivery, Receiver

Kind = Literal["review", "ask", "test cases"]
KINDS: tuple[Kind, ...] = ("review", "ask", "test cases")
LEASE = 120
"""Seconds; longer than any send."""


@dataclass(frozen=True, slots=True)
class Reply:
    """What the bot says somewhere, as it stands there."""

    id: str
    shown: str
    """What a reader sees."""
    size: int
    """As the platform counts it."""
    active: tuple[str, ...]
    """What in it is more than text: `mention ...`, `link https://...`, or the name of a macro."""


@dataclass(frozen=True, slots=True)
class Asked:
    """A message or comment that addresses the bot."""

    place: str
    id: str


class Surface(ABC):
    """One surface of a company on loopback. A place is a ticket, a page or a channel; what is asked there is for
    everybody or for the `few`, to whom the lead belongs and the `outsider` does not.
    """

    name: ClassVar[str]
    limit: ClassVar[int]
    """The most that one reply may have, as the platform counts."""
    writes: ClassVar[Sequence[tuple[str, str]]]
    """Methods and paths of the requests that change something on the platform."""
    shapes: ClassVar[Sequence[str]] = ("",)
    """Ways in which a thread can stand in a place."""
    openings: ClassVar[Sequence[str]] = ("",)
    """Ways in which what is for the few comes before more people."""
    outsider: ClassVar[str] = DEVELOPER.id
    """Account of somebody who sees what is for everybody, and nothing that is for the few."""
    can_widen: ClassVar[bool] = False
    """The platform may show a reply to more people than asked."""

    def __init__(self, box: Sandbox, receiver: Receiver) -> None:
        self.box = box
        self.receiver = receiver
        self.told: dict[str, list[Delivery]] = {}
        """What the platform sent out about each question."""
        self.start()

    @abstractmethod
    def start(self) -> None:
        """Have the platform send what happens to the receiver."""

    # The program.

    def settings(self, data: Path, **changes: Any) -> Settings:
        """Settings of a program that answers here."""
        jira = Jira(
            site=self.box.jira_url,
            read_user=self.box.read_user,
            post_user=self.box.post_user,
            projects=("SHOP", "HELP"),
        )
        audience = Audience(holders={"org": ("jira:SHOP", "confluence:DOC")}, outsiders=("jira:HELP",))
        usual = {"jira": jira, "audience": audience, "worker": Worker(threads=1, lease_seconds=LEASE)}
        usual["limits"] = Limits(person_hour=0, place_hour=0)
        return Settings(data=data, **{**usual, **self.own_settings(), **changes})

    def own_settings(self) -> Mapping[str, Any]:
        return {}

    def secrets(self) -> Secrets:
        read, post = SecretStr(self.box.read_token), SecretStr(self.box.post_token)
        more = {"confluence_token": read, "confluence_post_token": post}
        return secrets_of(self.box).model_copy(
            update={**more, "confluence_webhook_secret": SecretStr(self.box.webhook_secret)}
        )

    def prepare(self, program: Program) -> None:
        """Once, when it is new: what was asked before is not its business."""
        program.floor()

    @abstractmethod
    def poll(self, program: Program) -> None:
        """Have the program look for itself."""

    @abstractmethod
    def push(self, program: Program, delivery: Delivery) -> int:
        """Hand one delivery of the platform to the program; the answer's status."""

    # What people do.

    @abstractmethod
    def open(self, *said: str, few: bool = False, shape: str = "", title: str = "") -> str:
        """A new place, in which people have written these texts, character by character; they will ask in a thread of
        this shape. `title` is what a review there is about.
        """

    def ask(self, place: str, kind: Kind = "ask", text: str = "What is written here?") -> Asked:
        """Ask the bot, in a way that the place's own people see."""
        self.sent()
        asked = Asked(place, self.say(place, self.spelled(place, kind, text)))
        self.told[asked.id] = self.sent()
        return asked

    @abstractmethod
    def spelled(self, place: str, kind: Kind, text: str) -> str:
        """How one asks."""

    @abstractmethod
    def say(self, place: str, text: str) -> str:
        """Write what the place's own people see; its id."""

    @abstractmethod
    def rewrite(self, asked: Asked, text: str) -> None:
        """Edit what was written."""

    @abstractmethod
    def sent(self) -> list[Delivery]:
        """What the platform sent out since the last look, once nothing more comes."""

    @abstractmethod
    def hide(self, place: str, text: str) -> tuple[str, ...]:
        """Write where the few may read and nobody else; keys of the tickets or pages beside the place."""

    @abstractmethod
    def widen(self, asked: Asked, opening: str) -> None:
        """Let more people see what was asked of the few, in one of the ways of `openings`."""

    @abstractmethod
    def narrow(self, asked: Asked) -> None:
        """Let only the few see what was asked before everybody."""

    @abstractmethod
    def mute(self, asked: Asked) -> None:
        """Take from the bot the permission to write there."""

    @abstractmethod
    def delete(self, asked: Asked) -> None: ...

    @abstractmethod
    def end(self, asked: Asked) -> str:
        """End the talk there: resolve the thread, archive the ticket, page or channel. A word of why nothing comes."""

    def calm(self) -> None:
        """Undo what would disturb whoever comes next."""
        self.box.faults.clear()

    # What stands there.

    @abstractmethod
    def replies(self, place: str) -> list[Reply]:
        """Everything that the bot says there, in order."""

    def files(self, place: str) -> list[str]:
        """Names of the files that the bot put there."""
        del place
        return []

    @abstractmethod
    def readers(self, asked: Asked, message: str) -> frozenset[str]:
        """Accounts that see a message of the place."""

    @abstractmethod
    def where(self, asked: Asked, message: str) -> Any:
        """The thread or ticket that it stands in, and in which way."""

    def alike(self, shown: str) -> str:
        """What is left of a text that people may write everywhere."""
        return " ".join(shown.split())

    def fail(self, *, stage: str = "before", times: int = 1, status: int | None = None) -> None:
        """Order that the next writes fail: the connection drops before or after the work, or a status is answered."""
        for method, path in self.writes:
            if status is not None:
                self.box.faults.add(method, path, "status", times, status=status)
            else:
                self.box.faults.add(method, path, "drop_before" if stage == "before" else "drop_after", times)


def joined(replies: Iterable[Reply]) -> str:
    return "\n".join(reply.shown for reply in replies)
