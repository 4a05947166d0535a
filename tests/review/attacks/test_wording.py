"""What a model writes stays harmless however it is put together."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from review.wording import plain
from tests.review.attacks.judging import judge_words

PIECES = (
    *(
        "[~",
        "accountid:",
        "u-1",
        "]",
        "<@",
        "<!",
        "<#",
        ">",
        "@",
        "everyone",
        "channel",
        "(",
        ")",
        "[",
        "|",
        "<b>",
        "<",
    ),
    *("https", ":", "//", "evil.example", "/x", "www.", "data:", "java", "script:", "mailto:", "xn--", "банк", ".рф"),
    *(" ", "\n", "\u200b", "\u00ad", "\u2060", "\u202e", "\U000e0041", "ｅ", "：", "／", "。"),  # noqa: RUF001 - full width
)


@settings(max_examples=400, deadline=None)
@given(st.lists(st.sampled_from(PIECES) | st.text(max_size=2), max_size=24).map("".join))
def test_no_mention_and_no_address_comes_together(text):
    judge_words([plain(text, 500)])


@settings(max_examples=100, deadline=None)
@given(st.lists(st.sampled_from(PIECES), max_size=24).map("".join))
def test_what_is_harmless_stays_as_it_is(text):
    once = plain(text, 500)
    assert plain(once, 500) == once


@pytest.mark.parametrize(
    "text",
    [
        "A voucher is valid for 30 days. On 1/2 of all orders and/or refunds it is not.",
        "Ein Gutschein gilt 30 Tage (z. B. ab Kauf), Rückgabe/Erstattung ausgenommen.",
        "Ваучер действует 30 дней. Возврат и/или обмен невозможен.",
        "The file a.py holds it; 5 > 3 and 2 < 4, ann.field at 10:30.",
    ],
)
def test_ordinary_sentences_are_left_alone(text):
    assert plain(text, 500) == text


def test_what_is_nested_without_end_is_not_told():
    assert plain("[" * 100 + "x" + "](y)" * 100, 500) == ""
