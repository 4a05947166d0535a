"""Text of unknown encoding, and text that is as it is."""

import codecs

from core.parsing.markdown import clean
from core.parsing.parsed import Parsed, unreadable

_MARKS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)


def decoded(data: bytes) -> str:
    """Text with line feeds only: by its byte order mark, else UTF-8 (a damaged byte costs only itself), else Windows'
    western encoding.
    """
    for mark, encoding in _MARKS:
        if data.startswith(mark):
            return clean(data.decode(encoding, "replace"))
    text = data.decode("utf-8", "replace")
    damaged = text.count("\ufffd")
    whole = len(text) - len(text.encode("ascii", "ignore")) - damaged  # characters beyond ASCII that are in order
    return clean(text if damaged <= whole else data.decode("cp1252", "replace"))


def parse(name: str, data: bytes) -> Parsed:
    """Plain text, as it is."""
    del name
    text = decoded(data)
    return Parsed(text) if text.strip() else unreadable("it is empty")
