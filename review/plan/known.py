"""What a plan shows to know already, so that it is not told again."""

import re
from collections.abc import Iterable
from itertools import pairwise

from core.links import pointed_to
from core.tickets import KEY
from core.types import Evidence
from review.checks.quantities import quantities
from review.plan.given import Given
from review.register import normal
from review.text import stems

_QUOTED = 5
"""Words of a sentence that stand in the plan literally, from which on it is quoted and not met by chance."""
_SAME = 0.8
_FEW = 3
"""Share of a sentence's stems that one sentence of the plan has, and stems of which it must have so many, to say the
same. Measured on the open plans of evals/plans: at 0.7 a rule of a policy counts as said where only its subject is."""
_NOT_WORDS = re.compile(r"[^\w]+")


class Known:
    """Judges by the plan's text alone."""

    def __init__(self, given: Given) -> None:
        self._text = f" {_plain(given.text)} "
        self._tickets = given.tickets
        self._paths = tuple(path.removeprefix("./") for path in given.paths)
        self._pointed = frozenset((key.kind, key.text.lower()) for key in given.keys)
        self._commits = tuple(key.text for key in given.keys if key.kind == "commit")
        self._language = given.language
        prose = [one.prose for one in given.sentences]
        self._said = [*prose, *(f"{one} {other}" for one, other in pairwise(prose))]

    def names(self, one: Evidence) -> bool:
        """Whether the plan names the document: a ticket by its key, with what is attached to it, a page by its title or
        address, a file by its path or by its name where that has an ending, a commit by its id or subject.
        """
        if key := ticket_of(one):
            return key in self._tickets
        if one.kind in {"code", "file"}:
            return self.has_path(path_of(one))
        if one.kind == "commit":
            sha = one.document_id.partition("@")[2]
            return any(sha.startswith(named) for named in self._commits) or self._holds(one.locator.title)
        return self._points_to(one) or self._holds(one.attributes.get("title") or one.locator.title)

    def has_path(self, path: str) -> bool:
        """Whether the plan names a file, by the end of its path."""
        return bool(path) and any(
            path == named or path.endswith(f"/{named}") or named.endswith(f"/{path}") for named in self._paths
        )

    def says(self, sentence: str) -> bool:
        """Whether the plan says the same: quotes it, or has a sentence with nearly all its words and its numbers."""
        plain = _plain(sentence)
        if len(plain.split()) >= _QUOTED and f" {plain} " in self._text:
            return True
        told = stems(sentence, self._language)
        if len(told) < _FEW:
            return False
        return any(
            len(told & stems(said, self._language)) >= _SAME * len(told) and self._agrees(sentence, said)
            for said in self._said
        )

    def _agrees(self, sentence: str, said: str) -> bool:
        values = [(one.dimension, one.low, one.high) for one in quantities(sentence, self._language)]
        return set(values) <= {(one.dimension, one.low, one.high) for one in quantities(said, self._language)}

    def _points_to(self, one: Evidence) -> bool:
        key = pointed_to(one.locator.url)
        return key is not None and (key.kind, key.text.lower()) in self._pointed

    def _holds(self, title: str) -> bool:
        """With a year behind it, it is the title of another page: an older one."""
        plain = _plain(title)
        return len(plain.split()) > 1 and re.search(rf" {re.escape(plain)} (?!(?:19|20)\d\d )", self._text) is not None


def ticket_of(one: Evidence) -> str:
    """The key of the ticket that a passage is of, or is attached to; empty if it is of none."""
    if one.kind not in {"ticket", "comment", "history", "attachment"}:
        return ""
    found = KEY.match(one.attributes.get("key") or one.locator.title)
    return found[0] if found else ""


def path_of(one: Evidence) -> str:
    """The path of a file in its repository, without the place in it."""
    return path_of_document(one.document_id) if one.kind in {"code", "file"} else ""


def path_of_document(document_id: str) -> str:
    """Of the document of a file."""
    return document_id.partition(":")[2].partition(":")[2]


def first_of_each(found: Iterable[Evidence]) -> list[Evidence]:
    """The first passage of each document; a ticket and what belongs to it are one."""
    first: dict[str, Evidence] = {}
    for one in found:
        first.setdefault(ticket_of(one) or one.document_id, one)
    return list(first.values())


def _plain(text: str) -> str:
    """The words alone, one space between them."""
    return _NOT_WORDS.sub(" ", normal(text).casefold()).strip()
