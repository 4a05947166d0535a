"""The make-believe company with its environments and databases, as programs with a token reach it."""

from collections.abc import Iterator
from contextlib import closing

import pytest
from pydantic import SecretStr

from crosscheck.demo_settings import deployed_text, probes
from crosscheck.mcp.caller import Caller
from crosscheck.wiring import Program
from sandbox.load import load_company
from tests.crosscheck.live import opened


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture(scope="package")
def program(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Program]:
    with opened(load_company(), tmp_path_factory.mktemp("attacked")) as made:
        folder = made.file.parent / "databases"
        folder.mkdir()
        with made.file.open("a", encoding="utf-8") as file:
            file.write(deployed_text(made.box, folder))
        tokens = {name: SecretStr(made.box.version_token) for name in probes(made.box)}
        made.secrets = made.secrets.model_copy(update={"probe_tokens": tokens})
        with closing(Program(made.settings, made.secrets)) as running:
            for name in running.sources.names([]):
                running.sources.sync(name, True, lambda _message: None)
            yield running


@pytest.fixture
def narrow() -> Caller:
    """May read one repository and nothing else."""
    return Caller("narrow", frozenset({"repo:gate-app"}))


@pytest.fixture
def everything(program: Program) -> Caller:
    return Caller("everything", frozenset[str]().union(*(source.labels for source in program.sources.all())))
