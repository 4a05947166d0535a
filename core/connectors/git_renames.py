"""What files that were renamed are called today."""

from collections import defaultdict
from collections.abc import Sequence

from core.mirror import Commit


def present_names(commits: Sequence[Commit]) -> list[tuple[str, ...]]:
    """For each commit, newest first, today's names of the files it touched.

    A name is followed through the renames of newer commits. A commit on a line of history beside the one that renamed
    a file may be listed before the rename, and still mean that file: so also for an older rename, unless the name was
    given anew in between.
    """
    found = [list(commit.paths) for commit in commits]
    today: dict[str, str] = {}  # the names of this moment of history
    unsettled: defaultdict[str, list[tuple[int, int]]] = defaultdict(list)
    for row, commit in enumerate(commits):
        renamed: dict[str, str] = {}
        for column, touch in enumerate(commit.touches):
            name = found[row][column] = today.get(touch.path, touch.path)
            if touch.new:
                unsettled.pop(touch.path, None)
            elif touch.path not in today:
                unsettled[touch.path].append((row, column))
            if touch.before is not None:
                renamed[touch.before] = name
        for before, name in renamed.items():
            for beside_row, beside_column in unsettled.pop(before, ()):
                found[beside_row][beside_column] = name
        for touch in commit.touches:
            if touch.new:
                today.pop(touch.path, None)  # an older file of that name is another one
        today |= renamed
    return [tuple(dict.fromkeys(names)) for names in found]
