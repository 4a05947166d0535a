"""The tools of a code agent: those of every agent, and reading in pull requests."""

from collections.abc import Callable, Sequence
from typing import Literal

from core.pulls.types import Snapshot
from core.types import Evidence
from review.agents.desk import Desk
from review.case import ReadsPulls
from review.register import Passage
from review.tools import QUERY, RESULTS, Tools


def name_of(snapshot: Snapshot) -> str:
    """A pull request as a model names it: `booking-api!7`."""
    return f"{snapshot.ref.repo}!{snapshot.ref.number}"


class CodeTools(Tools):
    """Read-only, like all tools."""

    def __init__(self, desk: Desk, snapshots: Sequence[Snapshot]) -> None:
        super().__init__(desk)
        self._pulls = {name_of(snapshot): snapshot for snapshot in snapshots}

    def all(self) -> list[Callable[..., str]]:
        return [*super().all(), self.users_of]

    def users_of(self, symbol: str) -> str:
        """Find what uses a function, class or constant, in other files and other repositories.

        Args:
            symbol: Its name, such as `hold` or `Booking.hold`.

        """
        return self.answer("users_of", lambda: self._users(symbol[:QUERY]), symbol=symbol)

    def _users(self, symbol: str) -> Sequence[Evidence]:
        """Of what the pull requests change, and of the code that was read."""
        changed = {f"git:{one.ref.repo}:{file.path}" for one in self._pulls.values() for file in one.files}
        read = {passage.locator.document_id for passage in self._reading.register if passage.kind == "code"}
        return [use.evidence for use in self._reading.users_of(symbol, frozenset(changed | read))[:RESULTS]]


class PullTools(CodeTools):
    """With reading in pull requests."""

    def __init__(self, desk: Desk, code: ReadsPulls, snapshots: Sequence[Snapshot]) -> None:
        super().__init__(desk, snapshots)
        self._code = code

    def all(self) -> list[Callable[..., str]]:
        return [*super().all(), self.changed_files, self.difference, self.file, self.grep, self.symbol]

    def changed_files(self, pull: str) -> str:
        """Read what a pull request is: its title and state, and every file that it changes, with sizes.

        Args:
            pull: The pull request's name.

        """
        return self._in_pull("changed_files", pull, self._overview)

    def difference(self, pull: str, path: str) -> str:
        """Read what a pull request changes in one file.

        Args:
            pull: The pull request's name.
            path: The file's path at the head.

        """
        return self._in_pull("difference", pull, lambda one: self._code.difference(one, path), path=path)

    def file(
        self, pull: str, path: str, side: Literal["head", "base"] = "head", first: int = 1, last: int | None = None
    ) -> str:
        """Read lines of a file as they are with a pull request (head) or were before it (base).

        Args:
            pull: The pull request's name.
            path: The file's path.
            side: `head` or `base`.
            first: The first line, from 1.
            last: The last line; none: to the end, as far as it fits.

        """
        return self._in_pull(
            "file",
            pull,
            lambda one: self._code.file(one, path, side, max(first, 1), last),
            path=path,
            side=side,
            first=first,
            last=last,
        )

    def grep(self, pull: str, text: str, glob: str | None = None) -> str:
        """Find where a literal text stands in the files at a pull request's head.

        Args:
            pull: The pull request's name.
            text: The text, as it is written.
            glob: Only in files whose path fits this pattern.

        """
        return self._in_pull("grep", pull, lambda one: self._code.grep(one, text[:QUERY], glob), text=text, glob=glob)

    def symbol(self, pull: str, name: str) -> str:
        """Find where a function, class or constant is defined at a pull request's head.

        Args:
            pull: The pull request's name.
            name: The symbol.

        """
        return self._in_pull("symbol", pull, lambda one: self._code.symbol(one, name[:QUERY]), name=name)

    def _overview(self, snapshot: Snapshot) -> Sequence[Passage]:
        """What was read of a pull request first."""
        return self._reading.register.of(snapshot.ref.document_id)[:1]

    def _in_pull(
        self,
        tool: str,
        pull: str,
        read: Callable[[Snapshot], Sequence[Evidence] | Sequence[Passage]],
        **arguments: object,
    ) -> str:
        snapshot = self._pulls.get(pull)
        if snapshot is None:
            return self.refuse(tool, f"There is no such pull request; there are {', '.join(self._pulls)}.", pull=pull)
        return self.answer(tool, lambda: read(snapshot), pull=pull, **arguments)
