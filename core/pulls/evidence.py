"""Evidence of what was read in a snapshot."""

from datetime import UTC, datetime

from core.mirror import is_path, unshown
from core.pulls.repository import Repository
from core.pulls.types import Side, Snapshot
from core.pulls.wording import named, short
from core.types import Evidence, Locator

_EARLY = datetime.fromtimestamp(0, UTC)


class Cited:
    """Makes the evidence of one snapshot."""

    def __init__(self, repository: Repository, snapshot: Snapshot) -> None:
        self._repository = repository
        self._snapshot = snapshot
        number = snapshot.ref.number
        self._place = f"{repository.name} > pull request {number}: {named(snapshot.pull.title)}"

    def whole(self, part: str, text: str) -> Evidence:
        """Of the pull request as a whole."""
        return self._evidence(part, text, self._snapshot.locator, self._place, {})

    def lines(
        self, part: str, text: str, path: str, side: Side = "head", first: int | None = None, last: int | None = None
    ) -> Evidence:
        """Of a file, by its path on this side as it is shown; of lines that it has there, unless `first` is None."""
        snapshot = self._snapshot
        commit = snapshot.head if side == "head" else snapshot.base
        name = unshown(path)
        url = self._repository.host.page(self._repository.project, commit, name, first)
        if not is_path(name):
            url = snapshot.locator.url  # `..` in an address leads to another page
        title = f"{named(path)} in pull request {snapshot.ref.number}"
        if side == "base":
            title += ", before it"
        place = f"{self._place} > {named(path)}{_lines(first, last)}{', before it' if side == 'base' else ''}"
        locator = Locator(snapshot.ref.document_id, title, url, line=first)
        told = {"path": path, "side": side, "commit": commit}
        return self._evidence(f"{part}:{side}:{path}", text, locator, place, told)

    def _evidence(self, part: str, text: str, locator: Locator, place: str, told: dict[str, str]) -> Evidence:
        snapshot = self._snapshot
        return Evidence(
            id=f"{snapshot.ref.document_id}@{short(snapshot.head)}:{part}",
            document_id=snapshot.ref.document_id,
            source=self._repository.name,
            kind="pull",
            text=text,
            context=place,
            locator=locator,
            labels=snapshot.labels,
            updated=snapshot.pull.updated or _EARLY,
            score=0.0,
            route="read",
            attributes=told,
        )


def _lines(first: int | None, last: int | None) -> str:
    if first is None:
        return ""
    return f", line {first}" if last in {None, first} else f", lines {first} to {last}"
