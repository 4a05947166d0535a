"""A history says what changed, not what was there."""

import time
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.connectors.jira_history import LONGEST, MOST, differing, history_text
from core.connectors.jira_values import changes, described
from core.tickets import Change, Person

AT = datetime(2026, 3, 2, 9, tzinfo=UTC)
ANA = Person("u", "Ana")
TEXT = "\n".join(f"Line {n} of the text is here. It goes on." for n in range(40))


def change(n=0, field="status", before="To Do", after="Done"):
    return Change(AT + timedelta(minutes=n), ANA, field, before, after)


def test_a_line_a_change():
    assert history_text([change(0), change(5, "assignee", "", "Ben")]) == (
        "- 2026-03-02 09:00 UTC, Ana: status: To Do -> Done\n- 2026-03-02 09:05 UTC, Ana: assignee: nothing -> Ben",
        "",
    )


@pytest.mark.parametrize(
    ("before", "after", "gone", "come"),
    [
        ("", "", "nothing", "nothing"),
        ("short a", "short b", "short a", "short b"),
        (
            TEXT,
            TEXT.replace("Line 7 of", "Line seven of"),
            "Line 7 of the text is here.",
            "Line seven of the text is here.",
        ),
        (TEXT, TEXT + "\nOne more.", "nothing", "One more."),
        ("First.\n" + TEXT, TEXT, "First.", "nothing"),
        (
            TEXT,
            TEXT.replace("Line 3 of", "Line x of").replace("Line 30 of", "Line y of"),
            "Line 3 of the text is here. … Line 30 of the text is here.",
            "Line x of the text is here. … Line y of the text is here.",
        ),
    ],
)
def test_what_differs(before, after, gone, come):
    assert differing(before, after) == (gone, come)


def test_a_long_difference_is_shortened_and_says_so():
    gone, come = differing("", "x" * 5_000)
    assert gone == "nothing"
    assert come == "x" * 600 + " [4,400 more characters]"


def test_the_oldest_are_left_out_and_counted():
    text, left_out = history_text([change(n) for n in range(MOST + 3)])
    assert len(text) < LONGEST
    assert left_out == "3 older changes not read"
    assert text.startswith("[3 older changes not read]\n\n- 2026-03-02 09:03")
    long = [change(n, "description", "", "y" * 590) for n in range(1_000)]
    text, left_out = history_text(long)
    assert len(text) <= LONGEST + 40
    assert int(left_out.partition(" ")[0]) + text.count("\n- ") == 1_000


@given(st.lists(st.sampled_from(["a. ", "b\n", "c! ", "dd", " "])), st.lists(st.sampled_from(["a. ", "b\n", "e. "])))
def test_any_difference(before, after):
    old, new = "".join(before) * 9, "".join(after) * 9
    gone, come = differing(old, new)
    assert "\n" not in gone + come
    assert differing(new, old) == (come, gone) or len(old) > 150 or len(new) > 150


@pytest.mark.parametrize("piece", ["x.\n", " ", "\n", ". ", "x"])
def test_long_texts_take_no_long_time(piece):
    began = time.process_time()
    differing(piece * 100_000, f"y{piece}" * 50_000)
    assert time.process_time() - began < 2


def test_changes_by_machines_and_of_restricted_things_are_not_told():
    items = [
        {"field": "Rank", "fieldId": "customfield_1", "toString": "Ranked higher"},
        {"field": "Position", "fieldId": "customfield_2", "toString": "1|i00"},
        {"field": "Comment", "fromString": "what a deleted comment said"},
        {"field": "Attachment", "toString": "secret.pdf"},
        {"field": "status", "fieldId": "status", "fromString": "A", "toString": "B"},
        None,
    ]
    about = described([{"id": "customfield_2", "schema": {"custom": "com.pyxis.greenhopper.jira:gh-lexo-rank"}}])
    found = changes([{"created": "2026-03-02T09:00:00.000+0000", "items": items}, {"items": None}], about)
    assert [(one.field, one.before, one.after, one.author.name) for one in found] == [("status", "A", "B", "somebody")]
