"""Cloud's documents as wiki markup: what would be markup is escaped, and nothing else."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sandbox.adf_wiki import escaped, to_wiki
from sandbox.markup import ToAdf
from tests.sandbox_fixtures import paragraph


@pytest.mark.parametrize(
    ("text", "wiki"),
    [
        ("lockout_grace stays", "lockout_grace stays"),
        ("well-known, 2 - 1, a*b", "well-known, 2 - 1, a*b"),
        ("_not_ *bold* -gone-", "\\_not\\_ \\*bold\\* \\-gone\\-"),
        ("{code} [link] a|b", "\\{code} \\[link] a\\|b"),
        ("# no list\n- nor this", "\\# no list\n\\- nor this"),
        ("h1. no heading", "h1&#46; no heading"),
        ("#12 and wow!", "#12 and wow\\!"),
        ("what?? why?", "what\\?\\? why\\?"),
        ("C:\\temp \\{x", "C:\\temp &#92;\\{x"),
    ],
)
def test_text_is_escaped_where_it_would_be_markup(text, wiki):
    assert escaped(text) == wiki


@given(st.text(alphabet="ab1 \n\\{}[]|*_-+^~?!#.h", max_size=60))
def test_escapes_are_all_that_is_added(text):
    shown = re.sub(r"\\([{\[|*_\-+^~?!#])|&#(\d+);", lambda m: m[1] or chr(int(m[2])), escaped(text))
    assert shown == text


@given(st.text(alphabet="ab \\{[|*_", max_size=40))
def test_no_macro_link_or_cell_comes_of_text(text):
    assert not re.search(r"(?<!\\)[{\[|]", escaped(text))


@pytest.mark.parametrize(
    ("markdown", "wiki"),
    [
        ("## Head\n\ntext", "h2. Head\n\ntext"),
        ("**b** *i* ~~s~~ `c_d`", "*b* _i_ -s- {{c_d}}"),
        ("- a\n  - b\n- c", "* a\n** b\n* c"),
        ("1. a\n   - b", "# a\n#* b"),
        ("[a](https://x.example/|)", "[a|https://x.example/%7C]"),
        ("> q", "{quote}\nq\n{quote}"),
        ("---", "----"),
        ("|a|b|\n|-|-|\n|1||", "||a||b||\n|1| |"),
        ("```sql\nselect *\n```", "{code:sql}\nselect *\n{code}"),
        ("```\n{code}\n```", "{noformat}\n{code}\n{noformat}"),
        ("- [x] done\n- [ ] open", "* (/) done\n* open"),
        ("hi @[u-1]", "hi [~u-1]"),
    ],
)
def test_blocks(markdown, wiki):
    assert to_wiki(ToAdf()(markdown)) == wiki


def test_nothing_and_what_is_not_known():
    assert to_wiki(None) == ""
    assert (
        to_wiki({"type": "doc", "version": 1, "content": [{"type": "new", "content": paragraph("x")["content"]}]})
        == "x"
    )


def test_panels_cards_and_breaks():
    line = [{"type": "text", "text": "a"}, {"type": "hardBreak"}, {"type": "status", "attrs": {"text": "b*"}}]
    card = {"type": "inlineCard", "attrs": {"url": "https://x.example/a b"}}
    panel = {"type": "panel", "attrs": {}, "content": [{"type": "paragraph", "content": [*line, card]}]}
    more = {"type": "expand", "attrs": {"title": "t}"}, "content": paragraph("in")["content"]}
    wiki = to_wiki({"type": "doc", "version": 1, "content": [panel, more]})
    assert wiki == "{panel}\na\nb\\*[https://x.example/a%20b]\n{panel}\n\n{panel:title=t }\nin\n{panel}"
