"""Storage format as the sandbox reads it: what is one, and what becomes of it as ADF and back."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sandbox import adf
from sandbox.markup import ToAdf, ToStorage
from sandbox.storage import BadStorage, parse, words
from sandbox.storage_adf import from_adf, to_adf

TEXT = st.text(st.characters(exclude_categories=("Cs", "Cc", "Cn"), exclude_characters="\ufffe\uffff"), max_size=20)
TAGS = ("p", "b", "ul", "li", "table", "tr", "td", "h2", "blockquote", "code", "ac:rich-text-body")
WHOLE = ("<br />", "<hr />", "&nbsp;", "&lt;", "a", " ", "<![CDATA[<]]>", '<a href="http://x">', "</a>")
MACROS = ('<ac:structured-macro ac:name="code">', '<ac:structured-macro ac:name="info">', "</ac:structured-macro>")
PIECES = st.sampled_from([*(f"<{tag}>" for tag in TAGS), *(f"</{tag}>" for tag in TAGS), *WHOLE, *MACROS])


def of(name, inside):
    return f"<{name}>{inside}</{name.split()[0]}>"


NAMES = ["p", "b", "code", "ul", "li", "table", "tr", "td", "h2", "blockquote", "pre", "div", "em", 'a href="http://x"']
NAMES += ['ac:structured-macro ac:name="info"', 'ac:structured-macro ac:name="code"', "ac:rich-text-body", "ac:link"]
WELL_FORMED = st.recursive(
    st.sampled_from(["a", " ", "&nbsp;", "<br />", "<hr />", "<![CDATA[<]]>", "", '<ri:user ri:account-id="u" />']),
    lambda inner: st.builds(of, st.sampled_from(NAMES), st.lists(inner, max_size=4).map("".join)),
    max_leaves=25,
)


@given(WELL_FORMED)
def test_whatever_is_well_formed_is_a_document_in_adf(value):
    document = to_adf(value)
    assert adf.problem(document) is None
    parse(from_adf(document))


@given(st.lists(PIECES, max_size=12).map("".join))
def test_whatever_is_sent_is_storage_format_or_refused(value):
    try:
        document = to_adf(value)
    except BadStorage:
        document = {"type": "doc", "version": 1, "content": []}
    assert adf.problem(document) is None


@given(TEXT)
def test_text_is_kept(text):
    document = {"type": "doc", "version": 1, "content": [{"type": "paragraph", "content": [adf_text(f"x{text}x")]}]}
    assert words(from_adf(document)) == " ".join(f"x{text}x".split())


def adf_text(text):
    return {"type": "text", "text": text}


MARKDOWN = """## Heading

One **two** `three` *four* ~~five~~ [six](http://seven.example/?a=1&b=2), eight

- a
- b
  1. c

| d | e |
|---|---|
| f | g |

```
h < i
```

> j

---
"""


def test_a_comment_in_markdown_means_the_same_in_both_forms():
    storage = ToStorage(lambda page: (page, ""))(MARKDOWN)
    assert to_adf(storage) == ToAdf()(MARKDOWN)
    assert to_adf(from_adf(ToAdf()(MARKDOWN))) == ToAdf()(MARKDOWN)


SHOWN = {
    '<p><ac:link><ri:user ri:account-id="u-1" /></ac:link></p>': "@u-1",
    '<p><ac:link><ri:page ri:content-title="Rules" /></ac:link></p>': "Rules",
    "<ac:link><ri:page ri:content-title='R' /><ac:link-body>here</ac:link-body></ac:link>": "here",
    '<ac:structured-macro ac:name="code"><ac:parameter ac:name="language">sql</ac:parameter>'
    "<ac:plain-text-body><![CDATA[a]]></ac:plain-text-body></ac:structured-macro>": "a",
    '<ac:structured-macro ac:name="unknown"><ac:rich-text-body><p>a</p></ac:rich-text-body></ac:structured-macro>': "a",
}


@pytest.mark.parametrize(("value", "says"), SHOWN.items())
def test_links_and_macros_show_what_they_say(value, says):
    assert adf.plain(to_adf(value)).strip() == says


@pytest.mark.parametrize(
    ("value", "says"), [("<p>a\nb", "[2,"), ("<p>a</b>", "mismatched tag"), ("<p>&x;</p>", "undefined entity")]
)
def test_what_is_wrong_is_said(value, says):
    with pytest.raises(BadStorage, match=says.replace("[", r"\[")):
        parse(value)
