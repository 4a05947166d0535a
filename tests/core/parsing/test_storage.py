"""Confluence's storage format to Markdown: bodies are kept, parameters are not, and nothing leaves in silence."""

import re
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.parsing.storage import Storage

MACRO = '<ac:structured-macro ac:name="{name}">{inner}</ac:structured-macro>'
RICH = "<ac:rich-text-body>{}</ac:rich-text-body>"
PARAMETER = '<ac:parameter ac:name="{}">{}</ac:parameter>'
CODE = "<ac:plain-text-body><![CDATA[{}]]></ac:plain-text-body>"


LINK = """<ac:link ac:anchor="x"><ri:page ri:content-title="Rules" ri:space-key="OPS" />
<ac:plain-text-link-body><![CDATA[the <rules>]]></ac:plain-text-link-body></ac:link>"""
WIDE = "<tr><td colspan='2'>wide</td></tr><tr><td>a|b</td><td>c</td></tr>"
TASK = """<ac:task><ac:task-id>9</ac:task-id>
<ac:task-status>{}</ac:task-status><ac:task-body>{}</ac:task-body></ac:task>"""
ADF_PANEL = """<ac:adf-node type="panel"><ac:adf-attribute key="panel-type">note</ac:adf-attribute><ac:adf-content>
<p>mind</p></ac:adf-content></ac:adf-node><ac:adf-fallback><p>mind</p></ac:adf-fallback>"""


def macro(name, *inner):
    return MACRO.format(name=name, inner="".join(inner))


def read(text, **names):
    """The text; empty where the reader says that there is none."""
    shown = Storage(text).read(names).text
    return "" if shown == "[no text]" else shown


def test_field_report_c1():
    """Titles of links and the text of all bodies are there; the unknown macro leaves a mark."""
    expand = macro("expand", PARAMETER.format("title", "Details"), RICH.format("<p>Deep inside</p>"))
    shown = read(
        '<p>See <ac:link><ri:page ri:content-title="Login rules"/></ac:link>.</p>'
        + macro("info", RICH.format("<p>Lock after 5 tries</p>"))
        + macro("code", PARAMETER.format("language", "python"), CODE.format('if a < b:\n    say("&nbsp;")'))
        + macro("panel", RICH.format(expand))
        + macro("vendor-widget", PARAMETER.format("secret", "leaking"))
        + macro("vendor-box", RICH.format("<p>boxed</p>"))
    )
    assert shown == (
        "See Login rules.\n\nLock after 5 tries\n\n"
        '```python\nif a < b:\n    say("&nbsp;")\n```\n\n'
        "Details\n\nDeep inside\n\n[macro: vendor-widget]\n\n[macro: vendor-box]\n\nboxed"
    )


def test_field_report_c2():
    """The person, never the parameters."""
    profile = macro(
        "profile",
        PARAMETER.format("showEmail", "false"),
        PARAMETER.format("fields", "phone,position"),
        PARAMETER.format("user", '<ri:user ri:account-id="u-17"/>'),
    )
    rows = f"<tr><th>Who</th><th>Role</th></tr><tr><td>{profile}</td><td>Release lead</td></tr>"
    row = f"<table><tbody>{rows}</tbody></table>"
    assert "| user u-17 | Release lead |" in read(row)
    assert "| Ana Sol | Release lead |" in read(row, **{"u-17": "Ana Sol"})
    assert Storage(row).people() == {"u-17"}


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ('<ac:link><ri:page ri:content-title="A: B" /></ac:link>', "A: B"),
        ('<ac:link><ri:page ri:content-title="A > B" /></ac:link> c', "A > B c"),
        (
            macro("x", CODE.format("</p>&lt;")) + "<p>after</p>",
            "[macro: x]\n\n```\n</p>&lt;\n```\n\nafter",
        ),
        (LINK, "[the <rules>](OPS:Rules#x)"),
        ('<a href="https://x.example/a b">go</a>', "[go](<https://x.example/a b>)"),
        ('<a href="https://x.example">https://x.example</a>', "https://x.example"),
        (macro("status", PARAMETER.format("colour", "Red"), PARAMETER.format("title", "AT RISK")), "[AT RISK]"),
        (macro("jira", PARAMETER.format("serverId", "f-1"), PARAMETER.format("key", "PAY-12")), "[PAY-12]"),
        (macro("toc", PARAMETER.format("maxLevel", "3")), ""),
        (
            macro("include", PARAMETER.format("", '<ri:page ri:content-title="Base" />')),
            "[include: Base, not shown here]",
        ),
        ('<ac:image ac:alt="chart"><ri:attachment ri:filename="c.png" /></ac:image>', "[image: chart]"),
        ('<p>due <time datetime="2026-05-01" /> at noon</p>', "due 2026-05-01 at noon"),
        ("<p>a&nbsp;b &lt;c&gt; &amp;amp;</p>", "a b <c> &amp;"),
        ("<ol><li>one<ul><li>two</li></ul></li><li>three</li></ol>", "1. one\n   - two\n2. three"),
        ("<blockquote><p>said</p></blockquote>", "> said"),
        ("<h2>The <em>rule</em></h2><p>x<br/>y</p><hr/>", "## The rule\n\nx\ny\n\n---"),
        ("<p>10<sup>6</sup> <del>old</del> <code>a_b*c</code></p>", "10^6 ~~old~~ `a_b*c`"),
        ("<p><![CDATA[never closed & <b>", "never closed & <b>"),
        (f"<table>{WIDE}</table>", "| wide |  |\n| --- | --- |\n| a\\|b | c |"),
        (
            f"<ac:task-list>{TASK.format('complete', 'ship')}{TASK.format('open', 'tell')}</ac:task-list>",
            "- [x] ship\n- [ ] tell",
        ),
        (f"<ac:adf-extension>{ADF_PANEL}</ac:adf-extension>", "mind"),
        ("", ""),
        ("no markup", "no markup"),
        ("<p>nul\x00 שלום 👋</p>", "nul שלום 👋"),
        ("<p>open <b>and <i>crossed</b> over</i></p></div><p>after</p>", "open and crossed over\n\nafter"),
    ],
)
def test_elements(source, expected):
    assert read(source) == expected


@pytest.mark.parametrize("levels", [200, 1_500, 20_000])
@pytest.mark.parametrize("tag", ["div", "blockquote", "ac:layout", "strong"])
def test_deep_nesting_keeps_its_text(levels, tag):
    shown = read(f"<{tag}>" * levels + "bottom" + f"</{tag}>" * levels + "<p>after</p>")
    assert "bottom" in shown
    assert "after" in shown


@pytest.mark.parametrize("bait", ['<a b="', "<ac:x ", "<![CDATA[", "<p/", "&", '<x a="/', "<x //"])
def test_no_page_takes_for_ever(bait):
    began = time.perf_counter()
    read(bait * 20_000)
    read(bait + " " * 100_000)
    assert time.perf_counter() - began < 5


FACTS = {
    "md2conf/code.xml": "```py\ndef func(n: int) -> str:\n    return str(n)\n```",
    "md2conf/tasklist.xml": "- [x] Finished action\n- [ ] Unfinished action",
    "md2conf/table.xml": "| 1986 | MCMLXXXVI |",
    "md2conf/status.xml": "- [gray]\n- [purple]",
    "md2conf/panel.xml": "Optional explicit title\n\nThis is an information panel with an explicit title.",
    "md2conf/fenced.xml": "2. another list item:\n   ```\n   bob@example.com\n   ```",
    "md2conf/macro.xml": "  Indentation and\nline breaks are preserved.",
    "md2conf/anchors.xml": "[Link to Subsection 2](#subsection-links)",
    "xwiki-storage/confluence80tags.Page.720904.storage.xml": "Mia Bednarczyk\nRecruitment",  # not well-formed
    "xwiki-storage/links.Page.0.storage.xml": "[Highlights](#anchor)",
    "xwiki-storage/lists.Page.156868656.storage.xml": "- List entry 1\n  1. Numbered list entry 1",
    "xwiki-storage/users.Page.0.storage.xml": "user ff80808156e241950156e468e9510003",
    "xwiki-storage/multilingual.Page.123306980.storage.xml": "une page](<Some Page>)",
    "xwiki-storage/noformat.Page.156868656.storage.xml": "{{/another}} fake closing tag",
    "xwiki-storage/include.Page.0.storage.xml": "[include: Includee, not shown here]",
    "xwiki-storage/misc2.ContentEntityObject.461143607.storage.xml": "Hello tip",
    "xwiki-storage/emoji.Page.0.storage.xml": ":thumbs-up:",
    "xwiki-storage/nested.Page.655261698.storage.xml": "- [ ] Hit `/` to see all the types of content",
}


@pytest.mark.parametrize("name", FACTS)
def test_facts_of_real_pages(shared, name):
    path = shared / "real" / "confluence" / name
    assert FACTS[name] in read(path.read_text(encoding="utf-8"))


HIDDEN = r"<(ac:(?:parameter|default-parameter|task-id|task-uuid|task-status|placeholder))\b[^<>]*(?<!/)>.*?</\1>"


def test_every_real_page_keeps_its_words(shared):
    """Compared with the text left when tags and parameters are cut out by force."""
    paths = sorted((shared / "real" / "confluence").glob("*/*.xml"))
    pages = [path for path in paths if "entities" not in path.name]
    assert len(pages) > 45
    for path in pages:
        source = path.read_text(encoding="utf-8")
        shown = re.sub(r"\s+", "", read(source))
        bare = re.sub(r"<!\[CDATA\[.*?\]\]>|<!--.*?-->", "", source, flags=re.DOTALL)
        bare = re.sub(HIDDEN, "", bare, flags=re.DOTALL)
        words = re.findall(r"(?<![&\w])[A-Za-z]{5,}(?!\w*;)", re.sub(r"<[^<>]*>", " ", bare))
        lost = {word for word in words if word not in shown}
        assert not lost, path.name


@given(st.text(max_size=300))
def test_any_text_is_survived(text):
    read(text).encode()


@given(st.text(st.characters(categories=["L", "N"]), min_size=3, max_size=12), st.sampled_from(["info", "odd", "code"]))
def test_parameters_never_reach_the_text(value, name):
    value = f"zq{value}qz"
    shown = read(
        macro(
            name, PARAMETER.format("any", value), RICH.format(f"<p>body {macro('x', PARAMETER.format('y', value))}</p>")
        )
    )
    assert value not in shown
    assert "body" in shown
