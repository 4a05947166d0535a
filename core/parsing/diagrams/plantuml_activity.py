"""PlantUML's activity diagrams in the newer syntax. Source of the signs: https://plantuml.com/activity-diagram-beta"""

import re
from collections.abc import Callable
from dataclasses import dataclass, field

from core.parsing.diagrams.builder import Builder, unquoted
from core.parsing.diagrams.graph import Edge, Graph
from core.parsing.diagrams.plantuml_text import Notes, label

_DEEPEST = 100  # branches within branches
_MOST_EXITS = 200  # branches that meet in one place

# Where one piece may end in several places and so may the next, each is bounded: a line may be very long.
_ACTION = re.compile(r"(?:#[\w;:]{0,80})?:(?P<text>.*)[;|<>/\]}](?: ?<<[^<>]*>>)?")
_ACTION_START = re.compile(r"(?:#[\w;:]{0,80})?:(?P<text>.*)")
_ARROW = re.compile(r"-(?:\[[^\[\]]*\])?-?>(?P<text>.*?);?")
_ASKED = r"\((?P<asked>.{0,500}?)\)"
_IF = re.compile(
    rf"if ?{_ASKED} ?(?:then|is|equals)? ?(?:\((?P<yes>.{{0,500}})\))?(?: ?then)?(?: ?\((?P<also>[^()]*)\))?"
)
_ELSEIF = re.compile(
    rf"(?:\((?P<no>[^()]*)\) ?)?else ?if ?{_ASKED} ?(?:then|is|equals)? ?(?:\((?P<yes>.{{0,500}})\))?(?: ?then)?"
)
_ELSE = re.compile(r"else ?(?:\((?P<no>.*)\))?")
_WHILE = re.compile(rf"while ?{_ASKED} ?(?:is)? ?(?:\((?P<yes>.{{0,500}})\))?")
_END_WHILE = re.compile(r"end ?while ?(?:\((?P<no>.*)\))?")
_REPEAT_WHILE = re.compile(
    rf"repeat ?while ?{_ASKED} ?(?:is)? ?(?:\((?P<yes>[^()]*)\))? ?(?:not ?\((?P<no>.{{0,500}})\))?"
)
_SWITCH = re.compile(rf"switch ?{_ASKED}")
_CASE = re.compile(r"case ?\((?P<yes>.*)\)")
_LANE = re.compile(r"\|(?:#\w+\|)?(?P<name>[^|]+)\|(?P<title>.*)")
_PART = re.compile(
    r"(?:partition|package|rectangle|card|group) (?P<name>\"[^\"]*\"|[^{}\"]*?)(?: ?#\w+)? ?(?P<open>\{)?"
)
_LOOKS = re.compile(
    r"(?:skinparam|title|header|footer|caption|scale|hide|show|!|left to right|top to bottom|legend)\b.*|\}"
)
_JOINED = {"fork": "fork", "split": "split"}

Exit = tuple[str, str]
"""A box that an arrow will leave, and what will stand on the arrow."""


@dataclass(slots=True)
class _Frame:
    """A branch, a loop or a fork that is open."""

    kind: str
    decision: str = ""
    first: str = ""
    """Where a `repeat` begins: the first box after it."""
    start: list[Exit] = field(default_factory=list)
    ends: list[Exit] = field(default_factory=list)
    breaks: list[Exit] = field(default_factory=list)
    otherwise: bool = False
    backward: str = ""


def read(lines: list[tuple[int, str]], lost: list[str]) -> Graph:
    """The diagram from its lines; `lost` is what is missing from them already."""
    reader = _Reader()
    for what in lost:
        reader.builder.lost(what)
    action: list[str] = []
    for number, line in lines:
        if action:
            action.append(line)
            if found := _ACTION.fullmatch(" ".join(action)) if line[-1:] in ";|<>/]}" else None:
                reader.action(found["text"])
                action = []
        elif _ACTION_START.fullmatch(line) and not _ACTION.fullmatch(line):
            action = [line]
        elif not reader.line(line):
            reader.builder.lost_line(number)
    if action:
        reader.builder.lost("an action without an end")
    reader.notes.finish()
    return reader.builder.graph()


class _Reader:
    """Goes down the lines with the exits of what was drawn so far: the next box takes an arrow from each."""

    def __init__(self) -> None:
        self.builder = Builder()
        self.notes = Notes(self.builder)
        self._exits: list[Exit] = []
        self._frames: list[_Frame] = []
        self._boxes = 0
        self._lane = False
        self._words: dict[str, Callable[[], None]] = {
            "start": self._start,
            "stop": self._stop,
            "end": self._stop,
            "kill": self._leave,
            "detach": self._leave,
            "break": self._break,
            "endif": self._end_if,
            "end if": self._end_if,
            "endswitch": self._end_branches,
            "end switch": self._end_branches,
            "fork again": self._again,
            "split again": self._again,
            "end fork": self._end_branches,
            "endfork": self._end_branches,
            "end merge": self._end_branches,
            "end split": self._end_branches,
            "endsplit": self._end_branches,
            "end group": self.builder.close_group,
        }

    def line(self, line: str) -> bool:
        """Whether the line was understood."""
        line = line.rstrip(";") if not line.startswith((":", "#", "-")) else line
        if self.notes.take(line):
            return True
        if word := self._words.get(line):
            word()
        elif found := _ACTION.fullmatch(line):
            self.action(found["text"])
        elif found := _ARROW.fullmatch(line):
            self._exits = [(box, "; ".join(filter(None, [said, label(found["text"])]))) for box, said in self._exits]
        else:
            return self._branch(line) or self._loop(line) or self._place(line) or _LOOKS.fullmatch(line) is not None
        return True

    def action(self, text: str) -> None:
        self._add(label(text))

    def _add(self, text: str) -> str:
        """A box with an arrow from every exit."""
        self._boxes += 1
        box = self.builder.box(f"{self._boxes}", text or "unnamed")
        for source, said in self._exits:
            self.builder.edge(Edge(source, box, said))
        if self._frames and self._frames[-1].kind == "repeat" and not self._frames[-1].first:
            for frame in self._frames:
                if frame.kind == "repeat" and not frame.first:
                    frame.first = box
        self._exits = [(box, "")]
        return box

    def _open(self, frame: _Frame) -> bool:
        if len(self._frames) == _DEEPEST:
            return False
        self._frames.append(frame)
        return True

    def _close(self, *kinds: str) -> _Frame | None:
        return self._frames.pop() if self._frames and self._frames[-1].kind in kinds else None

    def _meet(self, *exits: Exit) -> None:
        if len(exits) > _MOST_EXITS:
            self.builder.lost(f"branches after the first {_MOST_EXITS} that meet in one place")
        self._exits = list(exits[:_MOST_EXITS])

    def _start(self) -> None:
        self._add("start")

    def _stop(self) -> None:
        self._add("end")
        self._leave()

    def _leave(self) -> None:
        self._exits = []

    def _break(self) -> None:
        loop = next((frame for frame in reversed(self._frames) if frame.kind in {"while", "repeat"}), None)
        if loop:
            loop.breaks += self._exits
        self._leave()

    def _branch(self, line: str) -> bool:
        if found := _IF.fullmatch(line):
            decision = self._add(label(found["asked"]))
            self._exits = [(decision, label(found["yes"] or found["also"] or ""))]
            return self._open(_Frame("if", decision))
        if found := _SWITCH.fullmatch(line):
            decision = self._add(label(found["asked"]))
            self._leave()
            return self._open(_Frame("switch", decision))
        if line in _JOINED:
            return self._open(_Frame(_JOINED[line], start=list(self._exits)))
        frame = self._frames[-1] if self._frames else None
        if frame is None:
            return False
        if frame.kind == "if" and (found := _ELSEIF.fullmatch(line)):
            frame.ends += self._exits
            self._exits = [(frame.decision, label(found["no"] or "no"))]
            frame.decision = self._add(label(found["asked"]))
            self._exits = [(frame.decision, label(found["yes"] or ""))]
        elif frame.kind == "if" and (found := _ELSE.fullmatch(line)):
            frame.ends += self._exits
            frame.otherwise = True
            self._exits = [(frame.decision, label(found["no"] or "else"))]
        elif frame.kind == "switch" and (found := _CASE.fullmatch(line)):
            frame.ends += self._exits
            self._exits = [(frame.decision, label(found["yes"]))]
        else:
            return False
        return True

    def _end_if(self) -> None:
        if frame := self._close("if"):
            otherwise = [] if frame.otherwise else [(frame.decision, "else")]
            self._meet(*frame.ends, *self._exits, *otherwise)

    def _again(self) -> None:
        if self._frames and self._frames[-1].kind in {"fork", "split"}:
            self._frames[-1].ends += self._exits
            self._exits = list(self._frames[-1].start)

    def _end_branches(self) -> None:
        if frame := self._close("fork", "split", "switch"):
            self._meet(*frame.ends, *self._exits)

    def _loop(self, line: str) -> bool:
        if found := _WHILE.fullmatch(line):
            decision = self._add(label(found["asked"]))
            self._exits = [(decision, label(found["yes"] or ""))]
            return self._open(_Frame("while", decision))
        if found := _END_WHILE.fullmatch(line):
            if frame := self._close("while"):
                self._back(frame, frame.decision, self._exits)
                self._meet((frame.decision, label(found["no"] or "")), *frame.breaks)
            return True
        if found := _REPEAT_WHILE.fullmatch(line):
            decision = self._add(label(found["asked"]))
            if frame := self._close("repeat"):
                self._back(frame, frame.first or decision, [(decision, label(found["yes"] or ""))])
                self._meet((decision, label(found["no"] or "")), *frame.breaks)
            return True
        if line == "repeat" or line.startswith("repeat :"):
            opened = self._open(_Frame("repeat"))
            return opened and (line == "repeat" or self.line(f"{line[7:]};"))
        if line.startswith("backward") and self._frames:
            self._frames[-1].backward = label(line[len("backward") :].strip(" :;"))
            return True
        return False

    def _back(self, frame: _Frame, target: str, exits: list[Exit]) -> None:
        """From the end of a loop to its beginning."""
        if frame.backward:
            self._exits = exits
            exits = [(self._add(frame.backward), "")]
        for source, said in exits:
            self.builder.edge(Edge(source, target, said))

    def _place(self, line: str) -> bool:
        if found := _LANE.fullmatch(line):
            if self._lane:
                self.builder.close_group()
            self._lane = True
            self.builder.open_group(found["name"].strip(), label(found["title"]) or label(found["name"]))
        elif found := _PART.fullmatch(line):
            name = label(unquoted(found["name"]))
            self.builder.open_group(name or "part", name)
        elif line == "}":
            self.builder.close_group()
        elif line.startswith("(") and line.endswith(")"):
            self.builder.box(line, line)
            for source, said in self._exits:
                self.builder.edge(Edge(source, line, said))
            self._exits = [(line, "")]
        else:
            return False
        return True
