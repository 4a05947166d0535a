"""The search page: a question, what is found for it within the viewer's labels, and how it was found."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from bots.text import clean
from core.errors import CoreError
from crosscheck.console.flow_chart import Chart, chart
from crosscheck.console.views import Shown, View, Visit
from crosscheck.errors import NotAnswered, NotOffered
from review.errors import ReviewError

LONGEST = 500
"""Characters of a question that a form can ask."""
LIMITS = (10, 20, 50)
"""Results that can be asked for."""
TOLD = (CoreError, ReviewError, NotAnswered, NotOffered)
"""What operations raise whose message is for the viewer, and is shown beside the form."""

_NAME = 200  # characters of a source, a repository, a branch
_FILTERS = ("source", "repository", "branch", "as_of")
_SHOWN, _LINES = 300, 6  # characters and lines of a passage before the rest is folded away
_PASSAGE = 20_000
_SOURCES = 500


@dataclass(frozen=True, slots=True)
class Asked:
    """What the form holds."""

    text: str
    source: str
    repository: str
    branch: str
    as_of: str
    """A day, as 2026-03-31."""
    limit: int

    @property
    def filters(self) -> dict[str, Any]:
        """As the operation takes them."""
        return {
            "sources": [self.source] if self.source else [],
            "repos": [self.repository] if self.repository else [],
            "branch": self.branch or None,
            "as_of": self.as_of or None,
        }


@dataclass(frozen=True, slots=True)
class Hit:
    """One result."""

    number: int
    evidence: Mapping[str, Any]
    """As `evidence_record` makes it."""
    text: str
    rest: str
    """Of the text, folded away at first."""


@dataclass(frozen=True, slots=True)
class Found:
    """What came of a search."""

    hits: tuple[Hit, ...]
    notes: tuple[str, ...]
    degraded: tuple[str, ...]
    trace: Mapping[str, Any] | None
    flow: Chart | None

    @property
    def milliseconds(self) -> float:
        return float(sum(self.trace["steps"].values())) if self.trace else 0.0


@dataclass(frozen=True, slots=True)
class SearchPage:
    """All that the template shows."""

    asked: Asked
    sources: tuple[str, ...] = ()
    """That the viewer may know of."""
    error: str = ""
    found: Found | None = None


def answer(visit: Visit) -> Shown:
    """The page for the query of its address, which is searched within the viewer's labels whatever it is.

    What cannot be answered is said in the page.
    """
    page = SearchPage(asked(visit))
    wrong = _wrong(visit)
    try:
        page = replace(page, sources=_sources(visit), error=wrong)
        if page.asked.text and not wrong:
            page = replace(page, found=_found(page.asked, visit))
    except TOLD as error:
        page = replace(page, error=str(error))
    return Shown("search.html", {"page": page, "limits": LIMITS, "longest": LONGEST}, 422 if page.error else 200)


def asked(visit: Visit) -> Asked:
    """What a form's values ask for; of what is too long, as much as the form can show."""
    limit = visit.number("limit", LIMITS[0])
    return Asked(
        text=visit.word("q", limit=LONGEST),
        source=visit.word("source", limit=_NAME),
        repository=visit.word("repository", limit=_NAME),
        branch=visit.word("branch", limit=_NAME),
        as_of=visit.word("as_of", limit=_NAME),
        limit=limit if limit in LIMITS else LIMITS[0],
    )


def _wrong(visit: Visit) -> str:
    """What is wrong with a form's values, or nothing."""
    if len(visit.query.get("q", "")) > LONGEST:
        return f"A question may have {LONGEST} characters. Ask with fewer words."
    if any(len(visit.query.get(name, "")) > _NAME for name in _FILTERS):
        return f"A filter may have {_NAME} characters."
    return ""


def _sources(visit: Visit) -> tuple[str, ...]:
    known = visit.run("freshness", audience=visit.viewer.audience)["sources"]
    return tuple(one["source"] for one in known[:_SOURCES])


def _found(what: Asked, visit: Visit) -> Found:
    found = visit.run(
        "search",
        text=what.text,
        audience=visit.viewer.audience,
        limit=what.limit,
        filters=what.filters,
        explain=True,
    )
    trace = found.get("trace")
    return Found(
        hits=tuple(_hit(number, one) for number, one in enumerate(found["evidence"], 1)),
        notes=tuple(found["notes"]),
        degraded=tuple(found["degraded"]),
        trace=trace,
        flow=chart(trace) if trace and trace["candidates"] else None,
    )


def _hit(number: int, evidence: Mapping[str, Any]) -> Hit:
    text = clean(evidence["text"][:_PASSAGE]).strip()
    cut = _cut(text)
    return Hit(number, evidence, text[:cut], text[cut:].lstrip("\n"))


def _cut(text: str) -> int:
    """Where the rest of a long text is folded away: at the end of a line or of a word."""
    first = len("".join(text.splitlines(keepends=True)[:_LINES]))
    if max(first, len(text) * 3 // 4) <= _SHOWN:
        return first
    ends = (text.rfind("\n", _SHOWN // 2, _SHOWN), text.rfind(" ", _SHOWN // 2, _SHOWN))
    return min(first, next((end for end in ends if end > 0), _SHOWN))


VIEWS = (View("/search", "search", answer, menu="Search"),)
