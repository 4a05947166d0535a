"""The exact route: identifiers looked up, without embedding and without reranking.

What is hidden and what does not exist cannot be told apart: the store answers to both with nothing, and what is looked
up next depends on nothing but its answers.
"""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import zip_longest

from core.key import Key
from core.keys import looks_like_code
from core.mention import mention_of, repo_name, words_of
from core.reading import around_line, beginnings
from core.store.base import COLLECTIONS, Arm, CollectionName, KeyField, Passage, Scope, Store
from core.tokens import WORDLIKE
from core.types import Audience

_LOOKED_AT = 30  # passages of an arm that are checked for a mention
_BESIDE = 20  # passages in all that are checked, where something bears the name
_PULLED = 100  # commits that are checked for the number of a pull request
_FOUND = 20  # passages that bear one identifier
_DEFINED = 60  # definitions of one name, among which the right owner's is looked for
_AT_ONCE = 10  # passages with one identifier that are read to learn of the documents
_ROUNDS = 5
_OPENED = 4  # files of one name in which a line is looked for
_FEW = 5  # passages; a name that more of them hold is a word like others
_FIRST = 2  # passages of a file that is named among words
_DEEPEST = 8  # folders of a path that may differ from how the repository knows it
# The thing itself before what is attached to it.
_KINDS = ("ticket", "page", "code", "file", "qa", "attachment", "comment", "history", "commit")
_THEMSELVES = frozenset({"ticket", "page", "qa"})
_COMMITS = frozenset({"commit"})
_PAGES = frozenset({"page"})
_SEPARATOR = re.compile(r"\.|::|->|#")
_UNSPACED = re.compile(rf"[^\s{WORDLIKE}./~-]+(?=[{WORDLIKE}])")
_PULL_LIKE = re.compile(r"[PM]R-(?P<number>[1-9][0-9]{0,6})", re.IGNORECASE)


class ExactRoute:
    """Finds what bears an identifier, and what mentions it."""

    def __init__(self, store: Store) -> None:
        self._store = store

    def find(self, key: Key, scope: Scope, limit: int) -> list[Passage]:
        """At most `limit` passages: what bears the identifier first, then what mentions it."""
        found = {_place(passage): passage for passage in self.bearing(key, scope)}
        if len(found) < limit:
            for passage in self._mentioning(key, scope, limit, _BESIDE if found else None):
                found.setdefault(_place(passage), passage)
        return list(found.values())[:limit]

    def among_words(self, key: Key, scope: Scope) -> list[Passage]:
        """What a question with other words in it means by this identifier: what bears it, else what mentions it; and
        unless it can be nothing but an identifier, only if it is rare. What is written like a word, or like `utf-8`,
        must be borne by something.
        """
        borne = self.bearing(key, scope)
        found = _first_of_each(borne) if key.kind == "path" else borne
        if not found and _may_be_mentioned(key):
            found = self._mentioning(key, scope, _FEW + 1)
        return found if len(found) <= _FEW or (borne and key.certain) else []

    def bearing(self, key: Key, scope: Scope) -> list[Passage]:
        """The ticket, page, commit or file that is called so, or where the name is defined; at most about twenty
        passages, the thing itself first. With a line, the passage that holds it comes first.
        """
        match key.kind:
            case "ticket":
                found = self._called(key.text.upper(), scope) or ([] if key.certain else self._called(key.text, scope))
                pull = _PULL_LIKE.fullmatch(key.text)
                return found if found or not pull else self._pulled(Key("pull", pull["number"]), scope)
            case "commit":
                commits = self._documents("keys", key.text, _of_kinds(scope, _COMMITS), prefix=True)
                return self._opened(_of_repo(commits, key.repo), scope)
            case "page":
                return self._opened(self._documents("keys", key.text, _of_kinds(scope, _PAGES)), scope)
            case "pull":
                return self._pulled(key, scope)
            case "path":
                found = self._in_file(key, scope)
                return found if found or key.certain else self._named(key.text, scope)
            case "identifier":
                return self._named(key.text, scope)
            case "phrase":
                return self._called(key.text, scope)
            case "route":
                return []

    def _named(self, name: str, scope: Scope) -> list[Passage]:
        return [*self._defined(name, scope), *self._called(name, scope)]

    def _called(self, name: str, scope: Scope) -> list[Passage]:
        """What has this among its keys: tickets, pages and test cases before what is attached to them, which may be
        more than is looked at.
        """
        themselves = self._opened(self._documents("keys", name, _of_kinds(scope, _THEMSELVES)), scope)
        known = scope.filters.without | {passage.document_id for passage in themselves}
        others = replace(scope, filters=replace(scope.filters, without=known))
        return [*themselves, *self._opened(self._documents("keys", name, others), scope)]

    def _defined(self, name: str, scope: Scope) -> list[Passage]:
        """Where code defines a name. One with parts (`Lock.check`, `pay::Lock`) is looked for as its last two, then
        by its last where the one before it stands around the definition.
        """
        parts = [part for part in _SEPARATOR.split(name) if part]
        if not parts:
            return []
        if len(parts) == 1:
            return self._symbols(parts[0], scope, _FOUND)
        if found := self._symbols(".".join(parts[-2:]), scope, _FOUND):
            return found
        owner = _bare(parts[-2])
        return [one for one in self._symbols(parts[-1], scope, _DEFINED) if owner in _around(one)][:_FOUND]

    def _symbols(self, name: str, scope: Scope, limit: int) -> list[Passage]:
        return list(self._store.find("code", "symbols", name, scope, limit))

    def _in_file(self, key: Key, scope: Scope) -> list[Passage]:
        """The files of a path: from their beginning, or from the line. The repository may know it by less than what
        was pasted from a trace, and where a sentence has no spaces, its words come before it.
        """
        documents: list[Passage] = []
        for path in _readings(key.text):
            documents = self._documents("tails", path, scope)
            if "/" in key.text and "/" not in path:  # any folder may hold a file of this name
                documents = [passage for passage in documents if passage.path == path]
            if documents:
                break
        documents = _of_repo(documents, key.repo)
        if key.line is None:
            return self._opened(documents, scope)
        store, audience, line = self._store, scope.audience, key.line
        return [one for it in documents[:_OPENED] for one in around_line(store, it, line, key.last, audience)]

    def _pulled(self, key: Key, scope: Scope) -> list[Passage]:
        """The commits that say that they came by this pull request, those that say it in their first line first."""
        said = mention_of(replace(key, repo=None))
        words = words_of(key.text)
        only = _of_kinds(scope, _COMMITS)
        arms = (Arm("context", words), Arm("content", words))
        answers = self._store.rank("documents", arms, only, _PULLED)
        ids = dict.fromkeys(hit.id for hits in answers for hit in hits)
        passages = self._store.fetch("documents", list(ids), scope.audience)
        found = [passages[one] for one in ids if one in passages and said.search(passages[one].text)]
        if key.repo:
            found = [passage for passage in found if _is_of(passage, key.repo)]
        return sorted(found, key=lambda passage: (not said.search(passage.title), _place(passage)))[:_FOUND]

    def _documents(self, field: KeyField, value: str, scope: Scope, *, prefix: bool = False) -> list[Passage]:
        """One passage of each document that bears an identifier, the thing itself before what is attached to it."""
        found: dict[str, Passage] = {}
        for collection in COLLECTIONS:
            for _ in range(_ROUNDS):
                unseen = replace(scope.filters, without=scope.filters.without | found.keys())
                passages = self._store.find(
                    collection, field, value, replace(scope, filters=unseen), _AT_ONCE, prefix=prefix
                )
                for passage in passages:
                    found.setdefault(passage.document_id, passage)
                if len(passages) < _AT_ONCE or len(found) >= _FOUND:
                    break
        return sorted(found.values(), key=_by_kind)

    def _opened(self, documents: Sequence[Passage], scope: Scope) -> list[Passage]:
        return beginnings(self._store, documents, scope.audience, _FOUND)

    def _mentioning(self, key: Key, scope: Scope, limit: int, most: int | None = None) -> list[Passage]:
        """What holds this identifier as it stands, by the weight of its words; among the first `most` passages.

        The words lead to the passages; whether they stand together there is then checked.
        """
        said = mention_of(key)
        found: list[Passage] = []
        led_to = self._holding_words_of(key, scope)[:most]
        for at in range(0, len(led_to), limit):
            fetched = self._fetched(led_to[at : at + limit], scope.audience)
            found += [passage for passage in fetched if _mentions(passage, said)]
            if len(found) >= limit:
                break
        return found[:limit]

    def _holding_words_of(self, key: Key, scope: Scope) -> list[tuple[CollectionName, str]]:
        """The ids of the passages that an identifier's words lead to. Scores of different arms cannot be compared: the
        first of each, then the second of each.
        """
        words = words_of(key.text)
        if not words:
            return []
        arms = (Arm("content", words), Arm("context", words))
        lists = [
            [(name, hit.id) for hit in hits]
            for name in COLLECTIONS
            for hits in self._store.rank(name, arms, scope, _LOOKED_AT)
        ]
        return list(dict.fromkeys(one for row in zip_longest(*lists) for one in row if one is not None))

    def _fetched(self, some: Sequence[tuple[CollectionName, str]], audience: Audience) -> list[Passage]:
        passages: dict[str, Passage] = {}
        for name in COLLECTIONS:
            if ids := [one for collection, one in some if collection == name]:
                passages |= self._store.fetch(name, ids, audience)
        return [passages[one] for _, one in some if one in passages]


def _place(passage: Passage) -> tuple[str, int]:
    return passage.document_id, passage.ordinal


def _by_kind(passage: Passage) -> tuple[int, tuple[str, int]]:
    return _KINDS.index(passage.kind) if passage.kind in _KINDS else len(_KINDS), _place(passage)


def _of_kinds(scope: Scope, kinds: frozenset[str]) -> Scope:
    """The scope narrowed to some kinds; one in which nothing is, if it has none of them."""
    wanted = kinds & scope.filters.kinds if scope.filters.kinds else kinds
    if not wanted:
        return Scope(Audience(frozenset()))
    return replace(scope, filters=replace(scope.filters, kinds=wanted))


def _of_repo(passages: list[Passage], repo: str | None) -> list[Passage]:
    """Those of this repository, or all if none is: its host may call it otherwise than the settings do."""
    return [passage for passage in passages if repo and _is_of(passage, repo)] or passages


def _is_of(passage: Passage, repo: str) -> bool:
    name = repo_name(repo).casefold()
    return name == repo_name(passage.repo or "").casefold() or f"/{name}/" in passage.url.casefold()


def _readings(path: str) -> Iterator[str]:
    """A path as it stands, then without what may not belong to it: the words before it where a sentence has no spaces,
    then folder by folder. A name alone is left only of a path from the root.
    """
    yield path
    bare = _UNSPACED.sub("", path, count=1) if _UNSPACED.match(path) else path
    if bare != path:
        yield bare
    parts = bare.split("/")
    least = 1 if parts[0] in {"", "~"} or parts[0].endswith(":") else 2
    for length in range(min(len(parts) - 1, _DEEPEST), least - 1, -1):
        yield "/".join(parts[-length:])


def _may_be_mentioned(key: Key) -> bool:
    if key.kind == "identifier":
        return looks_like_code(key.text)
    return key.kind != "ticket" or key.certain


def _mentions(passage: Passage, said: re.Pattern[str]) -> bool:
    return bool(said.search(passage.text) or said.search(passage.context))


def _first_of_each(passages: list[Passage]) -> list[Passage]:
    """Few of each document: a long file is no common name."""
    seen: Counter[str] = Counter()
    found = []
    for passage in passages:
        seen[passage.document_id] += 1
        if seen[passage.document_id] <= _FIRST:
            found.append(passage)
    return found


def _around(passage: Passage) -> set[str]:
    """The names that a definition stands in: of files, classes, functions and tables."""
    place = passage.context.partition("\n")[0]
    return {_bare(word) for word in re.findall(rf"[{WORDLIKE}]+", f"{place} {' '.join(passage.symbols)}")}


def _bare(name: str) -> str:
    """A table `order_items` is the class `OrderItem` in code."""
    return name.replace("_", "").casefold().rstrip("s")
