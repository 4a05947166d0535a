"""Uses of a setting: `booking.hold.minutes`, `HOLD_MINUTES`, `--hold-minutes`."""

import re
from collections.abc import Iterator
from pathlib import PurePosixPath

from core.tokens import WORDLIKE
from core.usage.sought import Sighting, Trail
from core.usage.spelling import camel, joined, spellings, words
from core.usage.types import How
from core.usage.view import View

_READS = re.compile(
    r"environ|getenv|\benv\b|process\.env|config|setting|propert|@Value|viper|option|flag|argv|args?\b|\bget\w*\(|lookup|\$\{|param",
    re.IGNORECASE,
)
_DECLARES = re.compile(
    r"add_argument|\bOption\(|@click\.option|addOption|\.option\(|flag\.\w+\(|Flags\(\)\.|StringVar|IntVar|\bField\(|parser\."
)
_KEY = re.compile(
    r"""^(?P<indent>\s*)(?:-\s+)?(?:export\s+|ENV\s+|ARG\s+)?["']?(?P<key>[\w.$/-]+)["']?\s*(?P<mark>[:=])(?!=)"""
)
_NAMED = re.compile(r"""(?:\bname|\bkey)["']?\s*[:=]\s*["']?(?P<key>[\w.-]+)""")
_SECTION = re.compile(r"^\s*\[{1,2}(?P<section>[\w.\"' -]+)\]{1,2}\s*$")
_NESTED = frozenset({".yaml", ".yml", ".json", ".jsonc", ".json5", ".hcl", ".tf"})
_DEEPEST = 12


class SettingSought:
    """See `core.usage.sought.Sought`."""

    def __init__(self, name: str) -> None:
        self._name = name.strip().lstrip("-").split("=")[0]
        self._flag = name.strip().startswith("--")
        self._words = words(self._name)
        self._whole = re.compile(
            rf"(?<![{WORDLIKE}])(?P<before>(?:[{WORDLIKE}]{{1,40}}[.:/]){{0,6}})(?P<flag>--)?(?P<key>{joined(self._words)})"
            rf"(?![{WORDLIKE}]|[.:/-][{WORDLIKE}])",
            re.IGNORECASE,
        )
        self._last = re.compile(rf"(?<![{WORDLIKE}-]){joined(self._words[-2:])}(?![{WORDLIKE}-])", re.IGNORECASE)

    @property
    def trail(self) -> Trail:
        return Trail(
            symbols=("_".join(self._words).upper(), "_".join(self._words), camel(self._words)),
            texts=(spellings(self._words),),
            wholes=("_".join(self._words), "".join(self._words)),
        )

    def may_be_in(self, text: str) -> bool:
        folded = text.casefold()
        return all(word in folded for word in self._words)

    def sightings(self, view: View) -> Iterator[Sighting]:
        keys = {} if view.prose or view.reading else _keys(view)
        for row, line in enumerate(view.bare):
            sighting = self._set(row, keys[row]) if row in keys else None
            if sighting := sighting or self._at(view, row, line):
                yield sighting

    def _set(self, row: int, key: str) -> Sighting | None:
        """A line that gives the setting a value, by its whole key."""
        found = words(key)
        if found == self._words:
            return Sighting(row, "sure", f"It is set here as “{key}”.", role="sets")
        if found[-len(self._words) :] == self._words and re.search(r"[.:/]", key) and len(self._words) > 1:
            own = key.removesuffix(self._name)
            if own.endswith((".", ":", "/")) or own == key:
                return Sighting(row, "likely", f"It is set here as “{key}”, with more before it.", role="sets")
        return None

    def _at(self, view: View, row: int, line: str) -> Sighting | None:
        match = self._whole.search(line)
        if match is None:
            return self._by_its_end(view, row, line)
        key = match["key"]
        if key != self._name and key.isalpha() and key.islower() and len(self._words) > 1:
            return None
        if view.prose:
            marked = key == self._name or not key.isalpha()
            return Sighting(row, "likely" if marked else "possible", "Documentation names it.") if marked else None
        if len(self._words) == 1 and not self._quoted(line, match) and key != key.upper():
            return None  # a plain word is a setting only where it stands as one
        if view.is_import(row):
            return Sighting(row, "likely", f"“{key}” is imported here.", role="imports", telling=False)
        return self._read(view, row, line, match)

    def _read(self, view: View, row: int, line: str, match: re.Match[str]) -> Sighting:
        key = match["key"]
        if key in view.defined(row):
            return Sighting(row, "sure", f"“{key}” is declared here.", "syntax", "defines", telling=False)
        if _DECLARES.search(view.near(row, 2, 0)) and self._quoted(line, match):
            return Sighting(row, "sure", f"It is declared here as “{match['flag'] or ''}{key}”.", role="defines")
        spelled = "" if key == self._name else f" as “{match['flag'] or ''}{key}”"
        exact = key == self._name or key.replace("_", "").isupper() or "." in key
        if match["before"] and "." in match["before"] and self._quoted(line, match):
            return Sighting(row, "likely", f"It is read{spelled} with more before it.")
        if _READS.search(line) or match["flag"]:
            return Sighting(row, "sure" if exact else "likely", f"It is read{spelled} here.")
        if view.configuration:
            return Sighting(row, "likely", f"It is named{spelled} here.", telling=False)
        how: How = "syntax" if view.uses(row, key) else "text"
        return Sighting(row, "likely", f"It is used{spelled} here.", how, telling=False)

    def _by_its_end(self, view: View, row: int, line: str) -> Sighting | None:
        """What is read under a prefix that the file names: `hold.minutes` below `booking`."""
        if len(self._words) < 3 or view.prose or view.configuration or not self._last.search(line):
            return None
        first = re.escape(self._words[0])
        if re.search(
            rf"prefix[^\n]{{0,30}}[\"'`]{first}[._-]?[\"'`]|[\"'`]{first}[._]?[\"'`]", view.surroundings, re.IGNORECASE
        ):
            return Sighting(row, "possible", f"The file names “{self._words[0]}”, and here the rest of the key.")
        return None

    @staticmethod
    def _quoted(line: str, match: re.Match[str]) -> bool:
        return bool(re.search(r"[\"'`{$-]", line[: match.start("key")][-3:]))


def _keys(view: View) -> dict[int, str]:
    """The whole key that each row of a file of settings sets: nested ones with the keys above them."""
    path = PurePosixPath(view.path.lower())
    nested = path.suffix in _NESTED or "compose" in path.name
    found: dict[int, str] = {}
    above: list[tuple[int, str]] = []
    section = ""
    for row, line in enumerate(view.bare):
        if match := _SECTION.match(line):
            section = re.sub(r"[\"' ]", "", match["section"])
        named = _NAMED.search(line)
        match = _KEY.match(line) or (re.match(r'^(?P<indent>\s*)"(?P<key>[^"\n]+)"\s*(?P<mark>:)', line))
        if nested and match:
            indent = len(match["indent"].expandtabs(4))
            above = [one for one in above if one[0] < indent][-_DEEPEST:]
            found[row] = ".".join([*(key for _, key in above), match["key"]])
            above.append((indent, match["key"]))
        elif match:
            found[row] = f"{section}.{match['key']}" if section else match["key"]
        if named:
            found[row] = named["key"]
    return found
