"""The repositories whose pull requests are read, each with its mirror and its host."""

import re
from collections.abc import Iterator, Mapping

from core import visibility
from core.errors import SourceForbidden
from core.mirror import Mirror
from core.pulls.hosts.make import make_host
from core.pulls.hosts.plain import PlainHost
from core.pulls.pulls import RepositoryPulls
from core.pulls.reader import Reader
from core.pulls.repository import Repository
from core.pulls.snapshot import Snapshots
from core.pulls.standings import Stands
from core.pulls.types import Host
from crosscheck.errors import BadSettings
from crosscheck.settings import Secrets, Settings
from crosscheck.settings_sources import Git


def pulls(
    every: Mapping[str, Repository], settings: Settings, deployments: Stands | None = None
) -> RepositoryPulls | None:
    """Reads the pull requests of these repositories; None where there is none. `deployments` know where each runs."""
    if not every:
        return None
    projects = settings.jira.projects if settings.jira else ()
    return RepositoryPulls(list(every.values()), Snapshots(every), Reader(every), projects, deployments=deployments)


def repositories(settings: Settings, secrets: Secrets) -> Iterator[Repository]:
    """Every configured repository. Raises BadSettings."""
    hosts = {host.name: host for host in settings.hosts}
    made: dict[str, Host] = {}
    for git in settings.git:
        mirror = Mirror(settings.mirrors_folder / git.name, git.location)
        if git.host and git.host not in made:
            named = hosts[git.host]
            made[git.host] = _host(named.name, named.kind, named.url, named.api, named.user, secrets)
        host = made[git.host] if git.host else PlainHost(mirror, baseline=git.branch, link=git.link)
        yield _repository(git, mirror, host)


def _repository(git: Git, mirror: Mirror, host: Host) -> Repository:
    return Repository(
        name=git.name,
        project=git.project or git.name,
        labels=frozenset({visibility.repository(git.name)}),
        host=host,
        mirror=mirror,
        baseline=git.branch,
        released=git.released,
    )


def _host(name: str, kind: str, url: str, api: str, user: str, secrets: Secrets) -> Host:
    token = secrets.host_token(name)
    if not token:
        raise BadSettings(
            f"CROSSCHECK_HOST_TOKEN_{name.upper()} is not set. Set it in the environment of this process to a token "
            f"of {url} that may read repositories and pull requests, and nothing else."
        )
    try:
        return make_host(kind, url, api=api, user=user, token=token)
    except SourceForbidden as error:
        raise BadSettings(f"hosts {name}: {error}.") from error


def repository_of_pull(document: str) -> str | None:
    """The repository whose pull request this is: `git:REPO!12`. It carries that repository's labels."""
    match = re.fullmatch(r"git:([^:@!]+)![0-9]+", document)
    return match and match[1]
