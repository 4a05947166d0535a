"""Who may ask in comments, and how often."""

from dataclasses import replace

import pytest

from bots.errors import NotAllowed
from core.types import Locator
from crosscheck.settings_commands import Commands
from review.types import Cited, Finding, Priority
from tests import fakes


def said(bench, comment="501", **changes):
    """What is said to a comment, posted."""
    bench.platform.trigger_now = replace(fakes.trigger(), comment_id=comment, created=bench.clock(), **changes)
    job, worker = bench.ask(comment), bench.worker()
    while worker.run_once():
        pass
    return bench.jobs.show(job)


@pytest.fixture
def told(bench):
    cited = Cited(Locator("jira:1", "PAY-1", "https://jira.example/browse/PAY-1"), frozenset({"jira:PAY"}), "quote")
    bench.labels = {"jira:1": frozenset({"jira:PAY"})}
    bench.findings = [Finding("undecided", "undecided", Priority.P1, "Point.", "Why.", "Which?", (cited,))]
    return bench


def test_only_members_are_answered_and_others_are_told_whom_to_ask(bench):
    bench.commands = Commands(groups=("qa-leads",), roles=("Product owners",))
    reply = said(bench).result["reply"]
    assert "people in the group qa-leads or with the role Product owners here" in reply
    assert not bench.reviewed
    bench.platform.memberships = {"Product owners"}
    said(bench, "502")
    assert len(bench.reviewed) == 1


def test_where_membership_cannot_be_read_nobody_is_answered_and_an_administrator_is_told(bench):
    bench.commands = Commands(groups=("qa-leads",))

    def refuse(*_asked):
        raise NotAllowed("The posting account may not see groups; it takes the permission Browse users and groups.")

    bench.platform.belongs = refuse
    said(bench)
    bench.drain()
    (view,) = bench.jobs.list()
    assert (view.state, bench.reviewed) == ("failed", [])
    assert "Browse users and groups" in view.error


def test_a_review_is_not_made_again_within_the_cool_down(told):
    told.commands = Commands(cooldown_minutes=30)
    said(told)
    told.clock.forward(minutes=4)
    again = said(told, "502")
    assert again.result == {"refused": again.result["reply"], "reply": again.result["reply"]}
    assert "reviewed 4 minutes ago" in again.result["reply"]
    told.clock.forward(minutes=30)
    assert "review" in said(told, "503").result
    assert len(told.reviewed) == 2


def test_a_point_can_be_set_aside_within_the_cool_down(told):
    told.commands = Commands(cooldown_minutes=30)
    said(told)
    assert said(told, "502", argument="dismiss 1: agreed").result["dismissed"]


def test_a_review_for_fewer_people_does_not_keep_others_waiting(told):
    """That there was one is not told to who was not shown it."""
    told.commands = Commands(cooldown_minutes=30)
    said(told, visibility=fakes.restricted("Leads"))
    view = said(told, "502")
    assert "review" in view.result


def test_on_pages_roles_are_not_named_for_nobody_has_one_there(bench):
    bench.surface = replace(bench.surface, kind="page")
    bench.commands = Commands(groups=("qa-leads",), roles=("Product owners",))
    assert "people in the group qa-leads here" in said(bench).result["reply"]
    bench.commands = Commands(roles=("Product owners",))
    assert "Nobody may ask on pages here yet" in said(bench, "502").result["reply"]
