"""Test reports in JUnit's XML, as pytest, Surefire, Jest and others write it: they agree on `testsuite`, `testcase`,
`failure`, `error` and `skipped`, and on little else.

https://github.com/testmoapp/junitxml describes what is common.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from xml.parsers import expat

from core.parsing.markdown import clean

_BLOCK = 65_536  # bytes parsed at once
_LONGEST = 2_000  # characters of a message
_LONGEST_OUTPUT = 500  # of what a failed case wrote, its end
_MOST = 200_000  # cases
_DEEPEST = 64
_SEPARATOR = "\n"  # between an element's namespace and its name; neither can hold it
_OUTCOMES = {
    "failure": "failed",
    "rerunFailure": "failed",
    "error": "error",
    "rerunError": "error",
    "skipped": "skipped",
}


class ReportUnreadable(Exception):
    """The file is no test report; the message says why, as a sentence's end."""


@dataclass(frozen=True, slots=True)
class CaseResult:
    """One case as it ran once."""

    suite: str
    name: str
    status: str
    """passed, failed, error or skipped."""
    message: str = ""
    timestamp: str = ""
    """As it is written, of the case or else of its suite."""


def results(data: bytes) -> Iterator[CaseResult]:
    """The cases in the order of the report.

    Raises ReportUnreadable, maybe after the first cases: for what is no XML or no report, for a document type, which
    could declare entities, and for too many cases.
    """
    report = _Report()
    parser = expat.ParserCreate(namespace_separator=_SEPARATOR)
    parser.buffer_text = True
    parser.StartElementHandler = report.start
    parser.EndElementHandler = report.end
    parser.CharacterDataHandler = report.text
    parser.StartDoctypeDeclHandler = _refuse
    try:
        for at in range(0, len(data), _BLOCK):
            parser.Parse(data[at : at + _BLOCK], False)
            yield from report.taken()
        parser.Parse(b"", True)
    except expat.ExpatError as error:
        raise ReportUnreadable(f"it is no XML, or not all of it: {error}") from error
    yield from report.taken()


@dataclass(slots=True)
class _Case:
    suite: str
    name: str
    timestamp: str
    status: str = "passed"
    message: str = ""
    text: str = ""
    output: str = ""

    def result(self) -> CaseResult:
        """A failure that passed when it was run again (`flakyFailure`) is none, and counts for nothing here."""
        said = [self.message, self.text.strip()[:_LONGEST]]
        if self.status not in {"passed", "skipped"}:
            said.append(self.output.strip()[-_LONGEST_OUTPUT:])
        message = "\n".join(part for part in dict.fromkeys(said) if part)[:_LONGEST]
        return CaseResult(
            self.suite, self.name, self.status, message if self.status != "passed" else "", self.timestamp
        )


class _Report:
    """Follows the elements as they open and close, and keeps what of the cases is told."""

    def __init__(self) -> None:
        self._open: list[str] = []
        self._suites: list[tuple[str, str]] = []
        self._case: _Case | None = None
        self._telling = False  # within the element that decides the case
        self._taken: list[CaseResult] = []
        self._count = 0

    def taken(self) -> list[CaseResult]:
        """The cases that ended since the last call."""
        taken, self._taken = self._taken, []
        return taken

    def start(self, element: str, attributes: Mapping[str, str]) -> None:
        name = element.rpartition(_SEPARATOR)[2]
        if not self._open and name not in {"testsuites", "testsuite"}:
            raise ReportUnreadable(f"it is no test report, but XML of <{clean(name)[:40]}>")
        if len(self._open) >= _DEEPEST:
            raise ReportUnreadable("it is nested too deeply")
        self._open.append(name)
        given = {key: clean(value).strip() for key, value in attributes.items()}
        if name == "testsuite":
            self._suites.append((given.get("name", ""), given.get("timestamp", "")))
        elif name == "testcase":
            suite, timestamp = self._suites[-1] if self._suites else ("", "")
            named = given.get("classname") or suite
            self._case = _Case(named, given.get("name") or "without a name", given.get("timestamp") or timestamp)
        elif self._case and name in _OUTCOMES and self._case.status in {"passed", "skipped"}:
            self._case.status = _OUTCOMES[name]
            self._case.message = given.get("message") or given.get("type", "")
            self._case.text = ""
            self._telling = True

    def text(self, text: str) -> None:
        case, name = self._case, self._open[-1] if self._open else ""
        if case is None:
            return
        if self._telling and len(case.text) < 2 * _LONGEST:
            case.text += clean(text[: 2 * _LONGEST])
        elif name in {"system-out", "system-err"}:
            case.output = (case.output + clean(text[-_LONGEST:]))[-_LONGEST:]

    def end(self, element: str) -> None:
        name = element.rpartition(_SEPARATOR)[2]
        self._open.pop()
        self._telling = self._telling and name not in _OUTCOMES
        if name == "testsuite":
            self._suites.pop()
        elif name == "testcase" and self._case:
            self._count += 1
            if self._count > _MOST:
                raise ReportUnreadable(f"it holds more than {_MOST:,} cases; the others are not read")
            self._taken.append(self._case.result())
            self._case = None


def _refuse(*_declaration: object) -> None:
    raise ReportUnreadable("it declares a document type, which no test report needs")
