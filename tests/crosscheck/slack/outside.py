"""Texts of the company that would call people, lead elsewhere or look otherwise, if they were more than text."""

from dataclasses import replace
from datetime import UTC, datetime

from sandbox.records import Comment, Company, Page, PageVersion, Ticket

AT = datetime(2026, 9, 30, 9, tzinfo=UTC)

CALLS = "<!channel> <!here> <@U0AAAAAAA> <#C0AAAAAAA> <!subteam^S0AAAAAAA> @here @channel @everyone"
LEADS = "<http://evil.example/x|the handbook> [the handbook](http://evil.example/y) http://evil.example/z"
NAMES = ("check_user_lock", "MAX_RETRY_COUNT", "{tenant}", "a*b*c", "[draft]", r"C:\temp", "x -> y", "R&D", "n < 5")
"""Names that must arrive to the character."""
LOOKS = "*bold* _italic_ ~gone~ :tada: `code` ```block``` &lt;!channel&gt;"


def with_outside_text(company: Company) -> Company:
    """The same company, with a ticket, a comment and a page about fenders and their winches."""
    author = next(person.id for person in company.people if not person.customer)
    ticket = Ticket(
        key="GATE-901",
        type="Story",
        summary=f"Fender winch: {CALLS}",
        description=f"The fender winch pulls for 12 minutes. The fender winch greets {CALLS} at {LEADS} when {LOOKS}.",
        status="To Do",
        reporter=author,
        created=AT,
        updated=AT,
        comments=(Comment(author, AT, f"The fender winch stops after 3 knots, says {LEADS} to {CALLS}."),),
    )
    page = Page(
        id="7901",
        space="ENG",
        title=f"Fender winch manual {CALLS}",
        versions=(
            PageVersion(
                AT, author, f"# Fender winch manual\n\nThe fender winch brake is released by {LEADS}, {CALLS}."
            ),
        ),
    )
    return replace(company, tickets=(*company.tickets, ticket), pages=(*company.pages, page))
