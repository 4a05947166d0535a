"""A small company whose repositories are at four kinds of host, one program over it, and what its reviews say."""

import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from itertools import count
from pathlib import Path
from typing import Any

from pydantic import SecretStr

from core.types import Audience
from crosscheck import settings as config
from crosscheck.owner import owning
from crosscheck.settings import Secrets
from crosscheck.wiring import Program
from evals.playground import secrets_of
from review.types import Finding, Review
from sandbox.git import Content
from sandbox.records import Commit, Company, Person, Project, Repo, Ticket
from sandbox.repos import build
from sandbox.server import Sandbox

ORGANISATION = "acme"
OPENED = datetime(2026, 11, 2, 9, tzinfo=UTC)
LEAD = Person("po-1", "Ana Sol", "ana@example.com")
DEVELOPER = Person("dev-1", "Ben Orr", "ben@example.com")
HOSTS = {
    "shop": "github",
    "web": "github",
    "vault": "github",
    "annex": "narrow",
    "lab": "gitlab",
    "depot": "bitbucket_cloud",
    "yard": "bitbucket_data_center",
    "plain": "",
}
"""Repository -> its host in the settings. `narrow` is GitHub again, with a token that reads `shop` alone."""

FEES = "".join(f"def fee_{n}(days):\n    return {n} * days\n\n" for n in range(130))
FIRST = {
    "README.md": "# Shop\n",
    "src/sign_in.py": "MAX_FAILED_SIGN_INS = 3\n\n\ndef sign_in(person):\n    return person\n",
    "src/fees.py": FEES,
    "src/run.sh": "#!/bin/sh\necho run\n",
}
WORK = {"src/lock.py": 'MAX_FAILED_SIGN_INS = 5\n\n\ndef account_locked_notice():\n    return "locked"\n'}
"""What the tickets ask for."""
WANTED = "account_locked_notice"
_ASKED = (
    "The sign-in must be safe against guessing.\n\n## Acceptance criteria\n\n"
    "- After 5 failed sign-in attempts the account is locked.\n"
    f"- The page must then show `{WANTED}`.\n"
)


def company(tickets: int) -> Company:
    """Tickets that all ask for the same, and repositories that all begin alike."""
    commit = Commit(DEVELOPER.id, OPENED, "Begin", FIRST)
    return Company(
        people=(DEVELOPER, LEAD),
        projects=(Project("PRS", "Sign-in", {"Leads": (LEAD.id,)}),),
        tickets=tuple(_ticket(number) for number in range(1, tickets + 1)),
        spaces=(),
        pages=(),
        repos=tuple(Repo(name, (commit,)) for name in HOSTS),
        truth=(),
        organisation=ORGANISATION,
    )


def _ticket(number: int) -> Ticket:
    return Ticket(
        key=f"PRS-{number}",
        type="Story",
        summary="Lock an account after failed sign-ins",
        description=_ASKED,
        status="In progress",
        reporter=LEAD.id,
        created=OPENED,
        updated=OPENED,
    )


@dataclass(frozen=True, slots=True)
class Said:
    """What a review says, with numbers and commits that differ from run to run replaced."""

    pulls: tuple[str, ...]
    unknowns: tuple[str, ...]
    findings: tuple[Finding, ...]
    review: Review

    @property
    def absences(self) -> list[Finding]:
        """Findings that say that something is not in a pull request."""
        return [one for one in self.findings if one.rule == "named-in-pull"]


@dataclass
class Stage:
    """One situation: a ticket, and the pull requests that are opened for it."""

    box: Sandbox
    program: Program
    key: str
    repo: str = "shop"
    """Where pull requests are opened if nothing else is said."""
    elsewhere: str = ""
    """Address of a server that nobody has set up."""
    readable: tuple[str, ...] = ()
    """Repositories that the audience may read; none: the one above."""
    opened: list[tuple[str, int]] = field(default_factory=list)

    def propose(
        self,
        files: Mapping[str, Content],
        *,
        repo: str = "",
        on: str = "first",
        title: str = "{key}: lock accounts",
        message: str = "{key}: lock accounts",
        branch: str = "",
        **more: Any,
    ) -> int:
        """Open a pull request of one commit; its number."""
        repo = repo or self.repo
        commit = self.box.git_host.commit(repo, files, message.format(key=self.key), on=on)
        return self.propose_commit(commit, repo=repo, title=title, branch=branch, **more)

    def propose_commit(self, commit: str, *, repo: str = "", title: str, branch: str = "", **more: Any) -> int:
        repo = repo or self.repo
        branch = branch or f"work-of-{len(self.opened)}-{self.key.partition('-')[2]}"
        number = self.box.git_host.open(repo, branch, commit, title.format(key=self.key), **more)
        self.opened.append((repo, number))
        return number

    def address(self, number: int, repo: str = "") -> str:
        """Of a pull request's page at GitHub."""
        return f"{self.box.github_url}/{ORGANISATION}/{repo or self.repo}/pull/{number}"

    def file(self, commit: str, path: str) -> str:
        """Of a file's page there."""
        return f"{self.box.github_url}/{ORGANISATION}/{self.repo}/blob/{commit}/{path}"

    def write(self, text: str) -> None:
        """A comment on the ticket."""
        self.box.jira.add_comment(self.key, LEAD.id, text)

    def when_asked(self, number: int, what: Callable[[], object], times: int) -> None:
        """Do something when the host is asked for a pull request that it told of before, so many times."""
        asked = count()

        def act(_exchange: object) -> None:
            if 1 <= next(asked) <= times:
                what()

        self.box.faults.on("GET", rf"/(pulls|merge_requests|pullrequests|pull-requests)/{number}$", act)

    def sync(self) -> None:
        """Read the repository into the index again, branches and all."""
        self.program.sources.sync(self.repo, False, lambda _message: None)

    def review(self) -> Said:
        """What the review says to who may read the ticket and these repositories."""
        labels = {"jira:PRS", *(f"repo:{name}" for name in self.readable or (self.repo,))}
        made = self.program.reviewer.review(self.key, Audience(frozenset(labels)))
        return Said(
            tuple(self.plain(f"{pull.locator.label}: {' '.join(pull.says)}") for pull in made.pulls),
            tuple(self.plain(unknown.what) for unknown in made.unknowns),
            made.findings,
            made,
        )

    def plain(self, text: str) -> str:
        """Pull requests are numbered in the order in which they were opened here."""
        numbers = {f"{number} of {repo}": at for at, (repo, number) in enumerate(self.opened, 1)}
        text = re.sub(r"\b(\d+)( of \w+)", lambda found: f"{numbers.get(found[0], found[1])}{found[2]}", text)
        text = re.sub(r"\b[0-9a-f]{12}\b", "COMMIT", text)
        return text.replace(self.key, "KEY")


@contextmanager
def staged(tickets: int, home: Path) -> Iterator[tuple[Sandbox, Program]]:
    """The company on loopback, and a program whose index holds it."""
    made = company(tickets)
    repos = build(made, home / "repos")
    with Sandbox.start(made) as box:
        box.repos.update(repos)
        box.git_host.anonymous_git = True
        for name in repos:
            box.git_host.branch(name, "first", "main")
        file = home / config.FILE
        file.write_text(_settings(box), "utf-8")
        narrow = box.git_host.grant("shop").value
        tokens = {host: box.git_host.token for host in HOSTS.values() if host} | {"narrow": narrow}
        secrets: Secrets = secrets_of(box).model_copy(
            update={"host_tokens": {name: SecretStr(token) for name, token in tokens.items()}}
        )
        program = Program(config.load(file), secrets)
        with owning(program.settings.data, "tests"), closing(program):
            for name in program.sources.names([]):
                program.sources.sync(name, True, lambda _message: None)
            yield box, program


def _settings(box: Sandbox) -> str:
    urls = {
        "github": box.github_url,
        "narrow": box.github_url,
        "gitlab": box.gitlab_url,
        "bitbucket_cloud": box.bitbucket_cloud_url,
        "bitbucket_data_center": box.bitbucket_data_center_url,
    }
    lines = [
        f'data = "data"\n[jira]\nsite = "{box.jira_url}"\nread_user = "{box.read_user}"',
        f'post_user = "{box.post_user}"\nprojects = ["PRS"]',
    ]
    for name, url in urls.items():
        kind = "github" if name == "narrow" else name.replace("_", "-")
        lines.append(f'[[hosts]]\nname = "{name}"\nkind = "{kind}"\nurl = "{url}"')
        if name == "bitbucket_cloud":
            lines.append(f'user = "{box.read_user}"')
    for repo, host in HOSTS.items():
        lines.append(f'[[git]]\nname = "{repo}"\nreleased = "released"\nlocation = "{_location(repo, host, urls)}"')
        if host:
            owner = ORGANISATION.upper() if host == "bitbucket_data_center" else ORGANISATION
            lines.append(f'host = "{host}"\nproject = "{owner}/{repo}"')
    return "\n".join(lines) + "\n"


def _location(repo: str, host: str, urls: Mapping[str, str]) -> str:
    way = f"scm/{ORGANISATION}" if host == "bitbucket_data_center" else ORGANISATION
    return f"{urls[host or 'github']}/{way}/{repo}.git"
