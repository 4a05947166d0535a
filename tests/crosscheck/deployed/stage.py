"""The whole company on loopback, and a program for each situation of what runs where and how databases changed."""

import json
import re
import sqlite3
import ssl
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from itertools import count
from pathlib import Path
from typing import Any

from pydantic import SecretStr

from crosscheck import settings as config
from crosscheck.operations import Local
from crosscheck.owner import owning
from crosscheck.settings import Secrets
from crosscheck.wiring import Program
from sandbox.load import load_company
from sandbox.repos import build
from sandbox.server import Sandbox
from tests.core.probes.certificates import Authority
from tests.core.probes.stub import Stub, server_context, stub

NOW = datetime(2026, 11, 30, 12, tzinfo=UTC)
READERS = "repo:booking-api,repo:gate-app"
TEST = "test"
"""An environment that is there only for the situation that brings something to it."""
_COMMIT = re.compile(r"\b[0-9a-f]{12}\b")
_NUMBER = re.compile(r"(?<=probe_\d)_of_\d+\b")
_COMMIT_LABEL = "skerryline.example/commit"
_NUMBERS = count(1)


@dataclass(frozen=True, slots=True)
class Answer:
    """What is said of environments."""

    there: tuple[str, ...]
    """Of each whether the work is there."""
    words: str
    """All that is said, as a cell of a table has it."""
    unread: int
    """Of how many it is said that they could not be read."""


@dataclass(frozen=True, slots=True)
class History:
    """What is said of a database."""

    states: tuple[str, ...]
    """Of each migration that is told of."""
    words: str


@dataclass
class Stage:
    """One situation. Whatever is set up for it has a name that no other has."""

    box: Sandbox
    home: Path
    base: str
    """The settings of the repositories."""
    foreign: Stub
    """A server that nobody has set up."""
    more: ExitStack
    now: datetime = NOW
    kind: str = "http"
    """Of probes for which no other is said."""
    number: int = field(default_factory=lambda: next(_NUMBERS))
    tables: list[str] = field(default_factory=list)
    tokens: dict[str, SecretStr] = field(default_factory=dict)
    passwords: dict[str, SecretStr] = field(default_factory=dict)
    server: str = ""
    """Address of a database on a server."""
    _program: Program | None = None

    # Setting up

    def probe(
        self, environment: str = "staging", repo: str = "booking-api", *, kind: str = "", **changed: object
    ) -> None:
        """One that can read; `token` is its token, all else is as in the settings."""
        kind = kind or self.kind
        url, token, where = self._known(kind, environment, repo)
        name = f"probe_{len(self.tables) + 1}_of_{self.number}"
        told: dict[str, object] = {"name": name, "environment": environment, "repo": repo, "kind": kind, "url": url}
        told |= where | changed
        self.tokens[name] = SecretStr(str(told.pop("token", token)))
        self.tables.append(_table("probes", told))

    def everywhere(self, repo: str = "booking-api") -> None:
        for environment in ("staging", "production"):
            self.probe(environment, repo)

    def database(
        self,
        environment: str = "production",
        repo: str = "booking-api",
        change: str = "",
        **changed: object,
    ) -> None:
        """The company's own, with a statement run in it; `password` is its password."""
        folder = self.home / f"databases-{self.number}-{len(self.tables)}"
        folder.mkdir()
        file = self.box.databases.write(folder)[environment, repo]
        if change:
            with closing(sqlite3.connect(file)) as connection, connection:
                connection.executescript(change)
        name = f"database_{self.number}_{len(self.tables)}"
        tool = "flyway" if repo == "booking-api" else "golang-migrate"
        told = {"name": name, "environment": environment, "repo": repo, "tool": tool, "path": "migrations"}
        told |= {"url": f"sqlite:///{file}", **changed}
        self.passwords[name] = SecretStr(str(told.pop("password", "")))
        self.tables.append(_table("databases", told))

    def deploy(self, ref: str | None, version: str = "", **more: Any) -> None:
        """To the environment that is there for this, a day before the question."""
        more.setdefault("at", NOW - timedelta(days=1))
        self.box.deployments.deploy(TEST, "booking-api", ref, version, **more)

    def earlier(self, **asked: object) -> None:
        """Ask two hours ago, of a program that has ended since; what happens later happened an hour ago."""
        self.now = NOW - timedelta(hours=2)
        self.ask(**asked)  # type: ignore[arg-type]
        self.restart()
        self.now = NOW

    def fault(self, kind: str, **more: Any) -> None:
        """In the version endpoint of staging, however often it is asked."""
        self.box.faults.add("GET", "^/staging/booking-api/version$", kind, 1000, **more)  # type: ignore[arg-type]

    def demanding(self, *, known: bool) -> None:
        """A version endpoint that demands a client's certificate, and a probe that has one or none."""
        folder = self.home / f"certificates-{self.number}"
        folder.mkdir()
        authority = Authority(folder)
        # Of TLS 1.3 a client may hear the refusal before or after it has sent its request, and says one or the other.
        newest = None if known else ssl.TLSVersion.TLSv1_2
        demands = server_context(*authority.issued("server"), authority=authority.file, newest=newest)
        server = self.more.enter_context(stub(demands))
        server.answers["/version"] = {"version": "1.7.0-rc.1"}
        certificate, key = authority.issued("client")
        client = {"client_certificate": certificate, "client_key": key} if known else {}
        self.probe(kind="http", url=f"{server.url}/version", commit="", since="", dirty="", ca=authority.file, **client)

    # Asking

    def ask(self, *, audience: str = READERS, **asked: object) -> Answer:
        names = ("environment", "repository", "commit", "pull", "ticket")
        answer = self._run("deployed", {**dict.fromkeys(names), **asked, "audience": audience})
        standings = answer["standings"]
        told = [" ".join(one["says"]) for one in standings]
        return Answer(
            tuple(one["contained"] for one in standings),
            _cell([*told, *answer["notes"]]),
            sum("could not be read" in one for one in told),
        )

    def history(self, *, audience: str = READERS, **asked: object) -> History:
        names = ("database", "table", "column", "state")
        answer = self._run("schema", {**dict.fromkeys(names), **asked, "audience": audience})
        told = answer["histories"]
        return History(
            tuple(step["state"] for one in told for step in one["steps"]),
            _cell([line for one in told for line in _history(one)]) or "Nothing.",
        )

    def restart(self) -> None:
        """Let the next question be asked of a program that has read nothing yet, but remembers."""
        if self._program:
            self._program.close()
            self._program = None

    def _run(self, operation: str, arguments: Mapping[str, object]) -> dict[str, Any]:
        return Local(self._opened()).run(operation, arguments, lambda _message: None)

    def _opened(self) -> Program:
        if self._program is None:
            file = self.home / f"situation-{self.number}.toml"
            file.write_text("\n".join([self.base, *self.tables]), "utf-8")
            secrets = Secrets(
                host_tokens={"github": SecretStr(self.box.git_host.token)},
                probe_tokens=self.tokens,
                database_passwords=self.passwords,
            )
            self._program = Program(config.load(file), secrets, clock=lambda: self.now)
            for repository in self._program.repositories.values():
                repository.mirror.fetch()
        return self._program

    def _known(self, kind: str, environment: str, repo: str) -> tuple[str, str, dict[str, str]]:
        box, project = self.box, f"{self.box.company.organisation}/{repo}"
        values = {"version": "version", "commit": "commit", "since": "started", "dirty": "dirty"}
        pods = {"namespace": environment, "deployment": repo, "commit_label": _COMMIT_LABEL}
        return {
            "http": (box.version_url(environment, repo), box.version_token, values),
            "kubernetes": (box.kubernetes_url, box.kubernetes_token, pods),
            "argocd": (box.argocd_url, box.argocd_token, {"application": f"{repo}-{environment}"}),
            "github": (box.github_url, box.git_host.token, {"project": project}),
            "gitlab": (box.gitlab_url, box.git_host.token, {"project": project}),
        }[kind]


@dataclass(frozen=True, slots=True)
class Company:
    """What all situations share: the sandbox, and a folder with the mirrors and what is remembered."""

    box: Sandbox
    home: Path
    base: str
    """The settings of the repositories."""
    foreign: Stub

    @contextmanager
    def stage(self, kind: str = "http", server: str = "") -> Iterator[Stage]:
        self.box.exchanges.clear()
        with ExitStack() as more:
            made = Stage(self.box, self.home, self.base, self.foreign, more, kind=kind, server=server)
            try:
                yield made
            finally:
                made.restart()
                self.box.faults.clear()
                self.box.deployments.clear(TEST, "booking-api")


@contextmanager
def opened(home: Path) -> Iterator[Company]:
    made = load_company()
    repos = build(made, home / "repos")
    with Sandbox.start(made) as box, stub() as foreign:
        box.repos.update(repos)
        box.git_host.now = lambda: NOW - timedelta(hours=1)
        with owning(home / "data", "tests"):
            yield Company(box, home, _settings(box), foreign)


def _settings(box: Sandbox) -> str:
    lines = [f'data = "data"\n[[hosts]]\nname = "github"\nkind = "github"\nurl = {json.dumps(box.github_url)}']
    for name, path in box.repos.items():
        told = {"name": name, "location": str(path), "host": "github", "project": f"{box.company.organisation}/{name}"}
        lines.append(_table("git", told))
    return "\n".join(lines)


def _table(name: str, values: Mapping[str, object]) -> str:
    return "\n".join([f"[[{name}]]", *(f"{key} = {json.dumps(value)}" for key, value in values.items())])


def _cell(lines: Sequence[str]) -> str:
    return _NUMBER.sub("", _COMMIT.sub("COMMIT", "<br>".join(lines)))


def _history(one: Mapping[str, Any]) -> Iterator[str]:
    if one["unread"]:
        yield f"Could not be read: {one['unread']}."
    yield from one["notes"]
    for step in one["steps"]:
        when = f" on {step['at'][:10]}" if step["at"] else ""
        told = "; ".join(filter(None, (", ".join(step["touched"]), ", ".join(step["tickets"]))))
        about = f" ({told})" if told else ""
        yield " ".join([f"{step['id']} {step['title']}: {step['state']}{when}{about}.", *step["notes"]])
