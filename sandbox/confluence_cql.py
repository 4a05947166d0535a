"""The part of CQL that the sandbox's search understands: comparisons joined by AND, and ORDER BY."""

import operator
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from sandbox.confluence import Confluence, Sheet, Status
from sandbox.confluence_talk import Note
from sandbox.records import PageVersion, Person

_TOKEN = re.compile(
    r"""\s*(?:(?P<op>!=|<=|>=|=|<|>)|(?P<sign>[(),])|"(?P<string>(?:[^"\\]|\\.)*)"|(?P<word>[^\s()=!<>~,"']+))"""
)
_DATE = re.compile(r"(\d{4})[-/](\d{1,2})[-/](\d{1,2})(?:[ T](\d{1,2}):(\d{2}))?")
_SPAN = re.compile(r"([+-]?\d+)([wdhm])")
_UNITS = {"w": "weeks", "d": "days", "h": "hours", "m": "minutes"}
_COMPARE: Mapping[str, Callable[[datetime, datetime], bool]] = {
    ">=": operator.ge, ">": operator.gt, "<=": operator.le, "<": operator.lt, "=": operator.eq,
}  # fmt: skip
_TIMES = {"lastmodified": "modified", "created": "created"}
_CHOICES = frozenset({"type", "space", "macro", "id", "content", "container"})


class BadCql(Exception):
    """The query is not understood."""


@dataclass(frozen=True, slots=True)
class Hit:
    """A page or comment as the index has it."""

    content: Sheet | Note
    page: Sheet
    created: datetime
    modified: datetime

    @property
    def type(self) -> str:
        return "comment" if isinstance(self.content, Note) else "page"


Test = Callable[[Hit], bool]


def search(confluence: Confluence, cql: str, person: Person, statuses: tuple[Status, ...] = ("current",)) -> list[Hit]:
    """What the index has of pages in these states and the person sees, in the asked order or else in that of making.
    Raises BadCql.
    """
    tests, order = _Parser(confluence, cql).query()
    found = [hit for hit in _index(confluence, person, statuses) if all(test(hit) for test in tests)]
    for name, down in reversed(order):
        found.sort(key=lambda hit: getattr(hit, name), reverse=down)
    return found


def _index(confluence: Confluence, person: Person, statuses: tuple[Status, ...]) -> list[Hit]:
    """Pages and their comments, as they were so long ago as the index is behind."""
    until = confluence.now() - timedelta(seconds=confluence.search_lag)
    pages = [
        page
        for page in confluence.pages.values()
        if page.status in statuses and page.space not in confluence.locked_spaces and confluence.sees(person, page)
    ]
    seen = {page.id: page for page in pages}
    notes = [note for note in confluence.notes if note.page in seen]
    pairs: list[tuple[Sheet | Note, Sheet]] = [*((page, page) for page in pages)]
    pairs += [(note, seen[note.page]) for note in notes]
    out = []
    for content, page in pairs:
        versions: list[PageVersion] = [version for version in content.versions if version.at <= until]
        if versions:
            out.append(Hit(content, page, versions[0].at, versions[-1].at))
    return out


class _Parser:
    def __init__(self, confluence: Confluence, cql: str) -> None:
        self._confluence = confluence
        self._cql = cql
        self._tokens = self._split()
        self._at = 0

    def _split(self) -> list[tuple[str, str]]:
        out: list[tuple[str, str]] = []
        at = 0
        while self._cql[at:].strip():
            found = _TOKEN.match(self._cql, at)
            if found is None:
                raise self._bad()
            kind = str(found.lastgroup)
            text = re.sub(r"\\(.)", r"\1", found[kind]) if kind == "string" else found[kind]
            out.append((kind, text))
            at = found.end()
        return out

    def _bad(self) -> BadCql:
        return BadCql(f"Could not parse cql : {self._cql}")

    def _next(self, *kinds: str) -> str:
        if self._at == len(self._tokens) or self._tokens[self._at][0] not in kinds:
            raise self._bad()
        self._at += 1
        return self._tokens[self._at - 1][1]

    def _take(self, *words: str) -> bool:
        """Whether these words, in this order, are next; they are passed then."""
        ahead = self._tokens[self._at : self._at + len(words)]
        found = [text.casefold() for kind, text in ahead if kind in {"word", "sign"}] == list(words)
        self._at += len(words) if found else 0
        return found

    def query(self) -> tuple[list[Test], list[tuple[str, bool]]]:
        tests = [self._clause()]
        while self._take("and"):
            tests.append(self._clause())
        order = []
        if self._take("order", "by"):
            order.append(self._order())
            while self._take(","):
                order.append(self._order())
        if self._at < len(self._tokens):
            raise self._bad()
        return tests, order

    def _order(self) -> tuple[str, bool]:
        name = _TIMES.get(self._next("word").casefold())
        if name is None:
            raise self._bad()
        return name, self._take("desc") or (self._take("asc") and False)

    def _clause(self) -> Test:
        name = self._next("word").casefold()
        if name in _TIMES:
            compare, at = _COMPARE.get(self._next("op")), self._moment()
            if compare is None:
                raise self._bad()
            return lambda hit: compare(getattr(hit, _TIMES[name]), at)
        if name not in _CHOICES:
            raise self._bad()
        refused, values = self._values()
        return lambda hit: bool(self._of(name, hit) & values) is not refused

    def _values(self) -> tuple[bool, frozenset[str]]:
        """Whether the clause is negated, and its values."""
        if self._tokens[self._at : self._at + 1] in ([("op", "=")], [("op", "!=")]):
            return self._next("op") == "!=", frozenset({self._next("word", "string")})
        refused = self._take("not")
        if not self._take("in", "("):
            raise self._bad()
        values = {self._next("word", "string")}
        while self._take(","):
            values.add(self._next("word", "string"))
        if not self._take(")"):
            raise self._bad()
        return refused, frozenset(values)

    def _of(self, name: str, hit: Hit) -> frozenset[str]:
        if name == "macro":
            body = self._confluence.storage(hit.content.versions[-1])
            return frozenset(re.findall(r'ac:name="([^"]*)"', body))
        return frozenset({
            "type": hit.type,
            "space": hit.page.space,
            "container": hit.page.id,
        }.get(name, hit.content.id).split())  # fmt: skip

    def _moment(self) -> datetime:
        """A date in the account's zone (to the minute), or `now()` with a span."""
        if self._take("now", "("):
            span = None if self._take(")") else _SPAN.fullmatch(self._next("string"))
            if span is None:
                return self._confluence.now()
            if not self._take(")"):
                raise self._bad()
            return self._confluence.now() + timedelta(**{_UNITS[span[2]]: int(span[1])})
        date = _DATE.fullmatch(self._next("string", "word"))
        if date is None:
            raise self._bad()
        year, month, day, hour, minute = (int(part or 0) for part in date.groups())
        try:
            return datetime(year, month, day, hour, minute, tzinfo=self._confluence.zone).astimezone(UTC)
        except ValueError as e:
            raise self._bad() from e
