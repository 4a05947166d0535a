"""Who uses a name: by the names that code is known to use, and by the text as it stands."""

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

from core.errors import BadQuery
from core.exact import ExactRoute
from core.key import Key
from core.store.base import Passage, Scope, Store, collection_of, point_id
from core.tokens import WORDLIKE, well_formed
from core.types import Audience, Evidence, Filters, Locator
from core.usage.collecting import Collected, Line, collect
from core.usage.events import EventSought
from core.usage.gaps import FreshnessOf, missing, stale, unread
from core.usage.kinds import kinds_of, taken_for
from core.usage.looking import Looking
from core.usage.making import make
from core.usage.sought import Role
from core.usage.spelling import words
from core.usage.types import Consumer, Consumption, Kind

_USES = 20
"""Documents that are told of one name."""
_LOOKED_AT = 60
"""Passages that are looked at, of each way to find them."""
_LONGEST = 300
"""Characters of a name."""
_BRANCHES = 8
"""Branches that are looked in beside the baseline."""
_MANY = 3
"""Files that define a name, from which on it is said that it may mean any of them."""
_SHOWN = 300
"""Characters of a line."""
_FOLLOWED: Mapping[Kind, Callable[[str], Role]] = {
    "route": lambda _: "uses",
    "event": EventSought.role_of,
    "config": lambda _: "uses",
}
"""The kinds of names that constants hold, and what a line does that uses such a constant."""
_KINDS = frozenset({"code", "file"})
_LINE = re.compile(r"#\D*([0-9]{1,7})\Z")
_SEPARATOR = re.compile(r"\.|::|->|#")
_COMMENT = re.compile(r"\s*(?:#|//|/?\*|--|<!--|\"\"\"|''')")
_IMPORT = re.compile(r"\s*(?:import|from|use|using|require|include|#include|export \{|package)\b")


@dataclass(frozen=True, slots=True)
class Use:
    """A document that uses a name, and the first line that does more than import it."""

    repo: str
    path: str
    line: int
    """From 1."""
    text: str
    """The line as it stands, white space around it aside."""
    evidence: Evidence
    """The passage that holds the line; its locator names the line."""


class Consumers:
    """Finds who uses a name. Raises IndexUnusable. `freshness` tells how old what is known of the repositories is."""

    def __init__(self, store: Store, freshness: FreshnessOf | None = None) -> None:
        self._store = store
        self._exact = ExactRoute(store)
        self._freshness = freshness

    def consumers(
        self,
        name: str,
        audience: Audience,
        *,
        kind: Kind | None = None,
        repos: frozenset[str] = frozenset(),
        branches: frozenset[str] = frozenset(),
        limit: int = 30,
    ) -> Consumption:
        """Who uses a symbol, route, event, setting, table or column in these repositories (all, if none is named): in
        the baseline and in these branches in development, at most `limit` of those that define and of those that use.

        Without a kind it is told from the spelling, and where that leaves it open, from what is found. BadQuery for a
        name without a word, or one too long to be any.
        """
        name = _checked(name)
        repos = frozenset(map(well_formed, repos))
        there, untold = missing(self._store, audience, repos, sorted(map(well_formed, branches))[:_BRANCHES])
        looking = Looking(self._store, audience, repos, there)
        kinds = (kind,) if kind else _possible(name, looking)
        found = {one: collect(make(one, name, looking), looking, _FOLLOWED.get(one)) for one in kinds}
        best = max(kinds, key=lambda one: (_weight(one, found[one]), -kinds.index(one)))
        result = found[best]
        known = self._freshness(audience) if self._freshness else ()
        not_looked = [
            taken_for(name, best, kinds),
            _ambiguous(name, result) if best == "symbol" else "",
            *untold,
            "More passages have these words than are looked at, so there may be more uses." if result.cut else "",
            *stale(known, self._store, audience, repos),
            *unread(self._store, audience, repos),
        ]
        return Consumption(
            kind=best,
            name=name,
            defined=tuple(map(_consumer, result.defined[:limit])),
            consumers=tuple(map(_consumer, result.used[:limit])),
            more=max(0, len(result.used) - limit),
            not_looked=tuple(filter(None, not_looked)),
        )

    def users_of(self, name: str, changed: frozenset[str], audience: Audience) -> tuple[Use, ...]:
        """What uses a name (`hold`, `Booking.hold`) that one of the `changed` documents defines, in all documents but
        these: one use each, other repositories first. Nothing if none of them defines it, as far as the audience may
        read.

        A repository that has a definition of its own by this name means that one, unless it names what owns this.
        """
        owner, last = _parts(well_formed(name))
        if not last or not changed:
            return ()
        defined = self._store.find("code", "symbols", last, Scope(audience), _LOOKED_AT)
        homes = {passage.repo for passage in defined if passage.document_id in changed}
        if not homes:
            return ()
        others = {passage.document_id: passage.repo for passage in defined if passage.document_id not in changed}
        scope = Scope(audience, Filters(kinds=_KINDS, without=changed | others.keys()))
        found: dict[str, Use] = {}
        for passage in self._holding(last, scope):
            if passage.repo in others.values() and not _holds(passage.text, owner):
                continue
            use = _use(passage, last)
            if use and (passage.document_id not in found or _IMPORT.match(found[passage.document_id].text)):
                found[passage.document_id] = use
        return tuple(sorted(found.values(), key=lambda use: (use.repo in homes, use.repo, use.path))[:_USES])

    def _holding(self, name: str, scope: Scope) -> Iterator[Passage]:
        """Passages that are known to use a name, then those whose text holds it."""
        yield from self._store.find("code", "references", name, scope, _LOOKED_AT)
        yield from self._exact.find(Key("identifier", name), scope, _LOOKED_AT)


def _checked(name: str) -> str:
    plain = " ".join(well_formed(name).replace("\0", " ").split())
    if len(plain) > _LONGEST:
        raise BadQuery(f"The name is longer than {_LONGEST} characters; nothing in code is called so.")
    if not words(plain):
        raise BadQuery("There is no word in this name to look for.")
    return plain


def _possible(name: str, looking: Looking) -> tuple[Kind, ...]:
    """What a name may be; a table or a column only if SQL that is indexed knows the table."""
    kinds = kinds_of(name)
    if "table" not in kinds and "column" not in kinds:
        return kinds
    table = name.rpartition(".")[0].rpartition(".")[2] or name
    if looking.names_a_table(table):
        return tuple(sorted(kinds, key=lambda one: one not in {"table", "column"}))
    return tuple(one for one in kinds if one not in {"table", "column"})


def _weight(kind: Kind, found: Collected) -> int:
    """How much speaks for a kind; nothing for a symbol that nothing defines."""
    return 0 if kind == "symbol" and not found.defined else found.weight


def _ambiguous(name: str, found: Collected) -> str:
    """The sentence for a name that is told without what owns it, and that many things have; empty if few do."""
    files = {line.place[:2] for line in found.defined}
    if len(files) < _MANY or not name.isidentifier():
        return ""
    return f"“{name}” is defined in {len(files)} files; name it with its owner, as in Owner.{name}, to tell them apart."


def _consumer(line: Line) -> Consumer:
    passage, sighting = line.view.passage, line.sighting
    return Consumer(
        repo=line.view.repo,
        branch=passage.branch or "",
        path=line.view.path,
        line=line.number,
        text=line.text[:_SHOWN],
        how=sighting.how,
        confidence=sighting.confidence,
        why=f"Test code: {sighting.why[0].lower()}{sighting.why[1:]}" if line.view.test else sighting.why,
        evidence=_evidence(passage, line.number),
    )


def _parts(name: str) -> tuple[str, str]:
    """What owns a name, if that is told, and the name alone."""
    parts = [part for part in _SEPARATOR.split(name) if part]
    return (parts[-2] if len(parts) > 1 else "", parts[-1] if parts else "")


def _holds(text: str, name: str) -> bool:
    return bool(name) and _word(name).search(text) is not None


def _word(name: str) -> re.Pattern[str]:
    return re.compile(rf"(?<![{WORDLIKE}]){re.escape(name)}(?![{WORDLIKE}])")


def _use(passage: Passage, name: str) -> Use | None:
    """The first line of a passage that uses a name; one that only imports it if there is no other."""
    word = _word(name)
    lines = [
        (number, line)
        for number, line in enumerate(passage.text.splitlines())
        if word.search(line) and not _COMMENT.match(line)
    ]
    if not lines or passage.repo is None or passage.path is None:
        return None
    at, text = next((one for one in lines if not _IMPORT.match(one[1])), lines[0])
    line = (passage.line or 1) + at
    return Use(passage.repo, passage.path, line, text.strip(), _evidence(passage, line))


def _at(passage: Passage, line: int | None) -> str:
    """The passage's address, whose fragment ends with its first line where the host can open one, at this line."""
    found = _LINE.search(passage.url)
    return f"{passage.url[: found.start(1)]}{line}" if found and line and int(found[1]) == passage.line else passage.url


def _evidence(passage: Passage, line: int | None) -> Evidence:
    locator = Locator(passage.document_id, passage.title, _at(passage, line), passage.heading, line)
    return Evidence(
        id=point_id(passage.document_id, passage.ordinal, collection_of(passage.kind)),
        document_id=passage.document_id,
        source=passage.source,
        kind=passage.kind,
        text=passage.text,
        context=passage.context,
        locator=locator,
        labels=passage.labels,
        updated=passage.updated,
        score=1.0,
        route="exact",
        attributes=passage.attributes,
        unread=passage.unread,
    )
