"""Text cut into search terms, by one set of rules for what is indexed and what is asked.

A word gives its stem. An identifier gives itself whole and the stems of its parts (`check_user_lock`, `checkUserLock`
and `PAY-731` all find what is written either way). A word with accents also gives its plain spellings (`Zürich`,
`zurich`, `zuerich`). Scripts without spaces give pairs of characters, Hangul words themselves and their pairs.
There is no list of stop words: a common word weighs little because it is common, and a search for one still works.
"""

import re
import unicodedata
from collections import Counter
from functools import lru_cache
from threading import Lock

import Stemmer

_MAX_WORD = 64  # characters; longer runs are encoded data, which nobody types into a search

WORDLIKE = "A-Za-z0-9_\u00c0-\u024f"
"""Inside a character class: what cannot stand right beside an identifier. In scripts without spaces, letters do."""

_LATIN = "A-Za-z\u00c0-\u024f\u1e00-\u1eff"
_UNSPACED = (
    "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff"  # Thai, Lao, Burmese, Khmer
    "\u3005-\u3007\u3040-\u30ff\u31f0-\u31ff"  # Kana
    "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"  # Han
)
_HANGUL = "\u1100-\u11ff\u3130-\u318f\uac00-\ud7af"
# Vowel signs and the like are part of a word, but not of `\w`.
_MARKS = "".join(chr(c) for c in range(0x300, 0xFFFF) if unicodedata.category(chr(c)) in {"Mn", "Mc"})

_WORD = re.compile(
    rf"(?P<unspaced>[{_UNSPACED}]+)"
    rf"|(?P<hangul>[{_HANGUL}]+)"
    rf"|(?P<latin>[{_LATIN}0-9_][{_LATIN}0-9_\u0300-\u036f]*(?:-[{_LATIN}]*[0-9]+(?![{_LATIN}]))*)"
    rf"|(?P<other>\w(?:(?![{_LATIN}{_UNSPACED}{_HANGUL}0-9_])[\w{_MARKS}])*)"
)
_ASCII_WORD = re.compile(r"[A-Za-z0-9_]+(?:-[A-Za-z]*[0-9]+(?![A-Za-z]))*")  # what `_WORD` finds where all is ASCII
# The parts of an identifier, found on its shape (see `_shape`): HTTPServer2 -> HTTP, Server, 2.
_PART = re.compile(r"u+(?=ul)|u?l+|u+|d+")
_ACCENTS = re.compile("[\u0300-\u036f]")
_CYRILLIC = re.compile("[\u0400-\u052f]")
_GERMAN = str.maketrans({"ä": "ae", "ö": "oe", "ü": "ue", "å": "aa", "ø": "oe", "æ": "ae"})
_PLAIN = str.maketrans({"ø": "o", "đ": "d", "ł": "l"})

_HYPHENS = str.maketrans("\u2010\u2011\u2212", "---")

_english = Stemmer.Stemmer("english")
_russian = Stemmer.Stemmer("russian")
_stemming = Lock()  # a Snowball stemmer keeps state while it works


def terms(text: str) -> list[str]:
    """The search terms of a text, in order, with repetitions."""
    return [term for word, script in _words(normalised(text)) for term in terms_of(word, script)]


def counted(text: str) -> list[tuple[str, str, int]]:
    """The distinct words of a text, each with its script and how often it stands there. `terms_of` gives its terms."""
    text = normalised(text)
    if text.isascii():  # three times as quick
        return [(word, "latin", count) for word, count in Counter(_ASCII_WORD.findall(text)).items()]
    return [(word, script, count) for (word, script), count in Counter(_words(text)).items()]


def _words(text: str) -> list[tuple[str, str]]:
    return [(match[0], match.lastgroup or "") for match in _WORD.finditer(text)]


def normalised(text: str) -> str:
    """One spelling for characters that mean the same: composed, of ordinary width, with the plain hyphen."""
    return text if text.isascii() else unicodedata.normalize("NFKC", text).translate(_HYPHENS)


def well_formed(text: str) -> str:
    """The text with what UTF-8 cannot carry (halves of surrogate pairs) replaced by `?`, character for character."""
    return text.encode("utf-8", "replace").decode("utf-8")


@lru_cache(maxsize=200_000)
def terms_of(word: str, script: str) -> tuple[str, ...]:
    """The distinct terms of one run of characters of one script; of one without spaces, all pairs."""
    if script == "unspaced":
        return _pairs(word)
    word = word[:_MAX_WORD]
    if script == "hangul":
        return (word, *_pairs(word)) if len(word) > 2 else (word,)
    if script == "latin":
        return tuple(dict.fromkeys(_latin_terms(word)))
    return tuple(dict.fromkeys(_stem(spelling) for spelling in _spellings(word.casefold())))


def _latin_terms(word: str) -> list[str]:
    bare = word.strip("_-")
    parts = [bare[m.start() : m.end()] for m in _PART.finditer(_shape(bare))]
    if len(parts) <= 1:
        return [_stem(spelling) for spelling in _spellings(bare.casefold())] if parts else []
    whole = bare.casefold()
    return [*_spellings(whole), *(_stem(spelling) for part in parts for spelling in _spellings(part.casefold()))]


def _shape(word: str) -> str:
    """The word with each character replaced by its class: u(pper), l(ower), d(igit), or `_` for what separates."""
    return word.translate(_CLASSES) if word.isascii() else "".join(map(_class, word))


def _class(c: str) -> str:
    return "d" if c.isdigit() else "u" if c.isupper() else "_" if c in "_-" else "l"


_CLASSES = {code: _class(chr(code)) for code in range(128)}


def _spellings(word: str) -> list[str]:
    """A casefolded word, without its accents, and with umlauts written out."""
    if word.isascii():
        return [word]
    composed = unicodedata.normalize("NFC", word)
    plain = unicodedata.normalize("NFC", _ACCENTS.sub("", unicodedata.normalize("NFD", composed))).translate(_PLAIN)
    return list(dict.fromkeys([composed, plain, composed.translate(_GERMAN)]))


def _stem(word: str) -> str:
    if len(word) < 3 or not word.isalpha():
        return word
    stemmer = _russian if _CYRILLIC.match(word) else _english
    with _stemming:
        stem: str = stemmer.stemWord(word)
    return stem


def _pairs(run: str) -> tuple[str, ...]:
    return tuple(run[i : i + 2] for i in range(len(run) - 1)) or (run,)
