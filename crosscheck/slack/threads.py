"""A thread as the people in it had it, read live, as a source with its channel's label."""

from collections.abc import Iterable, Mapping

from bots.errors import Gone
from bots.slack.threads import Message
from bots.types import Place, Trigger
from core import visibility
from core.types import Locator
from crosscheck.assured import LabelsNow
from crosscheck.slack.ports import Reads
from review.discussion import Discussion, Remark

PREFIX = "slack:"
LONGEST_REMARK = 4_000
"""Characters of one message that are looked at."""


def document_id(place: Place) -> str:
    """Of a thread, as a source."""
    return f"{PREFIX}{place.id}:{place.thread}"


def discussion(place: Place, messages: Iterable[Message], asked: str) -> Discussion:
    """The messages before the one that asked. What the bot only said to show that it was at work is none."""
    remarks = tuple(remark_of(place, one) for one in messages if one.ts != asked and one.text.strip())
    locator = Locator(document_id(place), f"Thread in {place.key}", place.url)
    return Discussion(locator, frozenset({visibility.slack_channel(place.id)}), remarks)


def remark_of(place: Place, message: Message) -> Remark:
    """One message, with its own address."""
    locator = Locator(document_id(place), f"{message.author} in {place.key}", message.url)
    return Remark(message.author, message.text[:LONGEST_REMARK], message.created, locator, by_bot=message.by_bot)


def wish_of(trigger: Trigger) -> Remark:
    """The message that asks, as a source of what it asks for."""
    locator = Locator(document_id(trigger.place), f"{trigger.author} in {trigger.place.key}", trigger.url)
    return Remark(trigger.author, trigger.text[:LONGEST_REMARK], trigger.created, locator)


def with_threads(labels_now: LabelsNow, client: Reads) -> LabelsNow:
    """The sources' labels as they are now, threads among them: one is there while anything said in it is."""

    def of_thread(name: str) -> frozenset[str] | None:
        channel, _, root = name.removeprefix(PREFIX).partition(":")
        try:
            return frozenset({visibility.slack_channel(channel)}) if client.thread(channel, root, limit=1) else None
        except Gone:
            return None

    def now(documents: Iterable[str]) -> Mapping[str, frozenset[str] | None]:
        every = list(documents)
        threads = [name for name in every if name.startswith(PREFIX)]
        others = [name for name in every if not name.startswith(PREFIX)]
        found = dict(labels_now(others)) if others else {}
        return found | {name: of_thread(name) for name in threads}

    return now
