"""The company with the set's tickets on loopback, and a program that has indexed all of it."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Protocol

from pydantic import SecretStr

from core.types import Audience
from crosscheck import settings as config
from crosscheck.owner import owning
from crosscheck.wiring import Program
from evals.planted.load import QA
from sandbox.records import Company
from sandbox.repos import build
from sandbox.server import Sandbox

NOW = datetime(2026, 11, 2, 9, tzinfo=UTC)
"""When all reviews are made: the Monday after the last thing happened in the company."""
TESTS = "gate"
"""The name of the source of test records."""
COLUMNS = {
    "id": "Case ID",
    "title": "Title",
    "suite": "Area",
    "steps": "Steps",
    "expected": "Expected result",
    "ticket": "Ticket",
    "date": "Date",
    "result": "Result",
    "message": "Note",
}
"""Which column of its files holds what."""


class Make(Protocol):
    """Makes the program that is measured."""

    def __call__(
        self, settings: config.Settings, secrets: config.Secrets, *, clock: Callable[[], datetime]
    ) -> Program: ...


def now() -> datetime:
    return NOW


def audience(company: Company) -> Audience:
    """Everybody who is employed."""
    return Audience(frozenset({*company.open_to_all, f"qa:{TESTS}"}))


@contextmanager
def playground(
    company: Company,
    home: Path,
    make: Make = Program,
    tables: Mapping[str, Any] | None = None,
    secrets: config.Secrets | None = None,
) -> Iterator[Program]:
    """A program over the company, indexed. `tables` are further settings, such as `model`; `secrets` are theirs."""
    home.mkdir(parents=True, exist_ok=True)
    with ExitStack() as stack:
        repos = build(company, home / "repos")
        box = stack.enter_context(Sandbox.start(company))
        box.repos.update(repos)
        chosen = settings(company, box, repos, home, tables or {})
        stack.enter_context(owning(chosen.data, "eval"))
        program = make(chosen, _secrets(box, secrets or config.Secrets()), clock=now)
        stack.callback(program.close)
        for name in program.sources.names([]):
            program.sources.sync(name, True, lambda _message: None)
        yield program


def settings(
    company: Company, box: Sandbox, repos: Mapping[str, Path], home: Path, tables: Mapping[str, Any]
) -> config.Settings:
    """What an administrator of this company would write, with its repositories at GitHub."""
    raw: dict[str, Any] = {
        "data": "data",
        "jira": {
            "site": box.jira_url,
            "read_user": box.read_user,
            "post_user": box.post_user,
            "projects": [project.key for project in company.projects],
        },
        "confluence": {
            "site": box.confluence_url,
            "user": box.read_user,
            "spaces": [space.key for space in company.spaces],
        },
        "hosts": [{"name": "github", "kind": "github", "url": box.github_url}],
        "git": [
            {
                "name": name,
                "location": str(path.resolve()),
                "host": "github",
                "project": f"{company.organisation}/{name}",
            }
            for name, path in repos.items()
        ],
        "qa": [{"name": TESTS, "location": str(QA), "columns": COLUMNS}],
        **tables,
    }
    return config.check(raw, home / config.FILE)


def _secrets(box: Sandbox, given: config.Secrets) -> config.Secrets:
    return given.model_copy(
        update={
            "jira_read_token": SecretStr(box.read_token),
            "jira_post_token": SecretStr(box.post_token),
            "jira_webhook_secret": SecretStr(box.webhook_secret),
            "confluence_token": SecretStr(box.read_token),
            "host_tokens": {"github": SecretStr(box.git_host.token)},
        }
    )
