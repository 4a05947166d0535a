"""What was written while nobody listened is found in the channels themselves."""

from datetime import UTC, datetime, timedelta

import pytest

from bots.slack.client import SlackClient
from crosscheck.slack.catch_up import CURSOR, CatchUp
from sandbox.records import Channel
from sandbox.server import Sandbox
from state.cursors import Cursors
from state.db import open_database
from tests.sandbox_fixtures import DEVELOPER, OWNER, company


class Station:
    """A bot that listens or does not."""

    def __init__(self, box, folder):
        self.slack = box.slack
        self.database = open_database(folder / "test.sqlite")
        self.cursors = Cursors(self.database)
        self.heard = []
        self.client = SlackClient(box.slack.token, site=box.slack_url)

    def catch_up(self):
        """As a service that starts makes it."""
        me = self.client.whoami()
        return CatchUp(
            self.client,
            self.cursors,
            self.heard.append,
            team=lambda: me.team_id,
            bot=lambda: me.user_id,
            clock=lambda: datetime.now(UTC),
        )


@pytest.fixture
def station(tmp_path):
    with Sandbox.start(company()) as box:
        box.slack.create(Channel("work", (OWNER.id, DEVELOPER.id)))
        made = Station(box, tmp_path)
        yield made
        made.client.close()
        made.database.dispose()


def test_a_first_start_answers_nothing_that_was_written_before(station):
    station.slack.say(OWNER.id, "work", f"{station.slack.mention} why?")
    caught_up = station.catch_up()
    assert caught_up.run() == 0
    caught_up.listened()
    assert station.cursors.get(CURSOR) is not None


def test_messages_replies_and_direct_messages_of_an_outage_are_heard(station):
    first = station.slack.say(DEVELOPER.id, "work", "we discuss it here")
    listened = station.catch_up()
    listened.run()
    listened.listened()
    station.slack.say(OWNER.id, "work", f"{station.slack.mention} one")
    station.slack.say(OWNER.id, "work", f"{station.slack.mention} two", first)
    station.slack.say(OWNER.id, "work", "nothing for you")
    station.slack.say(DEVELOPER.id, station.slack.direct(DEVELOPER.id), "three")
    assert station.catch_up().run() == 3
    assert {one.text for one in station.heard if one.mentioned or one.direct} == {"one", "two", "three"}
    assert next(one for one in station.heard if one.text == "two").thread == first


def test_it_is_not_said_to_have_listened_before_it_has_caught_up(station):
    station.cursors.set(CURSOR, (datetime.now(UTC) - timedelta(hours=1)).isoformat())
    before = station.cursors.get(CURSOR)
    caught_up = station.catch_up()
    caught_up.listened()
    assert station.cursors.get(CURSOR) == before
    caught_up.run()
    assert station.cursors.get(CURSOR) != before


def test_a_channel_that_cannot_be_read_costs_only_itself(station):
    station.cursors.set(CURSOR, (datetime.now(UTC) - timedelta(minutes=1)).isoformat())
    other = station.slack.create(Channel("other", (OWNER.id,)))
    station.slack.say(OWNER.id, "work", f"{station.slack.mention} one")
    caught_up = station.catch_up()
    listed = [*station.client.channels(), "C0GONE000"]
    station.slack.remove_bot(other)
    caught_up._client = _Listing(station.client, listed)
    assert caught_up.run() >= 1
    assert "one" in {one.text for one in station.heard}


class _Listing:
    """A client whose list of channels is older than the channels."""

    def __init__(self, client, channels):
        self.channels = lambda: iter(channels)
        self.history, self.replies_since = client.history, client.replies_since
