import pytest

from review.checks.undecided import check
from review.types import Priority
from tests.review.cases import assert_cited, case, change, comment, talk, ticket

CRITERIA = "\n\n## Acceptance criteria\n- It works."
CATCHES = {
    "tbd": ticket("Late fee", "The fee for late books is TBD." + CRITERIA),
    "tbc in brackets": ticket("Shuttle", "The shuttle leaves at 9:00 (tbc)." + CRITERIA),
    "to be decided": ticket("Cabin bags", "Whether pets count as bags is still to be decided." + CRITERIA),
    "not decided yet": ticket("Cabin bags", "We have not decided yet who pays for damage." + CRITERIA),
    "haven't decided, curly": ticket("Cabin bags", "We haven’t decided who pays." + CRITERIA),  # noqa: RUF001
    "question marks": ticket("Deductible", "Deductible for storms: ??? EUR" + CRITERIA),
    "two question marks for a value": ticket("Deductible", "- Deductible for storms: ??\n- Hail: 200 EUR" + CRITERIA),
    "still unsure": ticket("Vaccines", "We are still unsure whether children need a second dose." + CRITERIA),
    "we need to decide": ticket("Level cap", "We still need to decide whether guests may trade." + CRITERIA),
    "unclear if": ticket("Vaccines", "It is unclear if children need a second dose." + CRITERIA),
    "open questions listed": ticket("Exam", "## Open questions\n- Who grades retakes?\n- How many tries?" + CRITERIA),
    "open point label": ticket("Exam", "Open point: who grades retakes." + CRITERIA),
    "field": ticket("Rate", "See field." + CRITERIA, fields={"Regional price": "tbd by finance"}),
    "summary": ticket("Cap for guests (to be confirmed)", "A cap." + CRITERIA),
    "comment": ticket("Rate", "A rate." + CRITERIA, comments=talk("Ana: The rate for students is not decided yet.")),
    "comment followed by other matters": ticket(
        "Rate",
        "A rate." + CRITERIA,
        comments=talk("Ana: The student discount is TBD.", "Ben: The icon was decided: blue."[:0] or "Ben: Nice icon!"),
    ),
    "table": ticket("Rate", "| Zone | Price |\n|---|---|\n| Inner | 3 |\n| Outer | TBD |" + CRITERIA),
    "german": ticket("Mahnung", "Die Frist für die zweite Mahnung ist noch zu klären." + CRITERIA),
    "german, not decided": ticket("Mahnung", "Ob wir Gebühren nehmen, ist noch nicht entschieden." + CRITERIA),
    "german, unclear": ticket("Mahnung", "Unklar, ob Firmen auch gemahnt werden." + CRITERIA),
}
LOOK_ALIKES = {
    "nothing": ticket("Late fee", "The fee for late books is 2 EUR." + CRITERIA),
    "no longer open": ticket("Late fee", "What was TBD last week is no longer open: 2 EUR." + CRITERIA),
    "was decided": ticket("Late fee", "It was undecided before, then it was decided to take 2 EUR." + CRITERIA),
    "code": ticket("Seeds", "The file holds `TBD` in row 1.\n```\nstatus = TBD\n```" + CRITERIA),
    "quote": ticket("Seeds", "> the fee is TBD\n\nIt is 2 EUR now." + CRITERIA),
    "part of a word": ticket("TBDX sensors", "The TBDX-9 and the tbcell are mounted." + CRITERIA),
    "a text that the product shows": ticket("Fixtures", "Matches without a date show “TBD” as their date." + CRITERIA),
    "a label without quotation marks": ticket("Fixtures", "Replace the TBD label by the real date." + CRITERIA),
    "condition that the product handles": ticket("Venue", "If the venue is undecided, hide the map." + CRITERIA),
    "open question as a kind of question": ticket("Quiz", "Teachers can add an open question to a quiz." + CRITERIA),
    "orders to be confirmed": ticket("Hosts", "Hosts see a list of bookings to be confirmed." + CRITERIA),
    "no open questions": ticket("Exam", "## Open questions\nNone\n" + CRITERIA),
    "nothing is tbd": ticket("Exam", "There are no open questions left." + CRITERIA),
    "answered in the list": ticket("Exam", "## Open questions\n- [x] Who grades? \n- ~~How many?~~" + CRITERIA),
    "struck out": ticket("Exam", "The limit is ~~TBD~~ three." + CRITERIA),
    "comment decided later": ticket(
        "Rate",
        "A rate." + CRITERIA,
        comments=talk("Ana: The student discount is TBD.", "Ben: Decided: the student discount is 20 %."),
    ),
    "comment settled by the text": ticket(
        "Rate",
        "A rate. Students get a discount of 20 %." + CRITERIA,
        comments=talk("Ana: The student discount is TBD."),
        history=[change("description", "A rate.", "A rate. Students get a discount of 20 %.", 2)],
    ),
    "not any longer": ticket("Late fee", "Who pays is not any longer an open point: the reader does." + CRITERIA),
    "decided with": ticket("Late fee", "The open question was the fee (decided with the board: 2 EUR)." + CRITERIA),
    "a bit surprised": ticket("Rate", "Users wrote: so dear ?? and left." + CRITERIA),
    "very surprised": ticket("Rate", "Users wrote: what??? Why so dear." + CRITERIA),
    "german, decided": ticket("Mahnung", "Die Frist war noch zu klären, nun wurde entschieden: 10 Tage." + CRITERIA),
    "german, product state": ticket("Rechnung", "Kunden sehen, welche Rechnungen noch offen sind." + CRITERIA),
    "the game decides": ticket("Referee", "The referee must decide whether the ball was in." + CRITERIA),
    "bot": ticket("Rate", "A rate." + CRITERIA, comments=[comment("Bot", "The fee is TBD.", 1, by_bot=True)]),
    "reported by the other rule": ticket("Rate", "A rate.\n\nAcceptance criteria: TBD"),
    "reported by the other rule, below": ticket("Rate", "A rate.\n\n## Acceptance criteria\n\nTBD\n"),
}

OPEN = (
    "Language of the voice menu: tbd",
    "Not clear yet who listens to recordings.",
    "The maximum length of a recording remains to be defined.",
    "Whether we store the number is up for discussion.",
    "TODO: decide on the greeting.",
    "Legal has not confirmed yet whether we may record.",
    "Waiting for legal's decision on recordings.",
    "Needs a decision: do we record calls?",
    "We're not sure whether to record calls.",
    "Storage time - open, to be clarified with legal.",
    "Noch offen: Dauer der Aufnahme",
    "Die Dauer muss noch mit dem Datenschutz geklärt werden.",
    "Price for vans: TBA",
    "We are still discussing whether vans are stored.",
    "Opening hours are not fixed yet.",
    "Whether we store spare wheels is open.",
    "Needs input from the insurer: limit per customer?",
    "Limit per customer: to be agreed with the insurer",
    "It has not been defined who labels the tyres.",
    "What about motorcycles? Tbd.",
    "Wer haftet, ist noch nicht geklärt.",
    "The cut-off date has yet to be determined.",
    "Exact wording: TBD",
    "Max group size tbc",
    "Who informs the parents? Not decided.",
    "It's not yet clear whether siblings get priority.",
    "Decision on siblings pending from the board.",
    "We'll decide later if twins count once.",
    "Open question: do twins count once?",
    "Priority for siblings needs to be clarified with the city.",
    "Twins - to be discussed",
    "The number of places (???) per group",
    "No decision has been made about siblings yet.",
    "The retention period still has to be decided by legal.",
    "Die Gruppengröße steht noch nicht fest.",
    "Geschwisterregel: offen, wird noch geklärt",
    "The exact threshold will be decided later.",
    "We don't know yet if the city pays.",
    "Subject to a decision by the board",
    "Twins: to be confirmed by the city.",
)
PRODUCT = (
    "Callers who are unsure can ask for a person.",
    "If the reading is unclear, ask again.",
    "The status of the call is 'to be confirmed'.",
    "Decide by the first digit which menu is played.",
    "A reading can be corrected until the bill is final.",
    "The question whether to record was settled: we do not.",
    "Show 'n/a (TBD)' in no case.",
    "Calls that are not yet confirmed are played first.",
    "The question mark button opens the help.",
    "Support is open until 6 pm.",
    "Bereits geklärt: Dauer 3 Minuten.",
    "Anrufer können eine offene Rechnung bezahlen.",
    "Confirm the storage with the customer.",
    "The customer decides where the tyres go.",
    "Show open orders and open invoices.",
    "If no season is defined, use summer.",
    "The shop can define the season later.",
    "An agreement is to be signed by the customer.",
    "We discussed vans: they are stored.",
    "Applicants whose place is not confirmed yet see a clock.",
    "The status 'Undecided' is shown in grey.",
    "Parents can mark a date as TBD.",
    "Show the number of open questions from parents.",
    "The director decides who gets the place.",
    "If it is unclear whether a child is older than 3, ask for the birth certificate.",
    "We decided that twins count once.",
    "The list is no longer under discussion.",
    "Parents who have not decided within 5 days lose the place.",
    "Undecided parents get a reminder.",
    "As discussed, the rule about twins has been clarified.",
    "A pending decision is shown with a clock.",
    "The deadline was TBD but is now 1 May.",
    "The open-question field accepts 500 characters.",
    "Users to be confirmed are listed first.",
    "Eltern, die sich noch nicht entschieden haben, bekommen eine Mail.",
)


def kindergarten(sentence):
    return case(ticket("Waiting list for kindergarten places", sentence + CRITERIA))


@pytest.mark.parametrize("sentence", OPEN)
def test_catches_the_sentence(sentence):
    assert check(kindergarten(sentence)).findings


@pytest.mark.parametrize("sentence", PRODUCT)
def test_leaves_the_sentence_alone(sentence):
    assert not check(kindergarten(sentence)).findings


@pytest.mark.parametrize("name", CATCHES)
def test_catches(name):
    subject = case(CATCHES[name])
    checked = check(subject)
    assert len(checked.findings) == 1
    assert checked.findings[0].priority is Priority.P1
    assert_cited(subject, checked)


@pytest.mark.parametrize("name", LOOK_ALIKES)
def test_leaves_alone(name):
    assert not check(case(LOOK_ALIKES[name])).findings


def test_a_decision_in_a_later_comment_lowers_what_the_text_leaves_open():
    subject = case(
        ticket("Rate", "The student discount is TBD." + CRITERIA, comments=talk("Ben: Decided: 20 % student discount."))
    )
    checked = check(subject)
    assert [finding.priority for finding in checked.findings] == [Priority.P2]
    assert len(checked.findings[0].evidence) == 2
    assert_cited(subject, checked)


def test_one_finding_for_one_place_however_many_points():
    subject = case(ticket("Rate", "The fee is TBD. The zone is TBD. The name is TBC." + CRITERIA))
    (finding,) = check(subject).findings
    assert len(finding.evidence) == 3
