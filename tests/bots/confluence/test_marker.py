"""The delivery key that a comment carries where nobody sees it."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bots.confluence.marker import found_in, marker_of, with_marker
from bots.confluence.render import LIMIT, render
from bots.outline import Code, words
from bots.parts import utf16
from bots.types import Place, Post, Visibility
from tests.bots.confluence.conftest import NOW
from tests.bots.confluence.reader import parsed, visible
from tests.bots.outlines import outlines

PLACE = Place("confluence", "https://x.example", "501", "Login rules", "https://x.example/p", "SPEC", thread="1")


def post(value="<p>Yes.</p>", key="job/1"):
    return Post(PLACE, Visibility(), {"type": "storage", "value": value}, key, "2", NOW)


@given(outlines, st.text())
def test_any_answer_carries_its_key_unseen(outline, key):
    for value in render(outline):
        marked = with_marker(post(value, key))
        (anchor,) = parsed(marked).iter("ac:structured-macro")
        assert anchor.attrib == {"ac:name": "anchor"}
        assert found_in(marked) == marker_of(post(value, key))
        assert visible(re.sub("crosscheck-[0-9a-f-]+", "", marked)).lstrip("\n") == visible(value).lstrip("\n")


def test_it_fits_beside_the_longest_answer():
    for value in render((words("x" * 200_000), Code("<" * 200_000), words("y"))):
        assert utf16(with_marker(post(value))) <= LIMIT


@pytest.mark.parametrize(
    ("sent", "given_back"),
    [
        ('ac:name="anchor"', 'ac:name="anchor" ac:schema-version="1" ac:local-id="1" ac:macro-id="2"'),
        ('<ac:parameter ac:name="">', "<ac:parameter ac:name=''>\n  "),
        ('<ac:parameter ac:name="">', "<ac:parameter>"),
        ("</ac:parameter>", " </ac:parameter>"),
        ("<p>", '<p local-id="5">'),
    ],
)
def test_it_is_found_in_what_the_editor_made_of_it(sent, given_back):
    marked = with_marker(post())
    assert sent in marked
    assert found_in(marked.replace(sent, given_back)) == marker_of(post())


def test_one_that_is_quoted_does_not_count():
    quoted = with_marker(post(key="another"))
    assert found_in(with_marker(post(f"<pre><![CDATA[{quoted}]]></pre>"))).key == marker_of(post()).key
    (shown,) = render((words(quoted),))
    assert found_in(shown) is None


def test_another_body_and_another_key_are_told_apart():
    assert marker_of(post()) == marker_of(post())
    assert marker_of(post()).key != marker_of(post(key="job/2")).key
    assert marker_of(post()).text != marker_of(post("<p>No.</p>")).text


@pytest.mark.parametrize("storage", ["", "crosscheck-1", "<ac:parameter" * 20_000, "<ac:parameter " + "x" * 500_000])
def test_what_carries_none(storage):
    assert found_in(storage) is None
