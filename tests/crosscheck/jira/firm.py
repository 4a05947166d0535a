"""A company so small that it is indexed in a moment, with somebody for each situation to happen to."""

from datetime import UTC, datetime

from sandbox.records import Company, Page, PageVersion, Person, Project, Space, Ticket

OPENED = datetime(2026, 11, 2, 9, tzinfo=UTC)
OWNER = Person("po-1", "Ana Sol", "ana@firm.example", groups=("staff", "qa-leads"))
DEVELOPER = Person("dev-1", "Ben Orr", "ben@firm.example", groups=("staff",))
TESTER = Person("test-1", "Tim Ash", "tim@firm.example", groups=("staff", "testers"))
LEAVING = Person("dev-2", "Lea Moor", "lea@firm.example", groups=("staff",))
AWAY = Person("dev-3", "Axel Bo", "axel@firm.example", groups=("staff",))
CUSTOMER = Person("cust-1", "Cora Day", "cora@client.example", customer=True)
BOT = Person("bot-1", "Crosscheck", "crosscheck@firm.example", groups=("staff", "qa-leads"), bot=True)

OWNERS, OWNERS_NOW, DEVELOPERS, TESTERS, AGENTS = "Product owners", "Owners", "Developers", "Testers", "Agents"
LEVEL = "Confidential"
HANDBOOK = """# Account policy

A passenger's account is locked after 5 failed sign-in attempts in a row. It is open again after 30 minutes.
"""
TEXT = """As a clerk I want to export a report.

- At most 20 reports may be exported in one day.
- An export without a date is refused with a message.
- What happens after midnight is TBD.
"""


def firm() -> Company:
    """`PAY`, `WEB` and the service project `HELP` are watched, `OPS` is not. Of the roles, the bot lacks `Testers`; of
    the groups, `testers`.
    """
    few = (OWNER.id, BOT.id)
    staff = (OWNER.id, DEVELOPER.id, LEAVING.id, AWAY.id, BOT.id)
    roles = {OWNERS: few, OWNERS_NOW: few, DEVELOPERS: staff, TESTERS: (TESTER.id,)}
    return Company(
        people=(OWNER, DEVELOPER, TESTER, LEAVING, AWAY, CUSTOMER, BOT),
        projects=(
            Project("PAY", "Payments", roles, security_levels={LEVEL: few}),
            Project("WEB", "Web shop", roles),
            Project("OPS", "Operations", roles),
            Project("HELP", "Help desk", {AGENTS: staff, OWNERS: few}, service_desk=True),
        ),
        tickets=(
            *(_ticket(f"{project}-1", OWNER) for project in ("PAY", "WEB", "OPS")),
            _ticket("HELP-1", CUSTOMER),
        ),
        spaces=(Space("POL", "Policies"),),
        pages=(Page("100", "POL", "Account policy", (PageVersion(OPENED, OWNER.id, HANDBOOK),)),),
        repos=(),
        truth=(),
        open_to_all=("jira:PAY", "jira:WEB", "jira:OPS", "jira:HELP", "confluence:POL"),
    )


def _ticket(key: str, reporter: Person) -> Ticket:
    return Ticket(key, "Story", "Export a report", TEXT, "Open", reporter.id, OPENED, OPENED)
