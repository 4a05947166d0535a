"""Jira's wiki markup: its shape is kept, its words are never lost, and what is no markup stays to the character."""

import re
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.parsing.wiki import mentions, to_markdown

BETWEEN = [
    " ", "\n", "\n\n", " *", "* ", "\n* ", "\n# ", "{quote}", "{code}", "{code:java}", "|", "||", "\n|", "|\n", " [",
    "] ", "{panel:title=x}", "{panel}", "{{", "}}", "{", "}", " -", "- ", "\\\\", "!", "_", "^",
    "{color:red}", "{color}",
]  # fmt: skip
LONG = [
    "{code:a}", "{quote}\nx\n", "*a ", "[", "{{", "|a\n", "* x\n", "_a", "!a", "{color:red}", "h1. x\n", "\\", " -", "a://",
    "{panel:x}\n", "[a^", "bq. x\n", "(", "******* x\n", " ", "\n", "{code:a}\nx\n{noformat}\n",
]  # fmt: skip


@pytest.mark.parametrize(
    ("wiki", "markdown"),
    [
        ("h1. Title", "# Title"),
        ("  h6. Deep *title*", "###### Deep title"),
        ("h7. none", "h7. none"),
        ("bq. said once", "> said once"),
        ("----", "---"),
        ("*bold* _italic_ +new+ ??cite?? ~low~", "bold italic new cite low"),
        ("-gone- and x^2^ and ^up^", "~~gone~~ and x^2^ and ^up"),
        ("*_both_*, (*in brackets*)", "both, (in brackets)"),
        ("{color:red}red{color} {color:#ff0000}hex{color}", "red hex"),
        ("{{a_b}} and {{x|y}}", "`a_b` and `x|y`"),
        ("one\\\\two \\\\ three", "one\ntwo \n three"),
        ("\\{a\\} \\[b\\] \\*c\\* d\\_e", "{a} [b] *c* d_e"),
        ("[docs|https://a.example/x_y_z] [https://b.example]", "[docs](https://a.example/x_y_z) https://b.example"),
        ("[mail|mailto:a@b.example] [there|#anchor]", "[mail](mailto:a@b.example) [there](#anchor)"),
        ("[smart|https://a.example|smart-link]", "[smart](https://a.example)"),
        ("[*bold* text|https://a.example]", "[*bold* text](https://a.example)"),
        ("see https://a.example/_x_/*y*?q=-1- now", "see https://a.example/_x_/*y*?q=-1- now"),
        ("[~jdoe] and [~accountid:5b10a2]", "@jdoe and @someone"),
        (
            "!screen shot.png|width=300! [^log.txt] [name^a.pdf]",
            "[image: screen shot.png] [file: log.txt] name [file: a.pdf]",
        ),
        ("!https://a.example/x.png!", "https://a.example/x.png"),
        ("{anchor:here}text", "text"),
        ("{quote}a\nb{quote}", "> a\n> b"),
        ("{panel:title=Rule|bgColor=#fff}keep{panel}", "[panel: Rule]\nkeep"),
        ("{info}know this{info}", "[info]\nknow this"),
        ("{expand:More}inside{expand}", "More\n\ninside"),
        (":) (/) (!)", ":) (/) (!)"),
    ],
)
def test_markup(wiki, markdown):
    assert to_markdown(wiki) == markdown


def test_code_is_as_it_was():
    wiki = "Before {code:java|title=A.java}\nint a_b = *p; // {quote} [x|y]\n\n  h1. no\n{code}\nafter"
    wiki += "\n{noformat}\n*raw*\n{noformat}"
    assert to_markdown(wiki) == (
        "Before\nA.java\n```java\nint a_b = *p; // {quote} [x|y]\n\n  h1. no\n```\nafter\n```\n*raw*\n```"
    )
    assert to_markdown("{code}a ``` b{code}") == "````\na ``` b\n````"
    assert to_markdown("{noformat}{code}{noformat}") == "```\n{code}\n```"
    assert to_markdown("{code:java} never closed *x*") == "{code:java} never closed x"


def test_lists():
    wiki = "* one\n** two\n*# first\n*# second\n** three\n* four\ngoes on\n# a\n# b\n- d"
    assert to_markdown(wiki) == (
        "- one\n  - two\n  1. first\n  2. second\n  - three\n- four\n  goes on\n1. a\n2. b\n- d"
    )
    assert to_markdown("text\n* x {code}\na\n{code}\n* y") == "text\n\n- x\n  ```\n  a\n  ```\n- y"


def test_tables():
    wiki = "||Case||Result||\n|right|[in|https://a.example]|\n|wrong\nor empty|{{a|b}}|\ntail"
    assert to_markdown(wiki) == (
        "| Case | Result |\n| --- | --- |\n| right | [in](https://a.example) |\n| wrong<br>or empty | `a\\|b` |\n\ntail"
    )


def test_frames_within_frames():
    assert to_markdown("{panel:title=P}\n{quote}\nq\n{quote}\nafter{panel}") == "[panel: P]\n> q\n\nafter"
    assert to_markdown("{quote}never closed") == "{quote}\nnever closed"


@pytest.mark.parametrize(
    "text",
    [
        "check_user_lock MAX_RETRY_COUNT __init__ _private a*b*c 2 * 3 * 4",
        "{tenant} PUT /api/{id}/x {unknown:a=1}body{unknown} {color}",
        "[draft] [a|b] [ ] [x] list[int] a[0][1]",
        "C:\\temp\\new \\\\server\\share\\x",
        "#qa-check and h1.no and bq.no",
        "-v --verbose -5 to -3 a-b-c well-known",
        "*.py and *.md and **kwargs",
        "wow! great! really!",
        "x ^ y ~ z ~/.ssh/config",
        "a@b.example BKG-142 UTF-8",
        "src/_private_/file_name.py",
    ],
)
def test_what_is_no_markup_stays(text):
    """Field report C4: an identifier reads as its author wrote it."""
    assert to_markdown(text) == text


def test_field_report_c4_identifiers_in_code_spans():
    spans = ["check_user_lock", "MAX_RETRY_COUNT", "{tenant}", "a*b*c", "[draft]", "C:\\temp"]
    assert to_markdown(" ".join(f"{{{{{span}}}}}" for span in spans)) == " ".join(f"`{span}`" for span in spans)


def test_mentions():
    assert mentions("[~jdoe] [~accountid:5b:10] [~jdoe] [~ no]") == ("jdoe", "5b:10")


def test_people_by_what_they_are_called():
    called = {"jdoe": "Jane *Doe*"}.get
    text = "[~jdoe] [~ben] [~accountid:jdoe] {{[~jdoe]}}\n{code}[~jdoe]{code}"
    assert to_markdown(text, lambda name: called(name, name)) == (
        "@Jane *Doe* @ben @someone `[~jdoe]`\n```\n[~jdoe]\n```"
    )


@given(st.lists(st.from_regex(r"[A-Za-z0-9]{1,8}", fullmatch=True), min_size=1), st.data())
def test_no_word_is_lost(words, data):
    """Whatever markup stands between and around them."""
    between = st.sampled_from(BETWEEN)
    text = "".join(f"{data.draw(between)}{word}" for word in words) + data.draw(between)
    shown = to_markdown(text)
    parameters = {"color", "red", "java", "panel", "title", "x", "code", "quote"}
    missing = set(words) - parameters
    joined = re.sub(r"[^A-Za-z0-9]", "", shown)
    assert all(word in joined for word in missing)


@given(st.text(max_size=200))
def test_any_text_is_some_text(text):
    to_markdown(text)
    mentions(text)


@pytest.mark.parametrize(
    "piece",
    LONG,
)
def test_long_texts_take_no_long_time(piece):
    """Jira allows 32,767 characters in a field, and others more."""
    began = time.process_time()
    to_markdown(piece * (60_000 // len(piece)))
    assert time.process_time() - began < 2


def test_one_wide_row_does_not_fill_up_all_others():
    text = "|" * 20_000 + "a|b\n" + "|c\n" * 20_000  # 200 million empty cells
    assert len(to_markdown(text)) < 20 * len(text)


def test_a_long_run_of_space_in_a_cell_is_gone_through_once():
    assert to_markdown("|a" + " " * 1_000_000 + "b|") == "| a" + " " * 1_000_000 + "b |\n| --- |"
