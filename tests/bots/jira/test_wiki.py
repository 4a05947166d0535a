"""Outlines as wiki markup: read as Jira reads it, they are inert, whole, and small enough."""

import time

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from bots.jira.wiki import LIMIT, render
from bots.jira.wiki_text import inert
from bots.outline import Bullets, Code, Heading, Link, Paragraph, Table, Words, words
from bots.parts import utf16
from bots.shown import SHORTENED
from bots.text import clean, is_visible
from bots.web_address import web_address
from core.types import Locator
from tests.bots.jira.wiki_reader import ICONS, PHRASES, read
from tests.bots.outlines import HOSTILE, outlines, texts

PAGE = Locator("confluence:1", "Login rules", "https://wiki.example/x", heading="Limits")
OURS = {"heading", "item", "cell", "header", "code", "noformat", "link", "strong", "mono"}
SIGNS = [
    "check_user_lock", "MAX_RETRY_COUNT", "__init__", "{tenant}", "a*b*c", "[draft]", "[draft|http://evil.example]",
    "C:\\temp", "\\\\server\\share", "a\\", "\\*x\\*", "# one", "h1. one", "  h6. one", "bq. one", "- one",
    "-- one", "* one", "** one", "| a | b |", "|| a || b ||", "!image.png!", "!http://x.example/pixel.png|width=1!",
    "~user", "[~user]", "[@user]", "[~accountid:1]", "{panel}x{panel}", "{color:red}x{color}", "{code}x{code}",
    "{noformat}", "{{mono}}", "----", "-----", "a -- b", "a --- b", "??cite??", "+ins+", "-del-", "^sup^", "~sub~",
    "_em_", "*strong*", "{*}x{*}", "http://evil.example/a_b", "see https://evil.example.", "(mailto:a@b.example)",
    "file:/etc/x", "ftp://x", "&amp; &#42; &lt;", "<b>&</b>", "a\nb\n\nc", "\n# x\n| y |\nh1. z", "x²_y_²", "Ⅷ*a*",
    "]-)", "!)", "a;)", "&#59;)", "*)", "PAY-12 and PAY-13", "[^file.txt]", "[#anchor]", "ünïcödé_x_é", "…*…*…",
    "#qa-check", "(*r)", "a(x)b", "{", "}", "[", "]", "[|]", "}}", "{{", "{code:title=x|borderStyle=solid}", "??",
    "???a???", "a?? b??", "!!", "!x!",
    *ICONS,
]  # fmt: skip

pieces = st.sampled_from(SIGNS) | st.sampled_from(HOSTILE) | st.text("ab_*-+^~!?#|[]{}()\\:;/.&hq1 \n", max_size=12)
strings = st.lists(pieces, max_size=4).map("".join) | texts
spans = st.lists(
    st.builds(Words, strings, st.booleans(), st.booleans())
    | st.builds(Link, strings, st.builds(Locator, st.just("d"), strings, st.just("https://x.example/a!b_c-(d)"))),
    max_size=5,
).map(tuple)


def one(*blocks):
    (text,) = render(blocks)
    return text


def lines(text):
    """What a browser leaves of it: no empty lines, no spaces at their ends."""
    return [line.strip() for line in text.replace("\u00a0", " ").split("\n") if line.strip()]


def made(page):
    return {kind for kind, _ in page.made}


def test_every_block():
    assert one(
        Heading("Findings", 2),
        Paragraph(
            (Words("P1 ", strong=True), Words("see "), Link("the rules", PAGE), Words(" and "), Words("x_y", code=True))
        ),
        Bullets(((Words("one"),), (Words("two"),)), ordered=True),
        Bullets(((Words("one"),),)),
        Table(("Source", "Age"), (((Words("Jira"),), (Words("2 h"),)), ((Words("Wiki"),),))),
        Code("if a < b:\n\treturn", "python"),
        Code("plain"),
    ) == (
        "h2. Findings\n\n"
        "*P1* see [the rules|https://wiki.example/x] and {{x_y}}\n\n"
        "# one\n# two\n\n"
        "* one\n\n"
        "||Source||Age||\n|Jira|2 h|\n|Wiki| |\n\n"
        "{code:python}\nif a < b:\n\treturn\n{code}\n\n"
        "{noformat}\nplain\n{noformat}"
    )


@pytest.mark.parametrize(
    ("text", "markup"),
    [
        ("check_user_lock MAX_RETRY_COUNT a*b*c", "check_user_lock MAX_RETRY_COUNT a*b*c"),
        ("well-known: 3 - 2, 5 * 3, (see below)", "well-known: 3 - 2, 5 * 3, (see below)"),
        ("{tenant} [draft] C:\\temp", "&#123;tenant} &#91;draft] C:&#92;temp"),
        ("# one\nh1. two", "\\# one\nh1&#46; two"),
        ("at http://evil.example", "at http&#58;//evil.example"),
        ("*x* _y_ [~ana]", "\\*x* \\_y_ &#91;\\~ana]"),
    ],
)
def test_only_what_could_begin_something_is_escaped(text, markup):
    assert one(words(text)) == markup


BLOCKS = [
    words,
    Heading,
    Code,
    lambda text: Code(text, "python"),
    lambda text: Bullets(((Words(text),),)),
    lambda text: Table((text,), (((Words(text, code=True),),),)),
    lambda text: Paragraph((Words(text, strong=True), Words("x"))),
    lambda text: Paragraph((Link(text, PAGE),)),
]


@pytest.mark.parametrize("text", [text for text in [*SIGNS, *HOSTILE] if is_visible(clean(text))])
@pytest.mark.parametrize("block", BLOCKS)
def test_identifiers_survive_to_the_character(text, block):
    """Field report C4, and what else means something to Jira. A heading and a link have one line."""
    page = read(one(block(text)))
    shown, expected = "\n".join(lines(page.text)), "\n".join(lines(clean(text)))
    flat = clean(text).replace("\n", " ").strip()
    assert (expected in shown) or (flat in shown)
    assert made(page) <= OURS
    assert {what for kind, what in page.made if kind == "link"} <= {PAGE.url}


@settings(max_examples=400)
@given(spans)
@example((Words("http:"), Words("//x.example", strong=True)))
@example((Words("("), Words("r)", strong=True)))
@example((Words("a", strong=True), Words("*b*"), Words(")")))
@example((Link("a", PAGE), Link("b", PAGE), Words(",("), Link("c", PAGE)))
@example((Words("-"), Words("x", strong=True), Words("-")))
@example((Words("x", strong=True), Words("y")))
def test_the_text_of_any_words_survives_and_makes_nothing(some):
    expected = "".join(clean(span.text) for span in some if isinstance(span, Words) or is_visible(clean(span.text)))
    for block in (Paragraph(some), Bullets((some,)), Table((), ((some, (Words("last"),)),))):
        page = read("\n".join(render((block,))))
        assert made(page) <= OURS, page.made
        links = [what for kind, what in page.made if kind == "link"]
        assert set(links) <= {"https://x.example/a%21b_c-(d)", PAGE.url}
        if all(isinstance(span, Words) for span in some) and is_visible(expected):
            assert lines(page.text.removesuffix("\nlast")) == lines(expected)


@settings(max_examples=200)
@given(strings)
def test_the_text_of_any_code_survives(text):
    if is_visible(clean(text)):
        page = read(one(Code(text, "python")))
        assert lines(page.text) == lines(clean(text))
        assert made(page) <= {"code", "noformat", "mono"}


@given(outlines)
def test_any_outline_makes_nothing_but_ours(outline):
    for text in render(outline):
        page = read(text)
        assert made(page) <= OURS, page.made
        for kind, what in page.made:
            if kind == "link":
                assert web_address(what) is not None
        assert not set(text) & set("\x00\x1b\x9b\x7f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")
        text.encode()  # no half of a surrogate pair


@pytest.mark.parametrize("text", ["[~ana] look", "x [@ana] y"])
@pytest.mark.parametrize("block", [*BLOCKS])
def test_nobody_is_notified_not_even_from_code(block, text):
    assert "[~" not in one(block(text))
    assert "[@" not in one(block(text))


@pytest.mark.parametrize(
    ("text", "language", "fence"),
    [
        ("x", "python", "{code:python}"), ("x", "Python", "{code:python}"), ("x", "klingon", "{noformat}"),
        ("x", None, "{noformat}"), ("x", "java}{panel}", "{noformat}"), ("{code}", "python", "{noformat}"),
        ("{noformat}", "python", "{code:python}"), ("{noformat}", None, "{code:none}"),
        ("{noformat}{code:java}", None, "{{"), ("x\\", "python", "{code:python}"),
    ],
)  # fmt: skip
def test_code_is_fenced_by_what_is_not_in_it(text, language, fence):
    markup = one(Code(text, language))
    assert markup.startswith(fence)
    assert lines(read(markup).text) == [text]


@pytest.mark.parametrize("url", ["javascript:alert(1)", "ftp://x", "", "https://[::1]/x", "https://a@b.example/"])
def test_what_is_no_web_address_is_text(url):
    assert one(Paragraph((Link("here", Locator("d", "t", url)),))) == "here"


def test_a_link_without_a_text_shows_its_locator():
    assert one(Paragraph((Link("\u200b", PAGE),))) == "[Login rules, Limits|https://wiki.example/x]"


def test_what_shows_nothing_gives_no_comment():
    assert render(()) == []
    assert render((words(" \u200b\x00"), Bullets(()), Bullets(((),)), Table((), ()), Code("\n"), Heading(" "))) == []


def test_exactly_the_limit_is_one_comment_and_a_character_more_is_two():
    room = LIMIT - 212
    for text in ("x" * room, "👩" * (room // 2)):
        assert len(render((words(text),))) == 1
        (cut,) = render((words(text + "y"),))
        assert SHORTENED in cut
    half = words("x" * (room // 2 - 6))
    assert len(render((half, half))) == 1
    assert len(render((half, words("x" * (room // 2 - 5))))) == 2
    assert max(utf16(text) for text in render((half,) * 100)) <= LIMIT


def test_a_long_reply_is_split_between_blocks():
    parts = render([words(f"{number}: " + "word " * 200) for number in range(100)])
    assert len(parts) > 2
    assert [text.split("\n")[0] for text in parts[1:]] == [
        f"(continued, part {n} of {len(parts)})" for n in range(2, len(parts) + 1)
    ]
    told = [line for text in parts for line in lines(read(text).text) if line[0] != "("]
    assert told == [f"{number}: " + ("word " * 200).strip() for number in range(100)]


def test_a_long_list_goes_on_counting_and_a_long_table_repeats_its_header():
    parts = render((Bullets(tuple((Words(f"item {n} " + "x" * 300),) for n in range(1, 151)), ordered=True),))
    assert len(parts) > 1
    assert parts[0].startswith("# item 1 ")
    going_on = [line for line in parts[1].split("\n")[2:] if line]
    assert all(line.startswith(f"{line.split()[2]}. item ") for line in going_on)
    parts = render((Table(("Name", "Text"), tuple(((Words(f"row {n}"),), (Words("y" * 300),)) for n in range(150))),))
    assert len(parts) > 1
    assert all("||Name||Text||\n|row " in text for text in parts)
    assert sum(text.count("|row ") for text in parts) == 150


def test_a_heading_does_not_end_a_part():
    first, second = render((words("x" * 20_000), Heading("Findings"), Heading("P1"), words("y" * 20_000)))
    assert "Findings" not in first
    assert [what for kind, what in read(second).blocks if kind == "heading"] == ["Findings", "P1"]


@pytest.mark.parametrize("text", ["x" * 40_000, "\n" * 30_000 + "x", "[" * 40_000, "👩" * 20_000, "a\n" * 20_000])
@pytest.mark.parametrize(
    "block",
    [
        words, Code, Heading, lambda text: Code("[~ana]" + text),
        lambda text: Bullets(((Words("ok"),), (Words(text),), (Words("ok"),))),
        lambda text: Table(("h", text), (((Words("ok"),), (Words(text), Words("more")), (Words("last"),)),)),
        lambda text: Table(("h",) * 200, (((Words(text[:500]),),) * 200,) * 3),
    ],
)  # fmt: skip
def test_what_is_too_long_is_cut_where_one_can_see_it(block, text):
    parts = render((words("before"), block(text), words("after")))
    assert all(utf16(part) <= LIMIT for part in parts)
    shown = "\n".join(read(part).text for part in parts)  # every fence is closed, every row is whole
    assert shown.startswith("before\n")
    assert shown.rstrip().endswith("after")
    assert SHORTENED in shown or "more columns" in shown or "\n" in text


@pytest.mark.parametrize("text", ["#" * 800_000, "- " * 400_000])
def test_a_line_made_to_be_slow_is_not(text):
    began = time.process_time()
    inert(text)
    assert time.process_time() - began < 2


@settings(max_examples=20)
@given(outline=outlines, times=st.integers(5, 40))
def test_no_part_is_too_large_and_no_block_is_lost(outline, times):
    parts = render(outline * times)
    assert all(utf16(part) <= LIMIT for part in parts)
    once = [block for block in outline if render((block,))]
    assert bool(parts) == bool(once)
    pages = [read(part) for part in parts]
    assert all(made(page) <= OURS for page in pages)
    codes = [block for block in once if isinstance(block, Code)]
    shown = sum(kind == "code" for page in pages for kind, _ in page.blocks)
    fenced = sum(render((block,))[0].startswith(("{code", "{noformat")) for block in codes)
    assert shown == fenced * times


def test_the_reader_sees_what_is_there():
    """Were it blind, every test here would pass."""
    page = read("h1. a *b* _c_ [x|http://y] [~ana] :) !pic.png!\n# d\n{panel}e{panel}\n----\n|f|\nsee http://g -- h")
    assert made(page) == {
        "heading", "strong", "em", "link", "mention", "emoticon", "image", "item", "macro", "quote or rule", "cell",
        "autolink", "dash",
    }  # fmt: skip
    for name, opened, closed in PHRASES:
        assert read(f"a {opened}b c{closed} d").made == [(name, "b c")]
        assert read(f"a{opened}b c{closed}d").made == []
    assert read("\\{\\{x\\}\\}").made == [("mono", "x")]  # as Jira does
    assert read("[a|http://x][b|http://y]").made == [("link", "http://x")]  # the second is part of an address to it
