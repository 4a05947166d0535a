"""A company so small that everything of it starts in a moment. Places to talk in are made by the tests."""

from datetime import UTC, datetime

from sandbox.records import Company, Page, PageVersion, Person, Project, Space, Ticket

OPENED = datetime(2026, 11, 2, 9, tzinfo=UTC)
LEAD = Person("po-1", "Ana Sol", "ana@firm.example", groups=("leads",))
"""Is among the few."""
DEVELOPER = Person("dev-1", "Ben <!here> [~po-1] {html} @Orr", "ben@firm.example")
CUSTOMER = Person("cust-1", "Cora Day", "cora@client.example", customer=True)
ROLE, GROUP = "Leads", "leads"
TEXT = """As a clerk I want to export a report.

- At most 20 reports may be exported in one day.
- An export without a date is refused with a message.
- What happens after midnight is TBD.
"""


def company() -> Company:
    return Company(
        people=(LEAD, DEVELOPER, CUSTOMER),
        projects=(
            Project("SHOP", "Shop", {ROLE: (LEAD.id,), "Team": (LEAD.id, DEVELOPER.id)}),
            Project("HELP", "Help desk", {"Agents": (LEAD.id, DEVELOPER.id)}, service_desk=True),
        ),
        tickets=(_ticket("SHOP-1", LEAD), _ticket("HELP-1", CUSTOMER)),
        spaces=(Space("DOC", "Documents"),),
        pages=(page("100", "Everything"), page("101", "For the few", groups=(GROUP,))),
        repos=(),
        truth=(),
    )


def page(number: str, title: str, *, parent: str | None = None, groups: tuple[str, ...] = ()) -> Page:
    return Page(number, "DOC", title, (PageVersion(OPENED, LEAD.id, TEXT),), parent=parent, groups=groups)


def _ticket(key: str, reporter: Person) -> Ticket:
    return Ticket(key, "Story", "Export a report", TEXT, "Open", reporter.id, OPENED, OPENED)
