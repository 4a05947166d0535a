"""A small strict reader of storage format, apart from the product's own: what is in it, and what people see of it."""

from xml.etree import ElementTree as ET

_NAMES = {"http://ac.example": "ac:", "http://ri.example": "ri:"}
_ENDS = frozenset({"p", "pre", "h1", "h2", "h3", "h4", "h5", "h6"})


def parsed(storage):
    """The elements, with plain names for their tags and attributes. Raises ParseError for what is not well-formed."""
    root = ET.fromstring(f'<r xmlns:ac="http://ac.example" xmlns:ri="http://ri.example">{storage}</r>')
    for element in root.iter():
        element.tag = _plain(element.tag)
        given = {_plain(name): value for name, value in element.attrib.items()}
        element.attrib.clear()
        element.attrib.update(given)
    return root


def _plain(name):
    space, _, local = name.rpartition("}")
    return _NAMES.get(space.removeprefix("{"), "") + local


def visible(storage):
    """The text as a reader sees it, blocks and cells apart by a line end."""
    return _seen(parsed(storage))


def _seen(element):
    if element.tag == "br":
        return "\n"
    inner = (element.text or "") + "".join(_seen(child) + (child.tail or "") for child in element)
    return inner + "\n" if element.tag in _ENDS else inner
