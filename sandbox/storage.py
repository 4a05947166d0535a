"""Confluence's storage format as a tree: a body is well-formed XML with HTML's entities and Confluence's prefixes."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from html.entities import name2codepoint
from xml.parsers import expat

DEEPEST = 100
"""Elements within each other; a page for people is drawn by recursion."""

_PREFIXES = frozenset({"ac", "ri", "at"})
_XML_NAMES = frozenset({"amp", "lt", "gt", "quot", "apos"})
_ENTITIES = "".join(
    f'<!ENTITY {name} "&#{code};">' for name, code in name2codepoint.items() if name not in _XML_NAMES
)  # fmt: skip
_HEAD = f"<!DOCTYPE body [{_ENTITIES}]><body>"


class BadStorage(Exception):
    """A body is no well-formed XML, or names what Confluence does not know. The message is Confluence's."""


@dataclass(slots=True)
class Element:
    name: str
    attributes: Mapping[str, str] = field(default_factory=dict)
    children: "list[Element | str]" = field(default_factory=list)

    def text(self) -> str:
        return "".join(child if isinstance(child, str) else child.text() for child in self.children)

    def first(self, name: str) -> "Element | None":
        return next((one for one in self.children if isinstance(one, Element) and one.name == name), None)


def parse(value: str) -> Element:
    """The body as a tree. Raises BadStorage."""
    open_ones: list[Element] = []
    closed: list[Element] = []

    def start(name: str, attributes: dict[str, str]) -> None:
        if len(open_ones) > DEEPEST:
            raise BadStorage(f"Error parsing xhtml: more than {DEEPEST} elements within each other")
        for one in (name, *attributes):  # expat, told of no namespaces, takes any prefix
            prefix, colon, _ = one.partition(":")
            if colon and prefix not in _PREFIXES and one != "xml:space":
                raise BadStorage(f'Error parsing xhtml: Undeclared namespace prefix "{prefix}"')
        element = Element(name, attributes)
        if open_ones:
            open_ones[-1].children.append(element)
        open_ones.append(element)

    def text(data: str) -> None:
        open_ones[-1].children.append(data)

    parser = expat.ParserCreate()
    parser.buffer_text = True
    parser.StartElementHandler = start
    parser.EndElementHandler = lambda _name: closed.append(open_ones.pop())
    parser.CharacterDataHandler = text
    try:
        parser.Parse(f"{_HEAD}{value}</body>".encode(), True)
    except UnicodeEncodeError as e:
        raise BadStorage("Error parsing xhtml: half a character") from e
    except expat.ExpatError as e:
        column = e.offset + 1 - (len(_HEAD) if e.lineno == 1 else 0)
        message = f"Error parsing xhtml: {expat.ErrorString(e.code)}\n at [row,col {{unknown-source}}]: "
        raise BadStorage(f"{message}[{e.lineno},{column}]") from e
    return closed[-1]


def words(value: str) -> str:
    """All that a body says, with one blank where any stand. Raises BadStorage."""
    return " ".join(parse(value).text().split())
