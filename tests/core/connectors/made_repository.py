"""Repositories of any size, made from a seed by `git fast-import`."""

import os
import random
import subprocess
from collections.abc import Iterable, Iterator
from pathlib import Path

ENVIRONMENT = {
    **{name: value for name, value in os.environ.items() if not name.startswith("GIT_")},
    "GIT_CONFIG_GLOBAL": os.devnull,
    "GIT_CONFIG_NOSYSTEM": "1",
    **dict.fromkeys(("GIT_AUTHOR_NAME", "GIT_COMMITTER_NAME"), "Ana"),
    **dict.fromkeys(("GIT_AUTHOR_EMAIL", "GIT_COMMITTER_EMAIL"), "ana@firm.example"),
}

_WORDS = [
    "account", "amount", "audit", "balance", "booking", "buffer", "cache", "charge", "client", "context",
    "counter", "currency", "customer", "delivery", "event", "field", "filter", "form", "handler", "index",
    "invoice", "item", "key", "limit", "lock", "manager", "message", "model", "node", "order",
    "page", "parser", "payment", "policy", "query", "queue", "record", "refund", "region", "report",
    "request", "response", "retry", "role", "rule", "schema", "session", "settings", "state", "stock",
    "store", "summary", "table", "task", "tax", "template", "ticket", "token", "total", "transfer",
    "user", "value", "version", "view", "wallet", "worker",
]  # fmt: skip
_START = 1_500_000_000  # the first commit, in seconds since 1970; each is an hour after the one before
_RENAMING = 50  # every so many commits one renames a file


def made_repository(folder: Path, *, files: int, commits: int, branches: int = 0, seed: int = 0) -> None:
    """A bare repository in `folder` whose branch `main` has so many Python files after so many commits.

    Each of its `branches`, called `feature/PAY-1-account` and the like, has two commits that `main` has not. The same
    arguments make the same commits.
    """
    subprocess.run(
        ["git", "init", "--quiet", "--bare", "--initial-branch=main", str(folder)], env=ENVIRONMENT, check=True
    )
    _import(folder, _History(random.Random(seed)).all(files, commits, branches))


def change_one_file(folder: Path, *, seed: int = 1) -> None:
    """One more commit on `main` of such a repository, which writes one file anew."""
    dice = random.Random(seed)
    path = dice.choice(_read(folder, "ls-tree", "-r", "--name-only", "main").splitlines())
    identity, date = _read(folder, "log", "--max-count=1", "--format=%H %ct", "main").split()
    commit = _commit("refs/heads/main", int(date) + 60, "PAY-9 One more change", f"from {identity}\n")
    _import(folder, [commit, _file(path, _module([_function(dice) for _ in range(8)]))])


class _History:
    def __init__(self, dice: random.Random) -> None:
        self._dice = dice
        self._paths: list[str] = []
        self._functions: list[list[str]] = []

    def all(self, files: int, commits: int, branches: int) -> Iterator[bytes]:
        """The stream. Files come evenly over the commits, each of which also writes some functions anew."""
        for number in range(commits):
            yield _commit("refs/heads/main", _START + number * 3600, self._message(number))
            while len(self._paths) < files * (number + 1) / commits:
                yield self._new()
            for _ in range(self._dice.choice((1, 1, 1, 2, 3))):
                yield self._change()
            if number % _RENAMING == _RENAMING - 1:
                yield self._rename()
        for number in range(branches):
            name = f"refs/heads/feature/PAY-{number + 1}-{self._dice.choice(_WORDS)}"
            at = _START + (commits + number) * 3600
            yield _commit(name, at, self._message(number), "from refs/heads/main\n")
            yield self._new()
            yield _commit(name, at + 60, self._message(number))
            yield self._change()

    def _new(self) -> bytes:
        self._paths.append(self._path())
        self._functions.append([_function(self._dice) for _ in range(self._dice.randint(4, 20))])
        return self._written(len(self._paths) - 1)

    def _change(self) -> bytes:
        number = self._dice.randrange(len(self._paths))
        functions = self._functions[number]
        functions[self._dice.randrange(len(functions))] = _function(self._dice)
        return self._written(number)

    def _rename(self) -> bytes:
        number = self._dice.randrange(len(self._paths))
        before, self._paths[number] = self._paths[number], self._path()
        return f"R {before} {self._paths[number]}\n".encode()

    def _written(self, number: int) -> bytes:
        return _file(self._paths[number], _module(self._functions[number]))

    def _path(self) -> str:
        folder, part, name = self._dice.choices(_WORDS, k=3)
        return f"shop/{folder}/{part}/{name}_{self._dice.randrange(10**6)}.py"

    def _message(self, number: int) -> str:
        return f"PAY-{number % 900 + 1} {_words(self._dice, 5)}\n\n{_words(self._dice, 25)}"


def _function(dice: random.Random) -> str:
    verb, noun, first, second, third, other = dice.choices(_WORDS, k=6)
    return (
        f"def {verb}_{noun}({first}, {second}={dice.randrange(1000)}):\n"
        f'    """{_words(dice, 9)}."""\n'
        f"    if not {first}.{third}:\n"
        f'        raise ValueError("{_words(dice, 4)}")\n'
        f"    {other} = {verb}_{third}({first}, limit={dice.randrange(100)})\n"
        f"    for {noun} in {other}.{second}s:\n"
        f"        {first}.{third}[{noun}.id] = {noun}.{other} + {second}\n"
        f"    return {other}\n"
    )


def _module(functions: Iterable[str]) -> str:
    return "\n\n".join(["import logging\n\nlog = logging.getLogger(__name__)\n", *functions])


def _words(dice: random.Random, number: int) -> str:
    return " ".join(dice.choices(_WORDS, k=number)).capitalize()


def _commit(branch: str, seconds: int, message: str, parent: str = "") -> bytes:
    text = message.encode()
    who = f"committer Ana <ana@firm.example> {seconds} +0000"
    return f"commit {branch}\n{who}\ndata {len(text)}\n".encode() + text + b"\n" + parent.encode()


def _file(path: str, content: str) -> bytes:
    data = content.encode()
    return f"M 100644 inline {path}\ndata {len(data)}\n".encode() + data + b"\n"


def _import(folder: Path, stream: Iterable[bytes]) -> None:
    command = ["git", "-C", str(folder), "fast-import", "--quiet"]
    with subprocess.Popen(command, env=ENVIRONMENT, stdin=subprocess.PIPE) as importing:
        if importing.stdin:
            importing.stdin.writelines(stream)
    if importing.returncode:
        raise OSError("git fast-import failed")


def _read(folder: Path, *arguments: str) -> str:
    command = ["git", "-C", str(folder), *arguments]
    return subprocess.run(command, env=ENVIRONMENT, check=True, capture_output=True).stdout.decode()
