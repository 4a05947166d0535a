"""What differs between two commits, and where within a file. Nobody's settings or attributes are obeyed."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from core.mirror.names import text_of
from core.mirror.process import PLAIN, Git

_SECONDS = 60.0
_RENAME_LIMIT = "-l1000"  # files added and removed, above which only exact renames are seen (Git's own default)
_AROUND = 3  # unchanged lines shown around a change
_LARGEST_PATCH = 4_000_000  # bytes
_HEAD = re.compile(rb"@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@")
_ABSENT = "0" * 40
_LINK, _SUBMODULE = "120000", "160000"


@dataclass(frozen=True, slots=True)
class Difference:
    """A file that differs between two commits."""

    path: str
    """Its name afterwards; that before, if it was removed."""
    status: str
    """`A`, `M`, `D`, `R` (renamed) or `T` (a file became a link, say), as Git calls them."""
    before: str | None
    """Its name before, if that was another one."""
    modes: tuple[str, str]
    """Before and after; `000000` where there is none."""
    blobs: tuple[str | None, str | None]
    """Object ids before and after; of a submodule its commits."""
    added: int | None = None
    removed: int | None = None
    """Lines; None for what Git does not compare line by line."""

    @property
    def mode(self) -> str:
        """Afterwards; that before, if it was removed."""
        return self.modes[0 if self.status == "D" else 1]

    @property
    def link(self) -> bool:
        return self.mode == _LINK

    @property
    def submodule(self) -> bool:
        return self.mode == _SUBMODULE


@dataclass(frozen=True, slots=True)
class Hunk:
    """Lines that differ, with some around them. Lines count from 1."""

    before: int
    """Number of the first line before; of the line above, where it has none of before."""
    after: int
    marks: str
    """A character a line: ` ` stands on both sides, `-` only before, `+` only after."""

    def numbered(self) -> Iterator[tuple[str, int, int]]:
        """Each line's mark, and the numbers that it has, or the next line would have, before and after."""
        old = self.before if self.marks.strip("+") else self.before + 1
        new = self.after if self.marks.strip("-") else self.after + 1
        for mark in self.marks:
            yield mark, old, new
            old += mark != "+"
            new += mark != "-"


@dataclass(frozen=True, slots=True)
class Hunks:
    """All hunks of a file. Not `whole`: the end is missing."""

    hunks: tuple[Hunk, ...]
    whole: bool = True
    text: bool = True
    """False for what Git does not compare line by line."""


def differences(git: Git, before: str, after: str) -> list[Difference]:
    """By path. Renames are recognised by likeness, as `git diff` does by itself."""
    options = ["-r", "-z", "--raw", "--numstat", "--find-renames", _RENAME_LIMIT, "--no-ext-diff", "--no-textconv"]
    said = git.run(
        "diff-tree", *options, "--ignore-submodules=none", before, after, seconds=_SECONDS, environment=PLAIN
    )
    words = iter(said.split(b"\0")[:-1])
    found: list[Difference] = []
    counts: dict[str, tuple[int | None, int | None]] = {}
    for word in words:
        if word.startswith(b":"):
            found.append(_raw(word, words))
        else:
            added, removed, name = word.split(b"\t", 2)
            if not name:
                _, name = next(words), next(words)
            counts[text_of(name)] = (_count(added), _count(removed))
    return sorted((_counted(one, counts) for one in found), key=lambda one: one.path)


def _raw(word: bytes, names: Iterator[bytes]) -> Difference:
    old_mode, new_mode, old_blob, new_blob, status = word[1:].decode().split(" ")
    path = text_of(next(names))
    before = None
    if status[0] == "R":
        before, path = path, text_of(next(names))
    blobs = (None if _is_absent(old_blob) else old_blob, None if _is_absent(new_blob) else new_blob)
    return Difference(path, status[0], before, (old_mode, new_mode), blobs)


def _counted(one: Difference, counts: dict[str, tuple[int | None, int | None]]) -> Difference:
    added, removed = (None, None) if one.submodule else counts.get(one.path, (None, None))
    return Difference(one.path, one.status, one.before, one.modes, one.blobs, added, removed)


def _is_absent(blob: str) -> bool:
    return blob.startswith(_ABSENT)


def _count(word: bytes) -> int | None:
    return int(word) if word.isdigit() else None


def hunks(git: Git, before: str, after: str, *, around: int = _AROUND) -> Hunks:
    """Where two blobs differ. They are named by their ids, so that no path is looked up and no attribute holds."""
    options = ["--no-color", "--no-ext-diff", "--no-textconv", "--diff-algorithm=myers", "--inter-hunk-context=0"]
    arguments = ["diff", *options, f"--unified={around}", before, after, "--"]
    with git.stream(*arguments, seconds=_SECONDS, environment=PLAIN) as (_, answer):
        said = answer.read(_LARGEST_PATCH + 1)
    lines = said[:_LARGEST_PATCH].split(b"\n")
    if len(said) > _LARGEST_PATCH:
        lines.pop()  # which may be a part of one
    found = list(_parsed(lines))
    is_text = bool(found) or not any(line.startswith(b"Binary files ") for line in lines[:8])
    return Hunks(tuple(found), len(said) <= _LARGEST_PATCH, is_text)


def _parsed(lines: list[bytes]) -> Iterator[Hunk]:
    """Lines are counted as the heads of hunks say, so that no content is taken for a head."""
    at = 0
    while at < len(lines):
        head = _HEAD.match(lines[at])
        at += 1
        if not head:
            continue
        old, new = (int(head[number] if head[number] is not None else 1) for number in (2, 4))
        marks = bytearray()
        while (old > 0 or new > 0) and at < len(lines):
            mark = lines[at][:1] or b" "
            at += 1
            if mark == b"\\":  # No newline at end of file
                continue
            old -= mark != b"+"
            new -= mark != b"-"
            marks += mark
        yield Hunk(int(head[1]), int(head[3]), marks.decode())
