"""The home tab and the window that asks for a reason."""

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st
from slack_sdk.models.views import View

from bots.slack.home import MOST_REQUESTS, MOST_SOURCES, RequestLine, SourceLine, home_view
from bots.slack.limits import check
from bots.slack.modals import REASON, reason_modal
from bots.wishes import Cases, Check, Help, Question, Refine, parse
from sandbox.slack.limits import view_problems
from tests.bots.outlines import texts, urls
from tests.bots.slack.seen import lines, nodes

NOW = datetime(2026, 11, 30, 9, tzinfo=UTC)


def faults(method, view):
    View(**view).validate_json()
    return check(method, {"view": view}) + view_problems(view)


def shown(view):
    return [line for block in view["blocks"] for line in lines(block)]


def test_sources_and_requests():
    view = home_view(
        [
            SourceLine("jira", NOW - timedelta(hours=2), stale=False),
            SourceLine("confluence", NOW - timedelta(days=1, hours=3), stale=True),
            SourceLine("git", None, stale=True),
        ],
        [
            RequestLine(NOW - timedelta(minutes=5), "Who may\nclose?", "done", "https://x.slack.com/archives/C1/p1"),
            RequestLine(NOW - timedelta(seconds=5), "check PAY-12", "queued", None),
        ],
        NOW,
    )
    told = shown(view)
    assert "jira: read 2 hours ago" in told
    assert "confluence: read 1 day ago (stale: it should have been read again since)" in told
    assert "git: never read completely (stale: it should have been read again since)" in told
    assert "Who may close?: done, asked 5 minutes ago" in told
    assert "check PAY-12: queued, asked just now" in told
    addresses = [node["url"] for node in nodes(view["blocks"]) if node.get("type") == "link"]
    assert addresses == ["https://x.slack.com/archives/C1/p1"]


def test_nothing_yet():
    told = shown(home_view([], [], NOW))
    assert "No source has been set up yet." in told
    assert told[-1] == "Nothing yet."


def test_the_commands_are_those_that_are_understood():
    told = [line.split("  ")[0] for line in shown(home_view([], [], NOW)) if line.startswith("@Crosscheck ")]
    wishes = [parse(line.removeprefix("@Crosscheck "), "https://x.atlassian.net") for line in told]
    assert wishes == [
        Question("how long are papers kept?"),
        Check("PROJ-12"),
        Cases("PROJ-12", None),
        Cases(None, None),
        Refine("the boundary of 30 days", (), None),
        Refine("", (4,), None),
        Help(),
    ]
    assert parse("test cases for PROJ-12 as gherkin", "") == Cases("PROJ-12", "gherkin")


def test_long_lists_are_cut_and_say_so():
    view = home_view(
        [SourceLine(f"source {number}", NOW, stale=False) for number in range(MOST_SOURCES + 5)],
        [RequestLine(NOW, "x" * 10_000, "done", None)] * (MOST_REQUESTS + 3),
        NOW,
    )
    told = shown(view)
    assert sum(line.startswith("source ") for line in told) == MOST_SOURCES
    assert sum(line.startswith("xxx") for line in told) == MOST_REQUESTS
    assert "… and 5 more" in told
    assert "… and 3 more" in told
    assert faults("views.publish", view) == []


dates = st.datetimes(datetime(2000, 1, 1), datetime(2040, 1, 1), timezones=st.just(UTC))  # noqa: DTZ001


@given(
    st.lists(st.builds(SourceLine, texts, st.none() | dates, st.booleans()), max_size=60),
    st.lists(st.builds(RequestLine, dates, texts, texts, st.none() | urls), max_size=60),
)
def test_any_home_is_within_the_limits_and_inert(sources, requests):
    view = home_view(sources, requests, NOW)
    assert faults("views.publish", view) == []
    kinds = {node["type"] for node in nodes(view) if "type" in node}
    assert kinds <= {
        "home", "header", "plain_text", "rich_text", "rich_text_section", "rich_text_list", "text", "link",
    }  # fmt: skip
    assert all(len(line) < 500 for line in shown(view))


@pytest.mark.parametrize("verdict", ["up", "down"])
def test_the_window_asks_for_a_reason(verdict):
    view = reason_modal(12, verdict)
    assert faults("views.open", view) == []
    assert (view["callback_id"], view["private_metadata"]) == ("crosscheck_reason", "12")
    (block,) = view["blocks"]
    assert block["optional"] is True
    assert (block["block_id"], block["element"]["action_id"]) == (REASON, REASON)
