from itertools import product

from hypothesis import given
from hypothesis import strategies as st

from bots.types import Visibility
from bots.visibility import no_wider, same

PUBLIC = Visibility()
INTERNAL = Visibility(internal=True)


def role(value=None, identifier=None, **more):
    given = {"type": "role", "value": value, "identifier": identifier}
    return Visibility({name: held for name, held in given.items() if held is not None}, **more)


def group(value=None, identifier=None):
    return Visibility({**role(value, identifier).restriction, "type": "group"})


def test_the_axes_count_apart():
    everything = [PUBLIC, INTERNAL, role("Leads"), role("Leads", internal=True)]
    allowed = {
        (everything.index(found), everything.index(asked))
        for found, asked in product(everything, repeat=2)
        if no_wider(found, asked)
    }
    assert allowed == {(0, 0), (1, 0), (2, 0), (3, 0), (1, 1), (3, 1), (2, 2), (3, 2), (3, 3)}


def test_an_identifier_goes_before_a_name():
    assert same(group("old name", "g-1"), group("new name", "g-1"))
    assert not same(group("name", "g-1"), group("name", "g-2"))
    assert same(group("name", "g-1"), group("name"))
    assert not same(group("name"), group(identifier="name"))
    assert same(role("Leads"), role(identifier="Leads"))
    assert not same(role("Leads"), group("Leads"))


def test_what_cannot_be_compared_is_wider():
    for odd in ({}, {"type": "role"}, {"value": "Leads"}, {"type": None, "value": "Leads"}):
        assert not no_wider(Visibility(odd), role("Leads"))
        assert not no_wider(role("Leads"), Visibility(odd))


restrictions = st.none() | st.fixed_dictionaries(
    {"type": st.sampled_from(["role", "group"])},
    optional={"value": st.sampled_from(["a", "b"]), "identifier": st.sampled_from(["a", "1", "2"])},
)
visibilities = st.builds(Visibility, restrictions, st.booleans())


@given(visibilities, visibilities)
def test_same_is_no_wider_both_ways(a, b):
    assert same(a, b) == same(b, a)
    if same(a, b):
        assert no_wider(a, b)
        assert no_wider(b, a)


@given(visibilities)
def test_nothing_is_wider_than_public(found):
    assert no_wider(found, PUBLIC)
