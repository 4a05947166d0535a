"""One identifier that a question names."""

from dataclasses import dataclass
from typing import Literal

KeyKind = Literal["ticket", "commit", "pull", "page", "path", "route", "phrase", "identifier"]


@dataclass(frozen=True, slots=True)
class Key:
    """One identifier. `text` of a pull request is its number, of a page its id or title."""

    kind: KeyKind
    text: str
    line: int | None = None
    """Only with a path; from 1."""
    last: int | None = None
    """The last line of a range that begins at `line`."""
    repo: str | None = None
    """The repository that is named with it, as its host calls it: `shop`, `acme/shop`."""

    @property
    def certain(self) -> bool:
        """It cannot be meant as a word: where it is not found, there is nothing to find."""
        if self.kind == "ticket":
            return self.text.isupper()
        if self.kind == "path":
            return "/" in self.text
        if self.kind == "pull":
            return self.repo is not None and "/" in self.repo
        return self.kind in {"commit", "page"}

    @property
    def name(self) -> str:
        """What people call it."""
        return f"{self.repo or ''}#{self.text}" if self.kind == "pull" else self.text
