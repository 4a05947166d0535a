"""A wiki of a tiny company on loopback, as Cloud and as Data Center. What is sent is judged by the descriptions."""

from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from bots.confluence.client import ConfluenceClient
from bots.types import Post, Visibility
from sandbox.records import Company, Page, PageVersion, Person, Space
from sandbox.server import Sandbox
from tests.conftest import SHARED
from tests.specs import judge

OLD = datetime(2026, 1, 5, 9, tzinfo=UTC)
NOW = datetime(2026, 3, 2, 9, tzinfo=UTC)
FLAVOURS = ("cloud", "data-center")


def page(number, title, **more):
    return Page(number, more.pop("space", "SPEC"), title, (PageVersion(OLD, "ana", "The account is locked."),), **more)


COMPANY = Company(
    people=(
        Person("ana", "Ana Sol", "ana@x.example", ("qa-leads", "staff")),
        Person("ben", "Ben Ito", "ben@x.example", ("staff",)),
        Person("bot", "Crosscheck", "bot@x.example", ("staff",), bot=True),
    ),
    projects=(),
    tickets=(),
    spaces=(Space("SPEC", "Specifications"), Space("LED", "Leads", groups=("qa-leads",)), Space("ODD", 'The "odd"')),
    pages=(
        page("501", "Login rules"),
        page("502", "Old rules", archived=True),
        page("503", "Plans", space="LED"),
        page("504", "Elsewhere", space="ODD"),
    ),
    repos=(),
    truth=(),
)


class Hand:
    """The sandbox's clock, which is moved by hand."""

    def __init__(self):
        self.now = NOW

    def __call__(self):
        return self.now

    def forward(self, **span):
        self.now += timedelta(**span)


@pytest.fixture
def clock():
    return Hand()


@pytest.fixture
def box(clock) -> Iterator[Sandbox]:
    with Sandbox.start(COMPANY) as sandbox:
        sandbox.confluence.now = clock
        yield sandbox
        if SHARED.is_dir():
            asked = [
                replace(e, status=0, response_headers={}, response_body=b"")
                for e in sandbox.exchanges.all("confluence")
            ]
            assert [(e.method, e.url, wrong) for e in asked for wrong in judge(SHARED).check(e)] == []


@pytest.fixture
def notes(box):
    return box.confluence.notes


@pytest.fixture(params=FLAVOURS)
def flavour(request):
    return request.param


def connect(box, flavour, **more):
    if flavour == "cloud":
        return ConfluenceClient(box.confluence_url, box.post_user, box.post_token, timeout=3, **more)
    return ConfluenceClient(box.confluence_data_center_url, "", box.post_token, timeout=3, **more)


@pytest.fixture
def client(box, flavour) -> Iterator[ConfluenceClient]:
    made = connect(box, flavour)
    yield made
    made.close()


def answer(trigger, value="<p>Yes.</p>", key="job-1/reply/1", **more):
    """A post that answers a trigger."""
    made = Post(
        trigger.place, Visibility(), {"type": "storage", "value": value}, key, trigger.comment_id, trigger.created
    )
    return replace(made, **more)
