"""PlantUML: a text's diagrams, and their lines without what only says how something looks. See https://plantuml.com

Nothing is included or computed: what `!include` and the preprocessor would bring is said to be missing.
"""

import re
from collections.abc import Iterator

from core.parsing.diagrams import plantuml_activity, plantuml_lines
from core.parsing.diagrams.graph import Graph, NotAGraph
from core.parsing.markdown import clean

LONGEST = 500_000
"""Characters; 10,000 lines have about 300,000."""
MAX_DIAGRAMS = 100

_START = re.compile(r"@start(?P<kind>[a-z]+)\b", re.IGNORECASE)
_END = re.compile(r"@end[a-z]+", re.IGNORECASE)
_BLANKS = re.compile(r"[^\S\n]+")
_ACTIVITY = re.compile(r"(?:#[\w;:]*)?:[^:]*[;|<>/\]}]|(?:start|stop)|(?:if|while|switch) ?\(.*|repeat\b.*|fork|split")
_ELSEWHERE = re.compile(r"!(?:include|import)")
_HARMLESS = re.compile(r"!(?:theme|pragma|assume|log|dump)")
_SKIPPED = (
    (re.compile(r"<style>"), re.compile(r"</style>")),
    (re.compile(r"(?:skinparam|sprite)\b.*\{"), re.compile(r"\}")),
    (re.compile(r"legend\b[^:]*"), re.compile(r"end ?legend")),
    (re.compile(r"title"), re.compile(r"end ?title")),
    (re.compile(r"(?:(?:left|right|center) )?header"), re.compile(r"end ?header")),
    (re.compile(r"(?:(?:left|right|center) )?footer"), re.compile(r"end ?footer")),
)
"""What stands in several lines and tells nothing of boxes and arrows: its first and its last line."""


def read(text: str) -> tuple[Graph, ...]:
    """The text's diagrams: what stands between `@startuml` and `@enduml`, or all of it.

    Raises NotAGraph if none of them is of a kind that has a reader here.
    """
    if len(text) > LONGEST:
        raise NotAGraph(f"it has more than {LONGEST:,} characters")
    graphs: list[Graph] = []
    others: list[str] = []
    for kind, lines in _blocks(clean(text)):
        if len(graphs) + len(others) == MAX_DIAGRAMS:
            graphs.append(Graph(lost=(f"the diagrams after the first {MAX_DIAGRAMS}",)))
            break
        if kind in {"uml", "c4"}:
            graphs.append(_read(lines))
        else:
            others.append(f"it is of the kind {kind[:40]}")
    if not graphs:
        raise NotAGraph(others[0] if others else "there is no diagram in it")
    return (*graphs, *(Graph(lost=(f"a whole one: {reason}",)) for reason in others))


def _read(lines: list[tuple[int, str]]) -> Graph:
    lost: dict[str, None] = {}
    kept = list(_kept(lines, lost))
    if any(_ACTIVITY.fullmatch(line) for _, line in kept):
        return plantuml_activity.read(kept, list(lost))
    return plantuml_lines.read(kept, list(lost))


def _blocks(text: str) -> Iterator[tuple[str, list[tuple[int, str]]]]:
    lines = [(number, _BLANKS.sub(" ", line).strip()) for number, line in enumerate(text.split("\n"), 1)]
    starts = [at for at, (_, line) in enumerate(lines) if _START.match(line)]
    if not starts:
        yield "uml", lines
        return
    for this, following in zip(starts, [*starts[1:], len(lines)], strict=True):
        found = _START.match(lines[this][1])
        body = lines[this + 1 : following]
        end = next((at for at, (_, line) in enumerate(body) if _END.match(line)), len(body))
        yield found["kind"].lower() if found else "uml", body[:end]


def _kept(lines: list[tuple[int, str]], lost: dict[str, None]) -> Iterator[tuple[int, str]]:
    """The lines that tell something. Comments are `' ...` and `/' ... '/`."""
    until: re.Pattern[str] | None = None
    comment = False
    for number, line in lines:
        if comment:
            comment = not line.endswith("'/")
        elif line.startswith("/'"):
            comment = "'/" not in line
        elif until is not None:
            until = None if until.fullmatch(line) else until
        elif line.startswith("!"):
            if _ELSEWHERE.match(line):
                lost["what is included from elsewhere"] = None
            elif not _HARMLESS.match(line):
                lost["what the preprocessor's lines would make of it"] = None
        elif line and not line.startswith("'"):
            until = next((end for start, end in _SKIPPED if start.fullmatch(line)), None)
            if until is None:
                yield number, line
