"""Markdown to ADF and to storage format, and ADF to text and HTML: valid, complete, safe."""

import re
from html.parser import HTMLParser

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lxml import etree

from sandbox.adf import plain, problem
from sandbox.adf_html import safe_url, to_html
from sandbox.load import load_company
from sandbox.markup import ToAdf, ToStorage
from tests.sandbox_fixtures import DESCRIPTION
from tests.specs import judge

ODD = """# Head `code`

- # heading in a list
- > quote in a list
-
- | a |
  |---|
  | b |

> # heading in a quote
> > quote in a quote
> ```
> code
> ```

3. three
4. four

```
```

**bold _both_ `code` ~~gone~~** ![alt](http://x.example/i.png) <b>raw</b> [x](javascript:alert(1))\\
next line

***

    indented
"""

BLOCKS = ("# ", "- ", "1. ", "> ", "```\n", "| a |\n|---|\n", "\n", "\n\n", "    ", "- [ ] ", "---\n", "\n> ", "\n- ")
INLINE = (
    "**",
    "_",
    "`",
    "[x](http://a.b)",
    "word ",
    "@[u]",
    "<b>",
    "&amp;",
    "]]>",
    "\\",
    "é",
    "\u202e",
    "~~",
    "![i](u)",
)
pieces = st.sampled_from(BLOCKS + INLINE)
markdown = st.lists(pieces, max_size=40).map("".join)


@pytest.mark.parametrize("text", [DESCRIPTION, ODD, "", "plain"])
def test_adf_is_valid_by_the_published_schema(text, shared):
    document = ToAdf()(text)
    assert judge(shared).adf(document) == []
    assert problem(document) is None


@given(markdown)
def test_any_markdown_gives_adf_that_jira_accepts(text):
    assert problem(ToAdf()(text)) is None


@given(markdown)
def test_adf_of_any_markdown_is_valid_and_its_html_balanced(text):
    _Balance().feed_whole(to_html(ToAdf()(text)))


@given(markdown)
def test_storage_is_well_formed(text):
    body = ToStorage(lambda page: (page, "S"))(text).replace("\x00", "")
    etree.fromstring(f'<r xmlns:ac="a" xmlns:ri="r">{body}</r>'.encode())


class _Balance(HTMLParser):
    def __init__(self):
        super().__init__()
        self.open = []

    def feed_whole(self, html):
        self.feed(html)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag, attrs):
        assert tag not in {"script", "img", "style", "iframe"}
        if tag not in {"br", "hr"}:
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag


def test_nothing_is_lost(shared):
    text = plain(ToAdf()(ODD))
    for word in re.findall(r"[a-z]{3,}", ODD):
        if word not in {"http", "example", "png", "javascript", "alert"}:
            assert word in text, word


def test_mentions_links_and_tasks():
    to_adf = ToAdf({"u1": "Ann"}.__getitem__, lambda target: target.replace("page:", "http://wiki/"))
    document = to_adf("- [x] ask @[u1] or [~u1]\n\n[p](page:7)")
    assert plain(document) == "- ask @Ann or @Ann\n\np"
    task, link = document["content"]
    assert task["content"][0]["attrs"]["state"] == "DONE"
    assert link["content"][0]["marks"] == [{"type": "link", "attrs": {"href": "http://wiki/7"}}]


def test_html_is_safe():
    link = {"type": "link", "attrs": {"href": "javascript:alert(1)"}}
    evil = {"type": "text", "text": "<script>", "marks": [link, {"type": "nope"}]}
    unknown = {"type": "<x>", "attrs": None, "content": [evil, "no node"]}
    assert to_html({"type": "doc", "content": [unknown]}) == "&lt;script&gt;"
    quoted = {"type": "text", "text": "t", "marks": [{"type": "link", "attrs": {"href": 'http://a/"onclick="x'}}]}
    assert to_html(quoted) == '<a href="http://a/&quot;onclick=&quot;x" rel="noreferrer">t</a>'
    assert [safe_url(u) for u in ("ftp://a", "//a", "data:x", "http://[", "https://ok/")] == [None] * 4 + [
        "https://ok/"
    ]


def test_every_text_of_the_company_is_valid(shared):
    company, to_adf = load_company(), ToAdf()
    texts = [ticket.description for ticket in company.tickets]
    texts += [comment.text for ticket in company.tickets for comment in ticket.comments]
    texts += [version.text for page in company.pages for version in page.versions]
    assert [problem for text in texts for problem in judge(shared).adf(to_adf(text))] == []
