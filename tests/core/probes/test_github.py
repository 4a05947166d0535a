"""GitHub's deployments and releases, by what its documentation shows and by its own description."""

import json
from datetime import UTC, datetime
from urllib.parse import parse_qs

import pytest

from core.probes.github import HEADERS
from core.probes.types import Running
from tests.core.probes.probing import COMMIT, OTHER, TOKEN, probe, read
from tests.core.probes.stub import stub
from tests.specs import Description

WHERE = {"project": "acme/booking-api", "environment": "pre-production"}
API = "/api/v3/repos/acme/booking-api"
SINCE = datetime(2026, 11, 29, 9, tzinfo=UTC)


def deployment(number, sha, ref="main"):
    return {
        "id": number,
        "sha": sha,
        "ref": ref,
        "task": "deploy",
        "payload": {},
        "environment": "pre-production",
        "description": "secret words",
        "created_at": "2026-11-29T08:55:00Z",
    }


def status(state):
    return [{"id": 9, "state": state, "description": "secret words", "created_at": "2026-11-29T09:00:00Z"}]


def reading_of(deployments, states, **more):
    with stub() as server:
        server.answers = {f"{API}/deployments": deployments, **more}
        for number, state in states.items():
            server.answers[f"{API}/deployments/{number}/statuses"] = status(state) if state else []
        reading = read("github", server.url, WHERE)
    assert {exchange.method for exchange in server.asked} == {"GET"}
    assert {exchange.headers["authorization"] for exchange in server.asked} == {f"Bearer {TOKEN}"}
    assert "secret words" not in repr(reading)
    return reading, server.asked


def test_the_newest_that_succeeded():
    reading, asked = reading_of([deployment(7, COMMIT), deployment(6, OTHER)], {7: "success", 6: "inactive"})
    assert reading.running == (Running(COMMIT, COMMIT, since=SINCE),)
    assert parse_qs(asked[0].query) == {"environment": ["pre-production"], "per_page": ["5"]}
    assert [exchange.path for exchange in asked] == [f"{API}/deployments", f"{API}/deployments/7/statuses"]
    assert {name: asked[0].headers[name.lower()] for name in HEADERS} == HEADERS


@pytest.mark.parametrize(
    ("ref", "version"),
    [
        ("v2.14.1", "v2.14.1"),
        ("release/2.14", "release/2.14"),
        ("main", COMMIT),
        (COMMIT, COMMIT),
        ("feature/x-2", COMMIT),
    ],
)
def test_a_tag_is_the_version(ref, version):
    reading, _ = reading_of([deployment(7, COMMIT, ref)], {7: "success"})
    assert reading.running[0].version == version


@pytest.mark.parametrize(
    ("state", "what"),
    [("in_progress", "is under way"), ("queued", "is under way"), ("pending", "is under way"), ("", "is under way"),
     ("failure", "did not succeed"), ("error", "did not succeed")],
)  # fmt: skip
def test_a_newer_one_that_does_not_run_yet(state, what):
    reading, _ = reading_of([deployment(8, OTHER), deployment(7, COMMIT)], {8: state, 7: "success"})
    assert reading.running[0].commit == COMMIT
    assert reading.running[0].notes == (f"A newer deployment, of {OTHER[:12]}, {what}.",)


@pytest.mark.parametrize("states", [{8: "inactive", 7: "success"}, {8: "failure", 7: "error"}])
def test_none_that_is_active(states):
    reading, _ = reading_of([deployment(8, OTHER), deployment(7, COMMIT)], states)
    assert "none that succeeded and is still active" in reading.unread


def test_deployments_to_other_environments_only():
    with stub() as server:
        server.answers = {
            f"{API}/deployments": lambda query: [] if "environment=" in query else [deployment(7, COMMIT)],
            f"{API}/releases/latest": {"tag_name": "v2.14.1"},
        }
        assert "none to an environment of that name" in read("github", server.url, WHERE).unread


def test_neither_deployments_nor_releases():
    reading, asked = reading_of([], {})
    assert "neither deployments nor releases" in reading.unread
    assert [exchange.query for exchange in asked] == ["environment=pre-production&per_page=5", "per_page=1", ""]


def test_the_latest_release_where_none_are_recorded():
    release = {"tag_name": "v2.14.1", "published_at": "2026-11-29T09:00:00Z", "target_commitish": OTHER}
    reading, _ = reading_of([], {}, **{f"{API}/releases/latest": release})
    found = reading.running[0]
    assert (found.version, found.commit, found.since) == ("v2.14.1", "", SINCE)
    assert "nobody saw that it runs there" in found.notes[0]


def test_no_access():
    with stub() as server:
        assert "shows our token no such repository" in read("github", server.url, WHERE).unread
        server.answers[f"{API}/deployments"] = (403, {"x-ratelimit-remaining": "0"}, {"message": "API rate limit"})
        assert "fewer requests" in read("github", server.url, WHERE).unread


@pytest.mark.parametrize("junk", [None, 1, "x", {}, [1], [{}], [{"id": "7"}], [{"id": 7, "sha": "main"}]])
def test_answers_of_another_shape(junk):
    reading, _ = reading_of((200, {}, junk), {7: "success"})
    assert "an administrator has to check" in reading.unread
    reading, _ = reading_of(
        [deployment(7, COMMIT)], {}, **{f"{API}/deployments/7/statuses": (200, {}, junk if junk != {} else 1)}
    )
    assert reading.unread or not junk


def test_where_the_api_and_the_page_are():
    assert probe("github", "https://github.com", WHERE).url == (
        "https://github.com/acme/booking-api/deployments/pre-production"
    )


def test_releases_by_their_description(shared):
    path = shared / "specs" / "github-rest-trimmed.json"
    shown = json.loads(path.read_text())["components"]["examples"]["release"]["value"]
    reading, asked = reading_of([], {}, **{f"{API}/releases/latest": shown})
    assert reading.running[0].version == shown["tag_name"]
    described = Description(path, "/api/v3")
    assert [problem for one in asked if "/releases/" in one.path for problem in described.problems(one)] == []
