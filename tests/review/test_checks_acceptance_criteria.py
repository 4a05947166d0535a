import pytest

from review.checks.acceptance_criteria import check
from tests.review.cases import assert_cited, case, comment, link, talk, ticket

CATCHES = {
    "story without anything": ticket("Print the slip", "As a packer I want to print the slip so that I save time."),
    "empty description": ticket("Let pupils hand in homework late", ""),
    "heading with nothing below": ticket("Claims by phone", "Callers report damage.\n\n## Acceptance criteria\n"),
    "heading followed by another": ticket("Claims", "# Acceptance criteria\n\n# Notes\nCallers are often in a hurry."),
    "tbd below the heading": ticket("Map of the park", "A map.\n\n**Acceptance criteria**\nTBD"),
    "label with tbd": ticket("Daily quest", "Players get a quest.\n\nAcceptance criteria: TBD"),
    "template left as it was": ticket("Dosage", "Show the dose.\n\n### Definition of Done\n- [ ] <fill in>\n- [ ] \n"),
    "field that says to follow": ticket(
        "Seat map", "Shows seats.", fields={"Acceptance criteria": "to be added later"}
    ),
    "only asked for in a comment": ticket(
        "Loyalty card", "A card for regulars.", comments=talk("Ana: Please add acceptance criteria.", "Ben: Will do.")
    ),
    "bot's own words do not count": ticket(
        "Loyalty card", "A card.", comments=[comment("Bot", "Acceptance criteria: the card opens.", 1, by_bot=True)]
    ),
    "bug that only complains": ticket("Parcel label is cut off", "The last line is cut off in Chrome.", kind="Bug"),
    "given that is no scenario": ticket("Given names", "Given names are stored with the guest.\nThen the family name."),
    "german, nothing": ticket("Rabatt im Warenkorb", "Als Kundin möchte ich einen Gutschein eingeben."),
    "german, heading without content": ticket("Rabatt", "Ein Gutschein.\n\n## Akzeptanzkriterien\n- folgt\n"),
    "story in an epic": ticket("Badge", "Players see a badge.", links=[link("parent", "T-9", kind="Epic")]),
    "heading about the wrong expectation": ticket(
        "Badge", "A badge.\n\n## Expected delays of the parcel service\nUp to two days."
    ),
    "question about it": ticket("Badge", "A badge.", comments=talk("Ana: Acceptance criteria: who writes them?")),
}
PARENT = ticket("Import", "Import grades.\n\n## Acceptance criteria\n- Grades appear.", key="T-9")
LOOK_ALIKES = {
    "heading and list": ticket("Slip", "Print it.\n\n## Acceptance criteria\n- The slip shows the address."),
    "bold line": ticket("Slip", "Print it.\n\n**Acceptance Criteria:**\n1. The slip shows the address."),
    "label": ticket("Slip", "Print it.\nAC: the slip shows the address."),
    "sub-headings below": ticket("Slip", "# Acceptance criteria\n## Scenario 1\nA4 paper works."),
    "scenario in code": ticket("Login", "```gherkin\nGiven a guest\nWhen she logs in\nThen she sees her trips\n```"),
    "scenario in one line": ticket(
        "Login", "Given a guest on the start page, when she logs in, then she sees her trips."
    ),
    "field": ticket("Dose", "Show it.", fields={"Acceptance Criteria (AC)": "The dose is shown in mg."}),
    "comment": ticket("Dose", "Show it.", comments=talk("Ana: Acceptance criteria:\n- shown in mg\n- rounded")),
    "done when": ticket("Dose", "Show it. This is done when a nurse can read the dose in mg."),
    "bug with expected": ticket("Total is wrong", "Steps: add two items.\nExpected: 20\nActual: 10", kind="Bug"),
    "bug that says should": ticket("Total is wrong", "The total is 10, it should be the sum of both.", kind="Defect"),
    "list of demands": ticket("Park map", "- The map must work offline\n- It should show closed rides"),
    "sub-task of a story with criteria": ticket(
        "Parse file", "Read the CSV.", kind="Sub-task", links=[link("parent", "T-9")]
    ),
    "epic": ticket("Booking by phone", "All about the phone.", kind="Epic"),
    "german heading": ticket("Rabatt", "Gutschein.\n\n### Akzeptanzkriterien\n- Der Preis sinkt."),
    "german scenario": ticket(
        "Rabatt", "Angenommen ein Gutschein ist gültig\nWenn ich ihn eingebe\nDann sinkt der Preis"
    ),
    "empty in the text, filled in the field": ticket(
        "Dose", "## Acceptance criteria\n", fields={"Acceptance criteria": "Shown in mg."}
    ),
    "heading among other words": ticket(
        "Dose", "Show it.", comments=talk("Ana: These are my acceptance criteria for the ward:\n\n- shown in mg")
    ),
    "heading without a mark": ticket("Dose", "Show it.\n\nAC\n- shown in mg"),
    "test cases": ticket("Dose", "Show it.\n\nTest cases\n- 5 mg and 0.5 mg\n- no dose"),
    "complete when": ticket("Dose", "Show it. Complete when a nurse can read the dose in mg."),
    "accepted when": ticket("Dose", "Show it.\n\nAccepted when:\n\n- a nurse can read it"),
    "table": ticket("Dose", "**Expected results**\n\n| Input | Shown |\n|---|---|\n| 5 | 5 mg |"),
}


@pytest.mark.parametrize("name", CATCHES)
def test_catches(name):
    subject = case(CATCHES[name])
    checked = check(subject)
    assert len(checked.findings) == 1
    assert_cited(subject, checked)


@pytest.mark.parametrize("name", LOOK_ALIKES)
def test_leaves_alone(name):
    checked = check(case(LOOK_ALIKES[name], others=[PARENT]))
    assert not checked.findings
    assert not checked.unknowns
    assert checked.settled


def test_an_empty_place_is_quoted():
    (finding,) = check(case(CATCHES["tbd below the heading"])).findings
    assert "TBD" in finding.evidence[0].quote


def test_an_absence_says_what_was_looked_for():
    (finding,) = check(case(CATCHES["story without anything"])).findings
    assert not finding.evidence[0].quote
    assert "acceptance criteria" in finding.evidence[0].looked_for


def test_cannot_tell_for_a_parent_that_cannot_be_read():
    checked = check(case(LOOK_ALIKES["sub-task of a story with criteria"]))
    assert not checked.findings
    assert len(checked.unknowns) == 1


def test_cannot_tell_for_a_ticket_that_was_not_read_whole():
    checked = check(case(ticket("Slip", "Print it.", unread=("the picture mockup.png",))))
    assert not checked.findings
    assert "mockup.png" in checked.unknowns[0].what


def test_a_subtask_of_a_parent_without_criteria_lacks_them():
    parent = ticket("Import", "Import grades.", key="T-9")
    subject = case(LOOK_ALIKES["sub-task of a story with criteria"], others=[parent])
    assert len(check(subject).findings) == 1
