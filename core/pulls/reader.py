"""Reads pull requests at their snapshots' commits: no checkout, nothing of the repository obeyed, all of it bounded."""

from collections.abc import Mapping
from dataclasses import replace

from core.errors import BadQuery, SourceUnavailable
from core.mirror import Entry, Mirror, is_path, unshown
from core.pulls.content import Content, content_of
from core.pulls.difference import compared, pieces
from core.pulls.evidence import Cited
from core.pulls.files import changed_files, kind_of
from core.pulls.looking import Defined, InFile, changed_symbols, definitions, distinct, places
from core.pulls.overview import overview
from core.pulls.repository import Repository
from core.pulls.types import ChangedFile, Side, Snapshot
from core.pulls.wording import counted, named
from core.types import Evidence

_FILE_LINES = 400  # that are shown at once
_FILE_CHARACTERS = 24_000
_FOUND_FILES = 20
_FOUND_LINES = 20  # of a file
_FOUND_LINE = 300  # characters
_DEFINITIONS = 10
_DEFINITION_LINES = 120
_NOT_ALL = "[Not examined: the rest of the files, for there was too much to look through.]"


class Reader:
    """Reads in the mirrors of `repositories`, which are given by their names. It does all of `Pulls` but finding."""

    def __init__(self, repositories: Mapping[str, Repository]) -> None:
        self._repositories = repositories

    def overview(self, snapshot: Snapshot) -> Evidence:
        """Title, description, state, commits, and every changed file with its size and lines."""
        return self._cited(snapshot).whole("overview", overview(snapshot, self._mirror(snapshot)))

    def difference(self, snapshot: Snapshot, path: str) -> tuple[Evidence, ...]:
        """The difference of one changed file, in pieces by hunk. Raises BadQuery for a file that it does not change."""
        mirror, cited = self._mirror(snapshot), self._cited(snapshot)
        file = _changed(mirror, snapshot, path)
        paths: dict[Side, str] = {"head": file.path, "base": file.before or file.path}
        before = None if file.change == "added" else mirror.entry(snapshot.base, unshown(paths["base"]))
        after = None if file.change == "removed" else mirror.entry(snapshot.head, unshown(paths["head"]))
        if plain := _without_lines(file, before, after):
            side: Side = "base" if file.change == "removed" else "head"
            return (cited.lines("difference", plain, paths[side], side),)
        found = pieces(compared(mirror, before, after))
        return tuple(
            cited.lines(f"difference {number}", one.text, paths[one.side], one.side, one.line, one.last)
            for number, one in enumerate(found, 1)
        )

    def file(self, snapshot: Snapshot, path: str, side: Side, first: int = 1, last: int | None = None) -> Evidence:
        """Lines of a file at the head or the merge base. At the base, a renamed one is found by its new name too.

        Raises BadQuery for a path that is not in the tree, and for lines that the file does not have.
        """
        mirror = self._mirror(snapshot)
        path, entry = _entry(mirror, snapshot, path, side)
        content = content_of(mirror, entry)
        if not content.lines:
            text = content.unread or "[The file is empty.]"
            return self._cited(snapshot).lines("file", text, path, side)
        end, note = _range(content, first, last, path)
        text = "\n".join([*map(content.line, range(first, end + 1)), *filter(None, [note])])
        return self._cited(snapshot).lines(f"file {first} to {end}", text, path, side, first, end)

    def grep(self, snapshot: Snapshot, text: str, glob: str | None = None) -> tuple[Evidence, ...]:
        """Where a literal text stands at the head, a piece a file, the changed files first. Nothing means that no text
        file holds it.

        Raises BadQuery for a text that is too short, too long or of several lines.
        """
        files, whole = places(self._mirror(snapshot), snapshot, text, glob)
        return self._noted(
            snapshot, [self._hits(snapshot, file) for file in files[:_FOUND_FILES]], len(files), whole=whole
        )

    def symbol(self, snapshot: Snapshot, name: str) -> tuple[Evidence, ...]:
        """Where a function, class or constant is defined at the head, the changed files first. Nothing means that no
        text file defines it in a way that is known here.
        """
        found, whole = definitions(self._mirror(snapshot), snapshot, name)
        shown = [self._definition(snapshot, one) for one in found[:_DEFINITIONS]]
        return self._noted(snapshot, shown, len(found), whole=whole)

    def changed_symbols(self, snapshot: Snapshot) -> tuple[str, ...]:
        """Names of what the changed lines define or belong to, those of tests last."""
        return distinct(changed_symbols(self._mirror(snapshot), snapshot))

    def _hits(self, snapshot: Snapshot, file: InFile) -> Evidence:
        mirror = self._mirror(snapshot)
        content = content_of(mirror, mirror.entry(snapshot.head, unshown(file.path)))
        there = [number for number in file.lines if number <= len(content.lines)]
        lines = [f"{number}: {_cut(content.line(number))}" for number in there[:_FOUND_LINES]]
        more = len(file.lines) - len(lines)
        note = [f"[Not shown: {counted(more, 'more line')} of this file.]"] if more else []
        first, last = (there[0], there[len(lines) - 1]) if lines else (None, None)
        return self._cited(snapshot).lines("found", "\n".join([*lines, *note]), file.path, "head", first, last)

    def _definition(self, snapshot: Snapshot, one: Defined) -> Evidence:
        mirror = self._mirror(snapshot)
        content = content_of(mirror, mirror.entry(snapshot.head, unshown(one.path)))
        last = min(one.last, one.first + _DEFINITION_LINES - 1)
        more = one.last - last
        note = [f"[Not shown: {counted(more, 'more line')} of this definition.]"] if more else []
        text = "\n".join([*map(content.line, range(one.first, last + 1)), *note])
        return self._cited(snapshot).lines(f"definition {one.first}", text, one.path, "head", one.first, last)

    def _noted(self, snapshot: Snapshot, shown: list[Evidence], there: int, *, whole: bool) -> tuple[Evidence, ...]:
        """With what was left out said at the end of the last one. Nothing found is no answer if not all was read."""
        if not shown and not whole:
            raise SourceUnavailable(f"looking through the files of {_name(snapshot)} took too long")
        notes = [] if whole else [_NOT_ALL]
        if there > len(shown):
            notes.insert(0, f"[Not shown: {counted(there - len(shown), 'more place')}.]")
        if not notes:
            return tuple(shown)
        *others, last = shown
        return (*others, replace(last, text="\n".join([last.text, *notes])))

    def _cited(self, snapshot: Snapshot) -> Cited:
        return Cited(self._repository(snapshot), snapshot)

    def _mirror(self, snapshot: Snapshot) -> Mirror:
        return self._repository(snapshot).mirror

    def _repository(self, snapshot: Snapshot) -> Repository:
        if (found := self._repositories.get(snapshot.ref.repo)) is None:
            raise BadQuery(f"{snapshot.ref.repo} is no repository that is set up here.")
        return found


def _changed(mirror: Mirror, snapshot: Snapshot, path: str) -> ChangedFile:
    """The changed file of this name, today's or its earlier one; also of those beyond the snapshot's limit."""
    for file in snapshot.files:
        if path in {file.path, file.before}:
            return file
    beyond = [
        one for one in mirror.differences(snapshot.base, snapshot.head) if unshown(path) in {one.path, one.before}
    ]
    for file in changed_files(mirror, beyond[:1]):
        return file
    raise BadQuery(f"{named(path)} is not among the files that {_name(snapshot)} changes.")


def _without_lines(file: ChangedFile, before: Entry | None, after: Entry | None) -> str:
    """What there is to say of a change that is not in lines of text; empty if there are such."""
    if not is_path(unshown(file.path)):
        return "[Not examined: its name leads out of the repository.]"
    if file.change == "mode":
        return "[Only its permissions changed. Its content is as it was.]"
    if before and after and before.blob == after.blob:
        return f"[Only its name changed: it was {named(file.before or '')}. Its content is as it was.]"
    return {
        "binary": f"[{file.change.capitalize()}. Not examined: it is not text.]",
        "large": f"[{file.change.capitalize()}. Not examined: it is too large to be compared.]",
        "submodule": f"[{file.change.capitalize()}. Not examined: it is a submodule, which is another repository.]",
        "link": f"[{file.change.capitalize()}. It is a symbolic link, which was not followed.]",
        "lfs": f"[{file.change.capitalize()}. Not examined: its content is kept apart (Git LFS).]",
    }.get(kind_of(file), "")


def _entry(mirror: Mirror, snapshot: Snapshot, path: str, side: Side) -> tuple[str, Entry]:
    commit = snapshot.head if side == "head" else snapshot.base
    earlier = (file.before for file in snapshot.files if side == "base" and file.path == path and file.before)
    for name in (*earlier, path):
        if entry := mirror.entry(commit, unshown(name)):
            return name, entry
    where = "at its head" if side == "head" else "before it"
    raise BadQuery(f"There is no file {named(path)} in {_name(snapshot)} {where}.")


def _range(content: Content, first: int, last: int | None, path: str) -> tuple[int, str]:
    """The last line that is shown, and what there is to say of those after it."""
    there = len(content.lines)
    wanted = min(last or there, there)
    if not 1 <= first <= wanted:
        raise BadQuery(
            f"{named(path)} has {counted(there, 'line')}; lines {first} to {last or there} are not among them."
        )
    end, size = first, len(content.line(first))
    while end < min(wanted, first + _FILE_LINES - 1) and size < _FILE_CHARACTERS:
        end += 1
        size += len(content.line(end))
    if end < wanted:
        return end, f"[Not shown: lines {end + 1} to {wanted} of {there}.]"
    return end, content.unread if end == there else ""


def _cut(line: str) -> str:
    return line if len(line) <= _FOUND_LINE else f"{line[:_FOUND_LINE]} [The line goes on.]"


def _name(snapshot: Snapshot) -> str:
    return f"pull request {snapshot.ref.number} of {snapshot.ref.repo}"
