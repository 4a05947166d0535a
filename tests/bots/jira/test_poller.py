"""Polling: nothing is missed, nothing old is answered, and trouble does not end it."""

import json
import threading
import time
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st
from structlog.testing import capture_logs

from bots.errors import BotError, Gone, NotAllowed, Rejected, Unavailable, Uncertain
from bots.events import Noticed
from bots.jira.answers import Changed, Comment, Found
from bots.jira.client import JiraClient
from bots.jira.poller import Poller, updated_since
from bots.unread import MOST, Unread, Waiting
from sandbox.server import Sandbox
from tests.bots.conftest import COMPANY, ticket
from tests.bots.jira.conftest import FLAVOURS
from tests.fakes import Clock, Tally

START = datetime(2026, 11, 2, 9, tzinfo=UTC)


class Kept:
    """Cursors in memory."""

    def __init__(self) -> None:
        self.values: dict[str, str] = {}

    def get(self, name: str) -> str | None:
        return self.values.get(name)

    def set(self, name: str, value: str) -> None:
        self.values[name] = value


@dataclass
class FakeJira:
    """Tickets and comments by hand; `errors` are raised by the calls they are named after, one each."""

    site: str = "http://jira"
    at: datetime = START
    tickets: dict[str, list[Comment]] = field(default_factory=dict)
    errors: dict[str, list[BotError]] = field(default_factory=dict)
    asked: list[str] = field(default_factory=list)
    read: list[str] = field(default_factory=list)

    def whoami(self) -> str:
        return "bot"

    def now(self) -> datetime | None:
        self._fail("now")
        return self.at

    def search(self, jql: str) -> Iterable[Found]:
        self.asked.append(jql)
        self._fail("search")
        since = int(jql.partition(">= ")[2].split()[0])
        return [
            Found(id=key, key=key, fields=Changed(updated=max(comment.created for comment in comments).isoformat()))
            for key, comments in self.tickets.items()
            if any(comment.created.timestamp() * 1000 >= since for comment in comments)
        ]

    def comments(self, issue_id: str) -> Iterable[Comment]:
        self.read.append(issue_id)
        self._fail(issue_id)
        return sorted(self.tickets[issue_id], key=lambda comment: comment.created, reverse=True)

    def write(self, key: str, text: str = "#qa-check", author: str = "ana") -> str:
        number = str(1 + sum(map(len, self.tickets.values())))
        body = {"type": "doc", "content": [{"type": "paragraph", "content": [{"type": "text", "text": text}]}]}
        comment = Comment.model_validate(
            {"id": number, "created": self.at, "author": {"accountId": author}, "body": body}
        )
        self.tickets.setdefault(key, []).append(comment)
        return number

    def _fail(self, call: str) -> None:
        if self.errors.get(call):
            raise self.errors[call].pop(0)


class Scene:
    def __init__(self, client=None, projects=("PAY", "OPS")) -> None:
        self.jira = client or FakeJira()
        self.cursors = Kept()
        self.noticed: list[Noticed] = []
        self.tally = Tally()
        self.projects = projects
        self.poller = self.restart()

    def restart(self, projects=None, began=None) -> Poller:
        self.poller = Poller(
            self.jira,
            projects or self.projects,
            self.cursors,
            self.noticed.append,
            clock=Clock(),
            metrics=self.tally,
            began=began,
        )
        return self.poller

    def ids(self) -> list[str]:
        return [notice.comment_id for notice in self.noticed]

    def later(self, **span: float) -> None:
        self.jira.at += timedelta(**span)


@pytest.fixture
def scene():
    return Scene()


def test_a_new_comment_is_noticed(scene):
    scene.poller.poll_once()
    scene.later(minutes=1)
    number = scene.jira.write("PAY-1")
    scene.jira.write("PAY-1", "thanks")
    scene.jira.write("PAY-1", "#qa-check", author="bot")
    scene.later(minutes=1)
    assert scene.poller.poll_once() == 1
    assert scene.noticed == [Noticed("jira", "PAY-1", "PAY-1", number, None, "poll")]


def test_on_the_first_start_old_comments_are_not_answered(scene):
    scene.jira.write("PAY-1")
    scene.later(seconds=1)
    assert scene.poller.poll_once() == 0
    scene.later(minutes=5)
    new = scene.jira.write("PAY-1")  # the old one is within the overlap still
    scene.later(minutes=1)
    scene.poller.poll_once()
    assert scene.ids() == [new]


def test_what_was_asked_while_jira_was_down_at_the_first_start_is_noticed(scene):
    scene.jira.write("PAY-1")
    scene.later(minutes=1)
    began = scene.jira.at
    poller = scene.restart(began=lambda: began)
    scene.later(hours=2)
    number = scene.jira.write("PAY-1")
    scene.later(hours=3)
    poller.poll_once()
    assert scene.ids() == [number]


def test_a_project_that_is_added_later_begins_then(scene):
    scene.restart(["PAY"]).poll_once()
    scene.later(minutes=1)
    scene.jira.write("OPS-1")
    known = scene.jira.write("PAY-1")
    scene.later(minutes=1)
    scene.restart(["PAY", "OPS"]).poll_once()
    scene.later(minutes=1)
    new = scene.jira.write("OPS-1")
    scene.later(minutes=1)
    scene.poller.poll_once()
    assert set(scene.ids()) == {known, new}


def test_after_an_outage_nothing_is_missing(scene):
    scene.poller.poll_once()
    scene.later(days=3)
    number = scene.jira.write("PAY-1")
    scene.later(days=3)
    scene.restart().poll_once()
    assert scene.ids() == [number]


def test_a_comment_that_the_search_shows_late_is_found_by_looking_back(scene):
    scene.poller.poll_once()
    scene.later(minutes=1)
    number = scene.jira.write("PAY-1")
    hidden = scene.jira.tickets.pop("PAY-1")
    scene.later(minutes=1)
    scene.poller.poll_once()
    scene.jira.tickets["PAY-1"] = hidden
    scene.later(minutes=7)
    scene.poller.poll_once()
    assert scene.ids() == [number]


@pytest.mark.parametrize("error", [Unavailable("503"), NotAllowed("401"), Rejected("400"), Gone("404")])
@pytest.mark.parametrize("call", ["now", "search"])
def test_the_cursor_stays_when_the_round_fails(scene, call, error):
    scene.poller.poll_once()
    before = dict(scene.cursors.values)
    scene.later(hours=1)
    number = scene.jira.write("PAY-1")
    scene.later(hours=1)
    scene.jira.errors[call] = [error]
    with pytest.raises(type(error)):
        scene.poller.poll_once()
    assert scene.cursors.values == before
    scene.poller.poll_once()
    assert scene.ids() == [number]


def test_the_cursor_stays_when_a_comment_could_not_be_handed_over(scene):
    class Full(Exception):
        pass

    def refuse(_: Noticed) -> None:
        raise Full

    scene.poller.poll_once()
    before = dict(scene.cursors.values)
    scene.later(hours=1)
    number = scene.jira.write("PAY-1")
    full = Poller(scene.jira, ["PAY", "OPS"], scene.cursors, refuse, clock=Clock(), metrics=scene.tally)
    with pytest.raises(Full):
        full.poll_once()
    assert scene.cursors.values == before
    scene.later(hours=1)
    scene.poller.poll_once()
    assert scene.ids() == [number]


SINGLE = [Unavailable("500"), Rejected("400"), NotAllowed("403"), Uncertain("odd")]


@pytest.mark.parametrize("error", SINGLE)
def test_tickets_that_cannot_be_read_do_not_stop_the_others_and_are_read_later(scene, error):
    scene.poller.poll_once()
    scene.later(minutes=1)
    for key in ("PAY-1", "PAY-2", "PAY-3", "OPS-1"):
        scene.jira.write(key)
    scene.later(minutes=15)
    scene.jira.errors |= {"PAY-1": [error, error], "PAY-2": [error]}
    assert scene.poller.poll_once() == 2
    scene.later(hours=1)  # the search does not list them any more
    assert scene.poller.poll_once() == 1
    scene.restart()
    assert scene.poller.poll_once() == 1
    scene.poller.poll_once()
    assert Counter(scene.ids()) == dict.fromkeys("1234", 1)


def test_a_ticket_that_cannot_be_read_does_not_hold_the_cursor(scene):
    scene.poller.poll_once()
    scene.later(minutes=1)
    scene.jira.write("PAY-1")
    scene.jira.errors["PAY-1"] = [Unavailable("500")] * 100
    for _ in range(5):
        scene.later(hours=1)
        scene.poller.poll_once()
    scene.later(hours=1)
    new = scene.jira.write("PAY-2")
    scene.poller.poll_once()
    assert scene.ids() == [new]
    oldest = int(scene.jira.asked[-1].partition(">= ")[2].split()[0]) / 1000
    assert scene.jira.at.timestamp() - oldest <= 4200


def test_a_ticket_that_is_never_readable_is_given_up_with_an_alarm(scene):
    scene.poller.poll_once()
    scene.later(minutes=1)
    scene.jira.write("PAY-1")
    scene.jira.errors["PAY-1"] = [NotAllowed("403")] * 100
    with capture_logs() as logs:
        for _ in range(5):
            scene.later(days=1)
            scene.poller.poll_once()
    assert [entry["place"] for entry in logs if entry.get("alarm")] == ["PAY-1"]
    left = len(scene.jira.errors["PAY-1"])
    scene.poller.poll_once()
    assert len(scene.jira.errors["PAY-1"]) == left


def test_what_is_written_while_a_ticket_waits_is_read_with_it(scene):
    scene.poller.poll_once()
    scene.later(minutes=1)
    scene.jira.write("PAY-1")
    scene.jira.errors["PAY-1"] = [Unavailable("500")]
    scene.poller.poll_once()
    scene.later(hours=1)
    scene.jira.write("PAY-1")
    scene.poller.poll_once()
    assert sorted(scene.ids()) == ["1", "2"]


def test_many_in_a_row_end_the_round_and_yet_keep_no_ticket_waiting_for_ever(scene):
    scene.poller.poll_once()
    before = scene.cursors.values["poll:http://jira:cursor"]
    scene.later(minutes=1)
    for number in range(25):
        scene.jira.write(f"PAY-{number}")
        scene.jira.errors[f"PAY-{number}"] = [Unavailable("500")] * 50
    last = scene.jira.write("OPS-1")
    for _ in range(2):
        with pytest.raises(Unavailable):
            scene.poller.poll_once()
        assert scene.cursors.values["poll:http://jira:cursor"] == before
    assert scene.noticed == []
    scene.poller.poll_once()
    assert scene.ids() == [last]
    scene.jira.errors.clear()
    scene.poller.poll_once()
    assert set(scene.ids()) == {str(number) for number in range(1, 27)}


def test_the_number_that_is_remembered_is_bounded(scene):
    unread = Unread(scene.cursors, "unread", "jira", scene.tally)
    with capture_logs() as logs:
        for number in range(MOST + 1):
            unread.keep(Waiting(str(number), f"PAY-{number}", 0, 0), 0, Unavailable("500"))
    assert [entry["place"] for entry in logs if entry.get("alarm")] == ["PAY-0"]
    again = Unread(scene.cursors, "unread", "jira", scene.tally)
    assert [ticket.id for ticket in again] == [str(number) for number in range(1, MOST + 1)]


def test_a_ticket_that_is_gone_is_passed_over(scene):
    scene.poller.poll_once()
    scene.later(minutes=1)
    scene.jira.write("PAY-1")
    kept = scene.jira.write("PAY-2")
    scene.jira.errors["PAY-1"] = [Gone("deleted")]
    scene.poller.poll_once()
    assert scene.ids() == [kept]


def test_when_jira_asks_for_time_the_round_ends_at_once(scene):
    scene.poller.poll_once()
    scene.later(minutes=1)
    for key in ("PAY-1", "PAY-2"):
        scene.jira.write(key)
    scene.jira.errors["PAY-1"] = [Unavailable("429", retry_after=9)]
    with pytest.raises(Unavailable):
        scene.poller.poll_once()
    assert scene.noticed == []
    scene.poller.poll_once()
    assert set(scene.ids()) == {"1", "2"}


def test_a_round_that_jira_ends_goes_on_in_the_next(scene):
    """However many tickets there are, and however few it lets the bot read at once."""
    scene.poller.poll_once()
    keys = [f"PAY-{number}" for number in range(20)]
    numbers = [scene.jira.write(key) for key in keys]
    for key in keys[3:-1:4]:
        scene.jira.errors[key] = [Unavailable("too many requests", retry_after=1.0)]
    ended = 0
    while not ended or scene.jira.errors.get(keys[-5]):
        scene.later(minutes=1)
        with pytest.raises(Unavailable):
            scene.poller.poll_once()
        ended += 1
    assert scene.jira.read == keys[: keys.index(keys[-5]) + 1]
    scene.later(minutes=1)
    scene.poller.poll_once()
    assert sorted(scene.ids(), key=int) == numbers


def test_what_changed_since_a_round_that_was_ended_is_read_again(scene):
    scene.poller.poll_once()
    scene.jira.write("PAY-1", "thanks")
    scene.jira.write("PAY-2")
    scene.jira.errors["PAY-2"] = [Unavailable("too many requests", retry_after=1.0)]
    with pytest.raises(Unavailable):
        scene.poller.poll_once()
    scene.later(minutes=1)
    number = scene.jira.write("PAY-1")
    scene.later(hours=1)
    scene.poller.poll_once()
    assert number in scene.ids()


def test_the_loop_outlives_errors_and_waits_as_told(scene):
    stop = threading.Event()
    scene.jira.errors["search"] = [Unavailable("503"), NotAllowed("401"), Unavailable("429", retry_after=0.2)]
    thread = threading.Thread(target=scene.poller.run, args=(stop, 0.01))
    start = time.monotonic()
    thread.start()
    while len(scene.jira.asked) < 6 and time.monotonic() - start < 5:
        time.sleep(0.01)
    stop.set()
    thread.join(5)
    assert not thread.is_alive()
    assert time.monotonic() - start >= 0.2
    assert scene.tally.total("crosscheck_polls_total", outcome="failed") == 3
    assert scene.tally.total("crosscheck_polls_total", outcome="done") >= 3


def test_a_waiting_loop_stops_at_once(scene):
    stop = threading.Event()
    thread = threading.Thread(target=scene.poller.run, args=(stop, 600))
    thread.start()
    time.sleep(0.05)
    stop.set()
    thread.join(2)
    assert not thread.is_alive()


@pytest.mark.parametrize("projects", [[], ["PAY", 'X") OR project is not EMPTY'], ["PAY-1"], [""], ["1AB"], ["A B"]])
def test_project_keys_are_keys(projects):
    with pytest.raises(ValueError, match="project keys"):
        Poller(FakeJira(), projects, Kept(), print, clock=Clock(), metrics=Tally())


def test_the_query_is_in_milliseconds_and_quoted():
    at = datetime(2026, 11, 2, 9, 0, 0, 123_000, tzinfo=UTC)
    jql = 'project in ("PAY", "OR") AND updated >= 1793610000123 ORDER BY updated ASC'
    assert updated_since(["PAY", "OR"], at) == jql


steps = st.lists(
    st.sampled_from(["write", "write old words", "poll", "poll fails", "ticket fails", "restart", "minute", "hour"]),
    max_size=30,
)


@given(steps)
def test_every_comment_after_the_first_round_is_noticed_and_none_before(todo):
    scene = Scene()
    scene.jira.write("PAY-1")
    scene.later(seconds=1)
    scene.poller.poll_once()
    wanted = set()
    for step in [*todo, "poll", "poll"]:
        scene.later(seconds=1)
        if step == "write":
            wanted.add(scene.jira.write("PAY-1"))
        elif step == "write old words":
            scene.jira.write("OPS-1", "thanks")
        elif step == "poll":
            scene.poller.poll_once()
        elif step == "poll fails":
            scene.jira.errors["search"] = [Unavailable("503")]
            with pytest.raises(Unavailable):
                scene.poller.poll_once()
        elif step == "ticket fails":
            scene.jira.errors["PAY-1"] = [Unavailable("500")]
        elif step == "restart":
            scene.restart()
        else:
            scene.later(**{step + "s": 1})
    assert set(scene.ids()) == wanted


# Against a Jira on loopback


@pytest.fixture
def real(connect):
    return lambda *projects: Scene(connect(), projects)


def test_a_real_round(box, real):
    scene = real("PAY", "HELP")
    box.jira.add_comment("PAY-1", "ana", "#qa-check before the first start")
    scene.poller.poll_once()
    wanted = {
        box.jira.add_comment("PAY-1", "ana", "#qa-check"),
        box.jira.add_comment("HELP-1", "ben", "please (#qa-check)", internal=True),
        box.jira.add_comment("PAY-2", "ben", "#qa-check", group="qa-leads"),
    }
    box.jira.add_comment("PAY-1", "ana", "`#qa-check` and > #qa-checks")
    box.jira.add_comment("PAY-1", "bot", "#qa-check")
    scene.poller.poll_once()
    scene.poller.poll_once()
    assert Counter(scene.ids()) == dict.fromkeys(wanted, 2)  # twice is the taker's to refuse


def test_a_token_that_is_not_accepted_any_more_loses_no_question(box, real):
    scene = real("PAY")
    scene.poller.poll_once()
    number = box.jira.add_comment("PAY-1", "ana", "#qa-check")
    before = dict(scene.cursors.values)
    denied = {"X-Seraph-LoginReason": "AUTHENTICATED_FAILED"}
    for path, body in (("/serverInfo$", "{}"), ("/search(/jql)?$", '{"issues": [], "isLast": true}')):
        box.faults.add("*", path, "status", status=200, headers=denied, body=body)
        with pytest.raises(NotAllowed):
            scene.poller.poll_once()
    assert scene.cursors.values == before
    scene.poller.poll_once()
    assert scene.ids() == [number]


def test_a_search_that_lags(box, real):
    scene = real("PAY")
    scene.poller.poll_once()
    box.jira.search_lag = 0.3
    number = box.jira.add_comment("PAY-1", "ana", "#qa-check")
    scene.poller.poll_once()
    assert scene.ids() == []
    time.sleep(0.35)
    scene.poller.poll_once()
    assert scene.ids() == [number]


def test_five_thousand_comments(box, real):
    box.exchanges.recording = False
    scene = real("PAY")
    scene.poller.poll_once()
    first = box.jira.add_comment("PAY-1", "ana", "#qa-check")
    body = {"type": "doc", "version": 1, "content": [{"type": "paragraph", "content": [{"type": "text", "text": "x"}]}]}
    for _ in range(5000):
        box.jira.add_comment("PAY-1", "ben", adf=body)
    last = box.jira.add_comment("PAY-1", "ana", "#qa-check")
    scene.poller.poll_once()
    assert scene.ids() == [last, first]


@pytest.mark.parametrize("flavour", FLAVOURS)
def test_pages_of_a_search(flavour):
    tickets = tuple(ticket(f"PAY-{number}") for number in range(1, 131))
    with Sandbox.start(replace(COMPANY, tickets=tickets)) as box:
        cloud = flavour == "cloud"
        client = JiraClient(
            box.jira_url if cloud else box.jira_data_center_url, box.post_user, box.post_token, timeout=3
        )
        scene = Scene(client, ("PAY",))
        scene.poller.poll_once()
        wanted = {box.jira.add_comment(f"PAY-{number}", "ana", "#qa-check") for number in range(1, 131)}
        scene.poller.poll_once()
        assert set(scene.ids()) == wanted
        assert sum(e.path.endswith(("/search/jql", "/search")) for e in box.exchanges.all()) == 3
        scene.jira.close()


def test_the_order_of_comments_is_not_trusted(box, real, client):
    """Some versions of Data Center list the oldest first, whatever is asked for."""
    scene = real("PAY")
    scene.poller.poll_once()
    numbers = [box.jira.add_comment("PAY-1", "ana", f"#qa-check {number}") for number in range(12)]
    issue = box.jira.issue("PAY-1").id
    with box.jira.lock:
        for age, note in enumerate(reversed(box.jira.issue("PAY-1").notes.values())):
            note.created += timedelta(seconds=12 - age)
    newest_first = [comment.model_dump(mode="json", by_alias=True) for comment in client.comments(issue)]
    shuffled = [newest_first[at] for at in (5, 3, 11, 0, 7, 1, 2, 10, 9, 8, 4, 6)]
    for order in (newest_first[::-1], shuffled):
        body = json.dumps({"comments": order, "total": len(order)})
        box.faults.add("GET", "/comment$", "status", status=200, body=body)
        found = list(client.comments(issue))
        assert {comment.id for comment in found} == set(numbers)
        assert all(newer.created >= older.created for newer, older in pairwise(found))
    assert scene.poller.poll_once() == 12
