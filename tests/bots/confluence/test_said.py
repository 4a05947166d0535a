"""What a comment says: its text, without what it merely shows."""

import re
import time
from html import escape

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bots.command import find_command
from bots.confluence.render import render
from bots.confluence.said import LONGEST, said
from tests.bots.outlines import outlines

CODE = (
    '<ac:structured-macro ac:name="code" ac:schema-version="1"><ac:parameter ac:name="title">#qa-check</ac:parameter>'
    "<ac:plain-text-body><![CDATA[#qa-check <b> ]]></ac:plain-text-body></ac:structured-macro>"
)
LINK = '<ac:link><ri:page ri:content-title="#qa-check"/><ac:link-body>#qa-check</ac:link-body></ac:link>'
MENTION = '<ac:link><ri:user ri:account-id="557058:1"/></ac:link>'
PANEL = (
    '<ac:structured-macro ac:name="panel"><ac:parameter ac:name="title">x</ac:parameter>'
    "<ac:rich-text-body>{}</ac:rich-text-body></ac:structured-macro>"
)
TASKS = (
    "<p>#qa-check</p><ac:task-list><ac:task><ac:task-id>7</ac:task-id><ac:task-status>incomplete</ac:task-status>"
    "<ac:task-body>x</ac:task-body></ac:task></ac:task-list>"
)
EDITORS_PANEL = (
    '<ac:adf-extension><ac:adf-node type="panel"><ac:adf-attribute key="x">y</ac:adf-attribute><ac:adf-content>'
    "<p>#qa-check once</p></ac:adf-content></ac:adf-node><ac:adf-fallback><p>#ask</p></ac:adf-fallback>"
    "</ac:adf-extension>"
)


@pytest.mark.parametrize(
    ("storage", "argument"),
    [
        ("<p>#qa-check</p>", ""),
        ("<p>Please #qa-check&nbsp;now</p>", "now"),
        ("<p>#qa-check dismiss 2: a &lt; b &amp;&ouml;</p><p>more</p>", "dismiss 2: a < b &ö"),
        ("<p>#<strong>qa</strong>-check one<br />two</p>", "one"),
        ("<p>#qa-check\none\ttwo</p>", "one two"),
        (f"<p>{MENTION}#qa-check {MENTION} why?</p>", "why?"),
        (f"{CODE}<p>#qa-check it</p>", "it"),
        ("<blockquote><p>#ask a</p></blockquote><p>#qa-check b</p>", "b"),
        (PANEL.format("<p>#qa-check in a panel</p>"), "in a panel"),
        (TASKS, ""),
        (EDITORS_PANEL, "once"),
        ('<p local-id="1">#qa-check it</p>', "it"),
        ("<table><tbody><tr><td>#qa-check a</td><td>b</td></tr></tbody></table>", "a"),
        ("<p>#qa-check a & b < c", "a & b < c"),
        ("<p>#qa-check<br>more</p><p>and</b>so</p>", ""),
        ("#qa-check\u00a0\r\n", ""),
        ("<p>#qa-check &unknown; x</p>", "&unknown; x"),
    ],
)  # fmt: skip
def test_what_is_said_is_found(storage, argument):
    found = find_command(said(storage))
    assert found is not None
    assert (found.word, " ".join(found.argument.split())) == ("qa-check", argument)


@pytest.mark.parametrize(
    "storage",
    [
        "<blockquote><p>#qa-check</p></blockquote><p>thanks</p>",
        *(f"<p><{code}>#qa-check</{code}></p>" for code in ("code", "kbd", "samp", "tt")),
        "<pre>#qa-check</pre>",
        CODE,
        CODE.replace('"code"', '"noformat"'),
        CODE.replace('"code"', '"any-other"'),
        f"<p>{LINK}</p>",
        f"<p>{LINK}#qa-check</p>",
        '<p><a href="https://x.example/#qa-check">#qa-check</a></p>',
        '<p>a<a href="x">b</a>#qa-check</p>',
        PANEL.replace('"panel"', '"quote"').format("<p>#qa-check</p>"),
        PANEL.replace("x<", "#qa-check<").format("<p>a</p>"),
        "<p>#qa-checks, x#qa-check, #qa-check-2</p>",
        "<p>&gt; #qa-check</p>",
        "<!-- <p>#qa-check</p> --><p>x</p>",
        "<p>#qa</p><p>-check</p>",
        "<ac:placeholder>#qa-check</ac:placeholder>",
        '<script>"#qa-check"</script>',
        "",
    ],
)
def test_what_is_merely_shown_is_not(storage):
    """Field report D3."""
    assert find_command(said(storage)) is None


def test_a_link_is_part_of_what_touches_it():
    assert said('<p>see <a href="x">y</a></p>').strip() == "see \ufffc"


def test_blocks_are_lines_of_their_own():
    lines = [line for line in said("<h3>a</h3><p>b<br/>c</p><ul><li>d</li><li><p>e</p></li></ul>").split("\n") if line]
    assert lines == ["a", "b", "c", "d", "e"]


@given(st.text())
def test_any_text_is_said_as_it_is(text):
    shown = "".join(char for char in text if char.isprintable() and not char.isspace())
    said_of_it = said(f"<p>{escape(shown)}</p>")
    assert said_of_it.strip() == "".join(c for c in said_of_it if not c.isspace())
    assert find_command(f"#ask {shown}") == find_command(said(f"<p>#ask {escape(shown)}</p>").strip("\n"))


pieces = st.lists(
    st.sampled_from(["<p>", "</p>", "<ac:link>", "<ri:user/>", "</ac:link>", "<![CDATA[", "]]>", "<!--", "<br/>", "<"])
    | st.sampled_from(["&nbsp;", "&x;", "&#0;", "<!DOCTYPE x [<!ENTITY y 'z'>]>", "</said>", "<?x", "\ud83d", "\x00"])
    | st.text(max_size=10),
    max_size=30,
)


@given(pieces)
def test_nothing_makes_it_fail(some):
    assert isinstance(said("".join(some)), str)


@given(outlines)
def test_the_bots_own_answers_are_read_without_fail(outline):
    for storage in render(outline):
        assert "<" not in said(storage) or "&lt;" in storage


@pytest.mark.parametrize(
    "storage",
    [
        "<div>" * 100_000,
        "<p>" * 100_000 + "#ask",
        "<ac:link>" * 50_000,
        "&" * LONGEST,
        "<" * LONGEST,
        "<p a='" * 80_000,
        "<![CDATA[" * 50_000,
        "&nbsp;" * 90_000,
        "x" * (3 * LONGEST),
        "<!ENTITY a 'b'>" * 30_000,
    ],
)
def test_a_comment_made_to_be_slow_is_not(storage):
    began = time.process_time()
    said(storage)
    assert time.process_time() - began < 2


def test_entities_are_never_expanded_from_a_declaration():
    bomb = '<!DOCTYPE x [<!ENTITY a "#ask"><!ENTITY b "&a;&a;">]><p>&b;</p>'
    assert said(bomb).count("#ask") <= 1


def test_what_is_nested_deeply_or_wrongly_is_read_whole():
    assert find_command(said("<div>" * 5000 + "#qa-check")) is not None
    assert find_command(said("<p>a</td></tr></table></p></ac:layout><p>#qa-check</p>")) is not None


def test_real_pages_are_read_whole(shared):
    """One of them is not well-formed. Its paragraphs of plain text, but for those in what is only shown, are said."""
    pages = list((shared / "real" / "confluence").rglob("*.storage.xml"))
    assert len(pages) > 20
    for path in pages:
        storage = path.read_text(encoding="utf-8")
        rest = re.sub(r"(?s)<(pre|blockquote|ac:image|ac:link|ac:parameter|ac:adf-fallback)\b.*?</\1>", "&", storage)
        lines = [line.strip() for line in said(storage).split("\n")]
        assert [text for text in re.findall(r"<p>([\w ,.]+)</p>", rest) if text.strip() not in lines] == []
