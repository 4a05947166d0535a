"""What all kinds of PlantUML diagrams share: names, labels, and notes."""

import re

from core.parsing.diagrams.builder import Builder, unquoted
from core.parsing.diagrams.labels import plain

_WORD = r"[\w$@]++"
NAME = (
    r"(?:\"[^\"]*\"|\[[^\[\]]+\]|\([^()]+\)|:[^:]+:|\(\) ?(?:\"[^\"]*\"|" + _WORD + r")"
    rf"|{_WORD}(?:(?:\.|::){_WORD})*+(?:<[\w, ?.]+>)?)"
)
"""`"Long name"`, `[component]`, `(use case)`, `:actor:`, `() interface`, `package.Class<T>`."""

_MARKUP = re.compile(r"<(?:/?(?:b|i|u|s|w|color|size|back|font|sub|sup|img)\b[^<>]*|[&$][\w-]+)>")
_BOLD = re.compile(r"\*\*([^*]+)\*\*")
_STYLE = re.compile(r"^<<[^<>]*>>|\[\[(?P<url>[^\[\]{} ]++)[^\[\]]*+\]\]")

_SHORT = re.compile(
    rf"/? ?[hr]?note(?P<where>(?: (?:left|right|top|bottom|over|across))?(?: of)?(?: {NAME}(?: ?, ?{NAME})*)?)"
    r"(?: ?#\w+)? ?:(?P<text>.*)"
)
_LINK = re.compile(r"note on link(?: ?#\w+)? ?:(?P<text>.*)")
_NAMED = re.compile(rf"note (?P<text>\"[^\"]*\") as (?P<name>{NAME})(?: ?#\w+)?")
_LONG = re.compile(rf"/? ?[hr]?note(?: as (?P<name>{NAME})|(?P<where>[^:\"]*))(?: ?#\w+)?")
_LONG_END = re.compile(r"end ?[hr]?note")
_REF_END = re.compile(r"end ?ref")
_REF = re.compile(r"ref(?: ?#\w+)? over (?P<who>[^:]*?) ?(?:: ?(?P<text>.*))?")


def key_of(name: str) -> str:
    """What is known by `[Name]`, `(Name)`, `:Name:` and `"Name"` is one thing: Name."""
    if name.startswith("()"):
        return unquoted(name[2:])
    if name[:1] + name[-1:] in {"[]", "()", "::"} and len(name) > 2:
        return name[1:-1].strip()
    return unquoted(name)


def label(text: str) -> str:
    r"""A label's words. Tags and bold go, `\n` is a blank; what else looks like markup may be part of a name."""
    text = _STYLE.sub(lambda found: found["url"] or "", text)
    text = _BOLD.sub(r"\1", _MARKUP.sub("", text))
    return plain(text.replace("\\n", " ").replace("\\l", " ").replace("\\r", " "))


class Notes:
    """Reads notes, in one line or in several."""

    def __init__(self, builder: Builder) -> None:
        self._builder = builder
        self._lines: list[str] | None = None
        self._end = _LONG_END
        self._where = ""
        self._name = ""

    def take(self, line: str) -> bool:
        """Whether the line belongs to a note."""
        if self._lines is not None:
            if self._end.fullmatch(line):
                self._put(" ".join(self._lines))
                self._lines = None
            else:
                self._lines.append(line)
            return True
        if not line.startswith(("note", "hnote", "rnote", "/", "ref")):
            return False
        return self._starts(line)

    def finish(self) -> None:
        """A note that has no end keeps its text."""
        if self._lines is not None:
            self._put(" ".join(self._lines))

    def _starts(self, line: str) -> bool:
        self._where = self._name = ""
        if found := _LINK.fullmatch(line):
            self._put(found["text"])
        elif found := _NAMED.fullmatch(line):
            self._name = key_of(found["name"])
            self._put(unquoted(found["text"]))
        elif found := _SHORT.fullmatch(line):
            self._where = found["where"].strip()
            self._put(found["text"])
        elif found := _REF.fullmatch(line):
            self._where = f"refers, over {found['who']}"
            if found["text"]:
                self._put(found["text"])
            else:
                self._lines, self._end = [], _REF_END
        elif found := _LONG.fullmatch(line):
            self._where = (found["where"] or "").strip()
            self._name = key_of(found["name"] or "")
            self._lines, self._end = [], _LONG_END
        else:
            return False
        return True

    def _put(self, text: str) -> None:
        """A note with a name can be pointed at, so it is a box."""
        if self._name:
            self._builder.box(self._name, label(text))
        else:
            self._builder.note(label(text) + (f" ({label(self._where)})" if self._where else ""))
