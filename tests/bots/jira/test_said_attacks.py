"""Wiki markup that hides a command, shows one, or wears the reader out."""

import time

import pytest

from bots.command import find_command
from bots.jira.said import said


def asked(wiki):
    found = find_command(said(wiki))
    return (found.word, found.argument) if found else None


@pytest.mark.parametrize(
    "wiki",
    [
        r"#qa-check\\please have a look",
        r"Good morning.\\#qa-check",
        r"#qa-check\\",
        "{color:red}#qa-check{color}",
        "{panel:title=Please}#qa-check{panel}",
        "|#qa-check|",
        "||Command|\n|#qa-check|",
        "#qa-check----",
    ],
)
def test_a_command_that_is_said_has_no_markup_for_an_argument(wiki):
    assert asked(wiki) == ("qa-check", "")


@pytest.mark.parametrize(
    "wiki",
    [
        "!a.png|alt=see #qa-check!",
        '!a.png|title="#qa-check"!',
        "{anchor: #qa-check}",
        "{toc:minLevel= #qa-check}",
        "{panel:title=My #qa-check}text{panel}",
        "{expand:title=a #qa-check}text{expand}",
        "{code:title=" + "a" * 250 + "}#qa-check{code}",
        "{noformat:title=a}\n#qa-check\n{noformat}",
        "[a #qa-check|http://example.com]",
        "[~ #qa-check]",
        "[^file #qa-check.txt]",
    ],
)
def test_what_only_stands_in_a_parameter_code_or_link_asks_for_nothing(wiki):
    assert asked(wiki) is None


def test_a_colour_is_no_part_of_a_reason_or_question():
    assert asked("{color:red}#ask who decides?{color}") == ("ask", "who decides?")


@pytest.mark.parametrize("piece", ["{", "{{", "{code", "[", "!a|", "\\", "_a", "bq. ", "{color:red}", "|a"])
def test_a_long_comment_is_read_in_a_moment(piece):
    text = piece * (100_000 // len(piece))
    began = time.process_time()
    said(text)
    assert time.process_time() - began < 0.5
