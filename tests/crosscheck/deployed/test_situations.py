"""What is deployed and how databases changed in every situation, from the servers to the words of the answer."""

import pytest

from tests.crosscheck.deployed.page import play, play_schema, rows, schema_rows
from tests.crosscheck.deployed.schemas import SCHEMAS
from tests.crosscheck.deployed.situations import SITUATIONS

EVERY = [(one, kind) for one in SITUATIONS for kind in one.kinds]
WRITE = "if that is right, run python -m tests.crosscheck.deployed.page"


@pytest.mark.parametrize(("situation", "kind"), EVERY, ids=[f"{one.name}, {kind}" for one, kind in EVERY])
def test_what_is_answered(company, situation, kind):
    answer = play(company, situation, kind)
    assert answer.there == situation.there
    assert answer.unread == (len(situation.there) if situation.unread else 0)
    assert answer.words == rows()[situation.name, kind], WRITE
    assert {one.method for one in company.box.exchanges.all()} <= {"GET"}
    assert company.foreign.asked == []


@pytest.mark.parametrize("schema", SCHEMAS, ids=[one.name for one in SCHEMAS])
def test_what_is_answered_of_a_schema(company, request, schema):
    server = request.getfixturevalue("postgres") if schema.needs_server else None
    history = play_schema(company, schema, server.address(server.database()) if server else "")
    assert history.states == schema.states
    assert history.words == schema_rows()[schema.name], WRITE


def test_the_page_has_these_situations_and_no_others():
    assert rows().keys() == {(one.name, kind) for one, kind in EVERY}
    assert list(schema_rows()) == [one.name for one in SCHEMAS]


def test_there_are_twenty_situations_and_more():
    assert len({one.name for one in SITUATIONS}) == len(SITUATIONS) >= 20
    assert len({one.name for one in SCHEMAS}) == len(SCHEMAS) >= 8
