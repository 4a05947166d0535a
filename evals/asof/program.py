"""The program over what an installation's sources held at a moment."""

import json
import shutil
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from core.connectors.jira_reader import JiraReader
from crosscheck.owner import owning
from crosscheck.settings import Secrets, Settings
from crosscheck.settings_finding import IndexPlace
from crosscheck.settings_running import State
from crosscheck.settings_sources import Git
from crosscheck.wiring import Program
from evals.asof.errors import NotAsOf
from evals.asof.repositories import BRANCH, Repositories
from evals.asof.view import AsOf

_CARD = "as-of.json"
"""In the folder: the last moment that it was made for."""
_DATA = "data"
_REPOSITORIES = "repositories"


@dataclass(frozen=True, slots=True)
class Knowledge:
    """What was known at a moment, indexed and ready to be asked."""

    program: Program
    """Its index, what it reads live and its clock are of the moment. Pull requests, hosts, deployments, databases and
    Slack, which tell today's state, are not there.
    """
    notes: tuple[str, ...]
    """Sentences: what could not be had as it was, and so is not there or is as it is today."""
    commits: Mapping[str, str]
    """What each repository that is there was taken at, by its name."""


class Then(Program):
    """All parts over sources as they were. Pull requests are not read: their state is of today."""

    pulls = None

    def __init__(self, settings: Settings, secrets: Secrets, view: AsOf) -> None:
        super().__init__(settings, secrets, clock=lambda: view.at)
        self.view = view


@contextmanager
def knowledge(
    settings: Settings, secrets: Secrets, moment: datetime, commits: Mapping[str, str], home: Path
) -> Iterator[Knowledge]:
    """The program over these settings' sources as they were at `moment`, its index filled.

    `commits` are whole commit ids by the repositories' names: a repository has exactly what is reachable from its own,
    as branch `main`; one that is not named, from the newest commit of its baseline's own line at or before the moment.
    One that had none by then is not there.

    `home` is a folder of its own for this and nothing else. Given the same folder again with a later moment, only what
    changed is indexed; with an earlier one it begins anew.

    Raises:
        EvalError: a commit is not there, or the folder is of something else.
        CrosscheckError: another process uses the folder, or a secret is missing.
        CoreError: a source cannot be read.

    """
    if unknown := sorted(commits.keys() - {git.name for git in settings.git}):
        raise NotAsOf(f"The settings have no repository {', '.join(unknown)}.")
    home.mkdir(parents=True, exist_ok=True)
    if any(home.iterdir()) and not (home / _CARD).is_file():
        raise NotAsOf(f"{home} holds something else. Give a folder that is empty or was made by this.")
    data, view = home / _DATA, AsOf(moment)
    with owning(home, "eval"):
        _begin(home, data, moment)
        repositories = Repositories(home / _REPOSITORIES)
        taken = {git.name: commits.get(git.name) or repositories.newest(git, moment) for git in settings.git}
        there = {name: commit for name, commit in taken.items() if commit}
        gits = [_then(git, repositories.at(git, there[git.name])) for git in settings.git if git.name in there]
        then = _settings(settings, data, gits)
        with closing(Then(then, secrets, view)) as program:
            program.sources.forget_removed()
            for name in program.sources.names([]):
                program.sources.sync(name, True, lambda _message: None)
            notes = [*view.notes(then), *_missing(settings, there)]
            yield Knowledge(program, tuple(notes), there)


def reader(settings: Settings, secrets: Secrets, moment: datetime) -> JiraReader:
    """Tickets as they stood at a moment, read one by one without an index.

    Raises:
        BadSettings: no Jira is configured, or its token is missing.

    """
    return Then(settings, secrets, AsOf(moment)).jira_reader


def _begin(home: Path, data: Path, moment: datetime) -> None:
    """The card says the latest moment of which anything may be in the data. It is written before anything is. Mirrors
    are fetched anew, for what was fetched before stays in them.
    """
    card = home / _CARD
    try:
        last = datetime.fromisoformat(json.loads(card.read_text("utf-8"))["moment"])
    except (FileNotFoundError, ValueError, KeyError, TypeError):
        last = None
    if last is None or last > moment:
        shutil.rmtree(data, ignore_errors=True)
    shutil.rmtree(data / "mirrors", ignore_errors=True)
    data.mkdir(parents=True, exist_ok=True)
    card.write_text(json.dumps({"moment": moment.isoformat()}), "utf-8")


def _then(git: Git, copy: Path) -> Git:
    """A repository's settings, for its copy at a commit."""
    here = {"location": str(copy.resolve()), "branch": BRANCH}
    return git.model_copy(update={**here, "branches": (), "host": "", "released": ""})


def _settings(settings: Settings, data: Path, gits: list[Git]) -> Settings:
    """What is asked of today's systems is off, and what is kept is kept below `data`."""
    return settings.model_copy(
        update={
            "data": data,
            "index": IndexPlace(),
            "state": State(),
            "mirrors": None,
            "posting": False,
            "git": tuple(gits),
            "hosts": (),
            "slack": None,
            "probes": (),
            "databases": (),
        }
    )


def _missing(settings: Settings, there: Mapping[str, str]) -> Iterator[str]:
    for git in settings.git:
        if git.name not in there:
            yield f"{git.name} had no commit yet and is not there."
