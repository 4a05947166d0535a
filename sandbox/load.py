"""Reads the make-believe company from its folder: TOML files, one a ticket, a page or a commit."""

import re
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from sandbox.records import (
    Applied,
    Asking,
    Attachment,
    Change,
    Channel,
    Comment,
    Commenting,
    Commit,
    Company,
    Database,
    Demo,
    Deployment,
    Environment,
    Expectation,
    Link,
    Marker,
    Page,
    PageComment,
    PageVersion,
    Person,
    Project,
    Pull,
    Release,
    RemoteLink,
    Repo,
    Space,
    Ticket,
)

_ROOT = Path(__file__).parent / "company"
_MENTION = re.compile(r"@\[([^\]]+)\]")


class CompanyError(Exception):
    """The company's files do not fit together; the message names the file."""


def load_company(root: Path | None = None) -> Company:
    """The company in `root`, by default the one that comes with the package.

    Raises CompanyError when a file cannot be read or names somebody who does not exist.
    """
    return _Reader(root or _ROOT).company()


def value_of(ticket: Ticket, name: str, names: Mapping[str, str]) -> str:
    """What a field that has history holds now, as Jira's changelog writes it: "" when empty, people by their name
    (`names` gives it by account id).
    """
    match name:
        case "description" | "summary" | "status":
            return str(getattr(ticket, name))
        case "resolution":
            return ticket.resolution or ""
        case "assignee":
            return names[ticket.assignee] if ticket.assignee else ""
        case _:
            return ticket.fields.get(name, "")


class _Reader:
    """People are called by name in the files, and by account id in the records."""

    def __init__(self, root: Path) -> None:
        self._root = root
        self._people = tuple(Person(**_tuples(p)) for p in self._list("people"))
        self._ids = {person.name: person.id for person in self._people}
        self._names = {person.id: person.name for person in self._people}

    def company(self) -> Company:
        general, running = self._read("company.toml"), self._read("environments.toml")
        return Company(
            people=self._people,
            projects=tuple(self._project(p) for p in self._list("projects")),
            tickets=tuple(self._ticket(path) for path in self._files("tickets")),
            spaces=tuple(Space(**_tuples(s)) for s in self._list("spaces")),
            pages=tuple(self._page(path) for path in self._files("pages")),
            repos=tuple(self._repo(path) for path in sorted((self._root / "repos").iterdir())),
            truth=tuple(
                Expectation(ticket, rule, verdict)
                for rule, verdicts in self._read("truth.toml").items()
                for verdict in ("catch", "leave")
                for ticket in verdicts[verdict]
            ),
            open_to_all=tuple(general["open_to_all"]),
            markers=tuple(Marker(**_tuples(m)) for m in self._list("markers")),
            demo=self._demo(self._read("demo.toml")),
            categories=general["categories"],
            pulls=tuple(self._pull(path) for path in self._files("pulls")),
            organisation=general["organisation"],
            channels=tuple(self._channel(channel) for channel in self._list("channels")),
            environments=tuple(Environment(**entry) for entry in running["environments"]),
            releases=tuple(Release(**self._by(entry)) for entry in running["releases"]),
            deployments=tuple(Deployment(**self._by(entry)) for entry in running["deployments"]),
            databases=tuple(self._database(entry) for entry in running["databases"]),
        )

    def _by(self, entry: Mapping[str, Any]) -> dict[str, Any]:
        rest = {key: value for key, value in entry.items() if key != "by"}
        return {**rest, "author": self._id(entry["by"], "environments.toml")}

    def _database(self, entry: Mapping[str, Any]) -> Database:
        return Database(**{**entry, "applied": tuple(Applied(**one) for one in entry["applied"])})

    def _demo(self, demo: dict[str, Any]) -> Demo:
        slack = demo["slack"]
        asking = Asking(slack["channel"], self._id(slack["person"], "demo.toml"), slack["text"])
        page = demo["page"]
        planner = self._id(page["person"], "demo.toml")
        commenting = Commenting(page["id"], planner, page["adds"], page["marked"])
        return Demo(demo["ticket"], self._id(demo["person"], "demo.toml"), demo["role"], asking, commenting)

    def _read(self, name: str) -> dict[str, Any]:
        path = self._root / name
        try:
            return tomllib.loads(path.read_text(encoding="utf-8"))
        except (OSError, ValueError) as error:
            raise CompanyError(f"{name}: {error}") from error

    def _list(self, name: str) -> list[dict[str, Any]]:
        """The tables of NAME.toml, which holds nothing but an array of tables of that name."""
        entries: list[dict[str, Any]] = self._read(f"{name}.toml")[name]
        return entries

    def _files(self, folder: str) -> list[str]:
        """Names below the root, in the order that people count in: X-9 before X-10."""
        names = [path.relative_to(self._root).as_posix() for path in (self._root / folder).glob("*.toml")]
        return sorted(
            names, key=lambda name: [int(part) if part.isdigit() else part for part in re.split(r"(\d+)", name)]
        )

    def _id(self, name: str, where: str) -> str:
        if name not in self._ids:
            raise CompanyError(f"{where}: nobody is called {name!r}")
        return self._ids[name]

    def _text(self, text: str, where: str) -> str:
        """A mention is `@[Name]` in the files, `@[account-id]` in the records."""
        return _MENTION.sub(lambda match: f"@[{self._id(match[1], where)}]", text.strip("\n"))

    def _members(self, groups: Mapping[str, Iterable[str]]) -> dict[str, tuple[str, ...]]:
        return {group: tuple(self._id(name, "projects.toml") for name in names) for group, names in groups.items()}

    def _project(self, entry: Mapping[str, Any]) -> Project:
        members = {key: self._members(entry.get(key, {})) for key in ("roles", "security_levels")}
        return Project(**{**entry, **members})

    def _channel(self, entry: dict[str, Any]) -> Channel:
        """Its members are whole groups, and people by name."""
        groups = set(entry.pop("groups", []))
        members = [person.id for person in self._people if groups & set(person.groups) and not person.bot]
        members += [self._id(name, "channels.toml") for name in entry.pop("people", [])]
        return Channel(**_tuples({**entry, "members": members}))

    def _ticket(self, path: str) -> Ticket:
        entry = self._read(path)
        history = entry.pop("history", [])
        for person in ("reporter", "assignee"):
            if person in entry:
                entry[person] = self._id(entry[person], path)
        entry["description"] = self._text(entry["description"], path)
        entry["fields"] = {name: self._text(text, path) for name, text in entry.get("fields", {}).items()}
        entry["links"] = tuple(Link(**link) for link in entry.get("links", []))
        entry["remote_links"] = tuple(RemoteLink(**link) for link in entry.get("remote_links", []))
        entry["comments"] = tuple(self._comment(comment, path) for comment in entry.get("comments", []))
        entry["attachments"] = tuple(self._attachment(file, path) for file in entry.get("attachments", []))
        ticket = Ticket(**entry, updated=entry["created"])
        changes = self._history(history, ticket, path)
        moments = [ticket.created, *(c.at for c in ticket.comments), *(c.at for c in changes)]
        moments += [file.at for file in ticket.attachments]
        return replace(ticket, history=changes, updated=max(moments))

    def _comment(self, entry: Mapping[str, Any], path: str) -> Comment:
        rest = {key: value for key, value in entry.items() if key not in {"by", "text"}}
        return Comment(author=self._id(entry["by"], path), text=self._text(entry["text"], path), **rest)

    def _attachment(self, entry: Mapping[str, Any], path: str) -> Attachment:
        return Attachment(entry["name"], self._id(entry["by"], path), entry["at"], entry["text"].strip("\n"))

    def _history(self, entries: Iterable[Mapping[str, Any]], ticket: Ticket, path: str) -> tuple[Change, ...]:
        """The files say what stood before each change; what stood after it is the next one's before."""
        following: dict[str, str] = {}
        changes = []
        for entry in sorted(entries, key=lambda entry: entry["at"], reverse=True):
            name, before = entry["field"], self._text(entry["before"], path)
            after = following.get(name, value_of(ticket, name, self._names))
            changes.append(Change(entry["at"], self._id(entry["by"], path), name, before, after))
            following[name] = before
        return tuple(reversed(changes))

    def _page(self, path: str) -> Page:
        entry = self._read(path)
        entry["versions"] = tuple(
            PageVersion(
                version["at"], self._id(version["by"], path), version["text"].strip("\n"), version.get("message", "")
            )
            for version in entry["versions"]
        )
        entry["comments"] = tuple(self._page_comment(comment, path) for comment in entry.get("comments", []))
        entry["attachments"] = tuple(self._attachment(file, path) for file in entry.get("attachments", []))
        entry["users"] = [self._id(name, path) for name in entry.get("users", [])]
        return Page(**_tuples(entry))

    def _page_comment(self, entry: Mapping[str, Any], path: str) -> PageComment:
        rest = {key: value for key, value in entry.items() if key not in {"by", "text"}}
        return PageComment(author=self._id(entry["by"], path), text=self._text(entry["text"], path), **rest)

    def _repo(self, folder: Path) -> Repo:
        paths = self._files(folder.relative_to(self._root).as_posix())
        return Repo(folder.name, tuple(self._commit(path) for path in paths))

    def _commit(self, path: str) -> Commit:
        return self._committed(self._read(path), path)

    def _committed(self, entry: Mapping[str, Any], where: str) -> Commit:
        return Commit(
            author=self._id(entry["by"], where),
            at=entry["at"],
            message=entry["message"].strip(),
            files={**entry.get("files", {}), **dict.fromkeys(entry.get("removed", []))},
            branch=entry.get("branch", "main"),
            merges=entry.get("merges"),
        )

    def _pull(self, path: str) -> Pull:
        entry = self._read(path)
        author, branch = self._id(entry.pop("by"), path), entry["branch"]
        commits = [self._committed({"branch": branch, **commit}, path) for commit in entry.pop("commits", [])]
        if "fork" in entry:
            entry["fork"] = self._id(entry["fork"], path)
        moments = [entry["created"], entry.get("closed", entry["created"]), *(commit.at for commit in commits)]
        entry["description"] = entry["description"].strip("\n")
        return Pull(**entry, author=author, commits=tuple(commits), updated=max(moments))


def _tuples(entry: Mapping[str, Any]) -> dict[str, Any]:
    """TOML has arrays, the records have tuples."""
    return {key: tuple(value) if isinstance(value, list) else value for key, value in entry.items()}
