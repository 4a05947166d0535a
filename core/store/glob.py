"""Globs over paths, in the manner of `.gitignore`."""

import re

_WILD = re.compile(
    r"(?P<directories>\*\*/)|(?P<any>\*\*)|(?P<part>\*)|(?P<one>\?)|\[(?P<not>[!^]?)(?P<set>\]?[^\]/]*)\]"
)


def glob_prefix(glob: str) -> str:
    """What every path that matches begins with; empty where that is not known."""
    return re.split(r"[*?\[]", glob, maxsplit=1)[0].strip("/") if "/" in glob else ""


def glob_pattern(glob: str) -> re.Pattern[str]:
    """A pattern for `fullmatch`.

    `*` and `?` stay within a directory, `**` crosses them, `[ab]` is a set of characters. A glob without a slash
    matches a name at any depth. A directory stands for all that is below it.
    """
    anchored = "/" in glob
    glob = glob.strip("/")
    pattern = "" if anchored else "(?:.*/)?"
    at = 0
    for wild in _WILD.finditer(glob):
        pattern += re.escape(glob[at : wild.start()]) + _translated(wild)
        at = wild.end()
    return re.compile(f"{pattern}{re.escape(glob[at:])}(?:/.*)?", re.DOTALL)


def _translated(wild: re.Match[str]) -> str:
    if wild["directories"]:
        return "(?:.*/)?"
    if wild["any"]:
        return ".*"
    if wild["part"]:
        return "[^/]*"
    if wild["one"]:
        return "[^/]"
    return _character_set(wild["set"], negated=bool(wild["not"]))


def _character_set(members: str, *, negated: bool) -> str:
    ranges = re.findall(r".-.|.", members, re.DOTALL)
    parts = [
        re.escape(r) if len(r) == 1 else f"{re.escape(r[0])}-{re.escape(r[2])}"
        for r in ranges
        if len(r) == 1 or r[0] <= r[2]
    ]
    if negated:
        return f"[^/{''.join(parts)}]"
    return f"[{''.join(parts)}]" if parts else "(?!)"
