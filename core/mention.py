"""How a text that mentions an identifier reads."""

import re

from core.embedding.sparse import SparseVector, term_id
from core.key import Key
from core.tokens import WORDLIKE, counted, terms_of

_NUMBER = re.compile(r"[0-9]+")
_FILLED = r"\{[^{}\n]{0,40}\}|%[0-9.]{0,4}[a-z]|\$[A-Za-z_][A-Za-z0-9_.]{0,40}"
"""What stands in a template for a value: `{n}`, `%d`, `$n`."""
_PULLS = "(?:pull|pull-requests|merge_requests)"
_PARAMETER = r"(?:\{[^{}/\s]{1,40}\}|:[A-Za-z_][A-Za-z0-9_]{0,40}|<[^<>/\s]{1,40}>|\[[^\[\]/\s]{1,40}\])"
_PARAMETERS = re.compile(_PARAMETER)


def mention_of(key: Key) -> re.Pattern[str]:
    """A pattern to be searched for in a text: the identifier as it stands, white space and case aside."""
    if key.kind == "pull":
        return _pull(key)
    if key.kind == "route":
        return _route(key.text)
    if key.kind == "phrase":
        return _standing(key.text, r"\s+".join(map(_or_filled, key.text.split())))
    return _standing(key.text, r"\s+".join(map(re.escape, key.text.split())))


def words_of(text: str) -> SparseVector:
    """The terms that a passage holds which mentions a text as it stands: each word as a whole, where it is an
    identifier with parts. What is as common as the `py` of `lock.py` is left out beside others.
    """
    words = [(terms_of(word, script), script) for word, script, _ in counted(text)]
    terms = [term for found, script in words for term in (found if script == "unspaced" else found[:1])]
    telling = [term for term in terms if len(term) > 2 or not term.isascii()]
    indices = tuple(dict.fromkeys(map(term_id, telling or terms)))
    return SparseVector(indices, (1.0,) * len(indices))


def _standing(text: str, pattern: str) -> re.Pattern[str]:
    beside = f"[{WORDLIKE}]"
    before = f"(?<!{beside})" if re.match(beside, text) else ""
    after = f"(?!{beside})" if re.match(beside, text[-1:]) else ""
    return re.compile(before + pattern + after, re.IGNORECASE)


def _or_filled(word: str) -> str:
    """A message is written in code with places for its numbers."""
    parts, at = [], 0
    for number in _NUMBER.finditer(word):
        parts += [re.escape(word[at : number.start()]), f"(?:{number[0]}|{_FILLED})"]
        at = number.end()
    return "".join([*parts, re.escape(word[at:])])


def _pull(key: Key) -> re.Pattern[str]:
    number = rf"{key.text}(?![\w-])"
    if key.repo:
        repo = re.escape(repo_name(key.repo))
        return re.compile(rf"(?<![\w-]){repo}(?:[#!]|/(?:-/)?{_PULLS}/){number}", re.IGNORECASE)
    words = r"\b(?:PR|MR|(?:pull|merge)[ -]request)[ #!]{1,2}"
    return re.compile(rf"(?:(?<![\w&/.-])[#!]|{words}|/{_PULLS}/){number}", re.IGNORECASE)


def _route(text: str) -> re.Pattern[str]:
    """Any name of a parameter will do, and a number may be one's value."""
    parts = [
        _PARAMETER
        if _PARAMETERS.fullmatch(part)
        else f"(?:{part}|{_PARAMETER})"
        if part.isdecimal()
        else re.escape(part)
        for part in text.split("/")
    ]
    return re.compile("/".join(parts) + rf"(?![{WORDLIKE}-])", re.IGNORECASE)


def repo_name(repo: str) -> str:
    """The last part of `acme/shop`."""
    return repo.rpartition("/")[2]
