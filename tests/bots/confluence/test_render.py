"""Outlines as storage format: well-formed, inert, whole, and small enough."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bots.confluence.render import LIMIT, render
from bots.outline import Bullets, Code, Heading, Link, Paragraph, Table, Words, words
from bots.parts import utf16
from bots.shown import SHORTENED
from bots.text import clean, is_visible
from bots.web_address import web_address
from core.types import Locator
from tests.bots.confluence.reader import parsed, visible
from tests.bots.outlines import HOSTILE as HOSTILE_ANYWHERE
from tests.bots.outlines import outlines, spans, texts

HOSTILE = [
    *HOSTILE_ANYWHERE,
    "]]>",
    "<![CDATA[x]]>",
    '<ac:structured-macro ac:name="html">',
    '<ac:link><ri:user ri:account-id="1"/></ac:link>',
    "<!-- x -->",
    "&nbsp;&#0;&x;",
    "https://evil.example",
    ":) :D (y)",
    '" onclick="x',
    "\ufffe\uffff\U0001ffff",
]
PAGE = Locator("confluence:1", "Login rules", "https://wiki.example/x?a=1&b=2", heading="Limits")
ACCEPTED = {
    "r": set(), "p": set(), "br": set(), "strong": set(), "code": set(), "pre": set(), "a": {"href"}, "ul": set(),
    "ol": {"start"}, "li": set(), "table": set(), "tbody": set(), "tr": set(), "th": set(), "td": set(),
    "h1": set(), "h2": set(), "h3": set(), "h4": set(), "h5": set(), "h6": set(),
}  # fmt: skip


def one(*blocks):
    (storage,) = render(blocks)
    return storage


def test_every_block():
    assert one(
        Heading("Findings", 3),
        Paragraph((Words("P1 ", strong=True), Words("see "), Link("the rules", PAGE), Words(" x_y", code=True))),
        Bullets(((Words("one"),), (Words("two"),)), ordered=True),
        Table(("Source", "Age"), (((Words("Jira"),), (Words("2 h"),)), ((Words("Wiki"),),))),
        Code("if a < b:\n\treturn", "python"),
    ) == (
        "<h3>Findings</h3>"
        '<p><strong>P1 </strong>see <a href="https://wiki.example/x?a=1&amp;b=2">the rules</a><code> x_y</code></p>'
        "<ol><li><p>one</p></li><li><p>two</p></li></ol>"
        "<table><tbody><tr><th><p>Source</p></th><th><p>Age</p></th></tr>"
        "<tr><td><p>Jira</p></td><td><p>2 h</p></td></tr><tr><td><p>Wiki</p></td><td><p></p></td></tr></tbody></table>"
        "<pre>if a &lt; b:\n\treturn</pre>"
    )


@pytest.mark.parametrize("text", [text for text in HOSTILE if is_visible(clean(text))])
@pytest.mark.parametrize(
    "block",
    [
        words, Heading, Code,
        lambda text: Bullets(((Words(text),),)),
        lambda text: Table((text,), (((Words(text, code=True),),),)),
    ],
)  # fmt: skip
def test_identifiers_survive_to_the_character(text, block):
    """Field report C4. A heading has one line; the rest is the text itself."""
    shown = visible(one(block(text)))
    assert (clean(text) in shown) or (clean(text).replace("\n", " ") in shown)


hostile = st.sampled_from(HOSTILE)


@given(outlines | st.builds(lambda text, kind: (kind(text),), hostile, st.sampled_from([words, Heading, Code])))
def test_any_outline_is_made_of_these_elements_alone(outline):
    """Well-formed, without macro or mention, and no link but a locator's."""
    links = {web_address(span.locator.url) for span in _spans(outline) if isinstance(span, Link)}
    for storage in render(outline):
        for element in parsed(storage).iter():
            assert set(element.attrib) <= ACCEPTED[element.tag]
            assert element.tag != "a" or element.get("href") in links


def _spans(outline):
    for block in outline:
        if isinstance(block, Paragraph):
            yield from block.spans
        elif isinstance(block, Bullets):
            yield from (span for item in block.items for span in item)
        elif isinstance(block, Table):
            yield from (span for row in block.rows for cell in row for span in cell)


@given(outlines)
def test_no_control_or_override_is_left(outline):
    shown = "".join(map(visible, render(outline)))
    assert not set(shown) & set("\x00\x1b\x9b\x7f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")


@given(spans)
def test_the_text_of_any_words_survives(some):
    plain = tuple(span for span in some if isinstance(span, Words))
    expected = "".join(clean(span.text) for span in plain)
    if is_visible(expected):
        assert visible(one(Paragraph(plain))) == expected + "\n"
        assert visible(one(Bullets((plain,)))) == expected + "\n"
        assert visible(one(Table((), ((plain,),)))) == expected + "\n"


@given(texts | hostile)
def test_the_text_of_any_code_survives(text):
    if is_visible(clean(text)):
        assert visible(one(Code(text))) == clean(text) + "\n"


@pytest.mark.parametrize(
    "url", ["javascript:alert(1)", "data:text/html,x", "ftp://x.example", "//x.example", "x", "", "https://[::1"]
)
def test_what_is_no_web_address_is_text(url):
    assert one(Paragraph((Link("here", Locator("d", "t", url)),))) == "<p>here</p>"


@pytest.mark.parametrize("url", ['https://x.example/"><script>', "https://x.example/?a=1&b='2'", "http://x.example/ä"])
def test_an_address_stays_within_its_link(url):
    (link,) = parsed(one(Paragraph((Link("here", Locator("d", "t", url)),)))).iter("a")
    assert (link.attrib, link.text) == ({"href": web_address(url)}, "here")


def test_a_link_without_a_text_shows_its_locator():
    assert visible(one(Paragraph((Link("\u200b", PAGE),)))) == "Login rules, Limits\n"


def test_what_shows_nothing_gives_no_comment():
    assert render(()) == []
    assert render((words(" \u200b\x00"), Bullets(()), Bullets(((),)), Table((), ()), Code("\n"), Heading(" "))) == []


def test_a_long_reply_is_split_between_blocks():
    parts = render([words(f"{number}: " + "word " * 200) for number in range(100)])
    assert len(parts) > 2
    assert all(utf16(part) <= LIMIT for part in parts)
    notes = [visible(part).split("\n")[0] for part in parts]
    assert notes[0].startswith("0: ")
    assert notes[1:] == [f"(continued, part {n} of {len(parts)})" for n in range(2, len(parts) + 1)]
    told = [line for part in parts for line in visible(part).split("\n") if line and line[0] != "("]
    assert told == [f"{number}: " + "word " * 200 for number in range(100)]


def test_a_long_list_goes_on_counting_and_a_long_table_repeats_its_header():
    items = tuple((Words(f"item {number} " + "x" * 300),) for number in range(150))
    parts = render((Bullets(items, ordered=True),))
    assert len(parts) > 1
    before = 0
    for part in parts:
        (listed,) = parsed(part).iter("ol")
        assert listed.get("start", "1") == str(before + 1)
        assert listed[0][0].text.startswith(f"item {before} ")
        before += len(listed)
    assert before == 150

    rows = tuple(((Words(f"row {number}"),), (Words("y" * 300),)) for number in range(150))
    parts = render((Table(("Name", "Text"), rows),))
    assert len(parts) > 1
    bodies = [body for part in parts for body in parsed(part).iter("tbody")]
    assert [[cell[0].text for cell in body[0]] for body in bodies] == [["Name", "Text"]] * len(parts)
    assert sum(len(body) - 1 for body in bodies) == 150


def test_a_heading_does_not_end_a_part():
    first, second = render((words("x" * 20_000), Heading("Findings"), Heading("P1"), words("y" * 20_000)))
    assert "Findings" not in visible(first)
    assert visible(second).split("\n")[1:3] == ["Findings", "P1"]


@pytest.mark.parametrize("text", ["x" * 100_000, "\n" * 50_000 + "x", "<" * 60_000, "👩" * 40_000, "a\n" * 30_000])
@pytest.mark.parametrize(
    "block",
    [
        words, Code, Heading,
        lambda text: Bullets(((Words("ok"),), (Words(text),), (Words("ok"),))),
        lambda text: Table(("h", text), (((Words("ok"),), (Words(text), Words("more")), (Words("last"),)),)),
        lambda text: Table(("h",) * 200, (((Words(text[:500]),),) * 200,) * 3),
    ],
)  # fmt: skip
def test_what_is_too_long_is_cut_where_one_can_see_it(block, text):
    parts = render((words("before"), block(text), words("after")))
    assert all(utf16(part) <= LIMIT for part in parts)
    shown = "".join(map(visible, parts))
    assert shown.startswith("before\n")
    assert shown.endswith("after\n")
    assert SHORTENED in shown or "more columns" in shown or "\n" in text


@settings(max_examples=20)
@given(outline=outlines, times=st.integers(50, 400))
def test_no_part_is_too_large_and_no_block_is_lost(outline, times):
    parts = render(outline * times)
    assert all(utf16(part) <= LIMIT for part in parts)
    once = [block for block in outline if render((block,))]
    assert bool(parts) == bool(once)
    for block in once[:1]:
        if isinstance(block, Code):
            assert sum(1 for part in parts for _ in parsed(part).iter("pre")) >= times
