"""The operations over HTTP: what programs send and get, and what is refused."""

import json

import pytest
from fastapi import FastAPI
from starlette.testclient import TestClient

from core.errors import BadQuery, SourceForbidden, SourceUnavailable
from crosscheck.api import LARGEST, create_api
from crosscheck.callers import Callers, hashed, new_token
from crosscheck.errors import NothingToOpen
from crosscheck.for_callers import AGAIN, BROKEN, ForCallers
from crosscheck.settings_deployed import Token
from review.errors import NothingToReview

TOKEN, OTHER = new_token(), new_token()
NOW = "2026-03-02T09:00:00Z"
LINK = {"title": "Booking rules, Holds", "url": "https://wiki.example.com/7013", "document": "confluence:7013"}
FOUND = {
    "evidence": [
        {
            **LINK,
            "source": "confluence",
            "kind": "page",
            "context": "RULES > Booking rules",
            "text": "Seats are held for ten minutes.",
            "score": 0.5,
            "route": "hybrid",
            "updated": NOW,
            "unread": [],
        }
    ],
    "notes": [],
    "degraded": [],
}
PLANNED = {
    "nothing_new": False,
    "sources": [
        {
            **LINK,
            "kind": "page",
            "source": "confluence",
            "text": "Ten minutes.",
            "why": "It rules this.",
            "updated": NOW,
        }
    ],
    "checks": [
        {
            "category": "consumer",
            "priority": "P1",
            "statement": "gate-app calls hold().",
            "why": "It breaks.",
            "evidence": [{**LINK, "quote": "hold()", "looked_for": ""}],
        }
    ],
    "unknowns": [{"what": "gate-app is stale.", "settled_by": "A sync."}],
    "degraded": [],
    "made_by": "rules alone",
    "audience": ["org"],
    "at": NOW,
    "numbers": {},
}


class Fake:
    """Operations with one answer each; an exception is raised."""

    def __init__(self, **answers):
        self.answers = answers
        self.asked = []

    def run(self, name, arguments, report):
        self.asked.append((name, dict(arguments)))
        answer = self.answers[name]
        if isinstance(answer, Exception):
            raise answer
        return answer


def served(fake):
    tokens = [
        Token(name="builders", sha256=hashed(TOKEN), labels=("org", "repo:booking-api")),
        Token(name="guests", sha256=hashed(OTHER), labels=("jira:CARE",)),
    ]
    app = FastAPI()
    app.mount("/v1", create_api(ForCallers(fake), Callers(tokens)))
    return TestClient(app, headers={"Authorization": f"Bearer {TOKEN}"}, raise_server_exceptions=False)


def test_a_search():
    fake = Fake(search=FOUND)
    body = {"text": "hold", "repositories": ["booking-api"], "as_of": "2026-03-31T12:00:00+02:00", "limit": 3}
    answer = served(fake).post("/v1/search", json=body)
    assert (answer.status_code, answer.json()) == (200, FOUND)
    assert fake.asked == [
        (
            "search",
            {
                "text": "hold",
                "variants": [],
                "limit": 3,
                "filters": {
                    "sources": [],
                    "repos": ["booking-api"],
                    "path": None,
                    "branch": None,
                    "as_of": "2026-03-31T12:00:00+02:00",
                },
                "audience": "=org,repo:booking-api",
            },
        )
    ]


def test_a_plan():
    fake = Fake(plan=PLANNED)
    answer = served(fake).post("/v1/plan", json={"plan": "Change hold().", "repository": "booking-api"})
    assert answer.status_code == 200
    assert answer.json()["sources"] == PLANNED["sources"]
    assert answer.json()["checks"] == PLANNED["checks"]
    assert fake.asked[0][1]["audience"] == "=org,repo:booking-api"


def test_every_token_has_its_own_labels():
    fake = Fake(search=FOUND)
    served(fake).post("/v1/search", json={"text": "hold"}, headers={"Authorization": f"bearer {OTHER}"})
    assert fake.asked[0][1]["audience"] == "=jira:CARE"


@pytest.mark.parametrize("given", ["", "Bearer", "Bearer ", "Bearer {}x", "Basic {}", "{}"])
def test_without_a_known_token_nothing_is_asked(given):
    given = given.format(TOKEN)
    fake = Fake(search=FOUND)
    answer = served(fake).post("/v1/search", json={"text": "hold"}, headers={"Authorization": given})
    assert answer.status_code == 401
    assert answer.headers["WWW-Authenticate"] == "Bearer"
    assert "an administrator made" in answer.json()["error"]
    assert fake.asked == []


@pytest.mark.parametrize(
    ("body", "said"),
    [
        ({}, "text: Field required"),
        ({"text": 7}, "text: Input should be a valid string"),
        ({"text": "a", "audience": "org,jira:SECRET"}, "audience: Extra inputs are not permitted"),
        ({"text": "a", "limit": 900}, "limit: Input should be less than or equal to 50"),
        ({"text": "a" * 8001}, "text: String should have at most 8000 characters"),
        ({"text": "a", "as_of": "last week"}, "as_of: Input should be a valid datetime"),
        ({"text": "a", "variants": ["b"] * 9}, "variants: List should have at most 8 items"),
    ],
)
def test_what_does_not_fit_is_told_in_a_sentence(body, said):
    fake = Fake(search=FOUND)
    answer = served(fake).post("/v1/search", json=body)
    assert answer.status_code == 422
    assert answer.json().keys() == {"error"}
    assert said in answer.json()["error"]
    assert fake.asked == []


def test_a_plan_of_two_hundred_thousand_characters():
    answer = served(Fake(plan=PLANNED)).post("/v1/plan", json={"plan": "x" * 200_000})
    assert (answer.status_code, answer.json()) == (
        422,
        {"error": "plan: String should have at most 60000 characters"},
    )


@pytest.mark.parametrize("told", [True, False])
def test_what_is_too_large_is_not_read(told):
    body = b'{"text": "' + b"x" * LARGEST + b'"}'
    content = body if told else iter([body[:1000], body[1000:]])
    answer = served(Fake(search=FOUND)).post("/v1/search", content=content)
    assert (answer.status_code, answer.json()) == (413, {"error": "The request is larger than 1,000,000 bytes."})


@pytest.mark.parametrize(
    ("error", "status", "said"),
    [
        (NothingToReview("There is no ticket PAY-1 that everybody who can read this reply may read."), 404, "PAY-1"),
        (NothingToOpen("There is no source."), 404, "There is no source."),
        (BadQuery("There is nothing to search for."), 422, "nothing to search for"),
        (SourceUnavailable("https://jira.internal answered 503"), 503, AGAIN),
        (SourceForbidden("https://jira.internal refused reader@example.com"), 503, BROKEN),
    ],
)
def test_an_error_tells_what_to_do_and_nothing_of_the_house(error, status, said):
    answer = served(Fake(review=error)).post("/v1/review", json={"key": "PAY-1"})
    assert answer.status_code == status
    assert said in answer.json()["error"]
    assert "internal" not in answer.text
    assert ("Retry-After" in answer.headers) == (said == AGAIN)


def test_what_nobody_expected_shows_nothing():
    answer = served(Fake(review=RuntimeError("secret of the house"))).post("/v1/review", json={"key": "PAY-1"})
    assert answer.status_code == 500
    assert "secret" not in answer.text


def test_the_description_fits_the_answers():
    client = served(Fake())
    described = client.get("/v1/openapi.json").json()
    assert set(described["paths"]) == {"/search", "/ask", "/review", "/plan"}
    assert described["servers"] == [{"url": "/v1"}]
    assert "PlanAnswer" in described["components"]["schemas"]
    assert json.dumps(described).count("audience") == 0, "nobody chooses an audience"
