"""What a text holds of unified diffs: the files that change, where in them, and the lines."""

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from itertools import pairwise

_FILE = re.compile(r"(?:---|\+\+\+)[ \t]+(?:[ab]/)?(?P<path>[^\t\n]{1,400}?)[ \t]*(?:\t.*)?\Z")
_GIT = re.compile(r"diff --git a/(?P<before>.{1,400}) b/(?P<after>.{1,400})\Z")
_RENAMED = re.compile(r"(?:rename|copy) (?:from|to) (?P<path>.{1,400})\Z")
_HUNK = re.compile(r"@@ .{0,80}?@@(?P<where>.{0,200})\Z")
_HEADER = re.compile(
    r"(?:index [0-9a-f]|(?:new|deleted) file mode|(?:old|new) mode|similarity index|dissimilarity index|Binary files )"
)
_NOWHERE = "/dev/null"


@dataclass(frozen=True, slots=True)
class Diff:
    """All diffs of a text together."""

    rest: str
    """The text around them."""
    files: tuple[str, ...] = ()
    """Paths as the diff writes them, old names too, each once."""
    places: tuple[str, ...] = ()
    """What stands behind the second `@@` of a hunk: the function or section it is in."""
    added: tuple[str, ...] = ()
    removed: tuple[str, ...] = ()


@dataclass(slots=True)
class _Reader:
    files: dict[str, None] = field(default_factory=dict)
    places: dict[str, None] = field(default_factory=dict)
    added: list[str] = field(default_factory=list)
    removed: list[str] = field(default_factory=list)
    rest: list[str] = field(default_factory=list)
    in_file: bool = False
    """Below a header of a file."""
    in_hunk: bool = False

    def read(self, line: str, following: str) -> None:
        heads = line.startswith("--- ") and following.startswith("+++ ")
        if not (self.in_hunk and not heads and self._changed(line)) and not self._header(line, heads=heads):
            self.in_file = self.in_hunk = False
            self.rest.append(line)

    def _changed(self, line: str) -> bool:
        """A line of a hunk. An empty one may be a line of context whose blank an editor took."""
        if line.startswith("+"):
            self.added.append(line[1:])
        elif line.startswith("-"):
            self.removed.append(line[1:])
        else:
            return line[:1] in {" ", "\\", ""}
        return True

    def _header(self, line: str, *, heads: bool) -> bool:
        if git := _GIT.match(line):
            return self._names(git["before"], git["after"])
        if (named := _FILE.match(line)) and (heads or self.in_file):
            return self._names(named["path"])
        if self.in_file and (renamed := _RENAMED.match(line)):
            return self._names(renamed["path"])
        if self.in_file and (hunk := _HUNK.match(line)):
            self.in_hunk = True
            if where := hunk["where"].strip():
                self.places[where] = None
            return True
        return self.in_file and _HEADER.match(line) is not None

    def _names(self, *paths: str) -> bool:
        self.in_file, self.in_hunk = True, False
        self.files |= dict.fromkeys(path for path in paths if path != _NOWHERE)
        return True


def split(text: str) -> Diff:
    """The diffs of a text, apart from the rest. A text without one is all rest. Linear in its length."""
    lines = text.splitlines()
    reader = _Reader()
    for line, following in pairwise([*lines, ""]):
        reader.read(line, following)
    return Diff(
        "\n".join(reader.rest), tuple(reader.files), tuple(reader.places), *map(_told, (reader.added, reader.removed))
    )


def _told(lines: Iterable[str]) -> tuple[str, ...]:
    return tuple(line for line in lines if line.strip())
