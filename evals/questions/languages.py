"""The language of a question and of its answer, as far as it can be told without a list of all languages."""

import re
import unicodedata
from collections import Counter

from review import text as words

_CODE = re.compile(r"`[^`\n]*`")
_NAME = re.compile(r"[\d_/\\]|\w\.\w|[a-z][A-Z]|\w\(|^[^\w]*[A-Z]{2,}[^\w]*$")
"""In a word: it is a key, a path, an address, a number or a name in code, and no prose."""
_SCRIPTS = {
    "HANGUL": "ko",
    "HIRAGANA": "ja",
    "KATAKANA": "ja",
    "CJK": "zh",
    "CYRILLIC": "cyrillic",
    "GREEK": "el",
    "ARABIC": "arabic",
    "HEBREW": "he",
    "THAI": "th",
    "DEVANAGARI": "devanagari",
}
"""By the first word of a letter's name in Unicode. A script that several languages have is called by its own name."""
_DENSE = frozenset({"ko", "ja", "zh"})
_FOR_ONE = 2
"""Letters that one of a dense script stands for, roughly: a syllable or a word of it."""
_LEAST = 8
"""Letters of prose in which a language can be told."""


def language_of(text: str) -> str | None:
    """The language that most of its letters are of; None where there is too little prose to tell.

    What is written in Latin letters is `de` or `en`, as the product itself tells them apart: other languages of that
    script count as English. Identifiers, paths and numbers are no prose.
    """
    prose = " ".join(word for word in _CODE.sub(" ", text).split() if not _NAME.search(word))
    found: Counter[str] = Counter()
    for letter in filter(str.isalpha, prose):
        script = _SCRIPTS.get(unicodedata.name(letter, "LATIN").split()[0], "latin")
        found[script] += _FOR_ONE if script in _DENSE else 1
    if found.total() < _LEAST:
        return None
    if found["ja"] and found["ja"] + found["zh"] >= found.total() / 2:
        return "ja"  # which writes its nouns in Chinese characters
    most = max(found, key=lambda script: found[script])
    return words.language_of(prose) if most == "latin" else most
