"""Commits as `git log` writes them."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import IO

from core.mirror.names import is_commit_id, text_of

_LARGEST_PIECE = 1_000_000  # bytes of a message or of a list of names; more is a machine's work
_LONGEST_MESSAGE = 50_000  # characters
_LONGEST_AUTHOR = 500


@dataclass(frozen=True, slots=True)
class Touch:
    """A file that a commit wrote or removed."""

    path: str
    before: str | None = None
    """Its name until then, if it was renamed."""
    new: bool = False
    """It came with this commit: added, or renamed from another name."""


@dataclass(frozen=True, slots=True)
class Commit:
    id: str
    parents: tuple[str, ...]
    """The first of them, if they are tens of thousands."""
    author: str
    authored: datetime
    committed: datetime
    message: str
    touches: tuple[Touch, ...]
    """None for a merge."""

    @property
    def subject(self) -> str:
        return self.message.partition("\n")[0].strip()

    @property
    def paths(self) -> tuple[str, ...]:
        return tuple(touch.path for touch in self.touches)


def log_format(mark: str) -> str:
    """For `git log -z --name-status`: a commit's head, its message, and what it touched, parted by a mark that no
    message can hold. What can be long comes last, where it may be cut off. Dates are the
    numbers that the commit holds: Git itself fails at formatting some.
    """
    return f"--format={mark}%H%n%at%n%ct%n%P%n%an%n%B{mark}"


def read_log(stream: IO[bytes], mark: str) -> Iterator[Commit]:
    pieces = split(stream, mark.encode())
    next(pieces, None)
    for head in pieces:
        yield _commit(head, next(pieces, b""))


def moment(seconds: str | bytes) -> datetime:
    """A date in UTC from seconds since 1970. One that no calendar has counts as the beginning of time."""
    try:
        return datetime.fromtimestamp(int(seconds), UTC)
    except (ValueError, OverflowError, OSError):
        return datetime.fromtimestamp(0, UTC)


def split(stream: IO[bytes], mark: bytes) -> Iterator[bytes]:
    """The stream in the pieces that a mark parts, of each no more than its beginning."""
    kept = b""
    while block := stream.read(1 << 16):
        *pieces, kept = (kept + block).split(mark)
        yield from (piece[:_LARGEST_PIECE] for piece in pieces)
        if len(kept) > 2 * _LARGEST_PIECE:
            kept = kept[:_LARGEST_PIECE] + kept[-len(mark) :]
    yield kept[:_LARGEST_PIECE]


def _commit(head: bytes, names: bytes) -> Commit:
    lines = head.decode("utf-8", "replace").split("\n", 5)
    identity, authored, committed, parents, author, message = lines + [""] * (6 - len(lines))
    return Commit(
        identity,
        tuple(filter(is_commit_id, parents.split())),
        author[:_LONGEST_AUTHOR],
        moment(authored),
        moment(committed),
        message[:_LONGEST_MESSAGE].strip(),
        tuple(_touches(names)),
    )


def _touches(names: bytes) -> Iterator[Touch]:
    """Status and name in turn, two names for a rename. What follows the last NUL was cut off, and is left out."""
    words = iter(names_in(names))
    for status in words:
        name = next(words, None)
        if name is None:
            return
        if not status.startswith(b"R"):
            yield Touch(text_of(name), new=status == b"A")
        elif (new := next(words, None)) is not None:
            yield Touch(text_of(new), before=text_of(name), new=True)


def names_in(piece: bytes) -> list[bytes]:
    """The words that Git writes after a commit's message with `-z`."""
    return piece.removeprefix(b"\0").removeprefix(b"\n").split(b"\0")[:-1]
