"""Macros that show something from elsewhere, and bodies that are large."""

import time

import pytest

from core.parsing.storage import Include, Storage, not_shown

MACRO = '<ac:structured-macro ac:name="{}">{}</ac:structured-macro>'
PARAMETER = '<ac:parameter ac:name="{}">{}</ac:parameter>'
RICH = "<ac:rich-text-body>{}</ac:rich-text-body>"
CODE = "<ac:plain-text-body><![CDATA[{}]]></ac:plain-text-body>"
PAGE = '<ac:link><ri:page ri:content-title="Base  rules" ri:space-key="OPS" /></ac:link>'


def macro(name, *inner):
    return MACRO.format(name, "".join(inner))


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        (macro("jira", PARAMETER.format("jqlQuery", 'project = "PAY"')), '[Jira list: JQL project = "PAY"]'),
        (macro("jiraissues", PARAMETER.format("jqlQuery", "key = A-1")), "[Jira list: JQL key = A-1]"),
        (macro("jira", PARAMETER.format("columns", "key")), "[macro: jira]"),
        (macro("drawio", PARAMETER.format("diagramName", "Flow")), "[diagram: Flow, see attachment]"),
        (macro("drawio", PARAMETER.format("zoom", "1")), "[macro: drawio]"),
        (macro("include", PARAMETER.format("", PAGE)), "[include: Base rules, not shown here]"),
    ],
)
def test_what_stands_for_things_elsewhere(source, expected):
    assert Storage(source).read().text == expected


@pytest.mark.parametrize(
    ("source", "include"),
    [
        (macro("include", PARAMETER.format("", PAGE)), Include("OPS", "Base rules")),
        (macro("include", PARAMETER.format("", '<ri:page ri:content-title="A: B" />')), Include("", "A: B")),
        (macro("include", PARAMETER.format("", "OPS:Base rules")), Include("OPS", "Base rules")),
        (macro("include", PARAMETER.format("", "Base: rules")), Include("", "Base: rules")),
        (macro("excerpt-include", PARAMETER.format("", PAGE)), Include("OPS", "Base rules", "")),
        (
            macro("excerpt-include", PARAMETER.format("", PAGE) + PARAMETER.format("name", "fees")),
            Include("OPS", "Base rules", "fees"),
        ),
    ],
)
def test_what_is_included(source, include):
    body = Storage(f"<p>x</p>{source}{source}")
    assert body.includes() == (include,)
    assert body.read(included=lambda found: f"text of {found.title}").text == "\n\n".join(
        ["x", *[f"text of {include.title}"] * 2]
    )
    assert body.read().text.endswith(not_shown(include))


def test_excerpts():
    named = macro("excerpt", PARAMETER.format("name", "fees"), RICH.format("<p>Ten euros</p>"))
    body = Storage("<p>before</p>" + macro("excerpt", RICH.format("<p>First</p>")) + named)
    assert body.excerpt("").text == "First"
    assert body.excerpt("fees").text == "Ten euros"
    assert body.excerpt("none") is None
    assert body.read().text == "before\n\nFirst\n\nTen euros"


def test_pictures_are_named():
    image = '<ac:image><ri:attachment ri:filename="a.png" /></ac:image>'
    elsewhere = '<ac:image><ri:url ri:value="https://x.example/b.png" /></ac:image>'
    assert Storage(image + elsewhere + image).pictures() == ("a.png",)


@pytest.mark.parametrize(
    "source",
    [
        macro("code", PARAMETER.format("language", "mermaid"), CODE.format("graph LR\n  A[Shop] -->|asks| B[Bank]")),
        macro("mermaid-cloud", CODE.format("graph LR\n  A[Shop] -->|asks| B[Bank]")),
        macro("plantuml", CODE.format("@startuml\n[Shop] --> [Bank] : asks\n@enduml")),
    ],
)
def test_diagrams_in_code_show_their_edges(source):
    shown = Storage(f"<p>before</p>{source}<p>after</p>").read().text
    assert "Shop -> Bank: asks" in shown
    assert shown.startswith("before")
    assert shown.endswith("after")


def test_layouts_and_nested_macros_keep_their_text():
    cell = "<ac:layout-cell>{}</ac:layout-cell>"
    section = f"<ac:layout-section>{cell.format('<p>left</p>')}{cell.format('<p>right</p>')}</ac:layout-section>"
    inner = macro("expand", PARAMETER.format("title", "More"), RICH.format(macro("note", RICH.format("<p>deep</p>"))))
    assert Storage(f"<ac:layout>{section}</ac:layout>{inner}").read().text == "left\n\nright\n\nMore\n\ndeep"


def test_a_page_of_5_mb_is_read_within_seconds():
    paragraph = "<p>Some <strong>bold</strong> words and <code>a_name</code>, again and again.</p>"
    row = "<tr><td>one</td><td><p>two</p></td></tr>"
    table = f"<table><tbody>{row * 40}</tbody></table>"
    block = paragraph * 30 + table + macro("info", RICH.format(paragraph)) + "<ul><li>a<ul><li>b</li></ul></li></ul>"
    source = block * (5_000_000 // len(block) + 1) + "<p>the end of it</p>"
    began = time.perf_counter()
    body = Storage(source)
    shown = body.read()
    body.people()
    body.includes()
    assert time.perf_counter() - began < 10
    assert shown.text.endswith("the end of it")
    assert shown.unread == ()


def test_a_layout_that_is_lost_is_said():
    shown = Storage("<div>" * 70_000 + "bottom").read()
    assert "bottom" in shown.text
    assert shown.unread in {(), ("its layout: it is nested too deeply",)}
