"""Builds the company's Git repositories. The same company gives the same commit ids, on every machine."""

import os
import subprocess
from collections.abc import Iterator, Mapping
from pathlib import Path

from sandbox.load import CompanyError
from sandbox.records import Commit, Company, Person, Repo

_GONE = "0" * 40


def build(company: Company, folder: Path) -> dict[str, Path]:
    """Bare repositories below `folder`, by name. They must not be there yet.

    Raises CompanyError when git refuses, and FileExistsError.
    """
    people = {person.id: person for person in company.people}
    built = {}
    for repo in company.repos:
        path = folder / f"{repo.name}.git"
        path.mkdir(parents=True)
        _git(path, "init", "--quiet", "--bare", "--template=", "--object-format=sha1", "--initial-branch=main")
        _git(path, "fast-import", "--quiet", stream=b"".join(_stream(repo, people)))
        built[repo.name] = path
    return built


def _stream(repo: Repo, people: Mapping[str, Person]) -> Iterator[bytes]:
    """Input of `git fast-import`, see its manual. Commits are marked from 1 in their order."""
    heads: dict[str, int] = {}
    changed: dict[str, dict[str, str | None]] = {}
    for mark, commit in enumerate(repo.commits, start=1):
        files = {**(changed.pop(commit.merges) if commit.merges else {}), **commit.files}
        if commit.branch != "main":
            changed.setdefault(commit.branch, {}).update(files)
        yield from _commit(commit, mark, people[commit.author])
        parent = heads.get(commit.branch, heads.get("main"))
        if parent:
            yield f"from :{parent}\n".encode()
        if commit.merges:
            yield f"merge :{heads.pop(commit.merges)}\n".encode()
        for path, content in files.items():
            yield f"D {path}\n".encode() if content is None else f"M 100644 inline {path}\n".encode() + _data(content)
        yield b"\n"
        if commit.merges:
            yield f"reset refs/heads/{commit.merges}\nfrom {_GONE}\n\n".encode()
        heads[commit.branch] = mark


def _commit(commit: Commit, mark: int, author: Person) -> Iterator[bytes]:
    who = f"{author.name} <{author.email}> {int(commit.at.timestamp())} +0000"
    yield f"commit refs/heads/{commit.branch}\nmark :{mark}\nauthor {who}\ncommitter {who}\n".encode()
    yield _data(commit.message + "\n")


def _data(text: str) -> bytes:
    content = text.encode()
    return b"data %d\n%s\n" % (len(content), content)


def _git(path: Path, *arguments: str, stream: bytes = b"") -> None:
    # Neither the user's configuration nor a hook's GIT_DIR may change what is built, or where.
    environment = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    environment |= {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1"}
    try:
        subprocess.run(
            ["git", *arguments], cwd=path, env=environment, input=stream, capture_output=True, check=True, timeout=60
        )
    except FileNotFoundError as error:
        raise CompanyError("git is not installed") from error
    except subprocess.SubprocessError as error:
        said = getattr(error, "stderr", None) or b""
        raise CompanyError(f"git {arguments[0]} failed in {path.name}: {said.decode(errors='replace')}") from error
