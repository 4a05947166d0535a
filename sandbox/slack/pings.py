"""What in a posted message is more than text: whom it would ping, and where its links lead."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

_TOKEN = re.compile(r"<([@#!][^<>]*|[a-z][a-z0-9+.-]*:[^<>]*)>", re.IGNORECASE)
_NAMED = re.compile(r"(?<![\w@])@(channel|here|everyone)\b", re.IGNORECASE)
_PINGING = ("@", "!channel", "!here", "!everyone", "!group", "!subteam^")


@dataclass(frozen=True, slots=True)
class Ping:
    channel: str
    ts: str
    what: str
    """`<!channel>`, `<@U...>`, `<!subteam^S...>`."""


def pinging(text: str, blocks: Any, *, named: bool = False) -> list[str]:
    """What of a message would ping, in order. `named`: `@channel` in plain words counts, as with `link_names`."""
    found = [token for token in active(text, blocks) if token[1:-1].lower().startswith(_PINGING)]
    if named:
        found += [f"<!{match[1].lower()}>" for part in _marked(text, blocks) for match in _NAMED.finditer(part)]
    return found


def active(text: str, blocks: Any) -> list[str]:
    """Everything between angle brackets that Slack makes something of: mentions, broadcasts, channels, links, dates."""
    found = [match[0] for part in _marked(text, blocks) for match in _TOKEN.finditer(part)]
    return found + list(_rich(blocks))


def _marked(text: str, blocks: Any) -> Iterator[str]:
    """Texts that are read as mrkdwn, or as a Markdown block. Slack reads mentions inside code as well."""
    yield text
    for node in _nodes(blocks):
        written = node.get("text")
        if node.get("type") in {"mrkdwn", "markdown"} and isinstance(written, str):
            yield written


def _rich(blocks: Any) -> Iterator[str]:
    """Mentions and broadcasts as elements of rich text."""
    for node in _nodes(blocks):
        match node.get("type"):
            case "user" if "user_id" in node:
                yield f"<@{node['user_id']}>"
            case "usergroup" if "usergroup_id" in node:
                yield f"<!subteam^{node['usergroup_id']}>"
            case "broadcast" if "range" in node:
                yield f"<!{node['range']}>"
            case "link" if "url" in node:
                yield f"<{node['url']}>"
            case _:
                pass


def _nodes(value: Any) -> Iterator[Mapping[str, Any]]:
    if isinstance(value, dict):
        yield value
        value = list(value.values())
    for inner in value if isinstance(value, (list, tuple)) else ():
        yield from _nodes(inner)
