"""A repository of the size of Django: Django 4.0's own source, as it is on PyPI, never kept in this project."""

import hashlib
import shutil
import subprocess
import sys
import tarfile
from pathlib import Path

NAME = "Django-4.0"
_SHA256 = "d5a8a14da819a8b9237ee4d8c78dfe056ff6e8a7511987be627192225113ee75"  # of the sdist, as PyPI gives it
_IDENTITY = {"GIT_CONFIG_GLOBAL": "/dev/null", "GIT_CONFIG_SYSTEM": "/dev/null", "PATH": "/usr/bin:/bin"}
_IDENTITY |= {
    f"GIT_{role}_{part}": "bench@example.com" for role in ("AUTHOR", "COMMITTER") for part in ("NAME", "EMAIL")
}


def django(folder: Path) -> Path:
    """Its source tree, downloaded into `folder`. Raises RuntimeError when it cannot be had."""
    command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--no-binary", ":all:", "Django==4.0"]
    done = subprocess.run([*command, "--dest", str(folder)], check=False, capture_output=True, text=True)
    archive = folder / f"{NAME}.tar.gz"
    if done.returncode or not archive.is_file():
        raise RuntimeError(f"Django 4.0 could not be downloaded: {done.stderr.strip()[-300:]}")
    if hashlib.sha256(archive.read_bytes()).hexdigest() != _SHA256:
        raise RuntimeError("The downloaded Django 4.0 is not the one these numbers are about.")
    with tarfile.open(archive) as tar:
        tar.extractall(folder, filter="data")
    return folder / NAME


def repository(tree: Path, folder: Path, copies: int = 1) -> Path:
    """A Git repository of one commit that holds the tree as many times, each below a folder of its own."""
    folder.mkdir(parents=True)
    for number in range(copies):
        shutil.copytree(tree, folder / f"part{number:03}")
    git(folder, "init", "--quiet", "--initial-branch=main")
    commit(folder, "The whole source")
    return folder


def commit(folder: Path, subject: str) -> None:
    """Commit whatever changed."""
    git(folder, "add", "--all", "--force")
    git(folder, "commit", "--quiet", f"--message={subject}")


def git(folder: Path, *arguments: str) -> str:
    """Run git there, free of this machine's settings."""
    command = ["git", "-C", str(folder), *arguments]
    return subprocess.run(command, env=_IDENTITY, check=True, capture_output=True, text=True).stdout
