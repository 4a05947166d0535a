import pytest

from review.checks.thresholds import check
from tests.review.cases import assert_cited, case, ticket

OPEN = {
    "over and under": "Orders over 100 EUR are sent free of charge. Orders under 100 EUR cost 5 EUR.",
    "more and less": "- More than 10 parcels: two couriers.\n- Less than 10 parcels: one courier.",
    "in one sentence": "The alarm is yellow below 50 percent and green above 50 percent.",
    "ranges that share an end": "- 1 to 5 parcels: 3 EUR\n- 5 to 10 parcels: 5 EUR",
    "ranges with a gap": "- 1 to 5 parcels: 3 EUR\n- 7 to 10 parcels: 5 EUR",
    "german": "Bestellungen über 100 EUR sind frei. Bestellungen unter 100 EUR kosten 5 EUR.",
}
CLOSED = {
    "inclusive": "Orders of at least 100 EUR are sent free of charge. Orders under 100 EUR cost 5 EUR.",
    "said": "Orders over 100 EUR are free, orders under 100 EUR are not, and 100 EUR is free, too.",
    "one side": "Orders over 100 EUR are sent free of charge.",
    "different values": "Orders over 100 EUR are free. Orders under 20 EUR are refused.",
    "not over": "Orders not over 100 EUR cost 5 EUR. Orders under 100 EUR wait.",
    "ranges that meet": "- 1 to 5 parcels: 3 EUR\n- 6 to 10 parcels: 5 EUR",
    "other things": "- 1 to 5 parcels: 3 EUR\n- 5 to 10 letters: 5 EUR",
    "opening hours": "- 9:00 to 12:00 Ana\n- 12:00 to 15:00 Ben",
    "nothing": "Print the slip.",
}


@pytest.mark.parametrize("name", OPEN)
def test_catches(name):
    subject = case(ticket("Shipping", OPEN[name]))
    checked = check(subject)
    assert [finding.category for finding in checked.findings] == ["boundary and exception"]
    assert_cited(subject, checked)


@pytest.mark.parametrize("name", CLOSED)
def test_leaves_alone(name):
    assert not check(case(ticket("Shipping", CLOSED[name]))).findings
