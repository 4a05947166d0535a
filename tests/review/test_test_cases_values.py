"""Values around a limit, in the units that people write."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from review.checks.quantities import quantities
from review.test_cases.clauses import clauses
from review.test_cases.nearby import around


def values(sentence):
    (quantity,) = quantities(sentence)
    return [one.text for one in around(quantity, sentence, upper=True)]


@pytest.mark.parametrize(
    ("sentence", "expected"),
    [
        ("after 30 days", ["29 days", "30 days", "31 days"]),
        ("within an hour", ["59 minutes", "60 minutes", "61 minutes"]),
        ("after one week", ["6 days", "7 days", "8 days"]),
        ("two working days before departure", ["1 working day", "2 working days", "3 working days"]),
        ("after a month", ["a month less one day", "a month", "a month and one day"]),
        ("after ten minutes", ["9 minutes", "10 minutes", "11 minutes"]),
        ("24 h", ["23 h", "24 h", "25 h"]),
        ("over 100 EUR", ["99.99 EUR", "100.00 EUR", "100.01 EUR"]),
        ("€5", ["4.99 EUR", "5.00 EUR", "5.01 EUR"]),
        ("1,000 yen", ["999 JPY", "1000 JPY", "1001 JPY"]),
        ("up to 10 MB", ["10 MB less one byte", "10 MB", "10 MB and one byte"]),
        ("2.5 %", ["2.4 %", "2.5 %", "2.6 %"]),
        ("more than 2 m", ["1 m", "2 m", "3 m"]),
        ("3 failed attempts", ["2 failed attempts", "3 failed attempts", "4 failed attempts"]),
        ("at most 5 requests per minute", ["4 requests per minute", "5 requests per minute", "6 requests per minute"]),
        ("a 5-parcel limit", ["4 parcel", "5 parcel", "6 parcel"]),
        ("closed from 22:00", ["21:59", "22:00", "22:01"]),
        ("from 0:00", ["00:00", "00:01"]),
        ("nach höchstens 3 Tagen", ["2 Tagen", "3 Tagen", "4 Tagen"]),
        ("zero parcels left", ["0 parcels", "1 parcel"]),
        ("2 million requests", ["1999999 requests", "2000000 requests", "2000001 requests"]),
    ],
)
def test_one_below_the_limit_and_one_above_in_its_unit(sentence, expected):
    assert values(sentence) == expected


@given(
    st.integers(0, 10**6), st.sampled_from(["parcels", "days", "minutes", "EUR", "MB", "%", "kg", "hours", "requests"])
)
def test_law_the_three_values_rise_and_the_middle_one_is_the_limit(amount, unit):
    sentence = f"at most {amount} {unit}"
    for quantity in quantities(sentence):
        tried = around(quantity, sentence, upper=True)
        at = [one.value for one in tried]
        assert at == sorted(set(at))
        assert all(value >= 0 for value in at)
        assert [one.value for one in tried if one.place == "at the limit"] == [quantity.high]
        assert len({one.text for one in tried}) == len(tried)


@pytest.mark.parametrize(
    ("text", "condition", "outcome"),
    [
        ("When it is late, then it is refused", "When it is late", "It is refused"),
        ("It is refused if it is late", "If it is late", "It is refused"),
        (
            "The pass stops when one is missed, and mail goes out",
            "When one is missed",
            "The pass stops, and mail goes out",
        ),
        ("Wenn er zu spät ist, wird er abgelehnt", "Wenn er zu spät ist", "Wird er abgelehnt"),
        ("It is refused", "", "It is refused"),
        ("Once", "", "Once"),
    ],
)
def test_a_condition_and_what_then_holds(text, condition, outcome):
    parts = clauses(text)
    assert (parts.condition, parts.outcome) == (condition, outcome)
