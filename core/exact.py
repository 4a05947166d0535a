"""The exact route: identifiers looked up, without embedding and without reranking."""

import re
from itertools import zip_longest

from core.embedding.sparse import query as sparse_query
from core.keys import Key
from core.store.base import COLLECTIONS, Arm, KeyField, Passage, Scope, Store
from core.tokens import WORDLIKE

_LOOKED_AT = 30  # passages of an arm that are checked for a mention
_MANY = 200  # passages with one identifier, before they are put in order
_EVERY = 20_000  # passages of a file in which one line is looked for
_FEW = 5  # passages; a name that more of them hold is a word like others
# The thing itself before what is attached to it.
_KINDS = ("ticket", "page", "code", "file", "qa", "attachment", "comment", "history", "commit")


class ExactRoute:
    """Finds what bears an identifier, and what mentions it."""

    def __init__(self, store: Store) -> None:
        self._store = store

    def find(self, key: Key, scope: Scope, limit: int) -> list[Passage]:
        """At most `limit` passages: what bears the identifier first, then what mentions it."""
        found = {_place(passage): passage for passage in self.bearing(key, scope)}
        if len(found) < limit:
            for passage in self._mentioning(key.text, scope):
                found.setdefault(_place(passage), passage)
        return list(found.values())[:limit]

    def among_words(self, key: Key, scope: Scope) -> list[Passage]:
        """What a question with other words in it means by this identifier: what bears it, else what mentions it; and
        unless it can be nothing but an identifier, only if it is rare.
        """
        found = self.bearing(key, scope)
        if found and key.certain:
            return found
        found = found or self._mentioning(key.text, scope)
        return found if len(found) <= _FEW else []

    def bearing(self, key: Key, scope: Scope) -> list[Passage]:
        """The ticket, commit, page or file that is called so, or where the name is defined."""
        if key.kind == "path":
            many = _MANY if key.line is None else _EVERY
            return _by_line(self._by("tails", key.text, scope, many), key.line)
        if key.kind == "commit":
            return self._by("keys", key.text, scope, _MANY, prefix=True)
        defined = self._by("symbols", key.text, scope, _MANY) if key.kind == "identifier" else []
        return [*defined, *self._by("keys", key.text, scope, _MANY)]

    def _by(self, field: KeyField, value: str, scope: Scope, limit: int, *, prefix: bool = False) -> list[Passage]:
        found = [p for name in COLLECTIONS for p in self._store.find(name, field, value, scope, limit, prefix=prefix)]
        return sorted(found, key=lambda p: (_KINDS.index(p.kind) if p.kind in _KINDS else len(_KINDS), _place(p)))

    def _mentioning(self, text: str, scope: Scope) -> list[Passage]:
        """What holds this text as it stands (white space and case aside), by the weight of its words.

        The words lead to the passages; whether they stand together there is then checked.
        """
        whole = text.casefold()
        words = sparse_query(text, only=whole) or sparse_query(text)
        if not words:
            return []
        arms = (Arm("content", words), Arm("context", words))
        stands_in = _as_it_stands(text).search
        lists: list[list[Passage]] = []
        for name in COLLECTIONS:
            for hits in self._store.rank(name, arms, scope, _LOOKED_AT):
                passages = self._store.fetch(name, [hit.id for hit in hits], scope.audience)
                ranked = [passages[hit.id] for hit in hits if hit.id in passages]
                lists.append([p for p in ranked if stands_in(p.text) or stands_in(p.context)])
        # Scores of different arms cannot be compared: the first of each, then the second of each.
        return [passage for row in zip_longest(*lists) for passage in row if passage is not None]


def _place(passage: Passage) -> tuple[str, int]:
    return passage.document_id, passage.ordinal


def _by_line(passages: list[Passage], line: int | None) -> list[Passage]:
    """The passages that begin nearest above the line first, then what comes after it."""
    if line is None:
        return passages
    return sorted(passages, key=lambda p: ((p.line or 1) > line, abs(line - (p.line or 1)), _place(p)))


def _as_it_stands(text: str) -> re.Pattern[str]:
    words = r"\s+".join(re.escape(word) for word in text.split())
    beside = rf"[{WORDLIKE}]"
    before = rf"(?<!{beside})" if re.match(beside, text) else ""
    after = rf"(?!{beside})" if re.match(beside, text[-1:]) else ""
    return re.compile(before + words + after, re.IGNORECASE)
