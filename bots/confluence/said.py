"""What a comment in Confluence says, without what it merely shows: quotes, code, links. No I/O.

Read tag by tag, not as a tree: what need not be well-formed is read whole then, and no nesting is too deep.
"""

import re
from html import unescape

from bots.command import GLUE
from bots.text import clean

LONGEST = 500_000
"""Characters of a comment that are read; what people write is far shorter."""

# No attempt at a tag goes beyond the next `<`, which may not stand in a value, and what is never closed runs to the
# end: so every character is looked at a few times only, whatever the comment is.
_TOKEN = re.compile(
    r"<!--.*?(?:-->|\Z)"
    r"|<!\[CDATA\[(?P<data>.*?)(?:\]\]>|\Z)"
    r"|<[!?][^<>]*+>"
    r"|<(?P<end>/?)(?P<name>[A-Za-z][\w:.-]*+)(?P<rest>(?:[^<>\"']++|\"[^\"<]*+\"|'[^'<]*+')*+)>"
    r"|(?P<text><|[^<]++)",
    re.DOTALL,
)
_MACRO = re.compile(r"\bac:name\s*=\s*[\"'](?:quote|code|noformat)[\"']")
_SPACES = str.maketrans("\t\n\r", "   ")  # a line end in the source is a space to a reader

_LINES = frozenset(
    {"p", "div", "section", "hr", "br", "h1", "h2", "h3", "h4", "h5", "h6", "ul", "ol", "li", "dl", "dt", "dd"}
    | {"table", "tbody", "thead", "tfoot", "tr", "td", "th"}
    | {"ac:structured-macro", "ac:macro", "ac:rich-text-body", "ac:layout", "ac:layout-section", "ac:layout-cell"}
    | {"ac:task-list", "ac:task", "ac:task-body", "ac:adf-extension", "ac:adf-node", "ac:adf-content"}
)
"""They stand on lines of their own."""
_SHOWN = {
    "blockquote": "\n",
    "pre": "\n",
    "ac:plain-text-body": "\n",  # of a macro: code, noformat and whatever add-ons draw
    **dict.fromkeys(("code", "kbd", "samp", "tt"), " "),
    "a": GLUE,
    "ac:link": GLUE,
    "ac:image": " ",
    "ac:emoticon": " ",
    "time": " ",
    "ac:placeholder": " ",
    "ac:task-id": "",
    "ac:task-uuid": "",
    "ac:task-status": "",
    "ac:parameter": "",
    "ac:default-parameter": "",
    "ac:adf-attribute": "",
    "ac:adf-fallback": "",  # the same again, for older readers
    "script": "",
    "style": "",
}
"""What is left of an element that shows something; nothing in it is said."""


def said(storage: str) -> str:
    """The text, blocks on lines of their own; a link is `GLUE`, a mention a space, what is only shown is gone.

    Nothing in `storage` makes this fail: it need not be well-formed, and unknown elements are read through.
    """
    reader = _Reader()
    for token in _TOKEN.finditer(storage, 0, LONGEST):
        if token["name"]:
            reader.tag(token["name"].lower(), token["rest"], closes=bool(token["end"]))
        elif token["text"]:
            reader.text(unescape(token["text"]))
        elif token["data"]:
            reader.text(token["data"])
    return clean("".join(reader.out))


class _Reader:
    def __init__(self) -> None:
        self.out: list[str] = []
        self._within = ""
        """The element that only shows something, and is being passed over."""
        self._depth = 0
        """How many of that name are open."""

    def text(self, text: str) -> None:
        if not self._within:
            self.out.append(text.translate(_SPACES))

    def tag(self, name: str, rest: str, *, closes: bool) -> None:
        alone = rest.endswith("/")
        if self._within:
            if name == "ri:user" and self._within == "ac:link":
                self.out[-1] = " "  # a mention, not a link
            if name == self._within and not alone:
                self._depth += -1 if closes else 1
                self._within = self._within if self._depth else ""
            return
        shown = "\n" if name.endswith("macro") and _MACRO.search(rest) else _SHOWN.get(name)
        if shown is not None and not closes:
            self.out.append(shown)
            self._within, self._depth = ("", 0) if alone else (name, 1)
        elif name in _LINES:
            self.out.append("\n")
        elif name.startswith("ri:"):
            self.out.append(" ")
