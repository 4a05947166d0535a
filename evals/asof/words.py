"""Texts as runs of words, so that a sentence is found again however it is marked up or cut into pieces."""

import re
from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

BREAK = "\n\0\n"
"""Between texts that are kept together and do not follow one upon the other."""
RUN = 5
"""Words in a row that make a text known again."""
_WORD = re.compile(r"https?://[^\s<>()\[\]|\"'`]+|[^\W_]+|\0")
_FACTOR = np.uint64(0x9E3779B97F4A7C15)

Numbers = NDArray[np.uint64]
"""Shape (n,)."""


def words(text: str) -> list[str]:
    """In small letters, without what stands between them. An address is one word, and so is a break."""
    return _WORD.findall(text.casefold())


def numbered(found: Iterable[str]) -> Numbers:
    """A number for each word, the same as long as this process runs. Shape (words,)."""
    return np.fromiter((hash(word) for word in found), dtype=np.int64).astype(np.uint64)


def runs(numbers: Numbers, size: int) -> Numbers:
    """A number for each run of so many words. Shape (words - size + 1,), or empty."""
    count = len(numbers) - size + 1
    if count <= 0:
        return np.empty(0, dtype=np.uint64)
    total = np.zeros(count, dtype=np.uint64)
    for at in range(size):
        total = total * _FACTOR + numbers[at : at + count]
    return total


def telling(found: list[str]) -> int:
    """How many words a run of a text needs to be its own; 0 where it is too short to be known again."""
    if len(found) >= RUN:
        return RUN
    letters = sum(len(word) for word in found if "://" not in word)
    return len(found) if letters >= (6 if len(found) == 1 else 8) else 0
