import hashlib
import io
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image

from core.errors import DescriberUnavailable, PictureNotRead
from core.parsing.parsed import Parsed, Picture
from core.pictures import LONGEST, Description, PictureLimits, Pictures
from core.types import Place
from state.db import open_database
from state.pictures import Pictures as Cache


def png(color: int = 0, size: tuple[int, int] = (64, 48)) -> bytes:
    file = io.BytesIO()
    Image.new("RGB", size, (color, 0, 0)).save(file, "png")
    return file.getvalue()


class Model:
    """Says what it was told to say, or raises it."""

    name = "test:eye#1"

    def __init__(self, *answers):
        self.answers = list(answers)
        self.shown = []

    def describe(self, data, media_type):
        self.shown.append((hashlib.sha256(data).hexdigest(), media_type))
        answer = self.answers.pop(0) if self.answers else "A login form."
        if isinstance(answer, Exception):
            raise answer
        return Description(answer, 100)


class Clock:
    def __init__(self):
        self.now = datetime(2026, 3, 1, 12, 0, tzinfo=UTC)

    def __call__(self):
        return self.now

    def monotonic(self):
        return self.now.timestamp()


@pytest.fixture
def clock():
    return Clock()


@pytest.fixture
def cache(tmp_path):
    database = open_database(tmp_path / "state.db")
    yield Cache(database)
    database.dispose()


@pytest.fixture
def made(cache, clock):
    def make(model, **limits):
        return Pictures(model, cache, PictureLimits(**limits), clock=clock, monotonic=clock.monotonic)

    return make


def page(*pictures: bytes, text=None):
    named = [Picture(f"p{n}.png", "image/png", data, f"[[{n}]]") for n, data in enumerate(pictures)]
    return Parsed(text or "\n".join(picture.mark for picture in named), pictures=tuple(named))


def test_a_mark_becomes_the_description_and_the_model_is_told_the_true_kind(made):
    model = Model("A login form.\nUser -> Server: password")
    parsed = Parsed("# Login\n\n[[0]]\n\nEnd.", pictures=(Picture("a.gif", "image/gif", png(), "[[0]]"),))
    assert made(model).described(parsed) == Parsed(
        "# Login\n\n[picture a.gif, described by a model: A login form.\nUser -> Server: password]\n\nEnd."
    )
    assert [kind for _, kind in model.shown] == ["image/png"]


def test_a_picture_costs_once_in_any_document_and_over_restarts(made):
    model = Model()
    first = made(model).described(page(png(), text="x [[0]]"))
    assert made(model).described(page(png(), text="x [[0]]")) == first
    assert len(model.shown) == 1
    twice = made(model).described(page(png(), png()))
    assert twice.text.endswith("\n[picture p1.png, the same as p0.png]")
    assert len(model.shown) == 1


def test_another_model_describes_anew(made):
    made(Model()).described(page(png()))
    other = Model("Two forms.")
    other.name = "test:eye#2"
    assert "Two forms." in made(other).described(page(png())).text


def test_without_a_model_it_says_so(made):
    parsed = made(None).described(page(png()))
    assert parsed.text == "[picture not read: p0.png]"
    assert parsed.unread == ("picture not read: p0.png (no model for pictures is set up)",)
    assert parsed.pictures == ()


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"<svg xmlns='http://www.w3.org/2000/svg'><text>hi</text></svg>", "it is no PNG, JPEG, GIF or WebP"),
        (b"", "it is no PNG, JPEG, GIF or WebP"),
        (png(size=(8_001, 40)), "it has 8,001 x 40 pixels"),
        (png()[:16] + (60_000).to_bytes(4, "big") * 2 + png()[24:], "it has 60,000 x 60,000 pixels"),
        (png() + bytes(4_000_000), "bytes"),
    ],
)
def test_what_is_no_bitmap_or_too_large_never_goes_to_the_model(made, data, reason):
    model = Model()
    parsed = made(model).described(page(data))
    assert reason in parsed.unread[0]
    assert parsed.text == "[picture not read: p0.png]"
    assert model.shown == []


def test_icons_and_lines_leave_without_a_word(made):
    model = Model()
    parsed = made(model).described(page(png(size=(31, 200)), png(size=(400, 2)), text="a [[0]] b [[1]]"))
    assert (parsed.text, parsed.unread, model.shown) == ("a  b ", (), [])
    assert made(model).described(page(png(size=(16, 16)))).text == "[only a small picture]"


def test_a_run_and_a_day_have_limits_and_the_next_goes_on(made, clock):
    model = Model()
    pictures = made(model, run=2, day=3)
    five = page(*(png(color) for color in range(5)))
    first = pictures.described(five)
    assert [entry.partition("(")[2] for entry in first.unread] == ["one synchronisation's limit is reached)"] * 3
    assert first.text.count("described by a model") == 2
    pictures.begin_run()
    assert [entry.partition("(")[2] for entry in pictures.described(five).unread] == ["the day's limit is reached)"] * 2
    clock.now += timedelta(hours=12)
    pictures.begin_run()
    done = pictures.described(five)
    assert done.unread == ()
    assert len(model.shown) == 5


def test_tokens_are_limited_too(made):
    model = Model()
    parsed = made(model, tokens=150).described(page(*(png(color) for color in range(3))))
    assert len(model.shown) == 2
    assert parsed.unread == ("picture not read: p2.png (the day's limit is reached)",)


def test_a_refused_picture_is_not_shown_again(made):
    model = Model(PictureNotRead("the model's provider refused it", tokens=40))
    for _ in range(2):
        parsed = made(model).described(page(png()))
        assert parsed.unread == ("picture not read: p0.png (the model's provider refused it)",)
    assert len(model.shown) == 1


def test_an_outage_is_waited_out_and_costs_nothing_but_time(made, clock):
    model = Model(DescriberUnavailable("down", retry_after=300))
    pictures = made(model)
    two = page(png(1), png(2))
    assert len(pictures.described(two).unread) == 2
    assert len(model.shown) == 1
    clock.now += timedelta(seconds=299)
    pictures.described(two)
    assert len(model.shown) == 1
    clock.now += timedelta(seconds=2)
    later = pictures.described(two)
    assert later.unread == ("picture not read: p0.png (the model failed on it; it is tried again later)",)
    clock.now += timedelta(hours=20)
    assert pictures.described(two).unread == ()


def test_one_picture_that_always_fails_does_not_keep_the_others_waiting(made, clock):
    """Each failure makes its next attempt rarer, and the pause after it is short at first."""
    model = Model(*(DescriberUnavailable("timeout") for _ in range(3)))
    pictures = made(model)
    for days in (0, 1, 2):
        clock.now += timedelta(days=days)
        pictures.described(page(png(1)))
    assert len(model.shown) == 3
    clock.now += timedelta(days=2)
    assert pictures.described(page(png(1), png(2))).unread == (
        "picture not read: p0.png (the model failed on it; it is tried again later)",
    )


def test_within_a_line_or_a_table_the_description_keeps_to_the_line(made):
    model = Model("One.\nA | B", "One.\n\nTwo.")
    parsed = made(model).described(page(png(1), png(2), text="| a | [[0]] |\n\n- item [[1]]"))
    assert parsed.text == (
        "| a | [picture p0.png, described by a model: One.; A \\| B] |\n\n"
        "- item [picture p1.png, described by a model: One.; Two.]"
    )


def test_a_picture_without_its_mark_comes_at_the_end_and_places_move(made):
    parsed = Parsed(
        "[[0]]\npage two\n[[1]]\npage three",
        (Place(0, "page 1"), Place(6, "page 2"), Place(21, "page 3")),
        ("a table not read",),
        (*page(png(1), png(2)).pictures, Picture("x\n.png", "image/png", png(3), "[[gone]]")),
    )
    result = made(Model("Long text.", "", "Third.")).described(parsed)
    assert [result.text[place.start :].split("\n")[0] for place in result.places] == [
        "[picture p0.png, described by a model: Long text.]",
        "page two",
        "page three",
    ]
    assert result.text.endswith("\n\n[picture x .png, described by a model: Third.]")
    assert result.unread == ("a table not read",)


def test_a_description_is_cut_and_cleaned(made):
    text = made(Model("\0\ud800" + "x" * 10_000)).described(page(png())).text
    assert "\0" not in text
    assert len(text) < LONGEST + 100
    text.encode()


MARKS = ["[[0]]", "[[1]]", "[[0]", "", "a"]


class Forgetful:
    def find(self, content, describer):
        return None

    def begin(self, content, describer, at): ...

    def finish(self, content, describer, *, description, refusal, tokens): ...

    def spent(self, since):
        return 0, 0


@given(
    st.lists(st.sampled_from([*MARKS, "\n", "|", "x"]), max_size=12).map("".join),
    st.lists(
        st.tuples(
            st.sampled_from(MARKS), st.sampled_from([png(1), png(2), b"junk", png(3, (9, 9))]), st.text(max_size=4)
        )
    ),
    st.lists(st.integers(0, 30), max_size=4),
)
def test_whatever_the_marks_places_stay_in_order_and_within_the_text(text, pictures, starts):
    parsed = Parsed(
        text or "x",
        tuple(Place(min(start, len(text)), "p") for start in sorted(starts)),
        pictures=tuple(Picture(name, "image/png", data, mark) for mark, data, name in pictures),
    )
    result = Pictures(Model(), Forgetful()).described(parsed)
    assert result.text
    assert result.pictures == ()
    assert all(0 <= place.start <= len(result.text) for place in result.places)
    assert [place.start for place in result.places] == sorted(place.start for place in result.places)
    if not pictures:
        assert result == parsed
