"""What a review says of how much it read of a pull request."""

from dataclasses import dataclass, field, replace

import pytest

from core.pulls.types import ChangedFile, Found, Gap, Snapshot
from core.types import Audience
from review.pull_reading import PullReading
from tests.review.cases import LABELS, ticket
from tests.review.pull_cases import piece, pull
from tests.review.standings import on

AUDIENCE = Audience(LABELS)
HUNK = "@@ -1,1 +1,1 @@\n+LIMIT = 5"


@dataclass
class Told:
    """Pull requests as they are given, with the differences of their files."""

    found: Found
    texts: dict[str, tuple[str, ...]] = field(default_factory=dict)

    def of_ticket(self, _ticket, _audience):
        return self.found

    def overview(self, snapshot):
        return piece(snapshot, "overview")

    def difference(self, snapshot: Snapshot, path: str):
        return tuple(piece(snapshot, text, at=path) for text in self.texts[path])


def reading(snapshot: Snapshot, *gaps: Gap, **texts: tuple[str, ...]) -> PullReading:
    """With every text in `texts` asked for."""
    told = Told(Found((snapshot,), gaps), texts)
    made = PullReading(told, AUDIENCE, tuple)
    made.find(ticket("Limit", "At most 5."), frozenset())
    for path in texts:
        made.difference(snapshot, path)
    return made


def said(made: PullReading) -> tuple[str, list[str]]:
    (seen,) = made.seen()
    return seen.says[-1], [unknown.what for unknown in made.unexamined()]


@pytest.mark.parametrize(
    ("texts", "how_much", "unexamined"),
    [
        ({}, "2 changed files, 0 of them examined.", ["2 changed files of 2 were not examined: a, b."]),
        ({"a": (HUNK,)}, "2 changed files, 1 of them examined.", ["1 changed file of 2 was not examined: b."]),
        ({"a": (HUNK,), "b": ()}, "2 changed files, 2 of them examined.", []),
        (
            {"a": (HUNK, f"{HUNK}\n[Not examined: the rest of the difference, 9 changed lines.]"), "b": (HUNK,)},
            "2 changed files, 1 of them examined, 1 in part.",
            ["1 changed file of 2 was examined only in part: a."],
        ),
        (
            {"a": ("[Added. Not examined: it is too large to be compared.]",), "b": (HUNK,)},
            "2 changed files, 1 of them examined.",
            ["1 changed file of 2 was not examined: a."],
        ),
    ],
)
def test_how_much_was_examined(texts, how_much, unexamined):
    made = reading(pull(files=["a", "b"]), **texts)
    assert said(made) == (how_much, [f"Pull request 7 of shop: {what}" for what in unexamined])


def test_what_is_not_text_is_told_by_the_snapshot_alone():
    made = reading(pull(files=[ChangedFile("logo.png", "added", special="binary")]))
    assert said(made) == ("1 changed file, 0 of them examined.", [])


def test_no_changed_file():
    assert said(reading(pull(files=[]))) == ("No changed file.", [])


def test_whether_all_was_read():
    assert reading(pull()).all_read
    assert not reading(pull(), Gap("One was not read.", "Somebody.")).all_read
    hidden = replace(pull(), labels=frozenset({"repo:other"}))
    told = Told(Found((hidden,)))
    made = PullReading(told, AUDIENCE, tuple)
    assert made.find(ticket("Limit", "At most 5."), frozenset()) == []
    assert made.snapshots == ()


def test_where_it_runs_is_said_entered_and_left_out_where_it_is_closed():
    entered = []
    snapshot = on(pull(state="merged"), staging="yes", production="no", test="unknown")

    def enter(evidence):
        entered.extend(evidence)
        return tuple(evidence)

    made = PullReading(Told(Found((snapshot,))), AUDIENCE, enter)
    made.find(ticket("Limit", "At most 5."), frozenset())
    (seen,) = made.seen()
    assert seen.says[0] == "It is on staging since 2026-03-02 09:00 UTC, not on production yet."
    assert {one.document_id for one in entered if one.kind == "deployment"} == made.environments()
    assert made.environments() == {"deployed:staging", "deployed:production", "deployed:test"}
    closed = PullReading(Told(Found((snapshot,))), AUDIENCE, tuple)
    closed.find(ticket("Limit", "At most 5."), frozenset({"deployed:staging"}))
    assert closed.environments() == {"deployed:production", "deployed:test"}
    assert closed.seen()[0].says[0] == "It is not on production yet."


def test_what_is_not_merged_is_told_only_where_it_runs():
    made = reading(on(pull(), staging="yes", production="no"))
    assert made.seen()[0].says[0] == "It is not merged, but on staging since 2026-03-02 09:00 UTC."
    assert len(reading(on(pull(), production="no")).seen()[0].says) == 1
