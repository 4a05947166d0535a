"""What the bot's answers are on the platforms, by the delivery keys that they carry there."""

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from bots.confluence.marker import found_in
from evals.load.traffic import ROLE, Asked
from evals.playground import delivery_key
from evals.slack_kills import is_working
from sandbox.server import Sandbox


@dataclass(frozen=True, slots=True)
class Visible:
    """All that stands there at the end."""

    keys: Counter[str]
    """Delivery keys; of Confluence their digests, which is what a comment carries there."""
    files: Counter[str]
    """Files by channel, or by the ticket's id: a file carries no key."""
    working: int
    """Messages that say that the bot is at work."""
    wider: int
    """Comments that more people can read than the question they are about."""


def visible(box: Sandbox, asked: Iterable[Asked], channels: Iterable[str]) -> Visible:
    """Read from the platforms themselves, not from what the service believes."""
    keys: Counter[str] = Counter()
    files: Counter[str] = Counter()
    wider = working = 0
    for one in asked:
        if one.surface == "jira":
            issue = box.jira.issue(one.place)
            answers = [(key, raw) for raw in box.jira.comments(one.place) if (key := delivery_key(raw))]
            keys.update(key for key, _ in answers)
            wider += sum(one.limited and not _limited(raw) for _, raw in answers)
            files[issue.id] += sum(file.author == box.accounts.bot.id for file in issue.files.values())
    keys.update(_on_pages(box))
    for channel in channels:
        for message in box.slack.messages(channel):
            if message.user == box.slack.bot.id:
                files[channel] += len(message.files)
                working += is_working(message)
                keys.update(_key(message.metadata))
    return Visible(keys, files, working, wider)


def _limited(raw: dict[str, Any]) -> bool:
    return bool(raw.get("visibility", {}).get("value") == ROLE)


def _on_pages(box: Sandbox) -> Iterator[str]:
    for note in box.confluence.notes:
        if note.author == box.accounts.bot.id:
            marker = found_in(note.versions[-1].storage or "")
            yield marker.key if marker else f"without a key: {note.id}"


def _key(metadata: Any) -> Iterator[str]:
    payload = (metadata or {}).get("event_payload", {})
    if payload.get("key") and payload.get("text") != "working":
        yield str(payload["key"])
