from hypothesis import given

from bots.outline import Bullets, Code, Heading, Link, Paragraph, Table, Words, words
from bots.plain import plain
from core.types import Locator
from tests.bots.outlines import outlines


def test_every_block():
    page = Locator("confluence:1", "Login rules", "https://wiki.example/x")
    outline = (
        Heading("Findings", 2),
        Paragraph(
            (Words("P1", strong=True), Words(" see "), Link("rules", page), Words(", "), Words("x_y", code=True))
        ),
        Bullets(((Words("one\nmore"),), (Words("two"),)), ordered=True),
        Bullets(((Words("three"),),)),
        Table(("Source", "Age"), (((Words("Jira"),), (Words("2 h"),)), ((Words("W"),),))),
        Code("a = 1\nb"),
        words(" "),
    )
    assert plain(outline) == (
        "## Findings\n\n"
        "**P1** see rules <https://wiki.example/x>, `x_y`\n\n"
        "1. one\n   more\n2. two\n\n"
        "- three\n\n"
        "Source | Age\n-------+----\nJira   | 2 h\nW      |\n\n"
        "    a = 1\n    b"
    )


def test_nothing():
    assert plain(()) == ""
    assert plain((Table((), ()), Bullets(()), words(""))) == ""


@given(outlines)
def test_no_text_steers_a_terminal(outline):
    shown = plain(outline)
    assert all(char in "\n\t" or (char.isprintable() or ord(char) > 0x9F) for char in shown)
    assert not set(shown) & set("\x1b\x9b\x00\x07\x08\r\u202e\u2066")
