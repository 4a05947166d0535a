"""What a process of the service does. One alone does everything; several divide it."""

from collections.abc import Iterable

from crosscheck.errors import BadSettings
from crosscheck.settings import Settings
from crosscheck.stores import SERVER

WEB, SLACK, POLL, WORK, SYNC = ROLES = ("web", "slack", "poll", "work", "sync")
"""Webhooks, programs and pages; Slack's events; looking for comments; reviews and posts; the index."""

ALL = frozenset(ROLES)


def chosen(names: str) -> frozenset[str]:
    """Roles as `serve --roles` takes them. Raises BadSettings."""
    roles = [name.strip() for name in names.split(",") if name.strip()]
    if unknown := [name for name in roles if name not in ROLES]:
        raise BadSettings(f"There is no role {unknown[0]!r}. There are: {', '.join(ROLES)}.")
    if not roles:
        raise BadSettings(f"Name one role at least: {', '.join(ROLES)}.")
    return frozenset(roles)


def check(settings: Settings, roles: Iterable[str]) -> None:
    """Raises BadSettings where these settings keep everything in one process."""
    if frozenset(roles) == ALL:
        return
    missing = [] if settings.state.url else ["jobs and posts in PostgreSQL (state.url)"]
    missing += [] if settings.index.engine == SERVER else ['the index on a server (index.engine = "server")']
    if missing:
        raise BadSettings(
            f"Roles can only be apart with {' and '.join(missing)}: a SQLite file and an embedded index belong to one "
            "process. Leave --roles out, or change the settings."
        )
