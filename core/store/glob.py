"""Globs over paths, in the manner of `.gitignore`."""

import re

_LONGEST = 4096  # characters; no path is longer
_WILD = re.compile(
    r"(?P<above>(?<![^/])\*\*/)|(?P<any>\*\*+)|(?P<part>\*)|(?P<one>\?)|\[(?P<not>[!^]?)(?P<set>\]?[^\]/]{0,100})\]"
)
_ABOVE = "(?:.*?/)??"
_NOTHING = re.compile("(?!)")


def glob_pattern(glob: str) -> re.Pattern[str]:
    """A pattern for `fullmatch`.

    `*` and `?` stay within a directory, `**` crosses them, `[ab]` is a set of characters. A glob without a slash
    matches a name at any depth. A directory stands for all that is below it.

    What stands before another wildcard is taken where it ends first, `(?>...)`, and nowhere else: what can follow a
    later end can follow that one. So the time does not grow with a power of the number of wildcards.
    """
    if len(glob) > _LONGEST:
        return _NOTHING
    crossings = ["" if "/" in glob else _ABOVE]
    groups = [[""]]  # between what crosses directories, what is between the stars
    glob = glob.strip("/")
    at = 0
    for wild in _WILD.finditer(glob):
        groups[-1][-1] += re.escape(glob[at : wild.start()])
        if wild["part"]:
            groups[-1].append("")
        elif wild["above"] or wild["any"]:
            crossings.append(_ABOVE if wild["above"] else ".*?")
            groups.append([""])
        else:
            groups[-1][-1] += "[^/]" if wild["one"] else _character_set(wild["set"], negated=bool(wild["not"]))
        at = wild.end()
    groups[-1][-1] += re.escape(glob[at:])
    *earlier, (first, *others) = groups
    pattern = "".join(
        f"(?>{crossing}{_first_ends(group)})" for crossing, group in zip(crossings, earlier, strict=False)
    )
    ending = f"[^/]*{others.pop()}" if others else ""
    return re.compile(f"{pattern}{crossings[-1]}{_first_ends([first, *others])}{ending}(?:/.*)?", re.DOTALL)


def _first_ends(between_stars: list[str]) -> str:
    first, *others = between_stars
    return first + "".join(f"(?>[^/]*?{other})" for other in others)


def _character_set(members: str, *, negated: bool) -> str:
    """One character, never a slash."""
    ranges = re.findall(r".-.|.", members, re.DOTALL)
    parts = [
        re.escape(r) if len(r) == 1 else f"{re.escape(r[0])}-{re.escape(r[2])}"
        for r in ranges
        if len(r) == 1 or r[0] <= r[2]
    ]
    if negated:
        return f"[^/{''.join(parts)}]"
    return f"(?!/)[{''.join(parts)}]" if parts else "(?!)"
