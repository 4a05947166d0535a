"""A company on loopback whose clocks can be set, and facts that are planted into every kind of place of it."""

import os
import subprocess
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Literal

from pydantic import SecretStr

from core.store.base import COLLECTIONS
from crosscheck import settings as config
from crosscheck.settings import Secrets, Settings
from crosscheck.wiring import Program
from sandbox.load import load_company
from sandbox.records import Company, Page, PageVersion
from sandbox.repos import build
from sandbox.server import Sandbox

Flavour = Literal["cloud", "data center"]
M = datetime(2026, 11, 2, 9, tzinfo=UTC)
"""After everything in the company, and before everything that is planted."""
LATER = datetime(2026, 11, 9, 15, 30, tzinfo=UTC)
EARLIER = datetime(2026, 4, 1, tzinfo=UTC)
COLUMNS = {"id": "Case", "title": "Title", "date": "Date", "result": "Result", "message": "Note"}
RESULTS = "Case,Title,Date,Result,Note\nT-1,A pass is refused,2026-09-01T10:00:00,passed,\n"
Dump = Mapping[str, tuple[object, ...]]


@dataclass
class Stage:
    box: Sandbox
    company: Company
    home: Path
    settings: Settings
    secrets: Secrets
    repos: Mapping[str, Path]
    marks: dict[str, str] = field(default_factory=dict)
    """Words that only a later fact has, by its kind."""

    @property
    def audience(self) -> str:
        sources = ("files:handbook", "qa:gate", *(f"repo:{name}" for name in self.repos))
        return ",".join([*self.company.open_to_all, *sources])

    def said(self, kind: str) -> str:
        """A sentence with a word of its own."""
        self.marks[kind] = f"zorba{kind.replace(' ', '')}"
        return f"From today on the {self.marks[kind]} office decides about every single refund at the pier."

    def comment(self, key: str) -> str:
        return str(self.box.jira.comments(key)[0]["id"])

    # What comes later

    def plant(self) -> None:
        self.box.jira.now = lambda: LATER
        self.box.confluence.now = lambda: LATER
        self._tickets()
        self._pages()
        self._commits()
        self._files()

    def _tickets(self) -> None:
        jira, author = self.box.jira, self.company.tickets[0].reporter
        jira.add_comment("BKG-147", author, self.said("comment"))
        jira.edit_comment("BKG-97", self.comment("BKG-97"), self.said("edited comment"))
        jira.set_fields("BKG-142", {"description": self.said("description"), "status": "Done", "resolution": "Fixed"})
        jira.set_fields("BKG-142", {"description": f"{self.said('second description')} Again."})
        jira.set_fields("GATE-57", {"summary": self.said("summary")})
        jira.set_fields("BKG-170", {"Acceptance criteria": f"- {self.said('field')}"})
        jira.link("GATE-62", "Blocks", "GATE-66")
        jira.attach(
            "BKG-150", author, f"{self.said('attachment name').replace(' ', '-')}.md", self._bytes("attachment")
        )
        new = jira.clone_issue("BKG-145")
        jira.set_fields(new, {"summary": self.said("new ticket")})
        self.marks["new key"] = new
        moved = jira.move_issue("BKG-153", "GATE")
        self.marks["moved key"] = moved

    def _pages(self) -> None:
        wiki, author = self.box.confluence, self.company.pages[0].versions[0].author
        wiki.edit("7001", self.said("page version"))
        wiki.edit("7001", f"{self.said('second page version')} Again.")
        wiki.notes.add("7101", self.said("page comment"), author)
        wiki.notes.edit(next(note.id for note in wiki.notes if note.page == "7201"), self.said("edited page comment"))
        wiki.rename("7009", self.said("page title"))
        wiki.add_page(Page("7999", "POL", self.said("new title"), (self._version("new page"),)))
        wiki.files.add("7101", f"{self.said('file name').replace(' ', '-')}.md", self._bytes("page file"), author)
        old = next(file for file in wiki.files.on("7008"))
        wiki.files.add("7008", old.name, self._bytes("replaced file"), author)

    def _version(self, kind: str) -> PageVersion:
        return PageVersion(LATER, self.company.pages[0].versions[0].author, self.said(kind))

    def _bytes(self, kind: str) -> bytes:
        return self.said(kind).encode()

    def _commits(self) -> None:
        bare = self.repos["booking-api"]
        clone = self.home / "clone"
        git(self.home, "clone", "--quiet", str(bare), str(clone))
        (clone / "refunds_later.py").write_text(f'"""{self.said("content")}"""\n', "utf-8")
        git(clone, "add", ".")
        git(clone, "commit", "--quiet", f"--message={self.said('message')}")
        self.marks["tag"], self.marks["branch"] = "zorbatag-later-1.0", "zorbabranch-later"
        git(clone, "tag", self.marks["tag"])
        git(clone, "push", "--quiet", "--tags", "origin", "HEAD:main", f"HEAD:{self.marks['branch']}")

    def _files(self) -> None:
        written(self.home / "handbook" / "zorbafile later.md", self.said("file"), LATER)
        self.marks["file name"] = "zorbafile"
        row = f"T-2,{self.said('case')},2026-11-05T10:00:00,failed,{self.said('result')}\n"
        again = f"T-1,A pass is refused,2026-11-05T10:00:00,failed,{self.said('run')}\n"
        written(self.home / "gate" / "results.csv", RESULTS + row + again, LATER)


@contextmanager
def stage(home: Path, flavour: Flavour = "cloud") -> Iterator[Stage]:
    company = load_company()
    repos = build(company, home / "repos")
    written(home / "handbook" / "refunds.md", "# Refunds\n\nA refund needs the receipt and the card.", EARLIER)
    written(home / "gate" / "results.csv", RESULTS, EARLIER)
    with Sandbox.start(company) as box:
        token = SecretStr(box.read_token)
        secrets = Secrets(jira_read_token=token, confluence_token=token)
        yield Stage(box, company, home, _settings(company, box, home, repos, flavour), secrets, repos)


def _settings(company: Company, box: Sandbox, home: Path, repos: Mapping[str, Path], flavour: Flavour) -> Settings:
    cloud = flavour == "cloud"
    user = box.read_user if cloud else ""
    jira = box.jira_url if cloud else box.jira_data_center_url
    raw = {
        "data": "unused",
        "jira": {"site": jira, "read_user": user, "projects": [project.key for project in company.projects]},
        "confluence": {
            "site": box.confluence_url if cloud else box.confluence_data_center_url,
            "user": user,
            "spaces": [space.key for space in company.spaces],
        },
        "git": [{"name": name, "location": str(path.resolve())} for name, path in repos.items()],
        "files": [{"name": "handbook", "location": str(home / "handbook")}],
        "qa": [{"name": "gate", "location": str(home / "gate"), "columns": COLUMNS}],
    }
    return config.check(raw, home / config.FILE)


def written(path: Path, text: str, at: datetime) -> None:
    path.parent.mkdir(exist_ok=True)
    path.write_text(text, "utf-8")
    os.utime(path, (at.timestamp(), at.timestamp()))


def git(folder: Path, *arguments: str) -> str:
    own = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    own |= {"GIT_CONFIG_GLOBAL": "/dev/null", "GIT_CONFIG_NOSYSTEM": "1"}
    for role in ("AUTHOR", "COMMITTER"):
        own |= {f"GIT_{role}_NAME": "Zoe", f"GIT_{role}_EMAIL": "zoe@firm.example"}
        own[f"GIT_{role}_DATE"] = LATER.isoformat()
    command = ["git", "-C", str(folder), *arguments]
    return subprocess.run(command, env=own, check=True, capture_output=True, text=True).stdout.strip()


def dump(program: Program) -> Dump:
    """All passages by their documents and numbers, without their addresses."""
    found = {}
    with program.index.searched() as generation:
        for collection in COLLECTIONS:
            for points in generation.store.points(collection):
                for one in (point.passage for point in points):
                    held = (one.title, one.text, one.context, one.updated, one.keys, one.attributes, one.labels)
                    found[f"{one.document_id} {one.ordinal}"] = held
    return found
