"""Repositories to make history in, and a shop whose source they are."""

import os
import subprocess
from collections.abc import Iterable
from pathlib import Path

from core.connectors.git import GitConnector
from core.mirror import Mirror
from core.types import Document
from tests.core.connectors.made_repository import ENVIRONMENT

Files = dict[str | bytes, str | bytes | None]


class Origin:
    """A repository with a work tree. Commit n is made n minutes after nine."""

    def __init__(self, folder: Path, branch: str = "main") -> None:
        self.folder = folder
        self.made = 0
        folder.mkdir()
        self.git("init", "--quiet", f"--initial-branch={branch}")

    def git(self, *arguments: str) -> str:
        date = f"2026-03-02T{9 + self.made // 60:02d}:{self.made % 60:02d}:00+00:00"
        environment = {**ENVIRONMENT, "GIT_AUTHOR_DATE": date, "GIT_COMMITTER_DATE": date}
        done = subprocess.run(["git", *arguments], cwd=self.folder, env=environment, check=True, capture_output=True)
        return done.stdout.decode().strip()

    def commit(self, message: str, files: Files) -> str:
        """Its id. A file without content is removed."""
        for name, content in files.items():
            path = os.path.join(os.fsencode(self.folder), os.fsencode(name))  # noqa: PTH118 - Path takes no bytes
            if content is None:
                os.remove(path)  # noqa: PTH107
                continue
            os.makedirs(os.path.dirname(path), exist_ok=True)  # noqa: PTH103, PTH120
            Path(os.fsdecode(path)).write_bytes(content if isinstance(content, bytes) else content.encode())
        self.git("add", "--all")
        self.made += 1
        self.git("commit", "--quiet", "--allow-empty", "--allow-empty-message", "--message", message)
        return self.git("rev-parse", "HEAD")

    def move(self, message: str, names: dict[str, str], files: Files | None = None) -> str:
        """Rename files, in this order, and commit. The commit's id."""
        for before, after in names.items():
            (self.folder / after).parent.mkdir(parents=True, exist_ok=True)
            self.git("mv", "--force", before, after)
        return self.commit(message, files or {})

    def branch(self, name: str, start: str = "HEAD") -> None:
        """Make a branch and go there."""
        self.git("checkout", "--quiet", "-b", name, start)

    def go(self, branch: str) -> None:
        self.git("checkout", "--quiet", branch)

    def merge(self, branch: str) -> str:
        self.made += 1
        self.git("merge", "--quiet", "--no-ff", "--no-edit", branch)
        return self.git("rev-parse", "HEAD")


class Shop:
    """A repository `shop`, its mirror, and what an index that follows it holds."""

    def __init__(self, folder: Path, **options: object) -> None:
        self.origin = Origin(folder / "origin")
        self.mirror = Mirror(folder / "mirror", str(self.origin.folder))
        self.options = {
            "branch": "main",
            "link": "https://git.example/shop/blob/{branch}/{path}#L{line}",
            "commit_link": "https://git.example/shop/commit/{sha}",
            "projects": ["PAY", "LED"],
            **options,
        }
        self.cursor = ""
        self.index: dict[str, Document] = {}

    def connector(self, **options: object) -> GitConnector:
        return GitConnector("shop", self.mirror, **{**self.options, **options})

    def everything(self) -> dict[str, Document]:
        """What a first synchronisation reads, by id."""
        connector = self.connector()
        connector.mark()
        documents = list(connector.load())
        found = {document.id: document for document in documents}
        assert len(found) == len(documents) == connector.total()
        assert found.keys() == connector.ids()
        return found

    def files(self) -> dict[str | None, Document]:
        """The baseline's, by path."""
        return files(self.everything().values())

    def sync(self) -> tuple[set[str], set[str]]:
        """The index brought up to date by what changed; the ids that were read, and those that went."""
        connector = self.connector()
        mark = connector.mark()
        read = {document.id: document for document in connector.changed_since(self.cursor)}
        gone = connector.removed_since(self.cursor, self.index.keys())
        assert not gone & read.keys()
        self.index = {key: document for key, document in {**self.index, **read}.items() if key not in gone}
        self.cursor = mark
        return set(read), gone


def files(documents: Iterable[Document]) -> dict[str | None, Document]:
    return {d.path: d for d in documents if d.kind in {"code", "file"} and not d.development}


def commits(documents: Iterable[Document]) -> dict[str, Document]:
    return {document.title: document for document in documents if document.kind == "commit"}
