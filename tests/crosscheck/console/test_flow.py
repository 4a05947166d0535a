"""The search page without a browser: what it asks for, what it draws, and what it says when it cannot."""

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st
from starlette.datastructures import QueryParams

from core.errors import BadQuery
from crosscheck.console.flow import LONGEST, _cut, answer
from crosscheck.console.flow_chart import chart
from crosscheck.console.rendering import Rendering
from crosscheck.console.views import Visit
from crosscheck.mcp.caller import Caller

NOW = datetime(2026, 11, 30, tzinfo=UTC)
ARMS = ("content words", "content meaning", "commit votes")


def candidate(name, fate="no place left", fused=1, reranked=None, document=None, kind="page", **ranks):
    return {
        "id": name,
        "document_id": document or name,
        "title": f"Title of {name}",
        "kind": kind,
        "ranks": {arm.replace("_", " "): rank for arm, rank in ranks.items()},
        "fused": fused,
        "reranked": reranked,
        "fate": fate,
    }


def trace(*candidates, arms=ARMS, keys=(), route="hybrid"):
    return {
        "route": route,
        "keys": list(keys),
        "arms": [{"name": arm, "collection": "documents", "weight": 1.0, "hits": 30} for arm in arms],
        "candidates": list(candidates),
        "left_out": 3,
        "reranker": "late interaction" if arms else None,
        "steps": {"exact": 1.0, "fusion": 2.5},
    }


FOUND = trace(
    candidate("a", "result 2", 1, 0.5, content_words=1, content_meaning=4),
    candidate("b", "result 1", 2, 2.5, content_meaning=1, kind="code", commit_votes=1),
    candidate("c", "like Title of a", 3, content_words=2),
    candidate("d", "no place left", 4, 0.1, document="a", content_words=3),
    candidate("e", "no place left", 5, 0.2, content_words=9),
)


def evidence(text="The fare comes back.", **changed):
    return {
        "source": "wiki",
        "kind": "page",
        "context": "Space > Page",
        "text": text,
        "score": 1.5,
        "route": "hybrid",
        "updated": "2026-11-01T00:00:00+00:00",
        "unread": [],
        "title": "Refunds",
        "url": "https://wiki.example/1",
        "document": "confluence:1",
    } | changed


class Operations:
    """Remembers what was asked."""

    def __init__(self, found=(), error=None, traced=FOUND):
        self.asked = []
        self._found, self._error, self._traced = list(found), error, traced

    def run(self, name, arguments, report):
        self.asked.append((name, dict(arguments)))
        if name == "freshness":
            return {"sources": [{"source": "wiki"}, {"source": "backend"}]}
        if self._error:
            raise self._error
        return {"evidence": self._found, "notes": ["A note."], "degraded": [], "trace": self._traced}


def visit(operations, query):
    caller = Caller("someone", frozenset({"org", "jira:PAY"}))
    return Visit(caller, {}, QueryParams(query), NOW, operations)


def page(operations, query):
    shown = answer(visit(operations, query))
    return shown, html(shown)


def html(shown):
    every = {
        "url": lambda page, /, **path: "/".join(["/console", page, *map(str, path.values())]),
        "here": "search",
        "menu": [],
        "viewer": None,
        "by_token": False,
        "scripts": True,
        "now": NOW,
    }
    return Rendering().html(shown.template, every | dict(shown.values))


# What is asked for


def test_it_is_searched_with_the_viewers_labels_and_no_others():
    operations = Operations([evidence()])
    shown, _ = page(
        operations,
        "q=refund&source=wiki&repository=shop&branch=x&as_of=2026-03-31&limit=20&audience=secret&explain=0&kinds=page",
    )
    assert shown.status == 200
    assert operations.asked == [
        ("freshness", {"audience": "=jira:PAY,org"}),
        (
            "search",
            {
                "text": "refund",
                "audience": "=jira:PAY,org",
                "limit": 20,
                "filters": {"sources": ["wiki"], "repos": ["shop"], "branch": "x", "as_of": "2026-03-31"},
                "explain": True,
            },
        ),
    ]


@pytest.mark.parametrize(
    ("query", "told"),
    [
        (f"q={'x' * (LONGEST + 1)}", f"{LONGEST} characters"),
        (f"q=refund&branch={'x' * 201}", "200 characters"),
        ("", ""),
        ("q=%20%20", ""),
    ],
)
def test_what_is_too_long_or_empty_is_not_searched_for(query, told):
    operations = Operations()
    shown, said = page(operations, query)
    assert [name for name, _ in operations.asked] == ["freshness"]
    assert told in said
    assert shown.status == (422 if told else 200)


@pytest.mark.parametrize("limit", ["0", "-1", "11", "1000", "ten", ""])
def test_only_offered_limits_are_taken(limit):
    operations = Operations()
    page(operations, f"q=refund&limit={limit}")
    assert operations.asked[-1][1]["limit"] == 10


def test_what_cannot_be_answered_is_said_beside_the_form():
    shown, said = page(Operations(error=BadQuery("'soon' is no date.")), "q=refund&as_of=soon")
    assert shown.status == 422
    assert "&#39;soon&#39; is no date." in said
    assert 'value="refund"' in said


# What is shown


def test_results_are_quoted_and_linked():
    _, said = page(Operations([evidence("One\nTwo <b>")]), "q=refund")
    assert '<a href="https://wiki.example/1" rel="noreferrer">Refunds</a>' in said
    assert "One\nTwo &lt;b&gt;" in said
    assert "29 days ago" in said
    assert "A note." in said


def test_nothing_from_outside_is_markup():
    evil = '"><script>alert(1)</script>'
    traced = trace(
        candidate(evil, "result 1", content_words=1, kind=evil), candidate("x", f"like {evil}"), arms=[*ARMS, evil]
    )
    found = evidence(evil, title=evil, source=evil, kind=evil, context=evil, url="javascript:alert(1)", unread=[evil])
    _, said = page(Operations([found], traced=traced), f"q={evil}")
    assert "<script>alert" not in said
    assert "javascript:" not in said
    assert said.count("<script") == 1  # the one that the page loads


@given(st.text(alphabet="ab \n", max_size=2000))
def test_what_is_folded_away_and_what_is_not_are_the_text(text):
    cut = _cut(text)
    assert 0 <= cut <= len(text)
    assert cut > 0 or not text
    assert len(text[:cut].splitlines()) <= 6


# The drawing


def test_each_candidate_has_its_ranks_and_its_fate_in_words():
    drawn = chart(FOUND)
    stages = ["arm"] * 3 + ["fusion", "reranker", "result"]
    assert [column.stage for column in drawn.columns] == stages
    told = {way.title: (way.ranks, way.fate) for way in drawn.ways}
    assert told == {
        "Title of a": ((1, 4, None, 1, 2, 2), "kept as result 2"),
        "Title of b": ((None, 1, 1, 2, 1, 1), "kept as result 1"),
        "Title of c": ((2, None, None, 3, None, None), "left out: almost the same as Title of a"),
        "Title of d": (
            (3, None, None, 4, 4, None),
            "cut: its document has 1 result already, and others rank higher",
        ),
        "Title of e": ((9, None, None, 5, 3, None), "cut: other candidates took the places"),
    }
    assert [way.result for way in drawn.results] == [1, 2]
    assert [way.result for way in drawn.ways[-2:]] == [2, 1]  # above the others
    assert len({way.number for way in drawn.ways}) == len(drawn.ways)


def test_what_was_looked_up_goes_straight_to_the_results():
    drawn = chart(trace(candidate("a", "result 1", None), arms=(), keys=["PAY-1"], route="exact"))
    assert [column.stage for column in drawn.columns] == ["lookup", "result"]
    assert drawn.ways[0].ranks == (1, 1)
    assert drawn.ways[0].fate == "kept as result 1, looked up by its name"


def test_a_line_begins_and_ends_where_the_candidate_does():
    way = chart(FOUND).results[0]
    assert way.line.startswith(f"M{way.spots[0].x:g} {way.spots[0].y:g}C")
    assert way.line.endswith(f" {way.end.x:g} {way.end.y:g}")


RANKS = st.dictionaries(st.sampled_from(ARMS), st.integers(1, 200))
CANDIDATES = st.lists(st.tuples(RANKS, st.none() | st.floats(-9, 9), st.booleans()), max_size=40)


@given(CANDIDATES)
def test_everything_stands_inside_and_better_ranks_stand_higher(given_candidates):
    made, results = [], 0
    for number, (ranks, score, kept) in enumerate(given_candidates, 1):
        results += kept
        fate = f"result {results}" if kept else "no place left"
        made.append(candidate(str(number), fate, number, score) | {"ranks": ranks})
    drawn = chart(trace(*made))
    assert len(drawn.ways) == len(made)
    for way in drawn.ways:
        assert all(0 <= spot.x <= drawn.width and 0 <= spot.y <= drawn.height for spot in way.spots)
        assert [spot.x for spot in way.spots] == sorted(spot.x for spot in way.spots)
        assert [spot.rank for spot in way.spots] == [rank for rank in way.ranks if rank]
    for column in drawn.columns:
        here = sorted((spot.rank, spot.y) for way in drawn.ways for spot in way.spots if spot.x == column.x)
        assert [y for _, y in here] == sorted(y for _, y in here)


def test_more_results_than_usual_stay_inside():
    drawn = chart(trace(*(candidate(str(n), f"result {n}", n, content_words=n) for n in range(1, 51))))
    assert max(way.end.y for way in drawn.ways) <= drawn.height
