"""Runs the command line in this process, as an administrator would type it."""

import json
import logging
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import structlog

from crosscheck.cli import main


@dataclass(frozen=True)
class Ran:
    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        return json.loads(self.out)

    @property
    def sentence(self) -> str:
        """What is said of a failure: it must be short, and no trace."""
        assert self.out == ""
        assert "Traceback" not in self.err
        assert self.err.strip()
        return self.err.strip()


class Commands:
    """`commands("jobs", "show", "1")`, with an environment and a settings file of its own."""

    def __init__(self, capsys: Any, monkeypatch: Any, file: Path, environment: Mapping[str, str]) -> None:
        self._capsys = capsys
        self._file = file
        for name, value in environment.items():
            monkeypatch.setenv(name, value)

    def __call__(self, *arguments: str) -> Ran:
        self._capsys.readouterr()
        with own_logging():
            try:
                main(["--config", str(self._file), *arguments])
                code = 0
            except SystemExit as end:
                code = int(end.code or 0)
        said = self._capsys.readouterr()
        return Ran(code, said.out, said.err)


@contextmanager
def own_logging() -> Iterator[None]:
    """Commands set logging up for their process, which is the tests' process here."""
    handlers = list(logging.getLogger().handlers)
    structlog.configure(logger_factory=structlog.ReturnLoggerFactory())  # a service in this process is not to be heard
    try:
        yield
    finally:
        logging.getLogger().handlers[:] = handlers
        structlog.reset_defaults()
