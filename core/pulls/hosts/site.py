"""Where a host is, and which addresses are below it."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from urllib.parse import quote, urlsplit

from core.errors import SourceForbidden
from core.pulls.types import PullRef

_LONGEST = 2000
_PORTS = {"http": 80, "https": 443}
_SLASH = re.compile("%2F", re.IGNORECASE)
_NUMBER = re.compile(r"[1-9][0-9]{0,9}", re.ASCII)
# Nothing that two programs could read in two ways: no user, no backslash, no escape, no letter beyond ASCII.
_ADDRESS = re.compile(
    r"(?P<scheme>https?)://(?P<host>[a-z0-9.-]+|\[[0-9a-f:.]+\])(?::(?P<port>[0-9]{1,5}))?(?P<path>/[\w.~%+-][\w.~%+/-]*)",
    re.ASCII | re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Site:
    """A base address: host, port and the parts of its path."""

    url: str
    host: str
    port: int
    prefix: tuple[str, ...]

    @classmethod
    def at(cls, url: str) -> "Site":
        """Raises SourceForbidden for what is no plain http or https address."""
        url = url.rstrip("/")
        try:
            parts = urlsplit(url)
            port = parts.port or _PORTS.get(parts.scheme)
        except ValueError:
            port = None
        if port is None or not parts.hostname or parts.username is not None or parts.query or parts.fragment:
            raise SourceForbidden("the address of a host of repositories must be one such as https://git.example.com")
        return cls(url, parts.hostname, port, tuple(part for part in parts.path.split("/") if part))

    def way(self, address: str) -> tuple[str, ...] | None:
        """The parts of an address's path below this one; None for an address of any other place, and for one that is
        not written plainly. The only escape that is kept is `%2F`, which is how GitLab's API writes a project.
        """
        before, _, _ = address[: _LONGEST + 1].partition("#")
        before, _, _ = before.partition("?")
        found = _ADDRESS.fullmatch(before)
        if found is None or len(address) > _LONGEST:
            return None
        port = int(found["port"]) if found["port"] else self._silent_port()
        if (found["host"].strip("[]").lower(), port) != (self.host, self.port):
            return None
        way = tuple(found["path"].removeprefix("/").removesuffix("/").split("/"))
        if any(part in {"", ".", ".."} or "%" in _SLASH.sub("", part) for part in way):
            return None
        return way[len(self.prefix) :] if way[: len(self.prefix)] == self.prefix else None

    def _silent_port(self) -> int | None:
        """The port of an address that names none: people write http for https, and nothing is asked there."""
        return self.port if self.port in _PORTS.values() else None


def pull_ref(project: str, number: str, projects: Mapping[str, str]) -> PullRef | None:
    """The pull request of one of `projects` (repository's name -> project), whose names vendors take in any case."""
    if not _NUMBER.fullmatch(number):
        return None
    repo = next((name for name, known in projects.items() if known.lower() == project.lower()), None)
    return PullRef(repo, int(number)) if repo is not None else None


def newest_first(repo: str, found: Iterable[int]) -> list[PullRef]:
    return [PullRef(repo, number) for number in sorted(set(found), reverse=True)]


def quoted(path: str) -> str:
    """A file's path in an address; names that are not UTF-8 as their bytes."""
    return quote(path.encode("utf-8", "surrogateescape"), safe="/")
