"""Who can read a reply, as labels."""

from dataclasses import replace
from datetime import UTC, datetime

from hypothesis import given
from hypothesis import strategies as st

from bots.types import Place, Trigger, Visibility
from core import visibility
from crosscheck.audience import Audiences

LABELS = st.sampled_from(["org", "jira:PAY", "jira:PAY:role:Leads", "confluence:HR", "repo:api", "outside"])
HOLDERS = st.dictionaries(LABELS, st.lists(LABELS, max_size=3), max_size=6)


def trigger(*, restriction=None, internal=False, security=None, customers=False) -> Trigger:
    place = Place("jira", "http://x", "1", "PAY-1", "http://x/browse/PAY-1", "PAY", security, customers)
    now = datetime(2026, 11, 1, tzinfo=UTC)
    return Trigger(place, "7", "Ana", "a1", now, "qa-check", Visibility(restriction, internal), False, "http://x")


def test_an_unmapped_project_holds_only_its_own_label():
    assert Audiences({}).of(trigger()).labels == {"jira:PAY"}


def test_holders_are_followed_all_the_way():
    audience = Audiences({"jira:PAY": ["org"], "org": ["confluence:POL", "repo:api"]}).of(trigger())
    assert audience.labels == {"jira:PAY", "org", "confluence:POL", "repo:api"}


def test_a_circle_of_holders_ends():
    assert Audiences({"a": ["b"], "b": ["a"]}).named("a").labels == {"a", "b"}


def test_a_restricted_comment_adds_its_role_by_identifier_first():
    by_name = trigger(restriction={"type": "role", "value": "Leads"})
    by_identifier = trigger(restriction={"type": "group", "value": "old name", "identifier": "g-77"})
    assert "jira:PAY:role:Leads" in Audiences({}).of(by_name).labels
    assert Audiences({}).of(by_identifier).labels == {"jira:PAY", "jira:group:g-77"}


def test_a_security_level_is_held_by_whoever_reads_there():
    assert Audiences({}).of(trigger(security="10001")).labels == {"jira:PAY", "jira:PAY:security:10001"}


def test_customers_hold_only_what_is_made_for_outsiders_whatever_the_role():
    audiences = Audiences({"jira:PAY": ["org"]}, outsiders=["public-docs"])
    role = {"type": "role", "value": "Support"}
    assert audiences.of(trigger(customers=True)).labels == {"public-docs"}
    assert audiences.of(trigger(customers=True, restriction=role)).labels == {"public-docs"}
    assert "jira:internal" in audiences.of(trigger(customers=True, internal=True)).labels


@given(HOLDERS, st.booleans(), st.sampled_from([None, "Leads"]), st.sampled_from([None, "5"]))
def test_a_narrower_trigger_never_holds_less(holders, internal, role, security):
    """Law 3's ground: narrowing a comment only adds labels, so what was written for the wider stays readable."""
    audiences = Audiences(holders)
    wide = audiences.of(trigger())
    restriction = {"type": "role", "value": role} if role else None
    narrow = audiences.of(trigger(restriction=restriction, internal=internal, security=security))
    assert narrow.covers(wide)


def test_who_sees_a_ticket_by_a_role_has_it():
    """Of one role that is its label, of several that of the set: nobody is known to have more than one."""

    def labels(*roles, customers=False):
        asked = trigger(customers=customers)
        return Audiences({}).of(replace(asked, place=replace(asked.place, roles=roles))).labels

    assert labels("10001") == {"jira:PAY", "jira:PAY:role:10001"}
    assert labels("10001", "10002") == {"jira:PAY", *visibility.jira_restricted("PAY", ("10002", "10001"))}
    assert not labels("10001", customers=True)
