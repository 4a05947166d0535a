"""Words in Markdown that stay words, whatever they are."""

import re

from bots.text import one_line

_LONGEST = 4_000  # characters
_ANYWHERE = re.compile(r"[\\`*_{}\[\]<>|~&$^]|(?<=[a-z]):(?=//)|(?<=www)\.", re.IGNORECASE)
_FIRST = re.compile(r"^(?=#|[-+](?:\s|$)|--|=+$)")
_NUMBERED = re.compile(r"^(\d{1,9})([.)](?:\s|$))", re.ASCII)


def escaped(text: object) -> str:
    """On one line. No emphasis, link, image, code, HTML, formula, list, heading or cell's end comes of it."""
    marked = _ANYWHERE.sub(lambda found: f"\\{found[0]}", one_line(str(text), _LONGEST))
    return _NUMBERED.sub(r"\1\\\2", _FIRST.sub(r"\\", marked))
