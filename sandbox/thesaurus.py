"""Other words for the same things, chosen at random and used throughout."""

import re
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from random import Random

_THESAURUS = tomllib.loads(Path(__file__).with_suffix(".toml").read_text(encoding="utf-8"))
_LETTER = "[A-Za-z]"


class Wording:
    """A choice among the thesaurus's alternatives, and `fixed` replacements beside it, such as names."""

    def __init__(self, random: Random, fixed: Mapping[str, str]) -> None:
        self._new: dict[str, str] = {}
        for entry, alternatives in {**_THESAURUS["words"], **_THESAURUS["phrases"]}.items():
            chosen = random.choice(alternatives)
            for old, new in zip(entry.split("/"), chosen.split("/"), strict=True):
                self._new.update(_variants(old, new))
        self._new.update(fixed)
        longest_first = sorted(self._new, key=lambda old: (-len(old), old))
        words = "|".join(re.escape(old).replace(r"\ ", r"\s+") for old in longest_first)
        self._pattern = re.compile(
            rf"(?:(?<!{_LETTER})(?P<article>[Aa])n?(?P<gap>\s+))?(?<!{_LETTER})(?P<word>{words})(?!{_LETTER})"
        )

    def __call__(self, text: str) -> str:
        return self._pattern.sub(self._replace, text)

    def _replace(self, match: re.Match[str]) -> str:
        new = self._new[" ".join(match["word"].split())]
        if match["article"] is None:
            return new
        return match["article"] + ("n" if new[0].lower() in "aeiou" else "") + match["gap"] + new


def names(random: Random, number: int) -> Iterator[tuple[str, str]]:
    """That many first and last names, each used once."""
    people = _THESAURUS["people"]
    return zip(random.sample(people["first"], number), random.sample(people["last"], number), strict=True)


def entries() -> Iterable[tuple[tuple[str, ...], tuple[tuple[str, ...], ...]]]:
    """Each entry's forms with its alternatives' forms."""
    for table in ("words", "phrases"):
        for entry, alternatives in _THESAURUS[table].items():
            yield tuple(entry.split("/")), tuple(tuple(alternative.split("/")) for alternative in alternatives)


def things() -> frozenset[str]:
    """Every form of the company's own words, in lower case; phrases, which any ticket may hold, left out."""
    return frozenset(form.lower() for entry in _THESAURUS["words"] for form in entry.split("/"))


def _variants(old: str, new: str) -> dict[str, str]:
    """The spellings of a word: as it stands if it has capitals or no letters, else also in other cases and joined by
    underscores, as in identifiers.
    """
    if not old.islower():
        return {old: new}
    joined = re.sub("[- ]", "_", old), re.sub("[- ]", "_", new)
    spellings = {}
    for before, after in ((old, new), joined):
        spellings[before] = after
        spellings[before[0].upper() + before[1:]] = after[0].upper() + after[1:]
        spellings[before.upper()] = after.upper()
    return spellings
