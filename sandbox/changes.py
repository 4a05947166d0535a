"""What a pull request changes: the three-dot difference, as git tells it."""

import re
from dataclasses import dataclass
from pathlib import Path

from sandbox.git import git

LARGEST_PATCH = 100_000
_STATUS = {"A": "added", "D": "removed", "M": "modified", "R": "renamed", "C": "copied", "T": "changed"}


@dataclass(frozen=True, slots=True)
class Changed:
    """A file that differs."""

    path: str
    status: str
    """added, removed, modified, renamed or changed (another type), in GitHub's words."""
    before: str
    """Its path at the merge base."""
    old_mode: str
    new_mode: str
    blob: str
    """Id of the content at the head, or at the base for a removed one."""
    added: int
    removed: int
    patch: str | None
    """From the first `@@`; None for what is not text, moved only, or too large."""


def changes(path: Path, base: str, head: str) -> list[Changed]:
    """Between two commits, renames followed, in the order of paths. Raises GitFailed."""
    options = ("-M", "--no-ext-diff", "--no-textconv", "--full-index", "--no-color")
    fields = (
        git(path, "diff", "--raw", "--no-abbrev", "--numstat", "-z", *options, base, head)
        .decode(errors="replace")
        .split("\0")
    )
    patches = iter(_patches(git(path, "diff", "--patch", *options, base, head).decode(errors="replace")))
    raw: list[tuple[list[str], str, str]] = []
    at = 0
    while at < len(fields) and fields[at].startswith(":"):
        meta = fields[at][1:].split(" ")
        moved = meta[4][0] in "RC"
        raw.append((meta, fields[at + 1], fields[at + 2] if moved else fields[at + 1]))
        at += 3 if moved else 2
    found = []
    for meta, before, after in raw:
        patch = next(patches)
        if meta[4] == "T":  # shown as the old one removed and the new one added
            next(patches)
        added, removed, name = fields[at].split("\t", 2)
        at += 1 if name else 3
        blob = meta[3] if meta[4] != "D" else meta[2]
        status = _STATUS[meta[4][0]]
        found.append(Changed(after, status, before, meta[0], meta[1], blob, _lines(added), _lines(removed), patch))
    return found


def _lines(count: str) -> int:
    """A count of `--numstat`; `-` stands for what is not text."""
    return 0 if count == "-" else int(count)


def _patches(text: str) -> list[str | None]:
    """One for each file, in git's order."""
    found: list[str | None] = []
    for part in re.split(r"^(?=diff --git )", text, flags=re.MULTILINE)[1:]:
        hunks = re.search(r"^@@ ", part, re.MULTILINE)
        patch = part[hunks.start() :].rstrip("\n") if hunks else None
        found.append(patch if patch is None or len(patch) <= LARGEST_PATCH else None)
    return found
