"""A version endpoint: an address that answers with JSON, and where in that the version is."""

from collections.abc import Sequence
from dataclasses import dataclass

from core.probes.guard import Unread
from core.probes.types import Running
from core.probes.values import moment, version
from core.probes.version import Named, commit_id, named
from core.probes.web import Asking


@dataclass(frozen=True, slots=True)
class VersionEndpoint:
    """Paths into the JSON, with dots between keys and numbers of items: `build.version`, `git.commit.id`, `0.commit`.
    An empty one is not looked for; `version` or `commit` is needed.
    """

    version: str = ""
    commit: str = ""
    since: str = ""
    dirty: str = ""

    def running(self, ask: Asking) -> Sequence[Running]:
        answer = ask.value("")
        told, given = version(_at(answer, self.version)), _at(answer, self.commit)
        by_version, own = named(told), commit_id(given) if isinstance(given, str) else Named()
        if not told and not own.commit:
            asked = " or ".join(f"`{path}`" for path in (self.version, self.commit) if path)
            raise Unread(f"its answer has no version or commit at {asked}: an administrator has to check the settings")
        since = moment(_at(answer, self.since))
        sought = (
            ("version", self.version, told),
            ("commit id", self.commit, own.commit),
            ("time with an offset", self.since, since),
        )
        notes = tuple(f"Its answer has no {what} at `{path}`." for what, path, found in sought if path and not found)
        dirty = own.dirty or by_version.dirty or _at(answer, self.dirty) is True
        return (Running(told, own.commit or by_version.commit, since=since, dirty=dirty, notes=notes),)


def _at(value: object, path: str) -> object:
    """What is at a path; None if nothing is. A key may hold dots itself: the longest that is there counts."""
    if not path:
        return None
    keys = path.split(".")
    for count in range(len(keys), 0, -1):
        key, rest = ".".join(keys[:count]), ".".join(keys[count:])
        if isinstance(value, dict) and key in value:
            return _at(value[key], rest) if rest else value[key]
    if isinstance(value, list) and keys[0].isdecimal() and len(keys[0]) < 4 and int(keys[0]) < len(value):
        rest = ".".join(keys[1:])
        return _at(value[int(keys[0])], rest) if rest else value[int(keys[0])]
    return None
