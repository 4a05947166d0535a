"""The packages that sets are about: fetched by name, checked by digest, read without being unpacked to disk."""

import gzip
import hashlib
import lzma
import re
import subprocess
import sys
import tarfile
import zipfile
import zlib
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path, PurePosixPath
from tempfile import TemporaryDirectory
from typing import Protocol

from core.connectors.git_files import LARGEST
from evals.retrieval.errors import BadSet, NoPackage

_REQUIREMENT = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*==[A-Za-z0-9][A-Za-z0-9.!+_-]*")
_SHA256 = re.compile(r"[0-9a-f]{64}")
_ENDING = re.compile(r"\.(?:tar\.\w+|tgz|zip)$")
_LONGEST_NAME = 300
_SECONDS = 600
_ADDRESS = re.compile(r"\S*://\S+")
_BROKEN = (
    zipfile.BadZipFile,
    tarfile.TarError,
    gzip.BadGzipFile,
    lzma.LZMAError,
    zlib.error,
    EOFError,
    RuntimeError,  # that is how zipfile says that a file is encrypted
)
_MOST_FILES = 200_000
_MOST_BYTES = 2_000_000_000  # of what is read of one archive


class Fetch(Protocol):
    """Downloads a package into an empty folder. Raises NoPackage."""

    def __call__(self, requirement: str, sha256: str, folder: Path, *, source: bool) -> Path:
        """`requirement` is `NAME==VERSION`, `source` asks for its source archive; the path of the archive."""


def by_pip(requirement: str, sha256: str, folder: Path, *, source: bool) -> Path:
    """See `Fetch`. pip itself picks the file of that digest where a release has several."""
    asked = folder / "asked.txt"
    asked.write_text(f"{requirement} --hash=sha256:{sha256}\n", "utf-8")
    into = folder / "archives"
    kind = ["--no-binary", ":all:"] if source else []
    command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--no-input", *kind]
    try:
        done = subprocess.run(
            [*command, "--requirement", str(asked), "--dest", str(into)],
            capture_output=True,
            text=True,
            check=False,
            timeout=_SECONDS,
        )
    except subprocess.TimeoutExpired as error:
        raise NoPackage(f"{requirement} was not downloaded in {_SECONDS} s.") from error
    archives = sorted(into.glob("*")) if into.is_dir() else []
    if done.returncode or len(archives) != 1:
        raise NoPackage(f"{requirement} cannot be downloaded with pip: {_reason(done.stderr)}")
    return archives[0]


def _reason(stderr: str) -> str:
    """The line that says why, without addresses: one may hold a password."""
    said = stderr.splitlines()
    lines = [line for line in said if line.startswith("ERROR")] or said[-1:] or ["it does not say why"]
    return _ADDRESS.sub("[address]", lines[0].removeprefix("ERROR: "))[:300]


def contents(
    requirement: str, sha256: str, fetch: Fetch, wanted: Callable[[str], bool], *, source: bool
) -> dict[str, bytes]:
    """The wanted files of a package by path; of a source archive without its outermost folder.

    Raises BadSet for a name or digest that is none, NoPackage when it cannot be had or is another one.
    """
    if not _REQUIREMENT.fullmatch(requirement):
        raise BadSet(f"{requirement!r} is not of the form NAME==VERSION.")
    if not _SHA256.fullmatch(sha256):
        raise BadSet(f"The SHA-256 of {requirement} is missing or is none.")
    with TemporaryDirectory(prefix="crosscheck-package-") as folder:
        archive = fetch(requirement, sha256, Path(folder), source=source)
        if hashlib.sha256(archive.read_bytes()).hexdigest() != sha256:
            raise NoPackage(f"{archive.name} is not the {requirement} that this set is about: its SHA-256 differs.")
        try:
            return dict(_read(archive, wanted, 1 if source else 0))
        except _BROKEN as error:
            raise NoPackage(f"{archive.name} cannot be read: {error}.") from error


def requirement_of(archive: str) -> str:
    """`NAME==VERSION` from the name of a source archive, or from words that hold it."""
    archive = archive[:_LONGEST_NAME]
    if match := _REQUIREMENT.search(archive):
        return match[0]
    file = (archive.split(maxsplit=1) or [""])[0]
    name, dash, version = _ENDING.sub("", file).rpartition("-")
    if not dash:
        raise BadSet(f"{archive[:100]!r} does not name a package and its version.")
    return f"{name}=={version}"


def _read(archive: Path, wanted: Callable[[str], bool], outer: int) -> Iterator[tuple[str, bytes]]:
    """The wanted files, without their `outer` outermost folders."""
    files, size = 0, 0
    for name, length, content in _in_zip(archive) if zipfile.is_zipfile(archive) else _in_tar(archive):
        path = "/".join(_parts(name, archive)[outer:])
        taken = bool(path) and length <= LARGEST and wanted(path)
        files, size = files + 1, size + taken * length
        if files > _MOST_FILES or size > _MOST_BYTES:
            raise NoPackage(f"{archive.name} is too large to be read.")
        if taken:
            yield path, content()


def _in_zip(archive: Path) -> Iterator[tuple[str, int, Callable[[], bytes]]]:
    with zipfile.ZipFile(archive) as opened:
        for info in opened.infolist():
            if not info.is_dir():
                yield info.filename, info.file_size, partial(opened.read, info)


def _in_tar(archive: Path) -> Iterator[tuple[str, int, Callable[[], bytes]]]:
    with tarfile.open(archive) as opened:
        for member in opened:
            if member.isfile():
                yield member.name, member.size, partial(_extracted, opened, member)


def _extracted(opened: tarfile.TarFile, member: tarfile.TarInfo) -> bytes:
    file = opened.extractfile(member)
    return file.read() if file else b""


def _parts(name: str, archive: Path) -> tuple[str, ...]:
    """A member's path in parts. NoPackage if it leads out of the archive."""
    path = PurePosixPath(name.replace("\\", "/"))
    if path.is_absolute() or ".." in path.parts or re.match(r"[A-Za-z]:", name):
        raise NoPackage(f"{archive.name} holds a file that leads out of it, so it is not read.")
    return path.parts
