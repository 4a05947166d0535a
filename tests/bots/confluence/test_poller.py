"""Polling: nothing is missed, what is the same is not read twice, and trouble does not end it."""

import re
import threading
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta, timezone

import pytest
from structlog.testing import capture_logs

from bots.confluence.poller import Poller, changed_within
from bots.confluence.records import Comment, Found
from bots.errors import BotError, Gone, NotAllowed, Unavailable
from bots.events import Noticed
from bots.unread import LONGEST
from tests.fakes import Clock, Tally


class Kept:
    """Cursors in memory."""

    def __init__(self):
        self.values = {}

    def get(self, name):
        return self.values.get(name)

    def set(self, name, value):
        self.values[name] = value


@dataclass
class FakeWiki:
    """Comments by hand, in one space; `errors` are raised by the calls they are named after, one each."""

    clock: Clock
    site: str = "http://wiki"
    lag: timedelta = timedelta()
    comments: dict[str, tuple[Comment, datetime]] = field(default_factory=dict)
    errors: dict[str, list[BotError]] = field(default_factory=dict)
    asked: list[str] = field(default_factory=list)
    read: list[str] = field(default_factory=list)

    def whoami(self):
        self._fail("whoami")
        return "bot"

    def wrote(self, comment):
        return comment.author_id == "bot"

    def search(self, cql):
        self.asked.append(cql)
        self._fail("search")
        since = self.clock() - timedelta(minutes=int(re.search(r"-(\d+)m", cql)[1]))
        for number, (_, changed) in self.comments.items():
            if since <= changed <= self.clock() - self.lag:
                yield Found(number, changed.isoformat())

    def comment(self, number):
        self.read.append(number)
        self._fail(number)
        return self.comments[number][0]

    def write(self, text="#qa-check", author="ana", number=None):
        number = number or str(1 + len(self.comments))
        made = Comment(
            number, "501", "Login rules", False, "", author, "", self.clock(), "", "", f"<p>{text}</p>", "http://wiki/x"
        )
        self.comments[number] = (made, self.clock())
        return number

    def _fail(self, call):
        if self.errors.get(call):
            raise self.errors[call].pop(0)


class Scene:
    def __init__(self):
        self.clock = Clock()
        self.wiki = FakeWiki(self.clock)
        self.cursors = Kept()
        self.noticed = []
        self.tally = Tally()
        self.poller = self.restart()

    def restart(self, **more):
        self.poller = Poller(
            self.wiki, ["SPEC"], self.cursors, self.noticed.append, clock=self.clock, metrics=self.tally, **more
        )
        return self.poller

    def round(self, **span):
        self.clock.forward(**span)
        return self.poller.poll_once()

    def ids(self):
        return [notice.comment_id for notice in self.noticed]


@pytest.fixture
def scene():
    return Scene()


def test_a_new_comment_is_noticed(scene):
    scene.round()
    number = scene.wiki.write()
    scene.wiki.write("thanks")
    scene.wiki.write("#qa-check", author="bot")
    scene.wiki.write("</p><blockquote>#qa-check</blockquote><p>")
    assert scene.round(minutes=1) == 1
    assert scene.noticed == [Noticed("confluence", "501", "Login rules", number, None, "poll")]


def test_what_is_listed_again_unchanged_is_not_read_again(scene):
    numbers = [scene.wiki.write(), scene.wiki.write("thanks")]
    for _ in range(3):
        scene.round(minutes=1)
    assert scene.wiki.read == numbers
    assert scene.ids() == numbers[:1]


def test_a_round_that_confluence_ends_goes_on_in_the_next(scene):
    """However many comments there are, and however few it lets the bot read at once."""
    numbers = [scene.wiki.write() for _ in range(20)]
    for number in numbers[3:-1:4]:
        scene.wiki.errors[number] = [Unavailable("too many requests", retry_after=1.0)]
    ended = 0
    for _ in range(10):
        try:
            scene.round(minutes=1)
        except Unavailable:
            ended += 1
    assert ended == 4
    assert sorted(set(scene.ids()), key=int) == numbers
    assert len(scene.wiki.read) <= len(numbers) + 2 * ended


def test_what_changed_since_a_round_that_was_ended_is_read_again(scene):
    first = scene.wiki.write("thanks")
    last = scene.wiki.write()
    scene.wiki.errors[last] = [Unavailable("too many requests", retry_after=1.0)]
    with pytest.raises(Unavailable):
        scene.round()
    scene.clock.forward(minutes=1)
    scene.wiki.write("#qa-check", number=first)
    scene.round(minutes=1)
    assert scene.ids() == [first, last]


def test_what_could_not_be_handed_over_is_read_again(scene):
    number = scene.wiki.write()

    def refuse(_):
        raise RuntimeError

    broken = Poller(scene.wiki, ["SPEC"], scene.cursors, refuse, clock=scene.clock, metrics=scene.tally)
    for _ in range(2):
        with pytest.raises(RuntimeError):
            broken.poll_once()
    assert scene.wiki.read == [number, number]


def test_a_command_that_an_edit_adds_is_noticed(scene):
    number = scene.wiki.write("thanks")
    scene.round(minutes=1)
    scene.clock.forward(hours=2)
    scene.round()
    scene.wiki.write("#qa-check", number=number)
    scene.round(minutes=1)
    assert scene.ids() == [number]


def test_what_the_search_knows_late_is_not_missed(scene):
    scene.wiki.lag = timedelta(minutes=12)
    scene.round()
    number = scene.wiki.write()
    for _ in range(14):
        scene.round(minutes=1)
    assert scene.ids() == [number]


def test_nothing_is_missed_while_the_bot_is_down(scene):
    scene.round()
    scene.clock.forward(minutes=5)
    number = scene.wiki.write()
    scene.clock.forward(hours=50)
    scene.restart()
    scene.round()
    assert scene.ids() == [number]
    assert 'now("-3020m")' in scene.wiki.asked[-1]


def test_a_first_start_goes_back_to_when_the_installation_began(scene):
    began = scene.clock()
    number = scene.wiki.write()
    scene.clock.forward(hours=3)
    scene.restart(began=lambda: began)
    scene.round()
    assert scene.ids() == [number]


def test_a_round_that_fails_moves_nothing(scene):
    scene.round()
    number = scene.wiki.write()
    scene.wiki.errors["search"] = [Unavailable("down")]
    with pytest.raises(Unavailable):
        scene.round(minutes=1)
    scene.round(hours=3)
    assert scene.ids() == [number]


def test_a_comment_that_cannot_be_read_is_tried_again_and_keeps_nobody_waiting(scene):
    bad, good = scene.wiki.write(), scene.wiki.write()
    scene.wiki.errors[bad] = [NotAllowed("no")] * 3
    scene.round()
    assert scene.ids() == [good]
    scene.restart()
    for _ in range(3):
        scene.round(hours=4)
    assert scene.ids() == [good, good, bad]  # what was read is remembered in memory alone
    assert scene.tally.total("crosscheck_poll_unread_total") == 3


def test_one_that_can_never_be_read_is_given_up_with_an_alarm(scene):
    bad = scene.wiki.write()
    scene.wiki.errors[bad] = [NotAllowed("no")] * 9
    scene.round()
    with capture_logs() as logs:
        scene.round(seconds=LONGEST.total_seconds() + 60)
        scene.round(minutes=1)
    assert [entry["place"] for entry in logs if entry.get("alarm") == "unread"] == [f"comment {bad}"]


def test_one_that_is_gone_is_passed_over(scene):
    gone, good = scene.wiki.write(), scene.wiki.write()
    scene.wiki.errors[gone] = [Gone("gone")]
    scene.round()
    assert scene.ids() == [good]
    assert scene.tally.total("crosscheck_poll_skipped_total") == 1


def test_confluence_that_asks_for_time_is_let_be(scene):
    first = scene.wiki.write()
    scene.wiki.write()
    scene.wiki.errors[first] = [Unavailable("slowly", retry_after=9)]
    with pytest.raises(Unavailable):
        scene.round()
    assert scene.wiki.read == [first]


def test_many_in_a_row_are_confluences_fault(scene):
    for _ in range(30):
        number = scene.wiki.write()
        scene.wiki.errors[number] = [Unavailable("down")]
    for read in (10, 20, 30):
        with pytest.raises(Unavailable):
            scene.round(minutes=1)
        assert len(scene.wiki.read) == read
    scene.round(minutes=1)
    assert len(set(scene.ids())) == 30


def test_a_clock_that_was_set_back_looks_back_no_less(scene):
    scene.round()
    scene.clock.forward(minutes=-5)
    number = scene.wiki.write()
    scene.round()
    assert scene.ids() == [number]


@pytest.mark.parametrize(
    ("span", "minutes"), [({"minutes": 15}, 15), ({"minutes": 15, "microseconds": 1}, 16), ({"seconds": 0}, 1)]
)
def test_spans_are_rounded_up(span, minutes):
    cql = f'type = comment and space in ("A", "B") and lastmodified >= now("-{minutes}m")'
    assert changed_within(["A", "B"], timedelta(**span)) == cql


@pytest.mark.parametrize("spaces", [[], [""]])
def test_there_has_to_be_a_space(spaces):
    with pytest.raises(ValueError, match="space"):
        Poller(FakeWiki(Clock()), spaces, Kept(), print, clock=Clock(), metrics=Tally())


def test_a_name_cannot_break_out_of_the_query():
    assert changed_within(['~a" or type = page', "b\\"], timedelta()).startswith(
        'type = comment and space in ("~a\\" or type = page", "b\\\\") and'
    )


def test_it_runs_until_it_is_told_to_stop(scene):
    number, stop = scene.wiki.write(), threading.Event()
    scene.wiki.errors["whoami"] = [Unavailable("down")]
    noticed = []

    def enqueue(notice):
        noticed.append(notice.comment_id)
        stop.set()

    Poller(scene.wiki, ["SPEC"], Kept(), enqueue, clock=scene.clock, metrics=scene.tally).run(stop, 0.01)
    assert noticed == [number]
    assert scene.tally.total("crosscheck_polls_total", outcome="failed") == 1


@pytest.fixture
def watched(client, clock):
    noticed, cursors = [], Kept()

    def made(*spaces):
        return Poller(client, spaces, cursors, noticed.append, clock=clock, metrics=Tally())

    return made, noticed


def test_on_the_platform_all_parts_of_a_listing_are_read(watched, notes, clock):
    made, noticed = watched
    poller = made("SPEC", "ODD")
    poller.poll_once()
    clock.forward(minutes=1)
    numbers = [notes.add("501" if at % 2 else "504", "#qa-check", "ana") for at in range(130)]
    notes.add("503", "#qa-check", "ana")
    notes.add("501", "#qa-check", "bot")
    reply = notes.add("501", "#ask why?", "ana", reply_to=notes.add("501", "a", "ben", marked="The account is locked."))
    clock.forward(minutes=1)
    assert poller.poll_once() == 131
    assert sorted(notice.comment_id for notice in noticed) == sorted([*numbers, reply])
    assert {(notice.place_id, notice.place_key) for notice in noticed} == {("501", "Login rules"), ("504", "Elsewhere")}


@pytest.mark.parametrize("hours", [-11, -4, 0, 3, 14])
def test_no_time_zone_has_a_part_in_it(watched, notes, clock, box, hours):
    """Field report P1: the accounts' zone is what the search reads dates in."""
    box.confluence.zone = timezone(timedelta(hours=hours))
    made, noticed = watched
    poller = made("SPEC")
    poller.poll_once()
    clock.forward(minutes=1)
    number = notes.add("501", "thanks", "ana")
    poller.poll_once()
    clock.forward(seconds=30)
    notes.edit(number, "#qa-check")
    poller.poll_once()
    assert [notice.comment_id for notice in noticed] == [number]


def test_a_night_of_clock_change(watched, notes, clock, box):
    made, noticed = watched
    clock.now = datetime(2026, 10, 25, 0, 30, tzinfo=UTC)
    poller = made("SPEC")
    poller.poll_once()
    numbers = []
    for _ in range(8):
        clock.forward(minutes=20)
        numbers.append(notes.add("501", "#qa-check", "ana"))
        poller.poll_once()
    assert [notice.comment_id for notice in noticed] == numbers
