"""The part of JQL that the sandbox's search understands: comparisons, lists, AND, OR, NOT, brackets, ORDER BY."""

import re
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta, tzinfo

from sandbox.catalog import Catalog
from sandbox.issues import Indexed, Issue

Test = Callable[[Issue, Indexed], bool]

_TOKEN = re.compile(
    r"""\s*(?:(?P<op>!=|<=|>=|!~|=|<|>|~)|(?P<sign>[(),])|"(?P<dq>(?:[^"\\]|\\.)*)"|'(?P<sq>(?:[^'\\]|\\.)*)'"""
    r"""|(?P<word>[^\s()=!<>~,"']+))"""
)
_DATE = re.compile(r"(\d{4})[-/](\d{1,2})[-/](\d{1,2})(?:[ T](\d{1,2}):(\d{2}))?")
_AGO = re.compile(r"-?(\d+)([wdhm])")
_UNITS = {"w": "weeks", "d": "days", "h": "hours", "m": "minutes"}
_NAMES = {"key": "key", "issuekey": "key", "issue": "key", "id": "key", "project": "project", "parent": "parent"}
_NAMES |= {"updated": "updated", "updateddate": "updated", "created": "created", "createddate": "created"}
_NAMES |= {"status": "status", "issuetype": "type", "type": "type", "resolution": "resolution"}
_NAMES |= {"statuscategory": "category"}
_TIMES = frozenset({"updated", "created"})


class BadJql(Exception):
    """The message is Jira's."""


@dataclass(frozen=True, slots=True)
class Query:
    matches: Test
    order: tuple[tuple[str, bool], ...]
    """Field and whether it descends, first first."""

    def sort_key(self, issue: Issue, seen: Indexed) -> tuple[float, ...]:
        return tuple(-_rank(issue, seen, name) if down else _rank(issue, seen, name) for name, down in self.order)


def _rank(issue: Issue, seen: Indexed, name: str) -> float:
    if name == "updated":
        return seen.updated.timestamp()
    return issue.created.timestamp() if name == "created" else int(issue.id)


@dataclass(frozen=True, slots=True)
class Token:
    kind: str
    text: str

    @property
    def word(self) -> str:
        return self.text.casefold() if self.kind == "word" else ""


def parse(
    jql: str,
    catalog: Catalog,
    zone: tzinfo,
    now: datetime,
    known: Collection[str],
    *,
    ids: Collection[str] | None = None,
) -> Query:
    """`known` are the keys that may be named. With `ids` the query is read as Data Center does: another id is an error,
    and a query without a restriction is none.
    """
    return _Parser(_tokens(jql), catalog, zone, now, known, ids).query()


def _tokens(jql: str) -> list[Token]:
    out: list[Token] = []
    at = 0
    while jql[at:].strip():
        found = _TOKEN.match(jql, at)
        if found is None:
            raise BadJql(f"Error in the JQL Query: The character '{jql[at:].strip()[0]}' is a reserved JQL character.")
        kind = str(found.lastgroup)
        text = found[kind]
        out.append(Token("string", re.sub(r"\\(.)", r"\1", text)) if kind in {"dq", "sq"} else Token(kind, text))
        at = found.end()
    return out


class _Parser:
    def __init__(
        self,
        tokens: list[Token],
        catalog: Catalog,
        zone: tzinfo,
        now: datetime,
        known: Collection[str],
        ids: Collection[str] | None,
    ) -> None:
        self._tokens = tokens
        self._at = 0
        self._catalog = catalog
        self._zone = zone
        self._now = now
        self._known = known
        self._ids = ids

    def query(self) -> Query:
        bounded = self._peek().word not in {"", "order"}
        if not bounded and self._ids is None:
            raise BadJql("Unbounded JQL queries are not allowed here. Please add a search restriction to your query.")
        test: Test = self._any() if bounded else lambda _issue, _seen: True
        order = self._order()
        if self._peek().kind != "end":
            raise BadJql(f"Error in the JQL Query: Expecting operator but got '{self._peek().text}'.")
        return Query(test, order)

    def _peek(self) -> Token:
        return self._tokens[self._at] if self._at < len(self._tokens) else Token("end", "")

    def _next(self) -> Token:
        token = self._peek()
        self._at += 1
        return token

    def _word(self, *words: str) -> bool:
        if self._peek().word in words:
            self._at += 1
            return True
        return False

    def _sign(self, sign: str) -> bool:
        if self._peek() == Token("sign", sign):
            self._at += 1
            return True
        return False

    def _any(self) -> Test:
        tests = [self._all()]
        while self._word("or"):
            tests.append(self._all())
        return lambda issue, seen: any(test(issue, seen) for test in tests)

    def _all(self) -> Test:
        tests = [self._one()]
        while self._word("and"):
            tests.append(self._one())
        return lambda issue, seen: all(test(issue, seen) for test in tests)

    def _one(self) -> Test:
        if self._word("not"):
            test = self._one()
            return lambda issue, seen: not test(issue, seen)
        if self._sign("("):
            test = self._any()
            if not self._sign(")"):
                raise BadJql("Error in the JQL Query: Expecting ')' before the end of the query.")
            return test
        return self._clause()

    def _clause(self) -> Test:
        token = self._next()
        said = token.text.casefold()
        name = _NAMES.get(said)
        if name is None:
            shown = token.text or "the end"
            raise BadJql(f"Field '{shown}' does not exist or you do not have permission to view it.")
        return self._time(name) if name in _TIMES else self._choice(name, said)

    def _time(self, name: str) -> Test:
        operator = self._next().text
        compare = _COMPARE.get(operator)
        if compare is None:
            raise BadJql(f"The operator '{operator}' is not supported by the '{name}' field.")
        limit = self._moment(name, self._next())
        if name == "updated":
            return lambda _issue, seen: compare(seen.updated, limit)
        return lambda issue, _seen: compare(issue.created, limit)

    def _moment(self, name: str, token: Token) -> datetime:
        """Milliseconds since the epoch, a date in the account's zone (to the minute), or a time ago."""
        if token.kind == "word" and token.text.isdecimal():
            return datetime.fromtimestamp(int(token.text) / 1000, UTC)
        date = _DATE.fullmatch(token.text)
        if date:
            year, month, day, hour, minute = (int(part or 0) for part in date.groups())
            return datetime(year, month, day, hour, minute, tzinfo=self._zone)
        ago = _AGO.fullmatch(token.text)
        if ago:
            return self._now - timedelta(**{_UNITS[ago[2]]: int(ago[1])})
        raise BadJql(
            f"Date value '{token.text}' for field '{name}' is invalid. Valid formats include: 'yyyy/MM/dd HH:mm', "
            "'yyyy-MM-dd HH:mm', 'yyyy/MM/dd', 'yyyy-MM-dd', or a period format e.g. '-5d', '4w 2d'."
        )

    def _choice(self, name: str, said: str) -> Test:
        refused, values = self._values(name)
        for value in values - {""}:
            self._check(name, value, said)
        folded = frozenset(value.casefold() for value in values)

        def test(issue: Issue, seen: Indexed) -> bool:
            return bool(self._of(name, issue, seen) & folded) != refused

        return test

    def _values(self, name: str) -> tuple[bool, frozenset[str]]:
        """Whether the clause is negated, and its values; EMPTY is an empty string."""
        token = self._next()
        if token.text in {"=", "!="}:
            return token.text == "!=", frozenset({self._value(name)})
        if token.word == "is":
            refused = self._word("not")
            return refused, frozenset({self._value(name)})
        refused = token.word == "not"
        if (self._next() if refused else token).word != "in":
            raise BadJql(f"The operator '{token.text}' is not supported by the '{name}' field.")
        if not self._sign("("):
            raise BadJql("Error in the JQL Query: Expecting '(' after IN.")
        values = {self._value(name)}
        while self._sign(","):
            values.add(self._value(name))
        if not self._sign(")"):
            raise BadJql("Error in the JQL Query: Expecting ')' after a list.")
        return refused, frozenset(values)

    def _value(self, name: str) -> str:
        token = self._next()
        if token.kind not in {"word", "string"}:
            raise BadJql("Error in the JQL Query: Expecting either a value, list or function.")
        if token.word in {"empty", "null"} or (name == "resolution" and token.text.casefold() == "unresolved"):
            return ""
        return token.text

    def _check(self, name: str, value: str, said: str) -> None:
        if name == "project" and self._catalog.project_key(value) not in self._catalog.projects:
            raise BadJql(f"The value '{value}' does not exist for the field 'project'.")
        if name != "key":
            return
        if value.isdecimal():
            if self._ids is not None and value not in self._ids:
                raise BadJql(f"A value with ID '{value}' does not exist for the field '{said}'.")
        elif value.upper() not in self._known:
            raise BadJql(f"An issue with key '{value}' does not exist for field '{said}'.")

    def _of(self, name: str, issue: Issue, seen: Indexed) -> frozenset[str]:
        """An issue's values of a field, to compare with, without case."""
        category = self._catalog.category(seen.status)
        project = issue.project
        number = str(self._catalog.projects[project.key])
        former = self._catalog.former_projects_of(project.key)
        values = {
            "key": (issue.key, issue.id, *issue.former),
            "project": (project.key, project.name, number, *former),
            "parent": (issue.parent or "",),
            "status": (seen.status, str(self._catalog.status_id(seen.status))),
            "type": (issue.type,),
            "resolution": (seen.resolution or "",),
            "category": (category.name, category.key),
        }
        return frozenset(value.casefold() for value in values[name])

    def _order(self) -> tuple[tuple[str, bool], ...]:
        if not self._word("order"):
            return (("created", True),)
        if not self._word("by"):
            raise BadJql("Error in the JQL Query: Expecting 'by' after 'order'.")
        out: list[tuple[str, bool]] = []
        while not out or self._sign(","):
            name = _NAMES.get(self._next().text.casefold())
            if name is None:
                raise BadJql("Not able to sort using field: it does not exist.")
            down = self._word("desc")
            if not down:
                self._word("asc")
            out.append((name, down))
        return tuple(out)


_COMPARE: Mapping[str, Callable[[datetime, datetime], bool]] = {
    ">": lambda a, b: a > b,
    ">=": lambda a, b: a >= b,
    "<": lambda a, b: a < b,
    "<=": lambda a, b: a <= b,
    "=": lambda a, b: a == b,
    "!=": lambda a, b: a != b,
}
