"""Threads as people have them, for tests."""

from collections.abc import Collection

from core.types import Locator
from review.discussion import Discussion, Remark
from tests.review.cases import LABELS, day

THREAD_ID = "slack:C1:1700.1"


def remark(author: str, text: str, number: int) -> Remark:
    """`number` tells the messages of a thread apart."""
    where = Locator(THREAD_ID, f"{author} in #qa", f"https://chat.example/C1/{number}")
    return Remark(author, text, day(number), where, by_bot=author == "Bot")


def thread(*lines: str, labels: Collection[str] = LABELS) -> Discussion:
    """`Ana: Is it 5?`, a message a line; what `Bot` says is the bot's."""
    spoken = (line.partition(": ") for line in lines)
    remarks = tuple(remark(author, text, number) for number, (author, _, text) in enumerate(spoken, 1))
    return Discussion(Locator(THREAD_ID, "Thread in #qa", "https://chat.example/C1/1"), frozenset(labels), remarks)
