"""The settings that an administrator of a make-believe company would write."""

import json
from pathlib import Path

from sandbox.records import Company
from sandbox.server import Sandbox


def settings_text(company: Company, box: Sandbox, repos: dict[str, Path], port: int) -> str:
    """The settings an administrator of this company would write, but for Slack."""
    projects = [project.key for project in company.projects]
    places = [f"jira:{project}" for project in projects] + [f"confluence:{space.key}" for space in company.spaces]
    holders = {place: ["org"] for place in places} | {"org": list(company.open_to_all)}
    lines = [
        'data = "data"',
        f"[serve]\nport = {port}",
        f"[jira]\nsite = {_toml(box.jira_url)}\nread_user = {_toml(box.read_user)}\npost_user = {_toml(box.post_user)}",
        f"projects = {_toml(projects)}\npoll_seconds = 5\nsync_minutes = 1",
        f"[confluence]\nsite = {_toml(box.confluence_url)}\nuser = {_toml(box.read_user)}",
        f"spaces = {_toml([space.key for space in company.spaces])}\nsync_minutes = 1\npoll_seconds = 5",
        f"answers = true\npost_user = {_toml(box.post_user)}",
    ]
    lines.append(f'[[hosts]]\nname = "github"\nkind = "github"\nurl = {_toml(box.github_url)}')
    for name, path in repos.items():
        link = f"{box.jira_url}/code/{name}/{{path}}#L{{line}}"
        lines.append(f"[[git]]\nname = {_toml(name)}\nlocation = {_toml(str(path.resolve()))}\nlink = {_toml(link)}")
        lines.append(f'host = "github"\nproject = {_toml(f"{company.organisation}/{name}")}')
    lines.append('[review]\ntruth = "truth.toml"\n[audience.holders]')
    lines.extend(f"{_toml(label)} = {_toml(more)}" for label, more in holders.items())
    return "\n".join(lines) + "\n"


def slack_text(box: Sandbox) -> str:
    """The settings of its Slack, for a service that listens to it."""
    return f"[slack]\nsite = {_toml(box.slack_url)}\n"


def deployed_text(box: Sandbox, databases: Path) -> str:
    """The settings of what tells where its software runs, and of its databases, which are written to this folder."""
    lines = []
    for name, (environment, repo) in probes(box).items():
        lines.append(f"[[probes]]\nname = {_toml(name)}\nenvironment = {_toml(environment)}\nrepo = {_toml(repo)}")
        lines.append(f'kind = "http"\nurl = {_toml(box.version_url(environment, repo))}')
        lines.append('version = "version"\ncommit = "commit"\nsince = "started"\ndirty = "dirty"')
    tools = {(one.environment, one.repo): one.tool for one in box.company.databases}
    for (environment, repo), path in box.databases.write(databases).items():
        lines.append(f"[[databases]]\nname = {_toml(_name(environment, repo))}\nenvironment = {_toml(environment)}")
        lines.append(f'repo = {_toml(repo)}\ntool = {_toml(tools[environment, repo])}\npath = "migrations"')
        lines.append(f"url = {_toml(f'sqlite:///{path.resolve()}')}")
    return "\n".join(lines) + "\n"


def token_text(name: str, sha256: str, company: Company, *further: str) -> str:
    """The settings of a token that may read what everybody in the company may, and further labels."""
    labels = ["org", *company.open_to_all, *further]
    return f"[[tokens]]\nname = {_toml(name)}\nsha256 = {_toml(sha256)}\nlabels = {_toml(labels)}\n"


def asked_labels(box: Sandbox) -> tuple[str, ...]:
    """What it takes to see the demo's own questions, beside what everybody may."""
    demo = box.company.demo
    if demo is None:
        return ()
    project = demo.ticket.partition("-")[0]
    return f"jira:{project}:role:{demo.role}", f"slack:{box.slack.channel(demo.slack.channel).id}"


def probes(box: Sandbox) -> dict[str, tuple[str, str]]:
    """The names of its probes, and the environment and repository of each."""
    places = [
        (environment, repo) for environment in box.deployments.places() for repo in box.deployments.repos(environment)
    ]
    return {_name(environment, repo): (environment, repo) for environment, repo in sorted(places)}


def _name(environment: str, repo: str) -> str:
    return f"{environment}_{repo}".replace("-", "_")


def truth_text(company: Company) -> str:
    """What each rule must catch and leave alone, for `crosscheck review --all`."""
    rows = (
        f"[[expect]]\nticket = {_toml(row.ticket)}\nrule = {_toml(row.rule)}\nverdict = {_toml(row.verdict)}"
        for row in company.truth
    )
    return "\n\n".join(rows) + "\n"


def _toml(value: str | list[str]) -> str:
    """JSON's strings and lists of strings are TOML's."""
    return json.dumps(value, ensure_ascii=False)
