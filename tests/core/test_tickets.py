"""A ticket is shown to an audience without what is beyond it."""

from datetime import UTC, datetime

import pytest

from core.tickets import Change, Person, Ticket, TicketLink
from core.types import Audience, Locator

AT = datetime(2026, 3, 2, 9, tzinfo=UTC)
ANA = Person("u", "Ana")
STAFF, LEADS = Audience(frozenset({"shop"})), Audience(frozenset({"shop", "leads"}))


def linked(key, *labels):
    at = Locator(f"jira:{key}", key, f"https://jira.example/browse/{key}")
    return TicketLink("blocks", key, "Hole", "Bug", "Open", False, None, frozenset({"shop", *labels}), at)


def changed(before, after, to_tickets=True):
    return Change(AT, ANA, "Link", before, after, to_tickets)


def ticket(*history):
    at = Locator("jira:1", "SHOP-1 Lock", "https://jira.example/browse/SHOP-1")
    return Ticket(
        id="1",
        key="SHOP-1",
        project="SHOP",
        summary="Lock",
        description="",
        type="Bug",
        status="Open",
        done=False,
        resolution=None,
        reporter=None,
        assignee=None,
        created=AT,
        updated=AT,
        labels=frozenset({"shop"}),
        locator=at,
        history=history,
        links=(linked("SHOP-2", "leads"), linked("SHOP-3")),
    )


@pytest.mark.parametrize(
    ("change", "staff", "leads"),
    [
        (changed("", "This issue blocks SHOP-3"), True, True),
        (changed("", "This issue blocks SHOP-2"), False, True),
        (changed("This issue blocks SHOP-2", ""), False, True),
        (changed("SHOP-3", "SHOP-2"), False, True),
        (changed("SHOP-3", "SHOP-1"), True, True),
        (changed("", "SHOP-3, SHOP-2"), False, True),
        (changed("", "SHOP-999"), False, False),
        (changed("SHOP-3", "The secret plan"), False, False),
        (changed("", "See SHOP-2 and SHOP-999", to_tickets=False), True, True),
    ],
)
def test_history_names_linked_tickets_to_those_who_may_know_of_them(change, staff, leads):
    whole = ticket(change)
    assert (whole.seen_by(STAFF).history == (change,), whole.seen_by(LEADS).history == (change,)) == (staff, leads)


def test_who_may_not_read_a_ticket_sees_nothing_of_it():
    assert ticket().seen_by(Audience(frozenset({"leads"}))) is None
