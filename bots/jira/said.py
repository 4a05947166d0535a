"""What a comment in Jira says, without what it merely shows: quotes, code, links.

Both formats are read: the document tree of REST v3 (ADF), and wiki markup as webhooks and Data Center send it. No I/O.
"""

import re
from collections.abc import Mapping
from typing import Any

from bots.command import GLUE

_SHOWN_NODES = ("blockquote", "codeBlock")
_LINK_NODES = ("inlineCard", "blockCard", "embedCard")
_SHOWN_MARKS = ("code",)
_LINK_MARKS = ("link",)

# What is never closed runs to the end; what cannot be closed on its line is passed over whole, since nothing after it
# on the line can. So every character is looked at a few times only, whatever the comment is.
_WIKI_CODE = re.compile(r"\{(?P<name>code|noformat)(?::[^}\n]*+)?+(?P<shown>\}.*?(?:\{(?P=name)\}|\Z))?+", re.DOTALL)
_WIKI_QUOTE = re.compile(r"\{quote\}.*?(?:\{quote\}|\Z)", re.DOTALL)
_WIKI_QUOTED_LINE = re.compile(r"^[ \t]*bq\..*$", re.MULTILINE)
_WIKI_MONOSPACE = re.compile(r"\{\{(?:[^}\n]|\}(?!\}))*(?P<shown>\}\})?")  # the end is optional: it never goes back
# Those that Jira draws, and the ones that add-ons bring along from Confluence: any other is shown as it is written.
_WIKI_MACRO = re.compile(
    r"(?<!\\)\{(?:anchor|color|column|expand|html|info|note|panel|rss|section|status|tip|toc|warning)(?::[^{}\n]*+)?\}"
)
_WIKI_PICTURE = re.compile(r"(?<![\w\\])!(?=[^\s!|)])(?:[^!|\n]*\.\w{1,8}|\w+://[^\s!|]*)(?:\|[^!\n]*)?!(?!\w)")
_WIKI_LINK = re.compile(r"\[[^\[\]\n]*\]")
_WIKI_ROW = re.compile(r"^[ \t]*+\|.*?(?:\|[ \t]*$|(?=\n[ \t]*\n)|\Z)", re.DOTALL | re.MULTILINE)
_WIKI_BARS = re.compile(r"(?<!\\)\|+")
# Not the two that a path in a network begins with: `\\server\share`.
_WIKI_BREAK = re.compile(r"(?<!\\)(?:\\\\)++(?!\\|[^\s\\]{1,100}\\(?!\\))")
_WIKI_MARK = re.compile(r"(?<!\w)[_+](?=\S)|(?<=\S)[_+](?!\w)")
_WIKI_ESCAPE = re.compile(r"\\([^\w\s])")


def said(body: Mapping[str, Any] | str | None) -> str:
    """The text, blocks on lines of their own; a link is `GLUE`, what is only shown is gone.

    Nothing in `body` makes this fail: unknown nodes are walked through, broken ones passed over.
    """
    return _said_in_wiki(body) if isinstance(body, str) else _said_in_adf(body)


def _said_in_wiki(text: str) -> str:
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    text = _WIKI_CODE.sub(_unless_shown, text)
    text = _WIKI_QUOTED_LINE.sub(" ", _WIKI_QUOTE.sub(" ", text))
    text = _WIKI_MONOSPACE.sub(_unless_shown, text)
    text = _WIKI_PICTURE.sub(" ", _WIKI_MACRO.sub(" ", text))
    text = _WIKI_LINK.sub(GLUE, text)
    text = _WIKI_ROW.sub(lambda row: _WIKI_BARS.sub("\n", row[0]), text)
    text = _WIKI_BREAK.sub("\n", text)
    return _WIKI_ESCAPE.sub(r"\1", _WIKI_MARK.sub(" ", text))


def _unless_shown(match: re.Match[str]) -> str:
    return " " if match["shown"] else match[0]


def _said_in_adf(body: Any) -> str:
    """The text of a document tree, blocks on lines of their own, without what is merely shown. Never recursive."""
    said: list[str] = []
    ahead: list[Any] = [body]
    while ahead:
        node = ahead.pop()
        if isinstance(node, str):
            said.append(node)
        elif isinstance(node, Mapping):
            ahead.extend(_parts(node))
    return "".join(said)


def _parts(node: Mapping[str, Any]) -> list[Any]:
    """What a node contributes, last first: strings as they are, nodes to be walked."""
    kind, text, content = node.get("type"), node.get("text"), node.get("content")
    if isinstance(text, str):
        return [_visible(text, node.get("marks"))]
    if kind in _SHOWN_NODES:
        return ["\n"]
    if kind in _LINK_NODES:
        return [GLUE]
    if kind == "hardBreak":
        return ["\n"]
    if isinstance(content, list):
        return ["\n", *reversed([part for part in content if isinstance(part, Mapping)]), "\n"]
    return [" "]  # a mention, an emoji, a date, or something unknown


def _visible(text: str, marks: Any) -> str:
    kinds = [mark.get("type") for mark in marks if isinstance(mark, Mapping)] if isinstance(marks, list) else []
    if any(kind in _LINK_MARKS for kind in kinds):
        return GLUE
    return " " if any(kind in _SHOWN_MARKS for kind in kinds) else text
