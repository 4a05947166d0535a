"""The probes and databases of the settings, made."""

from collections.abc import Callable, Mapping
from dataclasses import fields
from datetime import datetime

from core.errors import SourceError
from core.probes.make import Credentials, Where, make_probe
from core.probes.types import Probe
from core.probes.work import Tracked
from core.pulls.repository import Repository
from core.schema.database import Database
from crosscheck.errors import BadSettings
from crosscheck.settings import Secrets, Settings
from crosscheck.settings_deployed import Database as DatabaseSettings
from crosscheck.settings_deployed import Probe as ProbeSettings

_WHERE = {field.name for field in fields(Where)} - {"environment"}


def probes(settings: Settings, secrets: Secrets, clock: Callable[[], datetime]) -> tuple[Probe, ...]:
    """Raises BadSettings for a probe that cannot be; says what to set."""
    return tuple(made(one, secrets.probe_token(one.name), clock) for one in settings.probes)


def databases(settings: Settings, secrets: Secrets) -> tuple[Database, ...]:
    """Raises BadSettings for a database that cannot be; says what to set."""
    return tuple(_database(one, secrets.database_password(one.name)) for one in settings.databases)


def tracked(settings: Settings, repositories: Mapping[str, Repository]) -> dict[str, Tracked]:
    """The repositories of which something may run, by their names."""
    links = {git.name: git.commit_link for git in settings.git}
    return {name: Tracked(one.mirror, one.baseline, links[name]) for name, one in repositories.items()}


def made(chosen: ProbeSettings, token: str, clock: Callable[[], datetime]) -> Probe:
    """One probe. Raises BadSettings."""
    if not token and chosen.kind != "http":
        raise BadSettings(
            f"CROSSCHECK_PROBE_TOKEN_{chosen.name.upper()} is not set. Set it in the environment of this process to a "
            f"token that may read {chosen.environment} and nothing else."
        )
    ca, certificate, key = (str(one or "") for one in (chosen.ca, chosen.client_certificate, chosen.client_key))
    try:
        return make_probe(
            chosen.kind,
            name=chosen.name,
            environment=chosen.environment,
            repo=chosen.repo,
            url=chosen.url,
            where=Where(**chosen.model_dump(include=_WHERE), environment=chosen.known_as),
            credentials=Credentials(token, chosen.user, ca, certificate, key),
            labels=chosen.readers,
            link=chosen.link,
            clock=clock,
        )
    except SourceError as error:
        raise BadSettings(f"{error}.") from error


def _database(chosen: DatabaseSettings, password: str) -> Database:
    try:
        return Database(
            name=chosen.name,
            environment=chosen.environment,
            tool=chosen.tool,
            repo=chosen.repo,
            path=chosen.path,
            url=chosen.url,
            password=password,
            schema=chosen.table_schema,
            labels=chosen.readers,
        )
    except ValueError as error:
        raise BadSettings(f"{error}.") from error
