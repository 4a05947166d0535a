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

# Bounded, so that a comment of nothing but opening braces stays cheap. What is never closed runs to the end.
_WIKI_CODE = re.compile(r"\{(code|noformat)(?::[^}\n]{0,200})?\}.*?(?:\{\1\}|\Z)", re.DOTALL)
_WIKI_QUOTE = re.compile(r"\{quote\}.*?(?:\{quote\}|\Z)", re.DOTALL)
_WIKI_QUOTED_LINE = re.compile(r"^[ \t]*bq\..*$", re.MULTILINE)
_WIKI_MONOSPACE = re.compile(r"\{\{[^\n]{0,1000}?\}\}")
_WIKI_LINK = re.compile(r"\[[^\[\]\n]*\]")
_WIKI_MARK = re.compile(r"(?<!\w)[_+](?=\S)|(?<=\S)[_+](?!\w)")
_WIKI_ESCAPE = re.compile(r"\\([^\w\s])")


def said(body: Mapping[str, Any] | str | None) -> str:
    """The text, blocks on lines of their own; a link is `GLUE`, what is only shown is gone.

    Nothing in `body` makes this fail: unknown nodes are walked through, broken ones passed over.
    """
    return _said_in_wiki(body) if isinstance(body, str) else _said_in_adf(body)


def _said_in_wiki(text: str) -> str:
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    for shown in (_WIKI_CODE, _WIKI_QUOTE, _WIKI_QUOTED_LINE, _WIKI_MONOSPACE):
        text = shown.sub(" ", text)
    text = _WIKI_LINK.sub(GLUE, text)
    return _WIKI_ESCAPE.sub(r"\1", _WIKI_MARK.sub(" ", text))


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
