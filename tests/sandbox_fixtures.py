"""A small company for tests of the sandbox itself, and accounts to look at it with."""

from datetime import UTC, datetime, timedelta
from typing import Any

import requests

from sandbox.records import (
    Change,
    Comment,
    Company,
    Link,
    Page,
    PageVersion,
    Person,
    Project,
    RemoteLink,
    Space,
    Ticket,
)
from sandbox.server import Sandbox

T = datetime(2026, 3, 2, 9, 0, tzinfo=UTC)

OWNER = Person("u-owner", "Olga Owner", "olga@firm.example", groups=("leads",))
DEVELOPER = Person("u-dev", "Dan Developer", "dan@firm.example", groups=("engineering",))
AGENT = Person("u-agent", "Ada Agent", "ada@firm.example")
OUTSIDER = Person("u-out", "Otto Other", "otto@firm.example")
CUSTOMER = Person("u-cust", "Carla Customer", "carla@client.example", customer=True)

DESCRIPTION = """After **five** tries the account is locked, see [the policy](page:501) and `lockout_grace`.

| Case | Result |
|------|--------|
| right | in |
| wrong | out |

- [ ] agreed with @[u-owner]
- [x] counted

> quoted
> - inside

1. one
   ```python
   x = "]]>"
   ```
"""


def company() -> Company:
    shop = Project(
        "SHOP",
        "Shop",
        roles={"Owners": (OWNER.id,), "Developers": (DEVELOPER.id,)},
        security_levels={"Leads only": (OWNER.id,)},
    )
    help_desk = Project("HELP", "Help desk", roles={"Agents": (AGENT.id,)}, service_desk=True)
    story = Ticket(
        key="SHOP-1",
        type="Story",
        summary="Lock the account",
        description=DESCRIPTION,
        status="In progress",
        reporter=OWNER.id,
        assignee=DEVELOPER.id,
        created=T,
        updated=T + timedelta(hours=5),
        fields={
            "Acceptance criteria": "- locked\n- told",
            "Priority": "High",
            "Labels": "login, safety",
            "Team": "Web",
        },
        comments=(
            Comment(OWNER.id, T + timedelta(hours=1), "For everybody."),
            Comment(OWNER.id, T + timedelta(hours=2), "For owners.", role="Owners"),
            Comment(DEVELOPER.id, T + timedelta(hours=3), "For engineering.", group="engineering"),
        ),
        history=tuple(
            Change(T + timedelta(minutes=at), OWNER.id, "description", f"text {at}", f"text {at + 1}")
            for at in range(7)
        ),
        links=(Link("Blocks", "SHOP-2"),),
        remote_links=(RemoteLink("The policy", "page:501"),),
    )
    secret = Ticket("SHOP-2", "Bug", "Hole", "", "Done", OWNER.id, T, T, resolution="Fixed", security="Leads only")
    child = Ticket("SHOP-3", "Sub-task", "Count", "Count them.", "To Do", DEVELOPER.id, T, T, parent="SHOP-1")
    request = Ticket(
        "HELP-1",
        "Request",
        "Cannot log in",
        "Help!",
        "Open",
        CUSTOMER.id,
        T,
        T,
        comments=(
            Comment(AGENT.id, T + timedelta(hours=1), "We look into it.", id="90001"),
            Comment(AGENT.id, T + timedelta(hours=2), "Rude customer.", internal=True, id="90002"),
        ),
    )
    return Company(
        people=(OWNER, DEVELOPER, AGENT, OUTSIDER, CUSTOMER),
        projects=(shop, help_desk),
        tickets=(story, secret, child, request),
        spaces=(Space("POL", "Policies"), Space("LED", "Leads", groups=("leads",))),
        pages=(
            Page(
                "501",
                "POL",
                "Login <policy> & rules",
                (_version("Five tries."), _version(DESCRIPTION, 1)),
                labels=("a",),
            ),
            Page("502", "POL", "Details", (_version("More."),), parent="501", groups=("engineering",)),
            Page("503", "POL", "Below details", (_version("Still more."),), parent="502"),
            Page("504", "POL", "Old", (_version("Old."),), archived=True),
            Page("505", "LED", "Plans", (_version("Plans."),), users=(OWNER.id,)),
        ),
        repos=(),
        truth=(),
    )


def _version(text: str, day: int = 0) -> PageVersion:
    return PageVersion(T + timedelta(days=day), OWNER.id, text, "edited" if day else "")


class Client:
    """One account at the sandbox, over one keep-alive connection."""

    def __init__(self, sandbox: Sandbox, user: str, token: str) -> None:
        self._jira = sandbox.jira_url + "/rest/api/3"
        self._wiki = sandbox.confluence_url + "/wiki"
        self.session = requests.Session()
        self.session.trust_env = False
        self.session.auth = (user, token)

    def jira(self, method: str, path: str, **more: Any) -> requests.Response:
        return self.session.request(method, self._jira + path, timeout=10, **more)

    def get(self, path: str, **query: Any) -> requests.Response:
        return self.jira("GET", path, params=query)

    def wiki(self, path: str, **query: Any) -> requests.Response:
        return self.session.get(self._wiki + path, params=query, timeout=10)


def as_reader(sandbox: Sandbox) -> Client:
    return Client(sandbox, sandbox.read_user, sandbox.read_token)


def as_bot(sandbox: Sandbox) -> Client:
    return Client(sandbox, sandbox.post_user, sandbox.post_token)


def as_person(sandbox: Sandbox, person: Person) -> Client:
    return Client(sandbox, *sandbox.login(person.id))


def paragraph(text: str) -> dict[str, object]:
    """A comment's body in ADF."""
    content = [{"type": "paragraph", "content": [{"type": "text", "text": text}]}]
    return {"type": "doc", "version": 1, "content": content}
