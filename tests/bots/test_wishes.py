"""What people write, and what they want by it."""

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bots.wishes import FORMS, Cases, Check, Help, Question, Refine, Unclear, parse

SITE = "https://jira.firm.example"


@pytest.mark.parametrize("text", ["", "   ", "?", "!!", "help", "Help me!", "hello", "hi there", "please", "*help*"])
def test_help(text):
    assert parse(text, SITE) == Help()


@pytest.mark.parametrize(
    "text",
    [
        "PAY-12",
        "pay-12?",
        "`PAY-12`",
        "check PAY-12",
        "Check PAY-12.",
        "CHECK pay-12 PLEASE",
        "please check PAY-12",
        "Hi, can you check PAY-12?",
        "could you please check *PAY-12*, thanks!",
        "check PAY-12 for me please :pray:",
        "I'd like you to review PAY-12",
        "I\u2019d like to review PAY-12",
        "run a check on PAY-12",
        "have a look at PAY-12",
        "check the ticket PAY-12 again",
        "#qa-check PAY-12",
        "qa-check\nPAY-12",
        f"{SITE}/browse/PAY-12",
        f"<{SITE}/browse/PAY-12>",
        f"check {SITE}/browse/PAY-12?focusedCommentId=10030",
        f"{SITE.upper()}/browse/PAY-12",
        f"please check {SITE}/jira/software/projects/PAY/boards/1?selectedIssue=PAY-12",
        f"{SITE}/jira/software/c/projects/PAY/issues/PAY-12/",
        f"{SITE}/browse/PAY-12#comment-1",
        f"PAY-12 ({SITE}/browse/PAY-12)",
        f"check the login story ({SITE}/browse/PAY-12)".replace("the login story", "PAY-12"),
    ],
)
def test_check(text):
    assert parse(text, SITE) == Check("PAY-12")


@pytest.mark.parametrize("key", ["TEAM-12", "ALL-3", "OK-1", "HI-2", "SO-4", "RUN-7", "NOW-5", "A_B-9"])
def test_keys_that_look_like_courtesy(key):
    assert parse(f"check {key}", SITE) == parse(key, SITE) == Check(key)


@pytest.mark.parametrize(
    "text",
    [
        "how often may a user try to log in?",
        "what does PAY-12 say about 30 days?",
        "check whether PAY-12 is fine",
        "please tell me who decided PAY-12",
        "https://elsewhere.example/browse/PAY-12",
        f"{SITE}.evil.example/browse/PAY-12",
        f"{SITE}/wiki/spaces/QA",
        "https://evil.example/jira.firm.example/browse/PAY-12",
        "test cases for the login page",
        "which tests cover PAY-12?",
        "where are the test cases for PAY-12?",
        "drop 30 days of the limit?",
        "drop table users",
        "drop",
        "add",
        "remove 2-1",
        "drop 1-9999",
        "helpful?",
        "PAY-",
        "test cases for https://elsewhere.example/browse/PAY-12",
    ],
)
def test_anything_else_is_a_question(text):
    assert parse(text, SITE) == Question(text)


def test_a_question_is_kept_as_it_was_written():
    text = "Hi, please tell me:\n  is *this* right? Thanks!"
    assert parse(f"\n{text} ", SITE) == Question(text)


def test_links_count_at_the_configured_jira_only():
    assert parse("https://dc.example/jira/browse/PAY-1", "https://dc.example/jira/") == Check("PAY-1")
    assert isinstance(parse("https://dc.example/other/browse/PAY-1", "https://dc.example/jira"), Question)
    assert isinstance(parse("https://dc.example/browse/PAY-1", ""), Question)


@pytest.mark.parametrize(
    ("text", "key", "form"),
    [
        ("test cases for PAY-12", "PAY-12", None),
        ("Test-Cases for pay-12!", "PAY-12", None),
        ("testcases of PAY-12", "PAY-12", None),
        ("please write me some test cases for the story PAY-12", "PAY-12", None),
        (f"test cases for {SITE}/browse/PAY-12 as xray", "PAY-12", "xray"),
        ("draft test cases for PAY-12 as gherkin", "PAY-12", "gherkin"),
        ("Draft test cases for PAY-12, as CSV please.", "PAY-12", "csv"),
        ("gherkin test cases for PAY-12", "PAY-12", "gherkin"),
        ("test cases for PAY-12 in Test Rail format", "PAY-12", "testrail"),
        ("I need test cases for PAY-12 again", "PAY-12", None),
        ("test cases", None, None),
        ("test cases from this thread", None, None),
        ("draft test cases about our discussion as an excel file", None, "xlsx"),
        ("give me the test cases as zephyr", None, "zephyr"),
    ],
)
def test_cases(text, key, form):
    assert parse(text, SITE) == Cases(key, form)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("add the boundary of 30 days", Refine("the boundary of 30 days", (), None)),
        ("Please add: what if the user logs in again?", Refine("what if the user logs in again", (), None)),
        ('add a case for an "expired card" (mobile)', Refine('a case for an "expired card" (mobile)', (), None)),
        ("drop 4", Refine("", (4,), None)),
        ("drop 2, 4 and 6-8", Refine("", (2, 4, 6, 7, 8), None)),
        ("remove cases 3 and 2, please", Refine("", (2, 3), None)),
        ("delete #4, #5.", Refine("", (4, 5), None)),
        ("drop TC-4 to TC-6", Refine("", (4, 5, 6), None)),
        ("drop 4 and add the case of an expired card", Refine("the case of an expired card", (4,), None)),
        ("add the expired card and drop 4", Refine("the expired card", (4,), None)),
        ("add when sales drop 4 per cent", Refine("when sales drop 4 per cent", (), None)),
        ("drop 4, 5 and add x as csv", Refine("x", (4, 5), "csv")),
        ("as csv", Refine("", (), "csv")),
        ("export it as a spreadsheet", Refine("", (), "xlsx")),
    ],
)
def test_refine(text, expected):
    assert parse(text, SITE) == expected


@pytest.mark.parametrize("form", FORMS)
def test_every_form_has_a_name(form):
    assert parse(f"test cases for PAY-1 as {form}", SITE) == Cases("PAY-1", form)


@given(st.text(max_size=300))
def test_anything_is_understood_somehow(text):
    wish = parse(text, SITE)
    assert isinstance(wish, Help | Check | Cases | Refine | Question)
    if isinstance(wish, Question):
        assert wish.text == text.strip()


WORDS = ("please", "check", "add", "drop", "the", "and", "test cases", "for", "as", "csv", "PAY-1", "2", "-", ",", "(")
MORE = (")", "<", ">", f"{SITE}/", "`*_", ":x:", "hi", "can you", "2-3", "also", "this thread", "again", "thanks")


@given(st.lists(st.sampled_from(WORDS + MORE), max_size=200))
def test_mixtures_of_its_own_words_take_no_time(words):
    began = time.perf_counter()
    parse(" ".join(words), SITE)
    assert time.perf_counter() - began < 0.2


LONG = (
    *("check " * 7_000, "please " * 280, "add " + "and drop 1 " * 180, "drop " + "1," * 990, "a-" * 990, "(" * 1_999),
    *("https://" * 240, "drop " + "the " * 490, "x" + " thanks" * 280, " " * 40_000, "-" * 1_999 + "x", "a_" * 990),
    *("check " + "a" * 40_000, "test cases for " + "the " * 400, ":a" * 999, f"{SITE}/?" + "a=1&" * 490),
)


@pytest.mark.parametrize("text", LONG, ids=lambda text: repr(text[:12]))
def test_no_text_takes_long(text):
    began = time.perf_counter()
    parse(text, SITE)
    assert time.perf_counter() - began < 0.2


@pytest.mark.parametrize(
    "text",
    [
        "check BKG-148, BKG-142",
        "check BKG-148 and BKG-142",
        "Draft test cases for BKG-148 and BKG-142",
        "as word",
        "test cases for BKG-148 as docx",
        "give me that as a pdf file",
    ],
)
def test_what_is_nearly_a_command_is_told_how_to_be_one(text):
    assert isinstance(parse(text, SITE), Unclear)


@pytest.mark.parametrize(
    "text", ["is the token stored as text?", "What is kept as html", "can we export orders to pdf and who may do it?"]
)
def test_a_question_with_such_words_stays_one(text):
    assert isinstance(parse(text, SITE), Question)


@pytest.mark.parametrize("text", ["is BKG-148 ready?", "Is the story BKG-148 ready to be planned?"])
def test_whether_a_ticket_is_ready_is_a_check(text):
    assert parse(text, SITE) == Check("BKG-148")
