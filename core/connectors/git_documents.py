"""Documents of files and commits. Nothing here reads anything."""

import re
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import PurePosixPath
from urllib.parse import quote

from core.connectors.base import fingerprint
from core.connectors.git_files import LARGEST, is_prose
from core.mirror import Commit, Entry, Touch, shown
from core.mirror.names import bytes_of
from core.parsing.files import too_large
from core.parsing.markdown import clean, one_line
from core.parsing.parsed import Parsed, ReadFile, unreadable
from core.parsing.text import decoded
from core.paths import file_id
from core.types import Document
from core.visibility import repository

REMOVED = "[removed on this branch]"

_SNIFFED = 8_000  # Git, too, looks for a NUL in the first 8,000 bytes to tell a binary file
_WIDE = (b"\xff\xfe", b"\xfe\xff", b"\0\0\xfe\xff")
_POINTER = re.compile(
    rb"version https://git-lfs\.github\.com/spec/v1\n(?:[a-z0-9.-]+ .*\n)*?size (?P<size>[0-9]{1,18})\n"
)
_LONGEST_POINTER = 1024  # bytes, by the Git LFS specification
_STEERING = re.compile("[\x80-\x84\x86-\x9f\u202a-\u202e\u2066-\u2069]")  # terminals, and the order of what is read
_MANY_PATHS = 200  # of a commit; a mass rename's list says nothing


@dataclass(frozen=True, slots=True)
class Line:
    """A line of development: the baseline, or a branch beside it."""

    branch: str
    development: bool = False


class Documents:
    """Makes the documents of one repository, called `name`."""

    def __init__(
        self, name: str, *, link: str, commit_link: str, projects: Collection[str], read: ReadFile | None
    ) -> None:
        self._name = name
        self._link = link
        self._commit_link = commit_link
        self._read = read
        self._keys = _ticket_keys(projects)
        self.labels = frozenset({repository(name)})

    def file_id(self, line: Line, path: str) -> str:
        return file_id(self._name, shown(path), shown(line.branch) if line.development else None)

    def commit_id(self, commit: str) -> str:
        return f"git:{self._name}@{commit}"

    def file(self, line: Line, entry: Entry, content: bytes | None, updated: datetime) -> Document:
        """`content` is None for a file that is too large to be read."""
        parsed = too_large(LARGEST) if content is None else self._parsed(entry.path, content)
        return self._file(line, entry.path, parsed, entry.blob, updated)

    def removed(self, line: Line, path: str, updated: datetime) -> Document:
        """A file that the baseline has and a branch has not."""
        return self._file(line, path, Parsed(REMOVED), REMOVED, updated)

    def _file(self, line: Line, path: str, parsed: Parsed, content: str, updated: datetime) -> Document:
        name, branch = shown(path), shown(line.branch)
        url = _filled(self._link, branch=line.branch, path=path)
        tickets = self._keys(branch, True) if line.development else frozenset[str]()
        label, last = (_label(part) for part in (name, PurePosixPath(name).name))
        return Document(
            id=self.file_id(line, path),
            source=self._name,
            kind="file" if is_prose(path) else "code",
            version=fingerprint(content, branch, url, *sorted(tickets)),
            title=f"{label} on {_label(branch)}" if line.development else label,
            text=parsed.text,
            context=" > ".join([*self._where(line), label]),
            url=url,
            labels=self.labels,
            updated=updated,
            keys=frozenset({label, last}) | tickets,
            repo=self._name,
            path=name,
            branch=branch,
            development=line.development,
            places=parsed.places,
            unread=parsed.unread,
        )

    def commit(self, line: Line, commit: Commit, today: Sequence[str]) -> Document:
        """`today` are the present names of the files it touched."""
        branch = shown(line.branch)
        message = clean(commit.message)
        subject = _label(message.partition("\n")[0], commit.id[:12])
        paths = "\n".join(_label(shown(path)) for path in today[:_MANY_PATHS])
        text = "\n\n".join(part for part in (message, _listed(commit.touches)) if part) or subject
        url = _filled(self._commit_link, sha=commit.id)
        tickets = self._tickets(line, commit, message)
        return Document(
            id=self.commit_id(commit.id),
            source=self._name,
            kind="commit",
            version=fingerprint(text, paths, branch, str(line.development), url, *sorted(tickets)),
            title=subject,
            text=text,
            context=" > ".join([*self._where(line), f"{commit.id[:12]} {subject}"]),
            url=url,
            labels=self.labels,
            updated=commit.committed,
            created=commit.authored,
            keys=frozenset({commit.id, commit.id[:7], commit.id[:12]}) | tickets,
            repo=self._name,
            branch=branch,
            development=line.development,
            attributes={"author": _label(commit.author, ""), "paths": paths},
        )

    def _where(self, line: Line) -> list[str]:
        return [self._name, f"branch {_label(shown(line.branch))}"] if line.development else [self._name]

    def _tickets(self, line: Line, commit: Commit, message: str) -> frozenset[str]:
        found = self._keys(message, False)
        if len(commit.parents) > 1:  # the subject of a merge names a branch
            found |= self._keys(message.partition("\n")[0], True)
        return found | self._keys(shown(line.branch), True) if line.development else found

    def _parsed(self, path: str, content: bytes) -> Parsed:
        if pointer := len(content) <= _LONGEST_POINTER and _POINTER.match(content):
            size = _megabytes(int(pointer["size"]))
            return Parsed(f"[Git LFS pointer: {size} not read]", unread=(f"Git LFS object not read: {size}",))
        if b"\0" in content[:_SNIFFED] and not content.startswith(_WIDE):
            return unreadable("it is a binary file")
        text = decoded(content)
        if not text.strip():
            return Parsed("[nothing but white space]")
        return self._read(shown(path), content) if self._read and is_prose(path) else Parsed(text)


def _label(text: str, otherwise: str = "?") -> str:
    """As people are shown it: on one line, and nothing in it steers how it is shown; `otherwise` if nothing is left."""
    return one_line(_STEERING.sub("", clean(text))) or otherwise


def _ticket_keys(projects: Collection[str]) -> Callable[[str, bool], frozenset[str]]:
    """Finds the keys of tickets of these projects in a text; in a branch's name also those in small letters."""
    if not projects:
        return lambda _text, _any_case: frozenset()
    either = "|".join(re.escape(project) for project in sorted(projects, key=len, reverse=True))
    pattern = rf"(?<![A-Za-z0-9])(?:{either})-[1-9][0-9]{{0,8}}(?![A-Za-z0-9])"
    strict, loose = re.compile(pattern), re.compile(pattern, re.IGNORECASE)
    return lambda text, any_case: frozenset(key.upper() for key in (loose if any_case else strict).findall(text))


def _listed(touches: Sequence[Touch]) -> str:
    """What a commit touched, under the names of its time."""
    if not touches:
        return ""
    lines = [
        f"- {_label(shown(touch.before))} -> {_label(shown(touch.path))}"
        if touch.before is not None
        else f"- {_label(shown(touch.path))}"
        for touch in touches[:_MANY_PATHS]
    ]
    more = len(touches) - len(lines)
    return "\n".join(["Files:", *lines, *([f"- and {more} more"] if more > 0 else [])])


def _filled(template: str, **values: str) -> str:
    """A link; what is filled in is percent-encoded, byte by byte."""
    for name, value in values.items():
        template = template.replace(f"{{{name}}}", quote(bytes_of(value)))
    return template


def _megabytes(size: int) -> str:
    return f"{size / 1_000_000:,.1f} MB" if size >= 100_000 else f"{size:,} bytes"
