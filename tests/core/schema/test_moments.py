"""Times as databases write them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.schema.moments import moment_of


@pytest.mark.parametrize(
    ("text", "expected", "zoned"),
    [
        ("2026-03-04 10:00:00.123+00", "2026-03-04T10:00:00.123000+00:00", True),
        ("2026-03-04 12:00:00.1234567+02:00", "2026-03-04T10:00:00.123456+00:00", True),
        ("2026-03-04T10:00:00Z", "2026-03-04T10:00:00+00:00", True),
        ("2026-03-04 10:00:00.5", "2026-03-04T10:00:00.500000+00:00", False),
        ("1772618400000", "2026-03-04T10:00:00+00:00", True),
    ],
)
def test_times(text, expected, zoned):
    at, exact = moment_of(text)
    assert (at.isoformat(), exact) == (expected, zoned)


@given(st.text(alphabet="0123456789-+:. TZinfty", max_size=40))
def test_what_is_no_time(text):
    at, _ = moment_of(text)
    assert at is None or at.utcoffset().total_seconds() == 0
