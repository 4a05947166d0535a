"""The program over what an installation's sources held at a moment."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from crosscheck.settings import Secrets, Settings
from crosscheck.wiring import Program


@dataclass(frozen=True, slots=True)
class Knowledge:
    """What was known at a moment, indexed and ready to be asked."""

    program: Program
    """Its index, what it reads live and its clock are of the moment. Pull requests, hosts, deployments, databases and
    Slack, which tell today's state, are not there.
    """
    notes: tuple[str, ...]
    """Sentences: what could not be had as it was, and so is not there or is as it is today."""


@contextmanager
def knowledge(
    settings: Settings, secrets: Secrets, moment: datetime, commits: Mapping[str, str], home: Path
) -> Iterator[Knowledge]:
    """The program over these settings' sources as they were at `moment`, its index filled.

    `commits` are full commit ids by the repositories' names: a repository has exactly what is reachable from its own,
    as branch `main`; one that is not named, from the newest first-parent commit of its baseline at or before the moment.

    `home` is a folder of its own for this and nothing else. Given the same folder again with a later moment, only what
    changed is indexed; with an earlier one it begins anew.

    Raises:
        EvalError: a commit is not there, or the folder is of something else.
        CoreError: a source cannot be read.

    """
    raise NotImplementedError
    yield
