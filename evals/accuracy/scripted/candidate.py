"""A candidate that follows a script, so that a whole run can be measured without a model.

It knows the change that was merged, and makes a part of it through the tools that every candidate has. With Crosscheck
it asks before, and makes more of it only if the answers name something that the change is about; so an arm whose tools
answer nothing shows as no gain. Some of it goes wrong on purpose: see `_Oddities`.
"""

import difflib
import random
import re
from collections.abc import Generator, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path, PurePosixPath

from pydantic_ai.exceptions import ModelAPIError
from pydantic_ai.messages import ModelMessage, ModelRequest, ModelResponse, TextPart, ToolCallPart, ToolReturnPart
from pydantic_ai.models import Model
from pydantic_ai.models.function import AgentInfo, FunctionModel

from core.mirror import Mirror
from evals.accuracy.history import git_folder, readable
from evals.accuracy.models import Candidate, Price
from evals.accuracy.types import Arm, Task

LABEL = "scripted"
PRICE = Price(3.0, 15.0)
"""Made up, so that what it costs can be told."""
_SHARES = (0.3, 0.5, 0.7)  # of the change that the baseline makes, by task
_MORE = 0.4  # that Crosscheck's arm adds where the answers are of use
_UNRELATED = 0.25  # of the tasks
_AROUND = 3  # unchanged lines around what is replaced
_READ = 40  # lines that are looked at before some are replaced
_HALVED = 8  # lines of a new file from which on it is written in two steps
_SOURCE = re.compile(r"\bid `([^`]+)`")
_COMMENTS = {".py": "#", ".sql": "--", ".toml": "#", ".yaml": "#", ".yml": "#", ".sh": "#"}

Call = tuple[str, dict[str, object]]
Script = Generator[Call, str, str]
"""Yields calls of tools, is sent their answers, and returns what is said in the end."""


@dataclass(frozen=True, slots=True)
class Edit:
    """One step of the change that was merged."""

    path: str
    old: str | None
    """None: the whole file is written."""
    new: str | None
    """None: the file is deleted."""
    line: int = 1
    """Where the old text begins before the change."""

    def call(self) -> Call:
        if self.new is None:
            return "delete_file", {"path": self.path}
        if self.old is None:
            return "write_file", {"path": self.path, "text": self.new}
        return "replace_text", {"path": self.path, "old": self.old, "new": self.new}


@dataclass(frozen=True, slots=True)
class _Oddities:
    """Ids of the tasks at which something goes wrong, in both arms but for `names`."""

    fails: str = ""
    """The model fails in the middle of its work."""
    goes_on: str = ""
    """It never ends by itself, so that it hits a limit."""
    names: str = ""
    """In Crosscheck's arm it writes that name into a comment, which judges must not see."""


def candidate(tasks: Sequence[Task], repositories: Mapping[str, Path]) -> Candidate:
    """The scripted candidate for these tasks; `repositories` are those that they come from, by name."""
    ids = sorted(task.id for task in tasks)
    odd = _Oddities(*ids[1:4])

    def model(task: Task, _arm: Arm) -> Model:
        with readable(task.repo):
            script = _Script(task, *_known(task, repositories[task.repo]), odd)
        return FunctionModel(script.answer, model_name=LABEL)

    return Candidate(LABEL, model, PRICE)


class _Script:
    """One attempt."""

    def __init__(self, task: Task, edits: Sequence[Edit], related: frozenset[str], odd: _Oddities) -> None:
        """`related` are names that an answer of use would hold."""
        self._task = task
        self._edits = edits
        self._related = related
        self._odd = odd
        self._steps: Script | None = None

    async def answer(self, messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        """The next step. Raises ModelAPIError where the script wants it."""
        try:
            if self._steps is None:
                self._steps = self._script(frozenset(tool.name for tool in info.function_tools))
                name, arguments = next(self._steps)
            else:
                name, arguments = self._steps.send(_last_answer(messages))
        except StopIteration as end:
            return ModelResponse(parts=[TextPart(str(end.value))])
        return ModelResponse(parts=[ToolCallPart(name, arguments)])

    def _script(self, tools: frozenset[str]) -> Script:
        drawn = random.Random(self._task.id)
        share, unrelated = drawn.choice(_SHARES), drawn.random() < _UNRELATED
        order = list(range(len(self._edits)))
        drawn.shuffle(order)
        if not self._edits:
            return "There is nothing that can be written as text."
        yield "list_files", {"glob": f"{PurePosixPath(self._edits[0].path).parent}/*"}
        useful = False
        if "check_plan" in tools:
            useful = yield from self._asked()
        many = max(1, round(len(order) * share))
        if useful:
            many = min(len(order), max(many + 1, round(len(order) * (share + _MORE))))
        chosen = [self._edits[number] for number in sorted(order[:many])]
        if useful and self._task.id == self._odd.names:
            chosen = [_with_name(edit) if edit is chosen[0] else edit for edit in chosen]
        for number, edit in enumerate(chosen):
            if number and self._task.id == self._odd.fails:
                raise ModelAPIError(LABEL, "the script wants the model to fail here")
            if edit.old is not None:
                yield "read_file", {"path": edit.path, "first": edit.line, "last": edit.line + _READ}
            yield edit.call()
        if self._task.id == self._odd.fails:
            raise ModelAPIError(LABEL, "the script wants the model to fail here")
        while self._task.id == self._odd.goes_on:
            yield "list_files", {"glob": "*"}
        if unrelated:
            yield "write_file", {"path": "notes/leftover.txt", "text": "Nothing that the ticket asked for.\n"}
        return f"I made {len(chosen)} of {len(order)} changes."

    def _asked(self) -> Generator[Call, str, bool]:
        """Whether Crosscheck's answers name something that the change is about, and that was not in the question."""
        plan = f"{self._task.title}\n\n{self._task.text[:2_000]}"
        found = yield "search", {"text": self._task.title[:500], "limit": 20}
        checked = yield "check_plan", {"plan": plan}
        opened = ""
        if source := _SOURCE.search(found):
            opened = yield "open_source", {"source": source[1]}
        told = f"{found}\n{checked}\n{opened}"
        return any(name in told and name not in plan for name in self._related)


def _last_answer(messages: Sequence[ModelMessage]) -> str:
    last = messages[-1]
    parts = last.parts if isinstance(last, ModelRequest) else ()
    return "\n".join(str(part.content) for part in parts if isinstance(part, ToolReturnPart))


def _known(task: Task, repository: Path) -> tuple[tuple[Edit, ...], frozenset[str]]:
    """The steps of the merged change, and the names that belong to it: its ticket, its files, and their neighbours."""
    mirror = Mirror(git_folder(repository), str(repository))
    edits = tuple(edit for edit in _edits(mirror, task))
    folders = {str(PurePosixPath(path).parent) for path in task.files} - {"."}
    paths = [entry.path for entry in mirror.files(task.base)]
    near = {path for path in paths if path in task.files or str(PurePosixPath(path).parent) in folders}
    return edits, frozenset({task.key, *near})


def _edits(mirror: Mirror, task: Task) -> Iterator[Edit]:
    written, removed = mirror.changed(task.base, task.tip)
    for path in sorted(written):
        before, after = _content(mirror, task.base, path), _content(mirror, task.tip, path)
        if after is None:
            continue
        yield from _of_file(path, before, after)
    for path in sorted(removed):
        yield Edit(path, None, None)


def _of_file(path: str, before: str | None, after: str) -> Iterator[Edit]:
    old, new = (before or "").splitlines(keepends=True), after.splitlines(keepends=True)
    if not old:
        if len(new) >= _HALVED:
            yield Edit(path, None, "".join(new[: len(new) // 2]))
        yield Edit(path, None, after)
        return
    groups = list(difflib.SequenceMatcher(None, old, new, autojunk=False).get_grouped_opcodes(_AROUND))
    edits = [
        Edit(path, "".join(old[one[0][1] : one[-1][2]]), "".join(new[one[0][3] : one[-1][4]]), one[0][1] + 1)
        for one in groups
    ]
    unique = all("".join(old).count(edit.old or "") == 1 for edit in edits)
    yield from edits if unique else [Edit(path, None, after)]


def _content(mirror: Mirror, commit: str, path: str) -> str | None:
    """None for what is not there, and for what is no text."""
    entry = mirror.entry(commit, path)
    if entry is None or entry.link:
        return None
    content = next(mirror.blobs([entry]))
    return None if b"\0" in content else content.decode("utf-8", "replace")


def _with_name(edit: Edit) -> Edit:
    if edit.new is None:
        return edit
    mark = _COMMENTS.get(PurePosixPath(edit.path).suffix, "//")
    return replace(edit, new=f"{edit.new}{mark} As Crosscheck found it.\n")
