"""Confluence in every situation, from a person's comment to what stands on the page afterwards."""

import pytest

from tests.crosscheck.confluence.judging import more_than_text
from tests.crosscheck.confluence.page import BEGIN, END, PAGE, table
from tests.crosscheck.confluence.situations import SITUATIONS

PLAYED = sorted(
    ((one, flavour) for one in SITUATIONS for flavour in one.on), key=lambda played: (played[0].house, played[1])
)
"""One house after the other."""


def named(value):
    return value if isinstance(value, str) else value.name


def check(seen, wanted):
    """The same replies in the same order: word for word, or with what they must hold, in its order."""
    assert len(seen) == len(wanted), seen
    for text, words in zip(seen, wanted, strict=True):
        if isinstance(words, str):
            assert text == words
            continue
        rest = text
        for part in words.holds:
            _, found, rest = rest.partition(part)
            assert found, (part, text)
        assert [part for part in words.lacks if part in text] == [], text


def places(stage):
    """Where the replies stand that do not stand in the thread of a comment that asked, and at the same text."""
    asked = [note for note in map(stage.notes.get, stage.asked) if note is not None]
    right = {(stage.notes.first(note).id, note.marked) for note in asked}
    return [note.id for note in stage.replies() if (note.parent, note.marked) not in right]


@pytest.mark.parametrize(("situation", "flavour"), PLAYED, ids=named)
def test_what_people_see(stage, situation):
    situation.put(stage)
    check(stage.seen(), situation.seen)
    assert stage.record() == situation.record
    assert places(stage) == []
    assert [found for note in stage.replies() for found in more_than_text(note, *stage.addresses())] == []
    sent = stage.sent()
    assert [word for word in situation.never if word in sent] == []


def test_the_page_shows_the_same():
    shown = PAGE.read_text(encoding="utf-8").partition(BEGIN)[2].partition(END)[0]
    assert shown == table(), "run python -m tests.crosscheck.confluence.page"


def test_every_situation_has_a_name_of_its_own():
    names = [situation.name for situation in SITUATIONS]
    assert len(set(names)) == len(names)
