"""The map page without a browser: when it is drawn, and what of the index is on it."""

import threading

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.errors import IndexUnusable
from crosscheck.console.map_view import SIDE, MapView, drawing
from crosscheck.errors import NotAnswered
from tests.crosscheck.console.test_flow import html, visit


def point(number, source=0, x=0.5, y=0.5, hit=None, title="Refund of a fare", url="https://wiki.example/1"):
    return {
        "source": source,
        "kind": "page",
        "title": f"{title} {number}",
        "place": "Space > Page",
        "url": url,
        "x": x,
        "y": y,
        "hit": hit,
    }


def data(points, question=None, sources=2):
    named = [{"name": f"source {n}", "drawn": 0, "total": 10} for n in range(sources)]
    return {"audience": "org", "question": question, "sources": named, "points": points, "total": len(points)}


class Operations:
    def __init__(self, found=None, error=None, waiting=None):
        self.asked = []
        self.began = threading.Event()
        self._found, self._error, self._waiting = found, error, waiting

    def run(self, name, arguments, report):
        self.asked.append((name, dict(arguments)))
        self.began.set()
        if self._waiting:
            self._waiting.wait(10)
        if self._error:
            raise self._error
        return self._found


def test_nothing_is_drawn_before_somebody_asks():
    operations = Operations()
    shown = MapView().answer(visit(operations, "q=refund"))
    assert operations.asked == []
    assert shown.status == 200
    assert '<svg class="points' not in html(shown)


def test_it_is_drawn_with_the_viewers_labels():
    operations = Operations(data([point(1)]))
    shown = MapView().answer(visit(operations, "q=&draw=1&audience=secret"))
    assert operations.asked == [("map", {"text": None, "audience": "=jira:PAY,org"})]
    assert "1 passages" in html(shown)


@pytest.mark.parametrize(("query", "told"), [("q=" + "x" * 501 + "&draw=1", "500 characters")])
def test_a_long_question_is_refused(query, told):
    operations = Operations()
    shown = MapView().answer(visit(operations, query))
    assert operations.asked == []
    assert shown.status == 422
    assert told in html(shown)


@pytest.mark.parametrize("error", [NotAnswered("Not just now.", again=True), IndexUnusable("Not just now.")])
def test_an_error_is_said_in_the_page(error):
    shown = MapView().answer(visit(Operations(error=error), "draw=1"))
    assert shown.status == 422
    assert "Not just now." in html(shown)


def test_one_map_at_a_time():
    going = threading.Event()
    slow, view, first = Operations(data([point(1)]), waiting=going), MapView(), []
    thread = threading.Thread(target=lambda: first.append(view.answer(visit(slow, "draw=1"))))
    thread.start()
    try:
        assert slow.began.wait(10)
        assert "Another map" in html(view.answer(visit(Operations(), "draw=1")))
    finally:
        going.set()
        thread.join()
    assert first[0].status == 200
    assert view.answer(visit(Operations(data([point(1)])), "draw=1")).status == 200


def test_of_too_many_hits_and_a_fair_part_of_each_source_are_drawn():
    points = [point(n, source=0) for n in range(90)] + [point(n, source=1) for n in range(5)] + [point(99, hit=1)]
    drawn = drawing(data(points), most=21)
    assert drawn.drawn == 21
    assert [group.drawn for group in drawn.groups] == [16, 5]
    assert [hit.number for hit in drawn.hits] == [1]


def test_every_source_has_a_look_of_its_own():
    drawn = drawing(data([point(n, source=n) for n in range(12)], sources=12))
    assert len({(group.colour, group.shape) for group in drawn.groups}) == 12


def test_areas_tell_where_what_lies():
    here = [point(n, x=0.1, y=0.9, title="Refund when it is late") for n in range(3)]
    there = [point(n, source=1, x=0.9, y=0.1, title="Season pass") for n in range(2)]
    top, bottom = drawing(data(here + there)).areas
    assert (top.name, top.passages, top.sources) == ("top left", 3, (("source 0", 3),))
    assert top.words == ("late", "refund")
    assert (bottom.name, bottom.words) == ("bottom right", ("pass", "season"))


def test_nothing_from_outside_is_markup():
    evil = '"><script>alert(1)</script>'
    points = [point(evil, hit=1, title=evil, url="javascript:alert(1)"), point(2, title=evil)]
    found = data(points, {"text": evil, "x": 0.5, "y": 0.5}) | {
        "sources": [{"name": evil, "drawn": 1, "total": 1}, {"name": "b", "drawn": 0, "total": 0}]
    }
    said = html(MapView().answer(visit(Operations(found), f"q={evil}&draw=1")))
    assert "<script>alert" not in said
    assert "javascript:" not in said


UNIT = st.floats(0, 1)


@given(st.lists(st.tuples(UNIT, UNIT), min_size=1, max_size=30), st.integers(0, 10))
def test_everything_stands_inside(places, hits):
    points = [point(n, x=x, y=y, hit=n + 1 if n < hits else None) for n, (x, y) in enumerate(places)]
    drawn = drawing(data(points, {"text": "?", "x": 0.0, "y": 1.0}))
    marks = [(mark.x, mark.y) for group in drawn.groups for mark in group.marks]
    for x, y in [*marks, *((hit.x, hit.y) for hit in drawn.hits), drawn.question]:
        assert 0 <= x <= SIDE
        assert 0 <= y <= SIDE
    assert sum(area.passages for area in drawn.areas) == len(points) == drawn.drawn
    assert len(marks) + len(drawn.hits) == len(points)
