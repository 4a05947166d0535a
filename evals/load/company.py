"""The company that is busy, and the service's settings in it."""

import json
import socket
from collections.abc import Mapping
from contextlib import closing
from dataclasses import dataclass, replace
from pathlib import Path

from crosscheck.settings import variable
from evals.playground import company as plain
from evals.playground import secrets_of
from sandbox.records import Company, Ticket
from sandbox.server import Sandbox

STORY = """As a clerk I want to export report {number}.

- At most {number} reports may be exported in one day.
- An export without a date is refused with a message.
- The export must be decided: TBD.
"""


@dataclass(frozen=True, slots=True)
class Pace:
    """How often the service looks by itself; `lease` in seconds, longer than three requests of its clients."""

    poll_seconds: float
    sync_minutes: float
    lease: float = 31.0
    log_level: str = "info"


def company(tickets: int, pages: int) -> Company:
    """Stories and pages that say something different each."""
    made = plain(tickets, pages)
    return replace(made, tickets=tuple(map(_told, made.tickets)))


def settings_text(box: Sandbox, port: int, pace: Pace) -> str:
    """As an administrator would write them, without the limits on how much one person may ask."""
    projects = json.dumps([project.key for project in box.company.projects])
    read, post = json.dumps(box.read_user), json.dumps(box.post_user)
    often = f"poll_seconds = {pace.poll_seconds}\nsync_minutes = {pace.sync_minutes}"
    return f"""data = "data"
log_level = "{pace.log_level}"
[serve]
port = {port}
[worker]
lease_seconds = {pace.lease}
[limits]
person_hour = 0
place_hour = 0
[jira]
site = "{box.jira_url}"
read_user = {read}
post_user = {post}
projects = {projects}
{often}
[confluence]
site = "{box.confluence_url}"
user = {read}
post_user = {post}
spaces = {json.dumps([space.key for space in box.company.spaces])}
answers = true
{often}
[slack]
site = "{box.slack_url}"
[audience.holders]
"org" = ["jira:RUN", "confluence:RUN"]
"jira:RUN" = ["org"]
"confluence:RUN" = ["org"]
"""


def environment(box: Sandbox) -> Mapping[str, str]:
    """Every secret of the service, by its variable."""
    told = {variable(name): one.get_secret_value() for name, one in secrets_of(box) if hasattr(one, "get_secret_value")}
    return told | {variable("confluence_webhook_secret"): box.webhook_secret}


def free_port() -> int:
    """One that nothing listens on just now."""
    with closing(socket.create_server(("127.0.0.1", 0))) as probe:
        port: int = probe.getsockname()[1]
        return port


def written(folder: Path, box: Sandbox, port: int, pace: Pace) -> Path:
    """The settings file, beside the data folder."""
    path = folder / "crosscheck.toml"
    path.write_text(settings_text(box, port, pace), "utf-8")
    return path


def _told(ticket: Ticket) -> Ticket:
    return replace(ticket, description=STORY.format(number=ticket.key.rpartition("-")[2]))
