"""Nothing that people wrote leaves a ticket with a credential in it."""

from dataclasses import fields, replace
from datetime import UTC, datetime

from core.ticket_masking import without_credentials
from core.tickets import Change, Comment, Field, Person, RemoteLink, Ticket, TicketLink
from core.types import Locator

SECRET = "ghp_" + "a1B2" * 9
T = datetime(2026, 3, 2, tzinfo=UTC)
OPEN = frozenset({"jira:SHOP"})


def ticket(said):
    author, at = Person("u-1", "Olga Owner"), Locator("jira:1", f"SHOP-1 {said}", "https://site.example/browse/SHOP-1")
    return Ticket(
        id="1", key="SHOP-1", project="SHOP", summary=said, description=said, type="Story", status="Open", done=False,
        resolution=None, reporter=author, assignee=None, created=T, updated=T, labels=OPEN, locator=at,
        fields=(Field("f", "Criteria", said),),
        comments=(Comment("7", author, T, T, said, (), OPEN, at),),
        history=(Change(T, author, "description", said, said),),
        links=(TicketLink("blocks", "SHOP-2", said, "Bug", "Open", False, None, OPEN, at),),
        remote_links=(RemoteLink(said, "https://site.example/x"),),
    )  # fmt: skip


def test_whatever_people_wrote_is_masked():
    masked = without_credentials(ticket(f"Use {SECRET} here."))
    assert SECRET not in repr(masked)
    assert masked == ticket(f"Use {'*' * len(SECRET)} here.")


def test_nothing_else_is_touched():
    plain = replace(ticket("Five tries."), kind="page", version="3", unread=("The files",), attributes={"space": "POL"})
    same = without_credentials(plain)
    assert all(getattr(same, field.name) == getattr(plain, field.name) for field in fields(Ticket))
