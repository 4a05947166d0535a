"""What is found in the files of a snapshot: lines that hold a text, and definitions."""

import re
import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import groupby

from core.errors import BadQuery, SourceUnavailable
from core.mirror import Hit, Mirror, is_path, shown, unshown
from core.paths import group_of
from core.pulls.content import content_of
from core.pulls.definitions import Definitions, last_part
from core.pulls.difference import compared
from core.pulls.types import Snapshot
from core.store.glob import glob_pattern

_SHORTEST = 3  # characters of a text that is looked for
_LONGEST = 500
_NOT_ON_A_LINE = re.compile("[\n\r\0\ud800-\udfff]")
_FIRST_FILES = 100  # changed ones that are looked through before all others
_SECONDS = 20.0  # for each of two searches, and for reading syntax
_CANDIDATES = 40  # files that are looked through for a definition
_COMPARED_FILES = 100  # whose changed symbols are told
_NAMES = 200


@dataclass(frozen=True, slots=True)
class InFile:
    """Numbers of the lines of a file that hold a text. `path` is as it is shown."""

    path: str
    lines: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Defined:
    """A definition's first and last line."""

    path: str
    first: int
    last: int


def places(
    mirror: Mirror, snapshot: Snapshot, text: str, glob: str | None = None, *, words: bool = False
) -> tuple[list[InFile], bool]:
    """The files at the head that hold a text, the changed ones first, and whether all were looked through.

    Raises BadQuery for a text that cannot be looked for, SourceUnavailable if nothing was found in time.
    """
    if len(text.strip()) < _SHORTEST or len(text) > _LONGEST or _NOT_ON_A_LINE.search(text):
        raise BadQuery(f"What is looked for must be {_SHORTEST} to {_LONGEST} characters on one line.")
    there = [unshown(file.path) for file in snapshot.files if file.change != "removed" and not file.special]
    there = [path for path in there if is_path(path)][:_FIRST_FILES]
    first = mirror.grep(snapshot.head, text, there, words=words, seconds=_SECONDS) if there else None
    known = _by_file(first.hits) if first else []
    seen = {file.path for file in known}
    try:
        rest = mirror.grep(snapshot.head, text, words=words, seconds=_SECONDS)
    except SourceUnavailable:
        if not known:
            raise
        found, whole = known, False
    else:
        found = [*known, *(file for file in _by_file(rest.hits) if file.path not in seen)]
        whole = rest.whole and (first is None or first.whole)
    wanted = glob_pattern(glob) if glob else None
    return [file for file in found if wanted is None or wanted.fullmatch(file.path)], whole


def _by_file(hits: Iterable[Hit]) -> list[InFile]:
    return [InFile(shown(path), tuple(hit.line for hit in of)) for path, of in groupby(hits, key=lambda hit: hit.path)]


def definitions(mirror: Mirror, snapshot: Snapshot, name: str) -> tuple[list[Defined], bool]:
    """Where a name, or `Owner.name`, is defined at the head, the changed files first, tests last, and whether all that
    hold it were looked through.
    """
    files, whole = places(mirror, snapshot, last_part(name), words=True)
    files.sort(key=lambda file: group_of("code", file.path) == "test")
    end = time.monotonic() + _SECONDS
    found: list[Defined] = []
    for number, file in enumerate(files):
        if number == _CANDIDATES or time.monotonic() > end:
            return found, False
        content = content_of(mirror, mirror.entry(snapshot.head, unshown(file.path)))
        found += [Defined(file.path, *span) for span in Definitions(file.path, content.lines).of(name)]
        whole = whole and not content.unread
    return found, whole


def changed_symbols(mirror: Mirror, snapshot: Snapshot) -> Iterator[str]:
    """Names of what changed lines define or stand in, before and after; those of tests last."""
    files = [file for file in snapshot.files if not file.special and file.change != "mode"]
    files.sort(key=lambda file: group_of("code", file.path) in {"test", "generated"})
    end = time.monotonic() + _SECONDS
    for file in files[:_COMPARED_FILES]:
        if time.monotonic() > end:
            return
        old = file.before or file.path
        before = None if file.change == "added" else mirror.entry(snapshot.base, unshown(old))
        after = None if file.change == "removed" else mirror.entry(snapshot.head, unshown(file.path))
        if before and after and before.blob == after.blob:
            continue
        found = compared(mirror, before, after, around=0)
        changed = [one for hunk in found.hunks.hunks for one in hunk.numbered()]
        new, gone = found.after.lines, found.before.lines
        yield from Definitions(file.path, new).names({n for mark, _, n in changed if mark == "+" and n <= len(new)})
        yield from Definitions(old, gone).names({n for mark, n, _ in changed if mark == "-" and n <= len(gone)})


def distinct(names: Iterable[str]) -> tuple[str, ...]:
    """The first of these names, each once."""
    found: dict[str, None] = {}
    for name in names:
        found[name] = None
        if len(found) == _NAMES:
            break
    return tuple(found)
