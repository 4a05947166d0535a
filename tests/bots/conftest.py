"""A tiny company on loopback. Whatever the client sends to it is judged by Jira's own description."""

from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime

import pytest
from hypothesis import settings

from bots.jira.client import JiraClient
from sandbox.records import Company, Person, Project, Ticket
from sandbox.server import Sandbox
from tests.conftest import SHARED
from tests.specs import judge

settings.register_profile("no time limit", deadline=None)  # time is not what these laws are about
settings.load_profile("no time limit")

OLD = datetime(2026, 1, 5, 9, tzinfo=UTC)


def ticket(key):
    return Ticket(key, "Story", f"About {key}", "Text.", "Open", "ana", OLD, OLD)


COMPANY = Company(
    people=(
        Person("ana", "Ana Sol", "ana@x.example", ("qa-leads", "staff")),
        Person("ben", "Ben Ito", "ben@x.example", ("staff",)),
        Person("cyd", "Cyd Roe", "cyd@c.example", customer=True),
        Person("bot", "Crosscheck", "bot@x.example", ("qa-leads", "staff"), bot=True),
    ),
    projects=(
        Project(
            "PAY",
            "Payments",
            {"Developers": ("ana", "bot"), "Leads": ("ana",)},
            security_levels={"Secret": ("ana", "bot")},
        ),
        Project("HELP", "Help desk", {"Support staff": ("ana", "ben", "bot")}, service_desk=True),
    ),
    tickets=(ticket("PAY-1"), ticket("PAY-2"), ticket("HELP-1")),
    spaces=(),
    pages=(),
    repos=(),
    truth=(),
)


@pytest.fixture
def box() -> Iterator[Sandbox]:
    with Sandbox.start(COMPANY) as sandbox:
        yield sandbox
        if SHARED.is_dir():
            asked = [
                replace(e, status=0, response_headers={}, response_body=b"") for e in sandbox.exchanges.all("jira")
            ]
            assert [(e.method, e.url, wrong) for e in asked for wrong in judge(SHARED).check(e)] == []


@pytest.fixture
def client(box) -> Iterator[JiraClient]:
    client = JiraClient(box.jira_url, box.post_user, box.post_token, timeout=3)
    yield client
    client.close()
