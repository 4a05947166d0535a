"""Commands that name another ticket than the one they stand in."""

from contextlib import ExitStack

import pytest

from tests.crosscheck.jira.making import Stage
from tests.crosscheck.jira.stage import CLOUD, town


@pytest.fixture(scope="module")
def usual(tmp_path_factory):
    with town(CLOUD, tmp_path_factory.mktemp("town")) as place:
        yield place.house("usual")


@pytest.fixture
def ticket(usual):
    with ExitStack() as undo:
        yield Stage(usual, undo).open()


def test_a_ticket_of_a_project_that_is_not_configured_is_as_unknown_as_one_that_is_not_there(ticket):
    told = []
    for key in ("OPS-1", "OPS-999"):
        ticket.ask(f"#test-cases {key}")
        told.append(ticket.shown(ticket.replies[-1]).replace(key, "KEY"))
        assert ticket.job().job.state == "done"
    assert told[0] == told[1]


def test_a_key_and_a_form_are_understood_without_a_word_between(ticket):
    ticket.ask("#test-cases PAY-1 as csv")
    assert ticket.files() == ["PAY-1-test-cases.csv"]
