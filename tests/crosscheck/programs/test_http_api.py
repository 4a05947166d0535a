"""`POST /v1/...` of the real service; each answer is judged by the description that the service itself gives."""

import httpx
import pytest
from jsonschema import Draft202012Validator
from openapi_core import OpenAPI

from tests.crosscheck.programs.session import PLAN

BODIES = {
    "search": {"text": "how long are seats held for an unpaid booking", "limit": 5},
    "ask": {"text": "How long does an unpaid booking keep its seats?"},
    "review": {"key": "BKG-148"},
    "plan": {"plan": PLAN, "repository": "booking-api"},
}


@pytest.fixture(scope="module")
def described(stage):
    answer = httpx.get(f"{stage.live.url}/v1/openapi.json", timeout=20)
    assert answer.status_code == 200
    return answer.json()


def asked(stage, name, body, token="developers"):
    headers = {"Authorization": f"Bearer {stage.tokens[token]}"}
    return httpx.post(f"{stage.live.url}/v1/{name}", json=body, headers=headers, timeout=60)


def problems(described, name, answer):
    responses = described["paths"][f"/{name}"]["post"]["responses"]
    said = responses[str(answer.status_code)]["content"]["application/json"]["schema"]
    judge = Draft202012Validator({**said, "components": described["components"]})
    return [error.message for error in judge.iter_errors(answer.json())]


def test_the_description_is_one(described):
    OpenAPI.from_dict(described).check_spec()
    assert set(described["paths"]) == {f"/{name}" for name in BODIES}


@pytest.mark.parametrize("name", BODIES)
def test_an_answer_is_as_described(stage, described, name):
    answer = asked(stage, name, BODIES[name])
    assert answer.status_code == 200, answer.text
    assert problems(described, name, answer) == []


@pytest.mark.parametrize(
    ("name", "body", "status"),
    [
        ("search", {}, 422),
        ("search", {"text": "seats", "audience": "=confluence:LED"}, 422),
        ("search", {"text": "?!"}, 422),
        ("review", {"key": "BKG-1480"}, 404),
        ("review", {"key": "confluence:1"}, 404),
        ("plan", {"plan": "x" * 200_000}, 422),
        ("plan", {"plan": " "}, 422),
    ],
)
def test_a_refusal_is_as_described_and_says_what_to_do(stage, described, name, body, status):
    answer = asked(stage, name, body)
    assert answer.status_code == status, answer.text
    assert problems(described, name, answer) == []
    assert answer.json()["error"].strip()


def test_each_answer_has_something_to_say(stage):
    found = asked(stage, "search", BODIES["search"]).json()
    assert "confluence:7105" in {one["document"] for one in found["evidence"]}
    reviewed = asked(stage, "review", BODIES["review"]).json()
    assert reviewed["findings"]
    planned = asked(stage, "plan", BODIES["plan"]).json()
    assert not planned["nothing_new"]
    assert 1 <= len(planned["sources"]) <= 3


@pytest.mark.parametrize("name", ["search", "ask", "plan"])
def test_another_token_sees_less(stage, name):
    answer = asked(stage, name, BODIES[name], "gate_agents")
    assert answer.status_code == 200
    links = [one["document"] for field in ("evidence", "sources", "nearest") for one in answer.json().get(field, [])]
    assert not [one for one in links if one.startswith(("confluence:", "git:booking-api"))]


def test_another_token_cannot_review_what_it_may_not_read(stage):
    hidden, absent = [asked(stage, "review", {"key": key}, "gate_agents") for key in ("BKG-148", "XYZ-148")]
    assert (hidden.status_code, hidden.text.replace("BKG", "XYZ")) == (absent.status_code, absent.text)
