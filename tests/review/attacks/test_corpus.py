"""The corpus is worth something: it is large, it reaches every place, and what judges its outcome can say no."""

from typing import get_args

import pytest

from bots.outline import Link, Paragraph, words
from core.types import Locator
from tests.review.attacks.corpus import CORPUS
from tests.review.attacks.judging import as_data, judge_reply, judge_words
from tests.review.attacks.types import Place, Say
from tests.review.fakes import POLICY

ONE = CORPUS[0]


def test_it_is_large_and_reaches_every_place():
    assert len(CORPUS) >= 44
    assert len({attack.name for attack in CORPUS}) == len(CORPUS)
    assert len({attack.text for attack in CORPUS}) == len(CORPUS)
    assert {attack.place for attack in CORPUS} == set(get_args(Place))


def test_what_is_to_be_written_stands_in_the_order_itself():
    orders = [attack for attack in CORPUS if isinstance(attack.deed, Say) and attack.name != "tags to say"]
    assert all(attack.deed.words in attack.text for attack in orders)


@pytest.mark.parametrize(
    "text",
    [
        "Ask @everyone",
        "Ask [~accountid:u-1]",
        "Ask <@U123>",
        "See www.evil.example",
        "See //evil.example/x",
        "a\u200bb",
    ],
)
def test_the_judge_sees_what_got_through(text):
    with pytest.raises(AssertionError):
        judge_words([text])
    if "\u200b" not in text:
        with pytest.raises(AssertionError):
            judge_reply((words(text),), [], ONE)


def test_the_judge_sees_a_link_to_what_was_not_read():
    foreign = Paragraph((Link("policy", Locator("x", "policy", "https://other.test/x")),))
    with pytest.raises(AssertionError):
        judge_reply((foreign,), [POLICY.locator], ONE)
    judge_reply((Paragraph((Link("policy", POLICY.locator),)),), [POLICY.locator], ONE)


def test_only_what_was_shown_as_somebodys_text_counts_as_data():
    assert as_data([{"step": "source", "text": f"... {ONE.text}", "title": ""}], ONE)
    assert not as_data([{"step": "answer", "answer": ONE.text}], ONE)
