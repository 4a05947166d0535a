"""The spellings of one name: `booking.hold.minutes`, `HOLD_MINUTES`, `holdMinutes`, `--hold-minutes`."""

import re
from functools import lru_cache

from core.tokens import WORDLIKE

_WORD = re.compile(r"[A-Z]+(?![a-z])[0-9]*|[A-Z]?[a-z]+[0-9]*|[0-9]+|[^\W\d_A-Za-z]+")
_JOINED = r"(?:[._:/-]|__|\]\[|['\"]\]\[['\"])?"
"""What may stand between the words of a spelling."""


@lru_cache(maxsize=1_000)
def words(name: str) -> tuple[str, ...]:
    """The words of a name in small letters: `holdMinutes`, `HOLD_MINUTES` and `hold-minutes` have the same."""
    return tuple(word.lower() for word in _WORD.findall(name))


def spellings(parts: tuple[str, ...]) -> str:
    """The ways to write these words as one identifier, as a text that is searched for."""
    return " ".join((*parts, "_".join(parts), "".join(parts)))


def joined(parts: tuple[str, ...]) -> str:
    """A pattern for the words in any spelling, to be compared without regard to case."""
    return _JOINED.join(map(re.escape, parts))


def pascal(parts: tuple[str, ...]) -> str:
    return "".join(word.capitalize() for word in parts)


def camel(parts: tuple[str, ...]) -> str:
    return parts[0] + pascal(parts[1:])


def standing(pattern: str) -> str:
    """The pattern where no letter stands beside it."""
    return rf"(?<![{WORDLIKE}$])(?:{pattern})(?![{WORDLIKE}])"


@lru_cache(maxsize=5_000)
def bare(name: str) -> str:
    """A table `order_items` is the class `OrderItem` in code, and `orderItem` a variable that holds one."""
    return singular(name.replace("_", "").casefold())


def singular(word: str) -> str:
    """An English plural's singular, as far as its ending tells."""
    if word.endswith("ies") and len(word) > 4:
        return f"{word[:-3]}y"
    if word.endswith(("sses", "xes", "ches", "shes")):
        return word[:-2]
    return word if word.endswith(("ss", "us", "is")) else word.removesuffix("s")


def holds_as_word(text: str, name: str) -> bool:
    return bool(name) and re.search(standing(re.escape(name)), text) is not None
