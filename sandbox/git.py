"""Git as the sandbox runs it, and commits written by `git fast-import`."""

import os
import subprocess
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Literal

from sandbox.records import Person

GONE = "0" * 40
PULL_REFS = ("refs/pull/{}/head", "refs/merge-requests/{}/head", "refs/pull-requests/{}/from")
"""Where GitHub, GitLab and Bitbucket Data Center keep the head of a pull request."""
SECONDS = 60


class GitFailed(Exception):
    """Git refused, or is not installed; the message holds what it said."""


@dataclass(frozen=True, slots=True)
class Entry:
    """What in a tree is no plain text file: a link with its target, a submodule with its commit, a script."""

    mode: Literal["100755", "120000", "160000"]
    content: str


Content = str | bytes | Entry | None
"""A file's content; None removes it."""


def environment() -> dict[str, str]:
    """Neither the user's configuration nor a hook's GIT_DIR may change what is done, or where."""
    own = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    return own | {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1"}


def git(path: Path, *arguments: str, stream: bytes = b"", more: Mapping[str, str] | None = None) -> bytes:
    """The output of git in a repository; `more` is added to its environment. Raises GitFailed."""
    try:
        done = subprocess.run(
            ["git", *arguments],
            cwd=path,
            env=environment() | dict(more or {}),
            input=stream,
            capture_output=True,
            check=True,
            timeout=SECONDS,
        )
    except FileNotFoundError as error:
        raise GitFailed("git is not installed") from error
    except subprocess.SubprocessError as error:
        said = getattr(error, "stderr", None) or b""
        raise GitFailed(f"git {arguments[0]} failed in {path.name}: {said.decode(errors='replace')}") from error
    return done.stdout


def line(path: Path, *arguments: str) -> str:
    """The output as one line of text. Raises GitFailed."""
    return git(path, *arguments).decode(errors="replace").strip()


def commit_of(path: Path, revision: str) -> str | None:
    """The whole id of the commit that a revision names, or None."""
    try:
        return line(path, "rev-parse", "--verify", "--quiet", "--end-of-options", f"{revision}^{{commit}}")
    except GitFailed:
        return None


def who(person: Person, at: datetime) -> str:
    return f"{person.name} <{person.email}> {int(at.timestamp())} +0000"


def commit_head(ref: str, mark: int, author: str, message: str) -> Iterator[bytes]:
    """The first lines of a commit in the input of `git fast-import`, see its manual."""
    yield f"commit {ref}\nmark :{mark}\nauthor {author}\ncommitter {author}\n".encode()
    yield _data(f"{message}\n".encode())


def commit_files(files: Mapping[str, Content]) -> Iterator[bytes]:
    for path, content in files.items():
        if content is None:
            yield f"D {path}\n".encode()
        elif isinstance(content, Entry) and content.mode == "160000":
            yield f"M 160000 {content.content} {path}\n".encode()
        else:
            mode, text = (content.mode, content.content) if isinstance(content, Entry) else ("100644", content)
            yield f"M {mode} inline {path}\n".encode() + _data(text.encode() if isinstance(text, str) else text)
    yield b"\n"


def reset(ref: str, to: str) -> bytes:
    """Sets a ref to a commit or mark (`:7`); GONE removes it."""
    return f"reset {ref}\nfrom {to}\n\n".encode()


def write_commit(
    path: Path, files: Mapping[str, Content], author: str, message: str, parents: Iterable[str] = ()
) -> str:
    """Write a commit that no ref leads to and return its id. `author` as of `who`. Raises GitFailed."""
    ref = "refs/sandbox/new"
    stream = [*commit_head(ref, 1, author, message)]
    for word, parent in zip(("from", "merge"), parents, strict=False):
        stream.append(f"{word} {parent}\n".encode())
    stream += [*commit_files(files), b"get-mark :1\n", reset(ref, GONE)]
    return git(path, "fast-import", "--quiet", "--force", stream=b"".join(stream)).decode().strip()


def _data(content: bytes) -> bytes:
    return b"data %d\n%s\n" % (len(content), content)
