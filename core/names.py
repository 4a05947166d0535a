"""What is told of names that are not there. What may not be read is not there, and is never suggested."""

import re
from collections.abc import Iterable
from dataclasses import replace
from difflib import SequenceMatcher
from typing import Literal

from core.key import Key
from core.store.base import COLLECTIONS, Scope, Store
from core.tokens import well_formed
from core.types import Audience, Filters

_Filtered = Literal["source", "repo", "branch", "language"]
_WORDS: dict[_Filtered, str] = {"source": "source", "repo": "repository", "branch": "branch", "language": "language"}
_NEAREST = 3
_NEAR = 0.6  # of 1; what shares less is another name
_OF_A_NAME = 50  # passages of files of one name that are read
_ASKED = 8  # names of one kind that are answered for
_COMPARED = 2_000  # names that a wrong one is compared with
_LONGEST = 80  # characters of a name as it is shown
_NOT_SHOWN = re.compile("[\x00-\x1f\x7f-\x9f\xad\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ud800-\udfff\ufeff]+")


def unfound(keys: Iterable[Key]) -> str:
    """The sentence for identifiers that bring nothing; there must be one. It is the same for what is hidden."""
    names = list(dict.fromkeys(_shown(key.name) for key in keys))
    more = len(names) - _ASKED
    listed = [*names[:_ASKED], *([f"{more} more"] if more > 0 else [])]
    return f"Nothing that you may read is called {_either(listed)}."


def unknown(filters: Filters, store: Store, audience: Audience) -> tuple[str, ...]:
    """A sentence for each source, repository, branch and language that the filters name and the audience cannot see
    anything of, and for a path that matches nothing, with the nearest names it may see.

    Whether a hidden name or none is meant makes no difference to what is looked up. A name that is there costs a count
    of what bears it, one that is not a count of everything, a path one search by it. Raises IndexUnusable.
    """
    sentences: list[str] = []
    known = Filters()
    named: tuple[tuple[_Filtered, frozenset[str]], ...] = (
        ("source", filters.sources),
        ("repo", filters.repos),
        ("language", filters.languages),
    )
    for field, wanted in named:
        there, told = _checked(field, wanted, store, Scope(audience))
        sentences += told
        known = _narrowed(known, field, there)
    if filters.branch is not None:
        there, told = _checked("branch", frozenset({filters.branch}), store, Scope(audience, known))
        sentences += told
        known = _narrowed(known, "branch", there)
    if filters.path is not None:
        sentences += _no_file(filters.path, store, Scope(audience, known))
    return tuple(sentences)


def _checked(field: _Filtered, wanted: frozenset[str], store: Store, scope: Scope) -> tuple[frozenset[str], list[str]]:
    """Those of the names that are there, and a sentence for each of the others."""
    if not wanted:
        return wanted, []
    wanted = frozenset(map(well_formed, wanted))
    there = wanted & store.names(field, replace(scope, filters=_narrowed(scope.filters, field, wanted))).keys()
    missing = sorted(wanted - there)[:_ASKED]
    if not missing:
        return there, []
    counts = store.names(field, scope)
    names = sorted(counts, key=lambda name: (-counts[name], name))[:_COMPARED]
    return there, [
        f'There is no {_WORDS[field]} "{_shown(name)}" that you may read{_with_nearest(_nearest(name, names))}.'
        for name in missing
    ]


def _narrowed(filters: Filters, field: _Filtered, names: frozenset[str]) -> Filters:
    match field:
        case "source":
            return replace(filters, sources=names)
        case "repo":
            return replace(filters, repos=names)
        case "language":
            return replace(filters, languages=names)
        case "branch":
            return replace(filters, branch=next(iter(names), None))


def _no_file(glob: str, store: Store, scope: Scope) -> list[str]:
    glob = well_formed(glob)
    if store.names("source", replace(scope, filters=replace(scope.filters, path=glob))):
        return []
    name = glob.rstrip("/").rpartition("/")[2]
    found = [one for collection in COLLECTIONS for one in store.find(collection, "tails", name, scope, _OF_A_NAME)]
    paths = sorted({passage.path for passage in found if passage.path})
    nearest = sorted(paths, key=lambda path: -_alike(glob, path))[:_NEAREST]
    return [f'No file that you may read matches "{_shown(glob)}"{_with_nearest(nearest)}.']


def _nearest(name: str, others: Iterable[str]) -> list[str]:
    alike = {other: _alike(name, other) for other in others}
    near = [other for other, share in alike.items() if share >= _NEAR]
    return sorted(near, key=lambda other: (-alike[other], other))[:_NEAREST]


def _alike(one: str, other: str) -> float:
    """From 0 to 1; a name that is part of the other is near to it."""
    short, long = sorted((one[:_LONGEST].casefold(), other[:_LONGEST].casefold()), key=len)
    if len(short) > 2 and short in long:
        return 0.75 + len(short) / len(long) / 4
    matcher = SequenceMatcher(None, short, long, autojunk=False)
    return matcher.ratio() if matcher.quick_ratio() >= _NEAR else 0.0


def _with_nearest(names: list[str]) -> str:
    if not names:
        return ""
    verb = "are" if len(names) > 1 else "is"
    return f"; the nearest {verb} {', '.join(map(_shown, names))}"


def _either(names: list[str]) -> str:
    return " or ".join(part for part in (", ".join(names[:-1]), names[-1]) if part)


def _shown(name: str) -> str:
    """An outside name within a sentence: on one line, not too long, and nothing in it steers how it is shown."""
    plain = " ".join(_NOT_SHOWN.sub(" ", name).replace('"', "'").split())
    return plain if len(plain) <= _LONGEST else f"{plain[: _LONGEST - 3]}..."
