"""Outlines as Jira documents: valid, inert, whole, and small enough."""

import json
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bots.jira.adf import LIMIT, render, size
from bots.outline import Bullets, Code, Heading, Link, Paragraph, Table, Words, words
from bots.shown import SHORTENED
from bots.text import clean, is_visible
from core.types import Locator
from tests.bots.outlines import HOSTILE, blocks, nodes, outlines, spans, texts, visible
from tests.specs import judge

PAGE = Locator("confluence:1", "Login rules", "https://wiki.example/x", heading="Limits")
ACCEPTED = {
    "doc", "paragraph", "heading", "bulletList", "orderedList", "listItem", "table", "tableRow", "tableHeader",
    "tableCell", "codeBlock", "text", "hardBreak",
}  # fmt: skip


def one(*blocks):
    (document,) = render(blocks)
    return document


def test_every_block():
    document = one(
        Heading("Findings", 2),
        Paragraph(
            (Words("P1 ", strong=True), Words("see "), Link("the rules", PAGE), Words(" and "), Words("x_y", code=True))
        ),
        Bullets(((Words("one"),), (Words("two"),)), ordered=True),
        Table(("Source", "Age"), (((Words("Jira"),), (Words("2 h"),)), ((Words("Wiki"),),))),
        Code("if a < b:\n\treturn", "python"),
    )
    assert document["content"] == [
        {"type": "heading", "attrs": {"level": 2}, "content": [{"type": "text", "text": "Findings"}]},
        {
            "type": "paragraph",
            "content": [
                {"type": "text", "text": "P1 ", "marks": [{"type": "strong"}]},
                {"type": "text", "text": "see "},
                {
                    "type": "text",
                    "text": "the rules",
                    "marks": [{"type": "link", "attrs": {"href": "https://wiki.example/x"}}],
                },
                {"type": "text", "text": " and "},
                {"type": "text", "text": "x_y", "marks": [{"type": "code"}]},
            ],
        },
        {"type": "orderedList", "content": [_item("one"), _item("two")]},
        {
            "type": "table",
            "content": [
                _row("tableHeader", "Source", "Age"),
                _row("tableCell", "Jira", "2 h"),
                _row("tableCell", "Wiki", ""),
            ],
        },
        {
            "type": "codeBlock",
            "attrs": {"language": "python"},
            "content": [{"type": "text", "text": "if a < b:\n\treturn"}],
        },
    ]


def _paragraph(text):
    return {"type": "paragraph", "content": [{"type": "text", "text": text}] if text else []}


def _item(text):
    return {"type": "listItem", "content": [_paragraph(text)]}


def _row(kind, *cells):
    return {"type": "tableRow", "content": [{"type": kind, "content": [_paragraph(cell)]} for cell in cells]}


@pytest.mark.parametrize("text", [text for text in HOSTILE if is_visible(clean(text))])
@pytest.mark.parametrize(
    "block",
    [
        words,
        Heading,
        Code,
        lambda text: Bullets(((Words(text),),)),
        lambda text: Table((text,), (((Words(text, code=True),),),)),
    ],
)
def test_identifiers_survive_to_the_character(text, block):
    """Field report C4. A heading has one line; the rest is the text itself."""
    shown = visible(one(block(text)))
    expected = clean(text)
    assert (expected in shown) or (expected.replace("\n", " ") in shown)


@settings(max_examples=40)
@given(blocks)
def test_any_block_makes_a_valid_document(shared: Path, block):
    for document in render((block,)):
        assert judge(shared).adf(document) == []


@given(outlines)
def test_any_outline_is_made_of_what_jira_accepts(outline):
    for document in render(outline):
        assert {node["type"] for node in nodes(document)} <= ACCEPTED
        assert all(node["text"] for node in nodes(document) if node["type"] == "text")
        json.dumps(document, ensure_ascii=False).encode()  # no half of a surrogate pair


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


@given(texts)
def test_the_text_of_any_code_survives(text):
    if is_visible(clean(text)):
        assert visible(one(Code(text))) == clean(text) + "\n"


@pytest.mark.parametrize(
    "url",
    [
        "javascript:alert(1)",
        "data:text/html,x",
        "ftp://x.example",
        "file:///etc/passwd",
        "//x.example",
        "x",
        "",
        "https://",
        "http:///x",
        "https://[::1",
        "https://x y.example/",
        "https://bank.example@evil.example/",
        "https://x.example/" + "a" * 3000,
    ],
)
def test_what_is_no_web_address_is_text(url):
    document = one(Paragraph((Link("here", Locator("d", "t", url)),)))
    assert document["content"] == [_paragraph("here")]


@pytest.mark.parametrize(
    ("url", "href"),
    [
        (
            "https://x.example/browse/PAY-1?focusedCommentId=7#L12",
            "https://x.example/browse/PAY-1?focusedCommentId=7#L12",
        ),
        ("https://x.example/a b/\u202ec", "https://x.example/a%20b/%E2%80%AEc"),
        ('https://x.example/"><script>', "https://x.example/%22%3E%3Cscript%3E"),
        ("http://127.0.0.1:8080/wiki/spaces/A/pages/1", "http://127.0.0.1:8080/wiki/spaces/A/pages/1"),
        ("\x00https://x.example", "https://x.example"),
        ("https://x.example/100%25", "https://x.example/100%25"),
    ],
)
def test_an_address_is_made_fit_to_be_a_link(url, href):
    (text,) = one(Paragraph((Link("here", Locator("d", "t", url)),)))["content"][0]["content"]
    assert text["marks"] == [{"type": "link", "attrs": {"href": href}}]


def test_a_link_without_a_text_shows_its_locator():
    assert visible(one(Paragraph((Link("\u200b", PAGE),)))) == "Login rules, Limits\n"


def test_a_mention_in_text_is_only_text():
    document = one(words("@all [~accountid:712020:abc] <@U1>"))
    assert {node["type"] for node in nodes(document)} == {"doc", "paragraph", "text"}


def test_what_shows_nothing_gives_no_comment():
    assert render(()) == []
    assert render((words(" \u200b\x00"), Bullets(()), Bullets(((),)), Table((), ()), Code("\n"), Heading(" "))) == []


def test_a_long_reply_is_split_between_blocks():
    documents = render([words(f"{number}: " + "word " * 200) for number in range(100)])
    assert len(documents) > 2
    assert all(size(document) <= LIMIT for document in documents)
    notes = [visible(document).split("\n")[0] for document in documents]
    assert notes[0].startswith("0: ")
    assert notes[1:] == [f"(continued, part {n} of {len(documents)})" for n in range(2, len(documents) + 1)]
    told = [line for document in documents for line in visible(document).split("\n") if line and line[0] != "("]
    assert told == [f"{number}: " + "word " * 200 for number in range(100)]


def test_a_long_list_goes_on_counting_and_a_long_table_repeats_its_header():
    items = tuple((Words(f"item {number} " + "x" * 300),) for number in range(150))
    documents = render((Bullets(items, ordered=True),))
    assert len(documents) > 1
    first_of_second = documents[1]["content"][1]
    before = sum(len(node["content"]) for node in documents[0]["content"])
    assert first_of_second["attrs"] == {"order": before + 1}
    assert visible(first_of_second).startswith(f"item {before} ")

    rows = tuple(((Words(f"row {number}"),), (Words("y" * 300),)) for number in range(150))
    documents = render((Table(("Name", "Text"), rows),))
    assert len(documents) > 1
    for document in documents:
        table = document["content"][-1]
        assert table["content"][0] == _row("tableHeader", "Name", "Text")
    assert sum(len(document["content"][-1]["content"]) - 1 for document in documents) == 150


def test_a_heading_does_not_end_a_part():
    outline = (words("x" * 20_000), Heading("Findings"), Heading("P1"), words("y" * 20_000))
    first, second = render(outline)
    assert "Findings" not in visible(first)
    assert visible(second).split("\n")[1:3] == ["Findings", "P1"]


@pytest.mark.parametrize("text", ["x" * 100_000, "\n" * 50_000 + "x", '"' * 60_000, "👩" * 40_000, "a\n" * 30_000])
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
    documents = render((words("before"), block(text), words("after")))
    assert all(size(document) <= LIMIT for document in documents)
    shown = "".join(map(visible, documents))
    assert shown.startswith("before\n")
    assert shown.endswith("after\n")
    assert SHORTENED in shown or "more columns" in shown or "\n" in text


@pytest.mark.parametrize("text", ["x" * 40_000, "a\n" * 50 + "x" * 40_000])
@pytest.mark.parametrize(
    "block", [words, Code, Heading, lambda text: Table(("h", text), (((Words(text),), (Words("more"),)),))]
)
def test_what_is_cut_is_valid(shared: Path, block, text):
    (document,) = render((block(text),))
    assert judge(shared).adf(document) == []


@settings(max_examples=20)
@given(outline=outlines, times=st.integers(50, 400))
def test_no_part_is_too_large_and_no_block_is_lost(outline, times):
    documents = render(outline * times)
    assert all(size(document) <= LIMIT for document in documents)
    assert all(len(visible(document)) < 32_767 for document in documents)
    once = [block for block in outline if render((block,))]
    assert bool(documents) == bool(once)
    for block in once[:1]:
        if isinstance(block, Code):
            shown = [node for document in documents for node in nodes(document) if node["type"] == "codeBlock"]
            assert len(shown) >= times
