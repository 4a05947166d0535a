"""Patches as judges are shown them: without what tells the arm that a patch comes from."""

import re

from bots.text import clean

MASK = "masked"

# The tool that one arm has, what its tools are called where no language has the word, and the protocol by which it has
# them, as words and within names; `memcpy` is none.
_SIGNS = re.compile(
    r"(?i:cross[ \t_-]?check|model[ \t_-]?context[ \t_-]?protocol|(?<![a-z])mcp(?![a-z])|check_plan|open_source)"
    r"|Mcp(?![a-z])|(?<![A-Z])MCP(?=[A-Z][a-z]|[^A-Za-z]|\Z)|(?<![A-Za-z])mcp(?=[A-Z])"
)


_UNSEEN = re.compile("[\u00ad\u200b-\u200f\u2060-\u2064\ufeff]")


def blinded(text: str) -> str:
    """A patch, or the text that it is judged by, so that words which stand in both are still the same.

    Both arms' patches are masked whole: were it only what they add, lines that are kept would no longer fit them.
    What steers a terminal or is invisible is taken out too.
    """
    text = _UNSEEN.sub("", clean(text))
    while tells(text):  # a mask can be what makes a word of the letters beside it
        text = _SIGNS.sub(MASK, text)
    return text


def tells(text: str) -> bool:
    """Whether the arm can be told by a word of it."""
    return bool(_SIGNS.search(text))
