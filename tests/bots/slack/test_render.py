"""Outlines as Slack messages: within the limits, inert, whole, in order."""

import itertools
import json
import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bots.outline import Bullets, Code, Heading, Link, Paragraph, Table, Words, words
from bots.shown import SHORTENED
from bots.slack.limits import weight
from bots.slack.render import CODE_CONTINUED, CODE_GOES_ON, render
from bots.text import clean, is_visible
from core.types import Locator
from tests.bots.outlines import HOSTILE, blocks, outlines, spans, texts
from tests.bots.slack.seen import elements, faults, lines, nodes, text, written

PAGE = Locator("confluence:1", "Login rules", "https://wiki.example/x", heading="Limits")
HOSTILE_HERE = [*HOSTILE, "<!channel> <@U1> <#C1|x> <https://evil.example|shop>", "@here &lt;!here&gt; :boom: *b* _i_"]


def one(*outline, job=None):
    (message,) = render(outline, job)
    assert faults(message) == []
    return message["blocks"]


def test_every_block():
    assert one(
        Heading("Findings", 2),
        Paragraph(
            (Words("P1 ", strong=True), Words("see "), Link("the rules", PAGE), Words(" and "), Words("x_y", code=True))
        ),
        words("More."),
        Bullets(((Words("one"),), (Words("two"),)), ordered=True),
        Heading("1. P0: No limit", 4),
        words("Nobody says how often."),
        Code("if a < b:\n\treturn", "python"),
    ) == [
        {"type": "header", "text": {"type": "plain_text", "text": "Findings", "emoji": False}},
        {
            "type": "rich_text",
            "elements": [
                {
                    "type": "rich_text_section",
                    "elements": [
                        {"type": "text", "text": "P1 ", "style": {"bold": True}},
                        {"type": "text", "text": "see "},
                        {"type": "link", "url": "https://wiki.example/x", "text": "the rules"},
                        {"type": "text", "text": " and "},
                        {"type": "text", "text": "x_y", "style": {"code": True}},
                        {"type": "text", "text": "\n\n"},
                        {"type": "text", "text": "More."},
                    ],
                },
                {"type": "rich_text_list", "style": "ordered", "elements": [_section("one"), _section("two")]},
            ],
        },
        {
            "type": "rich_text",
            "elements": [
                {
                    "type": "rich_text_section",
                    "elements": [
                        {"type": "text", "text": "1. P0: No limit", "style": {"bold": True}},
                        {"type": "text", "text": "\n"},
                        {"type": "text", "text": "Nobody says how often."},
                    ],
                },
                {
                    "type": "rich_text_preformatted",
                    "elements": [{"type": "text", "text": "if a < b:\n\treturn"}],
                },
            ],
        },
    ]


def _section(told):
    return {"type": "rich_text_section", "elements": [{"type": "text", "text": told}]}


def test_a_table():
    outline = Table(("Source", "Age"), (((Link("Jira", PAGE),), (Words("2 h"),)), ((Words("Wiki"),),)))
    assert one(outline) == [
        {
            "type": "table",
            "column_settings": [{"is_wrapped": True}, {"is_wrapped": True}],
            "rows": [
                [_bold("Source"), _bold("Age")],
                [
                    _cell({"type": "link", "url": "https://wiki.example/x", "text": "Jira"}),
                    {"type": "raw_text", "text": "2 h"},
                ],
                [{"type": "raw_text", "text": "Wiki"}, {"type": "raw_text", "text": " "}],
            ],
        }
    ]


def _bold(told):
    return _cell({"type": "text", "text": told, "style": {"bold": True}})


def _cell(element):
    return {"type": "rich_text", "elements": [{"type": "rich_text_section", "elements": [element]}]}


def test_the_last_message_asks_whether_it_helped():
    *others, last = render([words("word " * 1_000) for _ in range(10)], job=7)
    assert others
    assert not any(node["type"] == "actions" for message in others for node in message["blocks"])
    actions = last["blocks"][-1]
    assert [(one["action_id"], one["value"], one["text"]["text"]) for one in actions["elements"]] == [
        ("crosscheck_up", "7", "👍"),
        ("crosscheck_down", "7", "👎"),
    ]
    assert all(one["accessibility_label"] for one in actions["elements"])
    assert not any(block["type"] == "actions" for block in one(words("x")))


@pytest.mark.parametrize("told", [told for told in HOSTILE_HERE if is_visible(clean(told))])
@pytest.mark.parametrize(
    "block",
    [
        words,
        Heading,
        lambda told: Heading(told, 5),
        Code,
        lambda told: Bullets(((Words(told),),)),
        lambda told: Table((told,), (((Words(told, code=True),),),)),
        lambda told: Paragraph((Link(told, PAGE),)),
    ],
)
def test_identifiers_survive_to_the_character(told, block):
    """Field report C4. A heading has one line; the rest is the text itself."""
    shown = text(render((block(told),)))
    expected = clean(told)
    assert (expected in shown) or (expected.replace("\n", " ") in shown)


@given(outlines, st.none() | st.integers(1, 10**9))
def test_any_outline_is_within_the_limits_and_inert(outline, job):
    messages = render(outline, job)
    for message in messages:
        assert faults(message) == []
        json.dumps(message, ensure_ascii=False).encode()  # no half of a surrogate pair
        kinds = {node["type"] for node in nodes(message["blocks"]) if "type" in node}
        assert "mrkdwn" not in kinds
        assert not re.search(r"<|@\w|\w\.\w|://|:\w+:", message["text"])
        shown = json.dumps(message, ensure_ascii=False)
        assert not set(shown) & set("\x9b\x7f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")
    assert messages == render(outline, job)


@given(outlines)
def test_all_that_can_be_seen_is_there_and_in_order(outline):
    """Nothing in these is long enough to be cut."""
    shown = text(render(outline))
    place = 0
    for expected in written(outline):
        place = shown.find(expected, place)
        assert place >= 0, expected
        place += len(expected)


@given(spans)
def test_the_text_of_any_words_survives(some):
    plain = tuple(span for span in some if isinstance(span, Words))
    expected = "".join(clean(span.text) for span in plain)
    if is_visible(expected):
        assert text(render((Paragraph(plain),))) == expected
        assert text(render((Bullets((plain,)),))) == expected
        assert text(render((Table((), ((plain,),)),))) == expected


@given(texts)
def test_the_text_of_any_code_survives(told):
    if is_visible(clean(told)):
        (code,) = elements(render((Code(told),)), "rich_text_preformatted")
        assert code["elements"] == [{"type": "text", "text": clean(told).rstrip("\n")}]


@pytest.mark.parametrize("url", ["javascript:alert(1)", "//x.example", "", "https://bank.example@evil.example/"])
def test_what_is_no_web_address_is_text(url):
    assert one(Paragraph((Link("here", Locator("d", "t", url)),))) == [
        {"type": "rich_text", "elements": [_section("here")]}
    ]


def test_a_link_without_a_text_shows_its_locator():
    assert text(render((Paragraph((Link("\u200b", PAGE),)),))) == "Login rules, Limits"


def test_what_shows_nothing_gives_no_message():
    assert render(()) == []
    nothing = (words(" \u200b\x00"), Bullets(()), Bullets(((),)), Table((), ()), Table((), ((), ())), Code("\n"))
    assert render((*nothing, Heading(" ")), job=3) == []


def test_a_heading_that_is_too_long_for_a_header_is_bold_text():
    told = "PROJ-12 " * 30
    (block,) = one(Heading(told))
    assert block["elements"][0]["elements"] == [{"type": "text", "text": told, "style": {"bold": True}}]


def test_a_long_reply_is_split_between_blocks():
    messages = render([words(f"{number}: " + "word " * 200) for number in range(60)])
    assert len(messages) > 2
    assert [faults(message) for message in messages] == [[]] * len(messages)
    notes = [lines(message["blocks"][0])[0] for message in messages]
    assert notes[0].startswith("0: ")
    assert notes[1:] == [f"(continued, part {n} of {len(messages)})" for n in range(2, len(messages) + 1)]
    told = text(messages).replace("\n\n", "\n").split("\n")
    assert told == [f"{number}: " + "word " * 200 for number in range(60)]
    assert all(message["text"].startswith("(continued") for message in messages[1:])


def test_a_long_list_goes_on_counting():
    items = tuple((Words(f"item {number} " + "x" * 300),) for number in range(150))
    lists = elements(render((Bullets(items, ordered=True),)), "rich_text_list")
    assert len(lists) > 1
    counted = [one.get("offset", 0) for one in lists]
    assert counted == [0, *itertools.accumulate(len(one["elements"]) for one in lists)][:-1]
    assert sum(len(one["elements"]) for one in lists) == 150
    bullets = elements(render((Bullets(items),)), "rich_text_list")
    assert all(one["style"] == "bullet" and "offset" not in one for one in bullets)


def test_a_long_table_repeats_its_header_and_each_message_holds_one():
    rows = tuple(((Words(f"row {number}"),), (Words("y" * 100),)) for number in range(250))
    messages = render((Table(("Name", "Text"), rows), Table(("Other",), (((Words("z"),),),))))
    assert [faults(message) for message in messages] == [[]] * len(messages)
    tables = [block for message in messages for block in message["blocks"] if block["type"] == "table"]
    assert all(len([b for b in message["blocks"] if b["type"] == "table"]) == 1 for message in messages)
    assert all(table["rows"][0] == [_bold("Name"), _bold("Text")] for table in tables[:-1])
    assert sum(len(table["rows"]) - 1 for table in tables[:-1]) == 250


@settings(max_examples=30)
@given(outline=outlines, times=st.integers(20, 120))
def test_no_heading_ends_a_message_and_no_part_is_too_large(outline, times):
    repeated = outline * times
    messages = render(repeated, job=1)
    assert [faults(message) for message in messages] == [[]] * len(messages)
    assert bool(messages) == any(render((block,)) for block in outline)
    ends_with_heading = bool(repeated) and isinstance(repeated[-1], Heading)
    for message in messages[: -1 if ends_with_heading or not _shows(repeated[-1:]) else None]:
        kinds = [block["type"] for block in message["blocks"] if block["type"] not in {"context", "actions"}]
        assert kinds[-1] != "header" or set(kinds) == {"header"}


def _shows(outline):
    return bool(render(outline))


def test_a_heading_moves_on_with_what_it_leads():
    outline = (words("x" * 6_000), Heading("Findings"), Heading("P1", 4), words("y" * 6_000))
    first, second = render(outline)
    assert text([first]) == "x" * 6_000
    assert text([second]) == "Findings\nP1\n" + "y" * 6_000


@pytest.mark.parametrize("told", ["x" * 40_000, "\n" * 20_000 + "x", '"' * 30_000, "👩" * 20_000, "a&<\n" * 10_000])
@pytest.mark.parametrize(
    "block",
    [
        words, Code, Heading,
        lambda told: Paragraph((Words(told), Link("more", PAGE))),
        lambda told: Bullets(((Words("ok"),), (Words(told),), (Words("ok"),))),
        lambda told: Table(("h", told), (((Words("ok"),), (Words(told), Words("more")), (Words("last"),)),)),
        lambda told: Table(("h",) * 200, (((Words(told[:500]),),) * 200,) * 3),
    ],
)  # fmt: skip
def test_what_is_too_long_is_cut_where_one_can_see_it(block, told):
    messages = render((words("before"), block(told), words("after")))
    assert [faults(message) for message in messages] == [[]] * len(messages)
    shown = text(messages)
    assert shown.startswith("before\n")
    assert shown.endswith("after")
    assert SHORTENED in shown or SHORTENED[:-1] in shown or "more columns" in shown or told in shown or "\n" in told


def test_a_cut_falls_between_words():
    for number in range(30):
        (message,) = render((words("x" * number + " PROJ-1234" * 4_000),))
        shown = text([message])
        assert shown.endswith(SHORTENED)
        assert set(shown[number:].removesuffix(SHORTENED).split()) == {"PROJ-1234"}


def _code_lines(messages):
    return [line for one in elements(messages, "rich_text_preformatted") for line in _lines_of(one)]


def _lines_of(element):
    return element["elements"][0]["text"].split("\n")


def test_code_that_fits_is_never_split():
    source = [f"def function_{number}(): return {number}" for number in range(200)]
    messages = render((words("x" * 6_000), Code("\n".join(source)), words("after")), job=1)
    assert len(elements(messages, "rich_text_preformatted")) == 1
    assert _code_lines(messages) == source
    assert CODE_GOES_ON not in text(messages)


def test_code_is_split_between_lines_and_says_so():
    source = [f"{number:04} if a < b and c > d: call(first, second)" for number in range(600)]
    messages = render((Code("\n".join(source)), words("after")))
    assert [faults(message) for message in messages] == [[]] * len(messages)
    assert _code_lines(messages) == source
    for last, following in itertools.pairwise(messages):
        assert text([last]).endswith(CODE_GOES_ON)
        assert text([following]).startswith(CODE_CONTINUED)
    assert text(messages).count(CODE_GOES_ON) == len(messages) - 1


def test_endless_code_is_cut_and_says_how_much_is_missing():
    source = [f"line {number}" for number in range(50_000)]
    messages = render((Code("\n".join(source)), words("after")))
    assert len(messages) < 8
    shown = _code_lines(messages)
    assert shown == source[: len(shown)]
    assert f"… (shortened: {50_000 - len(shown)} more lines of code)" in text(messages)


@given(st.lists(st.sampled_from(["", "x", "a & b < c", "y" * 90, "z" * 14_000]), min_size=1, max_size=400))
@settings(max_examples=30)
def test_code_is_never_broken_without_a_mark(source):
    messages = render((Code("\n".join(source)),))
    assert [faults(message) for message in messages] == [[]] * len(messages)
    while source and not source[-1]:
        source = source[:-1]
    shown = _code_lines(messages)
    assert len(shown) == len(source) or SHORTENED[:-1] in text(messages)
    for line, kept in zip(source, shown, strict=False):
        assert kept == line or (kept.endswith(SHORTENED) and line.startswith(kept.removesuffix(SHORTENED)))
    pieces = len(elements(messages, "rich_text_preformatted"))
    assert text(messages).count(CODE_GOES_ON) == text(messages).count(CODE_CONTINUED) == max(pieces - 1, 0)


def review(findings):
    yield Paragraph((Words(f"PAY-12: {findings} points to settle.", strong=True),))
    for number in range(1, findings + 1):
        yield Heading(f"{number}. P1: Undecided value", 4)
        yield words("The ticket gives no limit for PAY-12, while the policy asks for one per customer and day. " * 2)
        yield Paragraph((Words("Why it matters:", strong=True), Words(" A test cannot be written without it.")))
        yield Paragraph((Words("Question:", strong=True), Words(" Which limit holds, and from when on?")))
        yield Bullets(tuple((Link("Login rules", PAGE), Words(": “at most five attempts”")) for _ in range(3)))
    yield Heading("How this was made")
    yield Bullets(((Words("Made by rules. Written on 2026-11-30 08:00 UTC."),),))


def test_real_sizes():
    """A review of 40 findings, code of 200 lines, a table of 60 rows and 12 columns, a paragraph of 40,000."""
    code = "\n".join(f"    result_{number} = compute(first_{number}, second)" for number in range(200))
    table = Table(
        tuple(f"Column {n}" for n in range(12)),
        tuple(tuple((Words(f"cell {row} {n}"),) for n in range(12)) for row in range(60)),
    )
    for outline, most in (
        (tuple(review(40)), 7),
        (
            (words("It does."), Code(code, "python"), Heading("Sources"), Bullets(((Link("a", PAGE),),), ordered=True)),
            2,
        ),
        ((words("Cases:"), table, words("after")), 3),
        ((words("word " * 8_000),), 1),
    ):
        messages = render(outline, job=12)
        assert [faults(message) for message in messages] == [[]] * len(messages)
        assert len(messages) <= most
        assert all(weight(message["blocks"]) <= 12_500 for message in messages)


@given(blocks)
def test_the_text_beside_the_blocks_is_never_empty(block):
    for message in render((block,)):
        assert message["text"].strip()
