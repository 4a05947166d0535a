"""PlantUML's sequence, component, deployment, use case, class, object and state diagrams: one grammar of lines.

Source of the signs: the pages of https://plantuml.com for each kind.
"""

import re

from core.parsing.diagrams import c4
from core.parsing.diagrams.builder import Builder, unquoted
from core.parsing.diagrams.ends import Mark, connection
from core.parsing.diagrams.graph import Edge, Graph
from core.parsing.diagrams.plantuml_text import NAME, Notes, key_of, label

_LETTER = r"[ox0](?=[ \"\[(:])"
_LEFT = r"(?:[ox] ?)?(?:<\||<<|<|\*|\+|#|\^|\}o|\}\||\|o|\|\||\}|\\\\?|//?|\(\)|[ox0])?"
_RIGHT = rf"(?:\|>|>>|>|\*|\+|#|\^|o\{{|\|\{{|o\||\|\||\{{|\\\\?|//?|\(\)|\)|{_LETTER})?(?:{_LETTER})?"
_BODY = r"[-.=~]++(?:\[[^\[\]]*+\])?(?:(?:left|right|up|down|le|ri|do|l|r|u|d)(?=[-.=~]))?[-.=~]*+"
_OUTSIDE = r"[\[\]?](?= ?[<ox\\/]?[-.=]| ?:| ?$)"
_LINE = re.compile(
    rf"(?P<source>{_OUTSIDE}|{NAME}) ?(?:\"(?P<many>[^\"]*)\" ?)?(?P<left>{_LEFT})(?P<body>{_BODY})(?P<right>{_RIGHT})"
    rf" ?(?:\"(?P<more>[^\"]*)\" ?)?(?P<target>{_OUTSIDE}|{NAME})(?: ?<<[^<>]*>>)?"
    r"(?P<active>(?: ?(?:\+\+|--|\*\*|!!))*)(?: ?#\w+)?(?: ?:(?P<text>.*))?"
)
_READING = re.compile(r"^[<>] | [<>]$")  # which way a label reads
_COUNTS = {
    "}o": "zero or more",
    "o{": "zero or more",
    "}|": "one or more",
    "|{": "one or more",
    "|o": "zero or one",
    "o|": "zero or one",
    "||": "exactly one",
    "}": "many",
    "{": "many",
}

_MEMBERED = frozenset(
    {"class", "abstract class", "abstract", "interface", "enum", "annotation", "struct", "exception", "protocol"}
    | {"object", "map", "entity", "dataclass", "record", "metaclass", "stereotype", "json"}
)
_KINDS = (
    r"(?:abstract )?class|abstract|interface|enum|annotation|struct|exception|protocol|object|map|entity|dataclass"
    r"|record|metaclass|stereotype|participant|actor|boundary|control|database|collections|queue|component|node|folder"
    r"|frame|cloud|package|rectangle|storage|artifact|card|file|stack|usecase|state|agent|person|hexagon|label|process|action"
    r"|namespace|partition|circle|diamond|json|container|port|portin|portout"
)
_DECLARED = re.compile(
    rf"(?:create )?(?P<kind>{_KINDS})(?P<slash>/)? (?P<name>{NAME})(?: as (?P<other>{NAME}))?"
    r"(?P<rest>(?: ?[^{} ]++)*+) ?(?P<open>\{(?P<close> ?\})?)?"
)
_UNNAMED = re.compile(rf"(?:together|{_KINDS})(?: [^{{}}\"]*)? ?\{{")
_PARENTS = re.compile(r"\b(?P<how>extends|implements) (?P<who>[\w.:$]+(?: ?, ?[\w.:$]+)*)")
_STEREOTYPE = re.compile(r"<<([^<>]*)>>")
_ALONE = re.compile(
    rf"(?P<name>\[[^\[\]]+\]|\([^()]+\)|:[^:]+:|\(\) ?{NAME})(?: as (?P<other>{NAME}))?(?: ?<<[^<>]*>>)?(?: ?#\w+)?"
)
_MEMBER = re.compile(rf"(?P<name>{NAME}) ?: ?(?P<text>.*)")

_BLOCK = re.compile(r"(?P<kind>alt|opt|loop|par2?|break|critical|group)\b ?(?:#\S+ )*(?P<title>.*)")
_OTHER = re.compile(r"else\b ?(?:#\S+ )?(?P<title>.*)")
_BOX = re.compile(r"box\b(?P<title>[^#]*)(?:#.*)?")
_SECTION = re.compile(r"==+ ?(?P<title>[^=]+?) ?==+|\.\.\.(?P<delay>[^.]*)\.\.\.")
_LOOKS = re.compile(
    r"(?:autonumber|autoactivate|newpage|hide|show|skinparam|scale|title|header|footer|caption|allowmixing|allow_mixing"
    r"|set|remove|restore|page|mainframe|ignore|left to right|top to bottom|(?:left|right|center) (?:header|footer)"
    r"|deactivate|destroy|LAYOUT_\w*|SHOW_\w*|HIDE_\w*|Update\w*|legend|url|sprite|sep|style)\b.*|\.\.\.+|\|\|\d*\|\|?|\|\|\|"
)


def read(lines: list[tuple[int, str]], lost: list[str]) -> Graph:
    """The diagram from its lines; `lost` is what is missing from them already."""
    reader = _Reader()
    for what in lost:
        reader.builder.lost(what)
    for number, line in lines:
        if not reader.line(line):
            reader.builder.lost_line(number)
    reader.notes.finish()
    return reader.builder.graph()


class _Reader:
    def __init__(self) -> None:
        self.builder = Builder()
        self.notes = Notes(self.builder)
        self._inside: str | None = None
        """The class whose members are read."""
        self._last: tuple[str | None, str | None] = (None, None)
        """The ends of the last message, as it went."""
        self._active: list[tuple[str | None, str | None]] = []

    def line(self, line: str) -> bool:
        """Whether the line was understood."""
        if self.notes.take(line):
            return True
        if self._inside is not None:
            self._member(line)
            return True
        return (
            self._connected(line)
            or self._frame(line)
            or self._declared(line)
            or c4.read_line(self.builder, line)
            or self._message_word(line)
            or _LOOKS.fullmatch(line) is not None
            or self._described(line)
        )

    def _member(self, line: str) -> None:
        if line == "}":
            self._inside = None
        elif self._inside is not None and line.strip("-.=_ "):
            self.builder.detail(
                self._inside, label(line.strip("-.=_ ") if line[:2] in {"--", "..", "==", "__"} else line)
            )

    def _frame(self, line: str) -> bool:
        builder = self.builder
        if line == "end":
            return builder.close_block()
        if line in {"}", "end box"}:
            builder.close_group()
        elif found := _BLOCK.fullmatch(line):
            builder.open_block(found["kind"], label(found["title"]))
        elif found := _OTHER.fullmatch(line):
            builder.next_block("else", label(found["title"]))
        elif found := _BOX.fullmatch(line):
            title = label(unquoted(found["title"]))
            builder.open_group(title or "box", title)
        elif found := _SECTION.fullmatch(line):
            builder.note(f"section: {found['title']}" if found["title"] else label(found["delay"]))
        else:
            return False
        return True

    def _declared(self, line: str) -> bool:
        found = _DECLARED.fullmatch(line)
        if not found:
            if opened := _UNNAMED.fullmatch(line):
                self.builder.open_nothing()
            return opened is not None
        key, name = _named(found["name"], found["other"])
        if found["open"] and not found["close"] and found["kind"] not in _MEMBERED:
            self.builder.open_group(key, name)
            return True
        self.builder.box(key, name)
        if kind := _STEREOTYPE.search(found["rest"]):
            self.builder.detail(key, kind[0])
        for parent in _PARENTS.finditer(found["rest"]):
            for who in parent["who"].split(","):
                dashed = parent["how"] == "implements"
                self.builder.edge(connection(key, self.builder.box(who.strip()), ("", "triangle"), dashed=dashed))
        if found["open"] and not found["close"]:
            self._inside = key
        return True

    def _connected(self, line: str) -> bool:
        found = _LINE.fullmatch(line)
        if not found:
            return False
        if "hidden" in found["body"]:
            return True
        left, right = found["left"].strip(), found["right"]
        edge = connection(
            self._end(found["source"], start="<" not in left),
            self._end(found["target"], start="<" in left and ">" not in right),
            (_mark(left), _mark(right)),
            label=_READING.sub("", label(found["text"] or "")),
            counts=(found["many"] or _COUNTS.get(left, ""), found["more"] or _COUNTS.get(right, "")),
            dashed="." in found["body"],
        )
        self.builder.edge(edge)
        self._last = (edge.source, edge.target)
        if "++" in found["active"]:
            self._active.append(self._last)
        return True

    def _end(self, text: str, *, start: bool) -> str | None:
        if text in {"[", "]", "?"}:
            return None
        if text not in {"[*]", "(*)"}:
            key, name = _named(text, None)
            return self.builder.box(key, name if name != key else "")
        what, within = "start" if start else "end", self.builder.group
        return self.builder.box(f"[*] {what} {within or ''}", f"{what} of {within}" if within else what)

    def _message_word(self, line: str) -> bool:
        """`activate X` and `return text`: a return goes back to who sent the message that activated."""
        word, _, text = line.partition(" ")
        if word == "activate" and text:
            self._active.append(self._last)
            return True
        if word != "return":
            return False
        source, target = self._active.pop() if self._active else self._last
        self.builder.edge(Edge(target, source, label(text)))
        return True

    def _described(self, line: str) -> bool:
        if found := _ALONE.fullmatch(line):
            self.builder.box(*_named(found["name"], found["other"]))
        elif found := _MEMBER.fullmatch(line):
            self.builder.detail(self.builder.box(key_of(found["name"])), label(found["text"]))
        else:
            return False
        return True


def _named(name: str, other: str | None) -> tuple[str, str]:
    """The id and the label of `"Label" as id`, or of `id as "Label"`."""
    if other is None:
        return key_of(name), label(key_of(name))
    if other.startswith('"'):
        name, other = other, name
    return key_of(other), label(key_of(name))


def _mark(head: str) -> Mark:
    if head in {"<|", "|>", "^"}:
        return "triangle"
    if head == "*":
        return "diamond"
    if head == "o":
        return "hollow diamond"
    return "arrow" if any(sign in head for sign in "<>\\/") else ""
