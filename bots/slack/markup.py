"""The text of a Slack message as Slack sends it (mrkdwn) -> what people read, and whom it speaks to. No I/O.

Slack escapes `&`, `<` and `>`, so what stands between real angle brackets is always Slack's own: a mention, a channel,
a date, a link (https://docs.slack.dev/messaging/formatting-message-text/).
"""

import re
from collections.abc import Iterator, Mapping
from typing import Any

from bots.text import clean

LONGEST_TEXT = 40_000
"""Characters; Slack cuts longer messages itself (chat.postMessage)."""

_PARTS = 1_000  # of a block; a message has at most 50 blocks

_REFERENCE = re.compile(r"<([^<>]{1,8000})>")
_MENTION = re.compile(r"<@([A-Z0-9_]{1,64})(?:\|[^<>]{0,200})?>")
_SCHEME = re.compile(r"^(?:[a-z]{2,10}://|mailto:|tel:)", re.IGNORECASE)
_CODE_BLOCK = re.compile(r"```.*?```", re.DOTALL)
_INLINE_CODE = re.compile(r"(?<!\w)`[^`\n]+`(?!\w)")  # a backtick within a word is an apostrophe
_QUOTED_REST = re.compile(r"^[ \t]*(?:&gt;|>){3}.*", re.MULTILINE | re.DOTALL)
_QUOTED_LINE = re.compile(r"^[ \t]*(?:&gt;|>).*$", re.MULTILINE)
_AFTER_MENTION = " \t\n\u00a0,:;.!-\u2013\u2014"


def source(message: Mapping[str, Any]) -> str:
    """The mrkdwn of a message: its `text`, or what its blocks say where an app left that empty. At most 40,000
    characters. Nothing in `message` makes this fail: what is unknown or broken says nothing.
    """
    text, blocks = message.get("text"), message.get("blocks")
    if isinstance(text, str) and text.strip():
        return text[:LONGEST_TEXT]
    found = [_block(block) for block in _mappings(blocks)]
    return "\n".join(part for part in found if part)[:LONGEST_TEXT]


def plain(text: str) -> str:
    """What people read: names for references, characters for escapes. Marks of emphasis and code stay."""
    return clean(_unescaped(_REFERENCE.sub(lambda match: _shown(match[1]), text)))


def without(text: str, user_id: str) -> str:
    """The text without the mentions of one user, and without what set a first one off: `@bot, check PAY-12`."""
    mention = rf"<@{re.escape(user_id)}(?:\|[^<>]{{0,200}})?>"
    text = text.strip()
    begins = re.match(mention, text)
    if begins:
        text = text[begins.end() :].lstrip(_AFTER_MENTION)
    return re.sub(f" ?{mention}", "", text).strip()


def said(text: str) -> str:
    """What the author says, without what is merely shown: quotes, inline code, code blocks."""
    for shown in (_CODE_BLOCK, _INLINE_CODE, _QUOTED_REST, _QUOTED_LINE):
        text = shown.sub(" ", text)
    return text


def mentioned(text: str) -> frozenset[str]:
    """The ids of the users to whom the author speaks by name: mentions in quotes and code are somebody else's."""
    return frozenset(match[1] for match in _MENTION.finditer(said(text)))


def _shown(reference: str) -> str:
    """What stands for a reference to the eye; what is inside of `<` and `>`."""
    target, _, label = reference.partition("|")
    kind, name = target[:1], target[1:]
    if kind in {"@", "#"}:
        return kind + (label.lstrip(kind) or name)
    if kind == "!":
        return _special(name, label)
    address = target if not target.startswith(("mailto:", "tel:")) else target.partition(":")[2]
    return f"{label} ({address})" if label and _bare(label) != _bare(address) else label or address


def _special(name: str, label: str) -> str:
    command, _, rest = name.partition("^")
    if command == "date":
        return label or rest.partition("^")[0]
    return (
        label
        if label.startswith("@") or command not in {"here", "channel", "everyone", "subteam"}
        else f"@{label or command}"
    )


def _bare(address: str) -> str:
    return _SCHEME.sub("", address).rstrip("/").lower()


def _escaped(text: str) -> str:
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def _unescaped(text: str) -> str:
    """Each escape once: `&amp;lt;` is what somebody wrote as `&lt;`."""
    return text.replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&")


def _mappings(found: Any) -> Iterator[Mapping[str, Any]]:
    if isinstance(found, list):
        yield from (one for one in found[:_PARTS] if isinstance(one, Mapping))


def _string(found: Any) -> str:
    return found if isinstance(found, str) else ""


def _block(block: Mapping[str, Any]) -> str:
    if block.get("type") == "rich_text":
        return "\n".join(_rich(element) for element in _mappings(block.get("elements")))
    if block.get("type") == "markdown":
        return _escaped(_string(block.get("text")))
    texts = [block.get("text"), *_mappings(block.get("fields"))]
    return "\n".join(filter(None, map(_text_object, texts)))


def _text_object(found: Any) -> str:
    """`mrkdwn` is as a message's text is; `plain_text` is not escaped."""
    if not isinstance(found, Mapping):
        return ""
    text = _string(found.get("text"))
    return text if found.get("type") == "mrkdwn" else _escaped(text)


def _rich(element: Mapping[str, Any]) -> str:
    """A section, list, quote or code block of a rich text."""
    if element.get("type") == "rich_text_list":
        return "\n".join(f"• {_run(item)}" for item in _mappings(element.get("elements")))
    text = _run(element)
    if element.get("type") == "rich_text_quote":
        return "\n".join(f"&gt; {line}" for line in text.split("\n"))
    return f"```{text}```" if element.get("type") == "rich_text_preformatted" else text


def _run(element: Mapping[str, Any]) -> str:
    return "".join(_inline(one) for one in _mappings(element.get("elements")))


def _inline(one: Mapping[str, Any]) -> str:
    kind = _string(one.get("type"))
    if kind in _NAMED:
        before, field = _NAMED[kind]
        return f"<{before}{_string(one.get(field))}>"
    text = _escaped(_string(one.get("text")))
    if kind == "link":
        return f"<{_escaped(_string(one.get('url')))}{'|' + text if text else ''}>"
    if kind == "emoji":
        return f":{_string(one.get('name'))}:"
    if kind == "date":
        return _escaped(_string(one.get("fallback")))
    style = one.get("style")
    return f"`{text}`" if text and isinstance(style, Mapping) and style.get("code") else text


_NAMED: Mapping[str, tuple[str, str]] = {
    "user": ("@", "user_id"),
    "channel": ("#", "channel_id"),
    "usergroup": ("!subteam^", "usergroup_id"),
    "broadcast": ("!", "range"),
}
"""What a rich text names -> the sign of its reference, and the field with the id."""
