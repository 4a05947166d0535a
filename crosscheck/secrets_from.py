"""Where secrets come from: the environment, or a folder with a file for each, named as the variable.

Such a folder is what Docker (`/run/secrets`), Kubernetes (a volume of a Secret) and systemd (`$CREDENTIALS_DIRECTORY`)
give a process. Other programs' files may lie beside ours: only names that begin with CROSSCHECK_ are looked at.
"""

import os
import stat
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

from crosscheck.errors import BadSettings

FOLDER = "CROSSCHECK_SECRETS_FOLDER"
"""The variable that names the folder."""
PREFIX = "CROSSCHECK_"
LARGEST = 64 * 1024
"""Bytes of a secret's file; a token has hundreds."""


def secrets_in(environment: Mapping[str, str], known: Callable[[str], bool]) -> dict[str, str]:
    """Each secret by its variable, without the blanks around it. The environment wins; empty counts as absent.

    Raises:
        BadSettings: the folder cannot be read, or a file in it is none that is `known`, too large or no text.

    """
    folder = folder_in(environment)
    found = {path.name: _read(path) for path in _files(folder, known)} if folder else {}
    found |= {name: text for name, value in environment.items() if name.startswith(PREFIX) and (text := value.strip())}
    return {name: value for name, value in found.items() if value}


def folder_in(environment: Mapping[str, str]) -> Path | None:
    """The folder of secrets, if one is named."""
    named = environment.get(FOLDER, "").strip()
    return Path(named) if named else None


def open_to_all(folder: Path) -> list[str]:
    """The names of secrets' files that every account of the host can read. Raises OSError."""
    files = sorted(path for path in folder.iterdir() if path.name.startswith(PREFIX))
    return [path.name for path in files if path.stat().st_mode & stat.S_IROTH]


def _files(folder: Path, known: Callable[[str], bool]) -> Iterator[Path]:
    try:
        paths = sorted(path for path in folder.iterdir() if path.name.startswith(PREFIX))
    except OSError as error:
        raise BadSettings(
            f"{FOLDER} names {folder}, which cannot be read: {error.strerror}. Name a folder that this user can read."
        ) from error
    for path in paths:
        if not known(path.name):
            raise BadSettings(
                f"{path} is no secret that Crosscheck knows. Rename it to a variable of docs/settings.md, or remove it."
            )
        yield path


def _read(path: Path) -> str:
    """The secret in a file; a link (as Kubernetes makes them) is followed."""
    try:
        with open(path, "rb", opener=_at_once) as file:
            if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
                raise BadSettings(f"{path} is no file. Put the secret into a file of this name, or remove it.")
            content = file.read(LARGEST + 1)
    except OSError as error:
        raise BadSettings(f"{path} cannot be read: {error.strerror}. Let this user read it, or remove it.") from error
    if len(content) > LARGEST:
        raise BadSettings(f"{path} has more than {LARGEST:,} bytes, so it is no secret. Put the secret alone into it.")
    try:
        return content.decode().strip()
    except UnicodeDecodeError:  # without its cause, which holds the bytes
        raise BadSettings(f"{path} is no text in UTF-8. Put the secret alone into it.") from None


def _at_once(path: str, flags: int) -> int:
    """Opens without waiting: a pipe under this name must not hold the start up."""
    return os.open(path, flags | os.O_NONBLOCK)
