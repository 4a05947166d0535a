"""Threads before a question, for tests of answers."""

from datetime import timedelta

from core.types import Locator
from review.discussion import Discussion, Remark
from tests.review.fakes import NOW

THREAD = "slack:C1:1700.1"


def remark(text: str, number: int = 1, author: str = "Ann Field", *, by_bot: bool = False) -> Remark:
    where = Locator(THREAD, "Thread in #returns", f"https://slack.example/archives/C1/p{number}")
    return Remark("Crosscheck" if by_bot else author, text, NOW + timedelta(minutes=number), where, by_bot)


def discussion(*remarks: Remark | str, labels: frozenset[str] = frozenset({"org"})) -> Discussion:
    """What is given as text was said by Ann, one minute after the other."""
    said = [remark(one, number) if isinstance(one, str) else one for number, one in enumerate(remarks, 1)]
    where = Locator(THREAD, "Thread in #returns", "https://slack.example/archives/C1/p1")
    return Discussion(where, labels, tuple(said))
