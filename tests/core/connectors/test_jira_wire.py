"""Listings by offset."""

import pytest

from core.connectors.jira_wire import by_offset
from core.errors import SourceIncomplete


@pytest.mark.parametrize("total", [10**20, "many", None, []])
def test_a_listing_that_says_the_same_for_ever_ends(total):
    answer = {"items": [{"id": 1}, {"id": 2}], "total": total}
    with pytest.raises(SourceIncomplete, match="gave 2 of"):
        list(by_offset(lambda _start: answer, "items", "PAY-12", 5))
