from datetime import timedelta

import pytest

from state.errors import NotFound
from state.pictures import Pictures


def test_an_attempt_counts_before_it_ends_and_keeps_what_it_came_to(database, clock):
    pictures = Pictures(database)
    assert pictures.find("c1", "eye") is None
    pictures.begin("c1", "eye", clock())
    assert (pictures.find("c1", "eye").attempts, pictures.spent(clock())) == (1, (1, 0))
    pictures.finish("c1", "eye", description="A form.", refusal=None, tokens=70)
    seen = pictures.find("c1", "eye")
    assert (seen.description, seen.refusal, seen.at) == ("A form.", None, clock())
    assert pictures.find("c1", "other") is None
    assert pictures.spent(clock()) == (1, 70)


def test_spending_is_counted_from_a_moment_on(database, clock):
    pictures = Pictures(database)
    for content in ("c1", "c2", "c2"):
        pictures.begin(content, "eye", clock())
        pictures.finish(content, "eye", description=None, refusal="no", tokens=10)
        clock.tick(3600)
    assert pictures.spent(clock.now - timedelta(hours=3)) == (2, 30)
    assert pictures.spent(clock.now - timedelta(hours=2)) == (1, 20)
    assert pictures.spent(clock.now) == (0, 0)
    assert pictures.find("c2", "eye").attempts == 2


def test_nothing_is_kept_of_an_attempt_that_never_began(database):
    with pytest.raises(NotFound):
        Pictures(database).finish("c1", "eye", description="A form.", refusal=None, tokens=1)
