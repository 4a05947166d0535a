"""Looking for a literal text in the files of a commit."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from core.errors import SourceUnavailable
from core.mirror.names import text_of
from core.mirror.process import PLAIN, Git

_MOST_FOUND = 16_000_000  # bytes of what Git says it found
_HIT = re.compile(rb"[0-9a-f]+:([^\0]+)\0([0-9]+)\0([^\n]*)\n")


@dataclass(frozen=True, slots=True)
class Hit:
    """A line that holds a text."""

    path: str
    line: int
    text: bytes


@dataclass(frozen=True, slots=True)
class Hits:
    """Lines that hold a text, by path. Not `whole`: it was not looked for everywhere."""

    hits: tuple[Hit, ...]
    whole: bool


def grep(git: Git, commit: str, text: str, paths: Sequence[str], *, words: bool, seconds: float) -> Hits:
    """Lines of the text files of a commit that hold a literal text (as words: with no letter, digit or underscore
    beside it), in the files `paths` or, if there are none, in all.

    Raises SourceUnavailable if the time was over before anything was found.
    """
    options = ["-F", "-I", "-n", "-z", "--full-name", "--no-color", "--no-textconv", "--no-recurse-submodules"]
    options += ["--threads=1", *(["--word-regexp"] if words else []), "-e", text]
    limits = [commit, "--", *paths]
    said, whole = b"", False
    try:
        with git.stream("grep", *options, *limits, seconds=seconds, environment=PLAIN, statuses=(0, 1)) as (_, answer):
            said = answer.read(_MOST_FOUND)
            whole = len(said) < _MOST_FOUND
    except SourceUnavailable:
        if not said:
            raise
        whole = False
    found = (Hit(text_of(path), int(line), content) for path, line, content in _HIT.findall(said))
    return Hits(tuple(found), whole)
