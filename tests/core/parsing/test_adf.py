"""ADF to Markdown: nothing that a person wrote is lost, and shape that carries meaning is kept."""

import json
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.parsing import adf


def doc(*content):
    return {"type": "doc", "version": 1, "content": list(content)}


def text(words, *marks):
    return {"type": "text", "text": words, **({"marks": list(marks)} if marks else {})}


def paragraph(*content):
    return {"type": "paragraph", "content": list(content)}


def item(*content, kind="listItem", **attrs):
    return {"type": kind, "attrs": attrs, "content": list(content)}


def cell(words):
    return {"type": "tableCell", "content": [paragraph(text(words))]}


def read(*content):
    return adf.read(doc(*content)).text


def squeezed(words):
    """What is left when the signs that Markdown adds, and space, are taken away."""
    return re.sub(r"<br>|[\s>|\\`]", "", words)


def leaves(node):
    stack = [node]
    while stack:
        top = stack.pop()
        if isinstance(top, dict):
            if top.get("type") == "text" and isinstance(top.get("text"), str):
                yield top["text"]
            stack.extend(value for key, value in top.items() if key != "attrs")
        elif isinstance(top, list):
            stack.extend(top)


def test_field_report_c3():
    """Rows, links, mentions, states and nesting survive; the node that does not exist costs only itself."""
    nested = {"type": "bulletList", "content": [item(paragraph(text("inner")))]}
    shown = read(
        {
            "type": "table",
            "content": [
                {"type": "tableRow", "content": [cell("a1"), cell("a2")]},
                {"type": "tableRow", "content": [cell("b1"), cell("b|2")]},
            ],
        },
        paragraph(
            text("See "),
            text("the rules", {"type": "link", "attrs": {"href": "https://example.com/rules"}}),
            text(" and"),
            {"type": "inlineCard", "attrs": {"url": "https://example.com/card"}},
            text("by"),
            {"type": "mention", "attrs": {"id": "u-7", "text": "@Ana Sol"}},
            {"type": "status", "attrs": {"text": "IN PROGRESS"}},
            {"type": "date", "attrs": {"timestamp": "1767225600000"}},
        ),
        {
            "type": "taskList",
            "content": [
                item(text("done thing"), kind="taskItem", state="DONE"),
                item(text("open thing"), kind="taskItem", state="TODO"),
            ],
        },
        {"type": "codeBlock", "attrs": {"language": "python"}, "content": [text("x = 1\ny = `2`")]},
        {"type": "bulletList", "content": [item(paragraph(text("outer")), nested)]},
        {"type": "expand", "attrs": {"title": "More"}, "content": [paragraph(text("hidden"))]},
        {"type": "holodeck", "content": [paragraph(text("beam me"))]},
        paragraph(text("after")),
    )
    assert "| a1 | a2 |\n| --- | --- |\n| b1 | b\\|2 |" in shown
    assert "See [the rules](https://example.com/rules) and https://example.com/card by @Ana Sol [IN PROGRESS]" in shown
    assert "2026-01-01" in shown
    assert "- [x] done thing\n- [ ] open thing" in shown
    assert "```python\nx = 1\ny = `2`\n```" in shown
    assert "- outer\n  - inner" in shown
    assert "More\n\nhidden" in shown
    assert "[unsupported: holodeck]\n\nbeam me" in shown
    assert shown.endswith("after")


def test_mentions_are_collected_once_in_order():
    one = {"type": "mention", "attrs": {"id": "u-2", "text": "@B"}}
    two = {"type": "mention", "attrs": {"id": "u-1"}}
    prose = adf.read(doc(paragraph(one, text(" "), two, text(" "), one)))
    assert prose.mentions == ("u-2", "u-1")
    assert prose.text == "@B @someone @B"


def test_quotes_and_panels_can_be_told_apart():
    quote = {"type": "blockquote", "content": [paragraph(text("said")), paragraph(text("more"))]}
    panel = {"type": "panel", "attrs": {"panelType": "warning"}, "content": [paragraph(text("mind"))]}
    assert read(quote, panel) == "> said\n>\n> more\n\n[warning]\nmind"


def test_identifiers_are_left_alone():
    words = "check_user_lock MAX_RETRY_COUNT {tenant} a*b*c [draft] C:\\temp"
    assert read(paragraph(text(words))) == words
    assert read(paragraph(text("a `b`", {"type": "code"}))) == "`` a `b` ``"


def test_code_is_fenced_beyond_its_own_fences():
    assert read({"type": "codeBlock", "content": [text("```\nx\n```")]}) == "````\n```\nx\n```\n````"


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (None, ""),
        ("plain\r\nwords\x00", "plain\nwords"),
        (5, "5"),
        ([], ""),
        ({}, ""),
        (["a", None, {"type": "text", "text": "b"}], "ab"),
        ({"type": "doc", "content": "loose"}, "loose"),
        ({"type": "doc", "content": {"type": "paragraph", "content": [text("one")]}}, "one"),
        ({"type": ["doc"], "content": [{"text": "typeless"}]}, "typeless"),
        (doc({"type": "heading", "attrs": {"level": "9"}, "content": [text("far")]}), "# far"),
        (doc({"type": "orderedList", "attrs": {"order": 3}, "content": [item(paragraph(text("x")))]}), "3. x"),
        (doc(paragraph({"type": "date", "attrs": {"timestamp": "soon"}})), "soon"),
        (doc(paragraph(text("half \ud83d"))), "half \ufffd"),
        (doc(paragraph(text("שלום 👋🏽"))), "שלום 👋🏽"),
    ],
)
def test_malformed_input_is_taken_for_what_it_was_meant_to_be(value, expected):
    assert adf.read(value).text == expected


@pytest.mark.parametrize("kind", ["blockquote", "bulletList", "nonsense", "table", "paragraph"])
def test_ten_thousand_levels_keep_their_text(kind):
    node = text("bottom")
    for _ in range(10_000):
        node = {"type": kind, "content": [node]}
    assert "bottom" in adf.read(doc(node, paragraph(text("after")))).text
    assert adf.read(doc(node, paragraph(text("after")))).text.endswith("after")


def test_real_documents_lose_no_text(shared):
    files = [path for path in sorted((shared / "real" / "adf").rglob("*")) if path.suffix in {".json", ".adf"}]
    assert len(files) > 50
    for path in files:
        document = json.loads(path.read_text(encoding="utf-8"))
        shown = squeezed(adf.read(document).text)
        lost = [leaf for leaf in leaves(document) if squeezed(leaf) not in shown]
        assert not lost, path.name


words = st.text(st.characters(categories=["L", "N"]), min_size=1, max_size=8)
KINDS = """paragraph heading bulletList listItem taskItem table tableRow tableCell panel expand blockquote codeBlock
rule mediaSingle mention status inlineCard emoji media extension layoutSection decisionList unheard-of"""
names = st.sampled_from([*KINDS.split(), ""])
attributes = st.dictionaries(
    st.sampled_from(["level", "state", "title", "colspan", "order", "url", "text", "timestamp", "language"]),
    st.one_of(words, st.integers(), st.none(), st.lists(words, max_size=1)),
    max_size=3,
)
trees = st.recursive(
    words.map(text),
    lambda inner: st.builds(
        lambda kind, attrs, content: {"type": kind, "attrs": attrs, "content": content},
        names,
        attributes,
        st.lists(inner, max_size=4),
    ),
    max_leaves=20,
)


@given(st.lists(trees, max_size=4))
def test_whatever_the_shape_every_word_is_there(content):
    shown = squeezed(adf.read(doc(*content)).text)
    for leaf in leaves(doc(*content)):
        assert squeezed(leaf) in shown


@given(
    st.recursive(
        st.one_of(st.none(), st.booleans(), st.floats(), st.text()),
        lambda inner: st.one_of(
            st.lists(inner, max_size=3),
            st.dictionaries(st.sampled_from(["type", "content", "attrs", "text", "marks"]), inner),
        ),
    )
)
def test_any_json_is_survived(value):
    prose = adf.read(value)
    prose.text.encode()
    assert "\x00" not in prose.text


def test_one_wide_row_does_not_fill_up_all_others():
    rows = [{"type": "tableRow", "content": ["a"] * 20_000}, *[{"type": "tableRow", "content": ["b"]}] * 20_000]
    assert len(read({"type": "table", "content": rows})) < 1_000_000  # 400 million cells if each were as wide
