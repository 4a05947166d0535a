"""A label's HTML as the text that is seen."""

import html
import re

from core.parsing.markdown import clean, one_line

LONGEST = 20_000
"""Characters of HTML; a label is a few words."""

# Only what HTML knows is a tag: `Map<String, Int>` is a name. No alternative can match in two ways.
_APART = re.compile(r"</?(?:br|div|p|li|td|th|tr|[uo]l|table|tbody|h[1-6]|hr|pre)(?:[\s/][^<>]*)?>", re.IGNORECASE)
_WITHIN = re.compile(
    r"</?(?:a|b|code|em|font|i|img|mark|s|small|span|strike|strong|sub|sup|tt|u)(?:[\s/][^<>]*)?>|<!--[^<>]*-->",
    re.IGNORECASE,
)


def plain(text: str) -> str:
    """The words of a label, in one line. What is no HTML stays as it is, a `<` and a `&` too."""
    text = clean(text[:LONGEST])
    if "<" in text:
        text = _WITHIN.sub("", _APART.sub(" ", text))
    return one_line(html.unescape(text) if "&" in text else text)
