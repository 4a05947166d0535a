"""The company with its environments and databases, a service over it, and programs that ask it with tokens."""

import shutil
import sys
from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import asynccontextmanager, closing, contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

import httpx2
from mcp.client.client import Client
from mcp.client.stdio import StdioServerParameters
from mcp.client.streamable_http import streamable_http_client
from pydantic import SecretStr

from crosscheck import settings as config
from crosscheck.callers import hashed, new_token
from crosscheck.demo_settings import deployed_text, probes
from crosscheck.wiring import Program
from sandbox.load import load_company
from sandbox.server import Sandbox
from tests.crosscheck.live import Live, Opened, at_work, opened

DEVELOPERS = (
    *("confluence:ENG", "confluence:POL", "confluence:PRD"),
    *("jira:BKG", "jira:GATE", "org", "repo:booking-api", "repo:gate-app"),
)
GATE = ("jira:GATE", "repo:gate-app")
NOW = datetime(2026, 11, 2, 9, tzinfo=UTC)
"""When the service is asked, by its own clock: the Monday after the last thing happened in the company."""
LABELS = {"developers": DEVELOPERS, "gate_agents": GATE}
"""What each token of the service may read."""


@dataclass(frozen=True)
class Stage:
    """A service at work."""

    company: Opened
    live: Live
    tokens: Mapping[str, str]
    """By their names in the settings."""
    apart: Path
    """Settings of a folder with the same index, which no service owns."""

    @property
    def box(self) -> Sandbox:
        return self.company.box

    @asynccontextmanager
    async def client(self, name: str = "developers", mode: str = "auto") -> AsyncIterator[Client]:
        """The SDK's client over HTTP, with a token."""
        headers = {"Authorization": f"Bearer {self.tokens[name]}"}
        async with (
            httpx2.AsyncClient(headers=headers, timeout=60) as http,
            Client(streamable_http_client(f"{self.live.url}/mcp", http_client=http), mode=mode) as client,
        ):
            yield client

    def process(self, file: Path, labels: tuple[str, ...] = DEVELOPERS) -> StdioServerParameters:
        """`crosscheck mcp` as a client starts it."""
        arguments = ["-m", "crosscheck.cli", "--config", str(file), "mcp", "--as", "=" + ",".join(labels)]
        return StdioServerParameters(command=sys.executable, args=arguments, env=self.company.environment)


@contextmanager
def staged(home: Path) -> Iterator[Stage]:
    """Index the company once, then serve it until the block ends."""
    tokens = {name: new_token() for name in LABELS}
    with opened(load_company(), home / "served") as company:
        _complete(company, tokens)
        with closing(_program(company)) as program:
            for name in program.sources.names([]):
                program.sources.sync(name, True, lambda _message: None)
        apart = home / "apart"
        shutil.copytree(company.file.parent, apart, symlinks=True)
        with at_work(company.box, _program(company), index=False, webhooks=False) as live:
            yield Stage(company, live, tokens, apart / company.file.name)


def _program(company: Opened) -> Program:
    return Program(company.settings, company.secrets, clock=lambda: NOW)


def _complete(company: Opened, tokens: Mapping[str, str]) -> None:
    """Write what the company's settings lack: its environments, its databases and the tokens."""
    databases = company.file.parent / "databases"
    databases.mkdir()
    with company.file.open("a", encoding="utf-8") as file:
        file.write(f"[limits]\ncalls_minute = 0\n{deployed_text(company.box, databases)}")
        for name, token in tokens.items():
            labels = ", ".join(f'"{label}"' for label in LABELS[name])
            file.write(f'[[tokens]]\nname = "{name}"\nsha256 = "{hashed(token)}"\nlabels = [{labels}]\n')
    version_token = SecretStr(company.box.version_token)
    company.secrets = company.secrets.model_copy(
        update={"probe_tokens": dict.fromkeys(probes(company.box), version_token)}
    )
    config.load(company.file)
