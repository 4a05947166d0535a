"""What a candidate may do in its workplace. Both arms have these tools."""

from collections import Counter
from collections.abc import Callable
from functools import wraps
from typing import ParamSpec

from pydantic_ai import Tool

from evals.accuracy.workplace import NotDone, Workplace
from review.agents.fence import Fence

ANSWER = 24_000
"""Characters of an answer."""
_PATHS = 500
_LINES = 400
_LINE = 300  # characters of a line that was found
_ASKED = 500  # characters of what is looked for

P = ParamSpec("P")


class Tools:
    """Tools over one workplace, for one attempt. What they say of files stands within the fence."""

    def __init__(self, place: Workplace, fence: Fence, calls: Counter[str]) -> None:
        """`calls` is counted up by the tools' names."""
        self._place = place
        self._fence = fence
        self._calls = calls

    def all(self) -> list[Tool[None]]:
        """One after the other: what is changed stands in the order in which it was asked for."""
        functions = (
            self.list_files,
            self.read_file,
            self.find_text,
            self.replace_text,
            self.write_file,
            self.delete_file,
        )
        return [Tool(self._counted(one), takes_ctx=False, sequential=True) for one in functions]

    def list_files(self, glob: str = "*") -> str:
        """List the paths of files in the repository.

        Args:
            glob: Only paths or names that fit this pattern, such as src/*.py or *.sql.

        """
        found = self._place.paths(glob)
        more = f"\n[{len(found) - _PATHS} more; ask with a narrower pattern]" if len(found) > _PATHS else ""
        return self._shown("\n".join(found[:_PATHS]) or "No file fits.") + more

    def read_file(self, path: str, first: int = 1, last: int | None = None) -> str:
        """Read lines of a file.

        Args:
            path: The file's path within the repository.
            first: The first line, from 1.
            last: The last line; none: as far as it fits.

        """
        lines = self._place.read(path).splitlines(keepends=True)
        start = max(first, 1) - 1
        chosen = lines[start : min(last or len(lines), start + _LINES)]
        return f"Lines {start + 1} to {start + len(chosen)} of {len(lines)}:\n{self._shown(''.join(chosen))}"

    def find_text(self, text: str, glob: str = "*", pattern: bool = False) -> str:
        """Find lines in the files of the repository.

        Args:
            text: A text as it is written in one line.
            glob: Only in files whose path or name fits this pattern.
            pattern: Whether the text is an extended regular expression (POSIX).

        """
        hits = self._place.find(text[:_ASKED], glob, pattern=pattern)
        return self._shown("\n".join(f"{path}:{line}: {said[:_LINE]}" for path, line, said in hits) or "Not found.")

    def replace_text(self, path: str, old: str, new: str) -> str:
        """Put a text in another's place in a file.

        Args:
            path: The file's path within the repository.
            old: What stands there now, with its spaces and line ends; it must be in the file exactly once.
            new: What is to stand there.

        """
        self._place.replace(path, old, new)
        return "Done."

    def write_file(self, path: str, text: str) -> str:
        """Make a file, or put a text in place of all that is in it.

        Args:
            path: The file's path within the repository.
            text: All that is to stand in it.

        """
        self._place.write(path, text)
        return "Done."

    def delete_file(self, path: str) -> str:
        """Delete a file.

        Args:
            path: The file's path within the repository.

        """
        self._place.delete(path)
        return "Done."

    def _shown(self, text: str) -> str:
        return self._fence.text(text, ANSWER)

    def _counted(self, tool: Callable[P, str]) -> Callable[P, str]:
        @wraps(tool)
        def counted(*args: P.args, **kwargs: P.kwargs) -> str:
            self._calls[tool.__name__] += 1
            try:
                return tool(*args, **kwargs)
            except NotDone as reason:
                return str(reason)

        return counted
