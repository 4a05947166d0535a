"""Platforms that let the poller read a little at a time."""

from datetime import UTC, datetime

import pytest

from bots.confluence.poller import Poller as ConfluencePoller
from bots.confluence.records import Comment as Remark
from bots.confluence.records import Found as Hit
from bots.errors import Unavailable
from bots.jira.answers import Comment, Found
from bots.jira.poller import Poller as JiraPoller
from tests.fakes import Tally

BEGAN = datetime(2026, 11, 1, tzinfo=UTC)
NOW = datetime(2026, 11, 2, tzinfo=UTC)
MANY, AT_ONCE, ASKING = 120, 25, 115


class Cursors(dict):
    def set(self, name, value):
        self[name] = value


class Limited:
    """Asks for a pause after every so many reads."""

    site = "https://firm.example"

    def __init__(self):
        self._reads = 0

    def whoami(self):
        return "bot"

    def wrote(self, _comment):
        return False

    def now(self):
        return NOW

    def search(self, query):
        if "type = comment" in query:
            return [Hit(str(number), "1") for number in range(1, MANY + 1)]
        return [Found(id=str(number), key=f"PAY-{number}", fields={"updated": "1"}) for number in range(1, MANY + 1)]

    def comment(self, number):
        self._count()
        return Remark(number, "1", "Page", False, "", "ana", "Ana", NOW, "", "", f"<p>{_text(number)}</p>", "")

    def comments(self, number):
        self._count()
        return [Comment(id=number, created=NOW, body=_text(number))]

    def _count(self):
        self._reads += 1
        if self._reads % AT_ONCE == 0:
            raise Unavailable("429", retry_after=1.0)


def _text(number):
    return "#qa-check" if int(number) > ASKING else "Good morning."


@pytest.mark.parametrize("poller", [ConfluencePoller, JiraPoller])
def test_a_platform_that_asks_for_pauses_is_read_to_the_end(poller):
    noticed = set()
    made = poller(
        Limited(),
        ["PAY"],
        Cursors(),
        lambda notice: noticed.add(notice.comment_id),
        clock=lambda: NOW,
        metrics=Tally(),
        began=lambda: BEGAN,
    )
    for _ in range(MANY // AT_ONCE * 3):
        try:
            made.poll_once()
        except Unavailable:
            continue
    assert noticed == {str(number) for number in range(ASKING + 1, MANY + 1)}
