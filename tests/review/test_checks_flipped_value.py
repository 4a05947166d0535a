from itertools import pairwise

import pytest

from review.checks.flipped_value import check
from tests.review.cases import assert_cited, case, change, comment, ticket

LONG = "A parcel is kept for {} days at the shop. Then it goes back to the sender."


def flip(field, *values, subject=None, hours=48.0, authors=("Mia", "Ben")):
    """A field that had these values one after the other."""
    history = [
        change(field, before, after, n * hours / 24, authors[n % len(authors)])
        for n, (before, after) in enumerate(pairwise(values), start=1)
    ]
    if subject is not None:
        return ticket(subject[0], subject[1], history=history)
    if field == "description":
        return ticket("Parcel shop", values[-1], history=history)
    return ticket("Parcel shop", "Text.", fields={field: values[-1]}, history=history)


BACK = {
    "number": flip("description", LONG.format(7), LONG.format(14), LONG.format(7)),
    "number as a word": flip("description", LONG.format("seven"), LONG.format("ten"), LONG.format("seven")),
    "choice in a text": flip(
        "description",
        "The receipt is sent by e-mail to the buyer.",
        "The receipt is sent by letter to the buyer.",
        "The receipt is sent by e-mail to the buyer.",
    ),
    "negation": flip(
        "Acceptance criteria",
        "- The clerk can open the parcel.",
        "- The clerk can not open the parcel.",
        "- The clerk can open the parcel.",
    ),
    "number field": flip("Limit", "7", "14", "7"),
    "choice field": flip("Delivery", "to the door", "to the shop", "to the door"),
    "state of a matter": flip("Legal check", "Needed", "Not needed", "Needed"),
    "more than once": flip("Limit", "7", "14", "7", "14"),
    "over two values": flip("Limit", "7", "14", "21", "7"),
    "other sentences changed, too": flip(
        "description", LONG.format(7), LONG.format(14) + " The shop is told.", LONG.format(7) + " The shop is told."
    ),
    "german": flip(
        "Akzeptanzkriterien",
        "- Ein Paket bleibt 7 Tage im Laden liegen.",
        "- Ein Paket bleibt 14 Tage im Laden liegen.",
        "- Ein Paket bleibt 7 Tage im Laden liegen.",
    ),
}
ONE_WAY = {
    "changed once": flip("description", LONG.format(7), LONG.format(14)),
    "changed twice": flip("Limit", "7", "14", "21"),
    "status": ticket(history=[change("status", "Open", "Review", 1), change("status", "Review", "Open", 2)]),
    "assignee": flip("Assignee", "Ana", "Ben", "Ana"),
    "fix version": flip("Fix versions", "2.3", "2.4", "2.3"),
    "estimate": flip("Story points", "3", "5", "3"),
    "slip of the hand": flip("Limit", "7", "77", "7", hours=0.2, authors=("Mia",)),
    "typo": flip(
        "description",
        "The parcel is kept at the counter for a week.",
        "The parcel is kept at the conuter for a week.",
        "The parcel is kept at the counter for a week.",
    ),
    "whole text deleted and restored": flip("description", LONG.format(7), "", LONG.format(7)),
    "a sentence left out and restored": flip(
        "description", LONG.format(7), "Then it goes back to the sender.", LONG.format(7)
    ),
    "layout": flip("description", LONG.format(7), f"**{LONG.format(7)}**", LONG.format(7)),
    "articles": flip("description", "The parcel is kept.", "A parcel is kept.", "The parcel is kept."),
    "no history": ticket(),
}


@pytest.mark.parametrize("name", BACK)
def test_catches(name):
    subject = case(BACK[name])
    checked = check(subject)
    assert len(checked.findings) == 1
    assert_cited(subject, checked)
    assert len(checked.findings[0].evidence) == 2
    assert check(subject) == checked


@pytest.mark.parametrize("name", ONE_WAY)
def test_leaves_alone(name):
    assert not check(case(ONE_WAY[name])).findings


def test_a_decision_for_the_value_settles_it():
    flipped = BACK["number field"]
    decided = ticket(
        flipped.summary,
        flipped.description,
        fields={"Limit": "7"},
        history=flipped.history,
        comments=[comment("Ana", "Decided: it is 7 after all.", 5)],
    )
    checked = check(case(decided))
    assert not checked.findings
    assert checked.settled[0].evidence[0].quote == "Decided: it is 7 after all."


def test_a_decision_before_the_change_settles_nothing():
    flipped = BACK["number field"]
    early = ticket(
        flipped.summary,
        fields={"Limit": "7"},
        history=flipped.history,
        comments=[comment("Ana", "Decided: it is 7.", 1)],
    )
    assert check(case(early)).findings
