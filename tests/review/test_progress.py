"""What whoever waits is told: what is being done, and nothing that they may not know of."""

import pytest
from pydantic_ai.models.function import FunctionModel

from core.types import Audience, NullMetrics
from review.answer import Answerer
from review.budget import Budget
from review.case import Checked
from review.pull_reading import PullReading
from review.reading import Reading
from review.service import Models
from tests.review.fakes import (
    AUDIENCE,
    NOW,
    POLICY,
    Index,
    PullTexts,
    Tickets,
    World,
    calls,
    review_call,
    rule,
    scripted,
    snapshot,
    ticket,
)

SECRET = frozenset({"jira:SHOP:security:Board"})


def nothing(_messages, info):
    return calls((info.output_tools[0].name, {"statements": []}))


def test_a_review_tells_what_it_does_in_order():
    told: list[str] = []
    world = World(Tickets({"SHOP-1": ticket(), "SHOP-2": ticket("SHOP-2")}))

    def walk(case):
        case.open_ticket("SHOP-2")
        return Checked()

    world.reviewer(rule(walk), model=scripted(review_call())).review("SHOP-1", AUDIENCE, say=told.append)
    assert told == ["Reading SHOP-1", "Searching", "Reading SHOP-2", "Reviewing with the model"]


def test_without_a_model_none_is_spoken_of():
    told: list[str] = []
    World().reviewer().review("SHOP-1", AUDIENCE, say=told.append)
    assert told == ["Reading SHOP-1", "Searching"]


def test_a_ticket_and_a_pull_request_that_are_hidden_are_not_named():
    told: list[str] = []
    tickets = Tickets({"SHOP-2": ticket("SHOP-2"), "SHOP-3": ticket("SHOP-3", labels=SECRET)})
    pulls = PullTexts((snapshot(7, "shop"), snapshot(8, "vault", labels=SECRET)))
    reading = Reading(tickets, Index([]), AUDIENCE, Budget(), NullMetrics(), pulls=pulls, say=told.append)
    for key in ("SHOP-2", "SHOP-2", "SHOP-3", "SHOP-4"):
        reading.open_ticket(key)
    reading.find_pulls(ticket())
    assert told == ["Reading SHOP-2", "Reading pull request 7 of shop"]


def test_a_pull_request_that_is_closed_is_not_named():
    told: list[str] = []
    one = snapshot(7, "shop")
    PullReading(PullTexts((one,)), AUDIENCE, tuple, told.append).find(ticket(), frozenset({one.ref.document_id}))
    assert told == []


@pytest.mark.parametrize("model", [None, FunctionModel(nothing, model_name="scripted")])
def test_an_answer_tells_what_it_does(model):
    told: list[str] = []
    made = Models(model) if model else None
    one = Answerer(Index([POLICY]), lambda _: [], models=made, clock=lambda: NOW, metrics=NullMetrics())
    one.answer("How long are vouchers valid?", Audience(AUDIENCE.labels), say=told.append)
    assert told == ["Searching", "Writing the answer"] if model else ["Searching"]


class LeaseLostError(Exception):
    """What a caller raises to stop the work."""


def test_who_is_told_can_stop_the_work():
    def stop(_what: str) -> None:
        raise LeaseLostError

    one = Answerer(Index([POLICY]), lambda _: [], models=None, clock=lambda: NOW, metrics=NullMetrics())
    with pytest.raises(LeaseLostError):
        one.answer("How long?", AUDIENCE, say=stop)
    with pytest.raises(LeaseLostError):
        World().reviewer().review("SHOP-1", AUDIENCE, say=stop)
