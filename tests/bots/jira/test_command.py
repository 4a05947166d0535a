"""The command in a comment: said by its author, not quoted, shown as code or part of a link (field report D3)."""

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bots import command
from bots.command import has_trigger_word
from bots.jira.said import said


def find(body, *words):
    return command.find_command(said(body), *words)


FOUND = [
    "#qa-check",
    "please #qa-check this",
    "#qa-check,",
    "#qa-check.",
    "#qa-check: the limits",
    "#qa-check!",
    "(#qa-check)",
    "[#qa-check]",
    '"#qa-check"',
    "“#qa-check”",
    "#qa-check\r\n",
    "#qa-check\u00a0",
    "\u00a0#qa-check\u00a0now",
    "\u200b#qa-check\u200b",
    "\ufeff#qa-check",
    "x \u200b#qa-check",
    "#QA-Check",
    "one\n#qa-check\ntwo",
    "one\r\n#qa-check\r\ntwo",
    "#qa-checks and then #qa-check",
    "✅#qa-check",
    "#qa\u2011check",
    "#qa-check...please",
    "#qa-check - please",
    "#qa-check/",
    "请看\uff0c#qa-check",
    "שלום #qa-check",
]

NOT_FOUND = [
    "",
    "qa-check",
    "# qa-check",
    "#qa check",
    "#qa-checks",
    "x#qa-check",
    "1#qa-check",
    "##qa-check",
    "#qa-check-2",
    "#qa-check_2",
    "#qa-check2",
    "#qa-check.md",
    "#qa-check/log",
    "foo/#qa-check",
    "https://x.example/page#qa-check",
    "https://x.example/page/#qa-check",
    "https://x.example/a,#qa-check",
    "\\#qa-check-2",
    "&#qa-check",
    "`#qa-check`",
    "> #qa-check",
    "  > they wrote #qa-check",
    "x\u200b#qa-check",
    "#qa-check\u200bs",
    "#qa-ch",
    "#qa\u200b-check",
]


def find_command(*asked):
    found = find(*asked)
    return found and found.word


def text(value, *marks):
    return {"type": "text", "text": value, "marks": [{"type": kind} for kind in marks]}


def doc(*blocks):
    return {"type": "doc", "version": 1, "content": list(blocks)}


def paragraph(*inline):
    return {"type": "paragraph", "content": [text(part) if isinstance(part, str) else part for part in inline]}


def node(kind, *content, **attrs):
    return {"type": kind, "attrs": attrs, "content": list(content)}


@pytest.mark.parametrize("said", FOUND)
def test_its_own_word_is_a_command(said):
    assert find_command(doc(paragraph(said))) == "qa-check"
    assert has_trigger_word(said)


@pytest.mark.parametrize("said", NOT_FOUND)
def test_part_of_something_else_is_none(said):
    assert find_command(doc(paragraph(said))) is None


@pytest.mark.parametrize("said", [said for said in FOUND if not said.startswith("[")])
def test_the_same_in_wiki_markup(said):
    assert find_command(said) == "qa-check"


@pytest.mark.parametrize("said", NOT_FOUND)
def test_and_not_in_wiki_markup(said):
    if said != "\\#qa-check-2":
        assert find_command(said) is None


@pytest.mark.parametrize(
    "body",
    [
        doc(node("blockquote", paragraph("#qa-check")), paragraph("thanks")),
        doc(node("blockquote", node("bulletList", node("listItem", paragraph("#qa-check"))))),
        doc(node("codeBlock", text("#qa-check"), language="text")),
        doc(paragraph("use ", text("#qa-check", "code"), " for this")),
        doc(paragraph(text("#qa-check", "strong", "code"))),
        doc(paragraph(text("#qa-check", "link"))),
        doc(paragraph(text("https://x.example/", "link"), "#qa-check")),
        doc(paragraph("#qa-check", text("s", "link"))),
        doc(paragraph(node("inlineCard", url="https://x.example/#qa-check"))),
        doc(node("blockCard", url="https://x.example/#qa-check")),
        doc(paragraph(node("mention", id="1", text="@#qa-check"))),
        doc(paragraph("x", text("#qa-check", "strong"))),
        doc(paragraph(text("#qa-check", "strong"), "s")),
        doc(paragraph("#qa-"), paragraph("check")),
        doc(paragraph("#qa-", {"type": "hardBreak"}, "check")),
        doc(paragraph("#qa-", node("emoji", shortName=":x:"), "check")),
        doc(paragraph("> #qa-check", {"type": "hardBreak"}, "as they said")),
    ],
)
def test_shown_or_quoted_in_a_document_is_none(body):
    assert find_command(body) is None


@pytest.mark.parametrize(
    "body",
    [
        doc(paragraph("#qa", text("-check", "strong"))),
        doc(paragraph("#", text("qa", "em"), text("-check", "underline", "textColor"))),
        doc(paragraph(text("code", "code"), " #qa-check")),
        doc(paragraph(node("mention", id="1", text="@Bot"), "#qa-check")),
        doc(paragraph("thanks", {"type": "hardBreak"}, "#qa-check")),
        doc(node("blockquote", paragraph("#qa-check is how")), paragraph("so: "), paragraph("#qa-check")),
        doc(node("bulletList", node("listItem", paragraph("#qa-check")))),
        doc(node("table", node("tableRow", node("tableCell", paragraph("#qa-check"))))),
        doc(node("panel", paragraph("#qa-check"))),
        doc(node("mystery", node("innerMystery", paragraph("#qa-check")))),
        doc(node("mystery"), {"content": [{"text": "#qa-check"}]}),
        doc({"type": ["paragraph"], "content": [{"type": {}, "text": "#qa-check", "marks": "strong"}]}),
        doc(None, 7, "x", [], {"type": "paragraph", "content": {"no": "list"}}, paragraph("#qa-check")),
        doc(paragraph(node("date", timestamp="1"), {"type": "unheardOf"}, "#qa-check")),
        doc(paragraph({"type": "text", "text": "#qa-check", "marks": [None, 5, {"type": ["code"]}, {}]})),
    ],
)
def test_unknown_and_broken_nodes_do_not_hide_a_command(body):
    assert find_command(body) == "qa-check"


@pytest.mark.parametrize(
    "said",
    [
        "{quote}#qa-check{quote} thanks",
        "{quote}\r\nAna wrote:\r\n#qa-check\r\n{quote}\r\nthanks",
        "{quote}never closed #qa-check",
        "bq. #qa-check\nthanks",
        "{code}#qa-check{code}",
        "{code:java|title=x}\n#qa-check\n{code}",
        "{noformat}#qa-check{noformat}",
        "use {{#qa-check}} for this",
        "{{a{b}c #qa-check}}",
        "see [#qa-check]",
        "see [#qa-check|https://x.example]",
        "[text|https://x.example/#qa-check]",
        "[~#qa-check]",
        "> #qa-check",
        "{code}a{code} {code}#qa-check{code}",
        "{code:title=" + "x" * 250 + "}#qa-check{code}",
        "{noformat:title=a{b}#qa-check{noformat}",
        "!a.png|alt=see #qa-check!",
        'see !my picture.png|title="#qa-check"! there',
        "!https://x.example/a?b=1|alt= #qa-check!",
        "{anchor: #qa-check}",
        "{toc:minLevel= #qa-check}",
        "{panel:title=My #qa-check}x{panel}",
    ],
)
def test_shown_or_quoted_in_wiki_markup_is_none(said):
    assert find_command(said) is None


@pytest.mark.parametrize(
    "said",
    [
        "{quote}old{quote}\n#qa-check",
        "bq. old\n#qa-check",
        "{code}x{code} #qa-check",
        "*#qa-check*",
        "_#qa-check_",
        "+#qa-check+",
        "{color:red}#qa-check{color}",
        "\\#qa-check",
        "[~accountid:712020:ab] #qa-check",
        "{codes} #qa-check",
        "{code: #qa-check\nnever closed",
        "{{ #qa-check",
        "{{a}b #qa-check }\n}}",
        "Wow! See v1.2 now, #qa-check!",
        "(!) #qa-check of login.py!",
        "#qa-check\\\\please have a look",
        "please\\\\#qa-check\\\\\\\\now",
        "||Who||What||\n|Ana|#qa-check|",
    ],
)
def test_a_command_in_wiki_markup(said):
    assert find_command(said) == "qa-check"
    assert has_trigger_word(said)


def test_the_first_of_several_commands_counts_and_the_longest_name_wins():
    words = ("qa-check", "qa-check-tests", "ask")
    assert find_command("#qa-check-tests then #ask", words) == "qa-check-tests"
    assert find_command("#ask then #qa-check", words) == "ask"
    assert find_command("#qa-check", ("ask",)) is None


@pytest.mark.parametrize("words", [(), ("",), ("#qa",), ("a b",), ("-",)])
def test_trigger_words_are_words(words):
    with pytest.raises(ValueError, match="trigger words"):
        find_command("#qa-check", words)


@pytest.mark.parametrize("said", ["thanks", "qa check", "#qa-checks", "# of qa checkers", "", "check #qa"])
def test_the_cheap_look_refuses_what_is_clearly_none(said):
    assert not has_trigger_word(said)


def test_depth_is_no_danger():
    body = paragraph("#qa-check")
    for _ in range(50_000):
        body = {"type": "panel", "content": [body]}
    assert find_command(doc(body)) == "qa-check"


@pytest.mark.parametrize(
    "said",
    [
        "{code:" * 6000,
        "{{" * 16_000,
        "[" * 32_000,
        "#" * 32_000,
        "#qa-checks " * 3000,
        " \t" * 16_000,
        "_ " * 16_000,
        "{quote}" * 4000,
        "{" * 100_000,
        "{code:" * 16_000,
        "{panel:" * 14_000,
        "!a." * 33_000,
        " !a.b|" * 16_000,
        "!a://b" * 16_000,
        "| x\n" * 25_000,
        "| " * 50_000,
        "\\" * 100_000,
        "\\\\a" * 33_000,
    ],
)
def test_a_comment_made_to_be_slow_is_not(said):
    start = time.perf_counter()
    find_command(said)
    find_command(doc(paragraph(said)))
    has_trigger_word(said)
    assert time.perf_counter() - start < 1


anything = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=20),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.fixed_dictionaries(
            {},
            optional={
                "type": st.sampled_from(["doc", "paragraph", "text", "codeBlock", "blockquote", "mention", "x"])
                | inner,
                "content": st.lists(inner, max_size=4) | inner,
                "text": inner,
                "marks": inner,
                "attrs": inner,
            },
        )
    ),
    max_leaves=20,
)


@given(st.dictionaries(st.sampled_from(["type", "content", "text"]), anything) | st.text())
def test_no_body_makes_it_fail(body):
    assert find_command(body) in {None, "qa-check"}


@given(st.text(max_size=30), st.text(max_size=30), st.booleans())
def test_the_cheap_look_never_misses_what_the_true_one_finds(before, after, spaced):
    said = f"{before} #qa-check {after}" if spaced else f"{before}#qa-check{after}"
    if find_command(said) or find_command(doc(paragraph(said))):
        assert has_trigger_word(said)


@given(st.text(alphabet=st.characters(exclude_characters="\r\n")), st.sampled_from(["blockquote", "codeBlock"]))
def test_nothing_inside_a_quote_or_code_is_a_command(said, kind):
    assert find_command(doc(node(kind, paragraph(said, "#qa-check", said)), paragraph("thanks"))) is None


DISMISS = "dismiss 2, 4: agreed with sales"


@pytest.mark.parametrize(
    ("said", "argument"),
    [
        ("#qa-check", ""),
        ("#qa-check dismiss 2, 4: agreed with sales", DISMISS),
        ("hello\n#qa-check:  dismiss 2,\u00a04:  agreed\twith sales \nand more", DISMISS),
        ("hello\r\n(#qa-check) dismiss 2, 4: agreed with sales\r\nand more", DISMISS),
        ("#qa-check \u200bdismiss\u200b 2, 4: agreed with\u2060 sales", DISMISS),
        ("#qa-checks dismiss 1: x #qa-check dismiss 2, 4: agreed with sales", DISMISS),
        ("#qa-check - dismiss 2, 4: agreed with sales", DISMISS),
        ("#qa-check,", ""),
        ("#qa-check dismiss 2: " + "x" * 5_000, None),
    ],
)
def test_the_rest_of_its_line_is_what_is_said_to_it(said, argument):
    for body in (said, doc(paragraph(said))):
        found = find(body).argument
        assert found == argument if argument is not None else len(found) <= 1_000


@pytest.mark.parametrize(
    ("body", "argument"),
    [
        (doc(paragraph("#qa-check dismiss ", text("2", "strong"), ": fine")), "dismiss 2: fine"),
        (doc(paragraph("#qa-check dismiss 2: fine"), paragraph("dismiss 3: not")), "dismiss 2: fine"),
        (doc(paragraph("#qa-check dismiss 2: fine", {"type": "hardBreak"}, "3: not")), "dismiss 2: fine"),
        (doc(paragraph("#qa-check ", text("dismiss 2: x", "code"))), ""),
        (doc(node("blockquote", paragraph("#qa-check dismiss 2: x")), paragraph("#qa-check")), ""),
        (doc(paragraph("#qa-check dismiss 2: see ", text("https://x.example", "link"))), "dismiss 2: see"),
        (doc(paragraph(node("mention", id="1", text="@Bot"), " #qa-check dismiss 1: ok")), "dismiss 1: ok"),
        ("*#qa-check* dismiss 2: fine", "dismiss 2: fine"),
        ("{quote}#qa-check dismiss 1: x{quote}\n#qa-check dismiss 2: fine", "dismiss 2: fine"),
        ("#qa-check {{dismiss 2: x}}", ""),
        ("#qa-check dismiss 2: see [the page|https://x.example] there", "dismiss 2: see there"),
        ("{color:red}#qa-check{color}", ""),
        ("{panel:title=x|borderColor=#ccc}#qa-check{panel}", ""),
        ("{color:#ff0000}#qa-check dismiss 1: ok{color}", "dismiss 1: ok"),
        ("#qa-check what is /users/{id} in {a:b}?", "what is /users/{id} in {a:b}?"),
        ("#qa-check dismiss 1: !a.png|thumbnail! ok", "dismiss 1: ok"),
        ("|#qa-check|", ""),
        ("|Ana|#qa-check dismiss 1: ok |and more|", "dismiss 1: ok"),
        ("|Ana\n#qa-check dismiss 1: ok|\n#qa-check", "dismiss 1: ok"),
        ("#qa-check does a|b hold?\n|x|", "does a|b hold?"),
        ("#qa-check dismiss 1: ok\\\\thanks", "dismiss 1: ok"),
        ("#qa-check\\\\", ""),
        ("#qa-check see \\\\server\\share", "see \\server\\share"),
    ],
)
def test_what_is_merely_shown_is_not_said_to_it(body, argument):
    found = find(body)
    assert (found.word, found.argument) == ("qa-check", argument)


@given(st.text(max_size=40), st.text(max_size=40))
def test_an_argument_is_one_visible_line(before, after):
    for body in (f"{before} #qa-check {after}", doc(paragraph(f"{before} #qa-check {after}"))):
        if found := find(body):
            assert found.argument == " ".join(found.argument.split())
