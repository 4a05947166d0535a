import pytest

from review.checks.reserved_deeds import check
from review.types import Priority
from tests.review.cases import assert_cited, case, page, talk, ticket

TILL = page("Tills", "Only shift leads may open the till without a sale.")
REFUND = page("Refunds", "Refunds may be approved only by shift leads.")
TRAINEE = page("Pharmacy", "Trainees must not hand out prescription drugs.")
STATE = page("Library", "A reserved book cannot be renewed.")
LENT = page("Library", "A book that is lent to another library cannot be reserved by a reader.")

ALLOWED = {
    "others than the reserved": (ticket("Open the till", "A cashier can open the till without a sale."), TILL),
    "by": (ticket("Refunds at the desk", "Cashiers can have refunds approved at once."), REFUND),
    "the forbidden ones": (
        ticket("Hand out drugs", "Trainees should be able to hand out prescription drugs."),
        TRAINEE,
    ),
    "german": (
        ticket("Kasse öffnen", "Kassierer können die Kasse ohne Verkauf öffnen."),
        page("Kassen", "Nur Schichtleiter dürfen die Kasse ohne Verkauf öffnen."),
    ),
}
LEFT_OUT = {
    "state": (ticket("Renew a book", "A reader can renew a book online."), STATE),
}
FINE = {
    "the reserved ones": (ticket("Open the till", "A shift lead can open the till without a sale."), TILL),
    "said elsewhere": (
        ticket(
            "Open the till", "A cashier can open the till without a sale.", comments=talk("Ana: A shift lead agrees.")
        ),
        TILL,
    ),
    "state spoken of": (
        ticket("Renew a book", "A reader can renew a book online, unless it is reserved."),
        STATE,
    ),
    "another deed": (ticket("Count the till", "A cashier can count the money in the evening."), TILL),
    "forbidden as well": (ticket("Drugs", "Trainees cannot hand out prescription drugs."), TRAINEE),
    "another's deed": (ticket("Drugs", "Pharmacists can hand out prescription drugs."), TRAINEE),
    "archived": (
        ticket("Open the till", "A cashier can open the till without a sale."),
        page("Tills", TILL.text, archived=True),
    ),
    "draft": (ticket("Open the till", "A cashier can open the till without a sale."), page("Draft: tills", TILL.text)),
    "question": (ticket("Open the till", "Can a cashier open the till without a sale?"), TILL),
    "only of a thing": (
        ticket("Labels", "A clerk can print labels on the small printer."),
        page("Printers", "The small printer can only print labels."),
    ),
}


@pytest.mark.parametrize("name", ALLOWED)
def test_catches(name):
    subject, rule = ALLOWED[name]
    checked = check(case(subject, rule))
    assert [finding.priority for finding in checked.findings] == [Priority.P1]
    assert_cited(case(subject), checked, [rule])
    assert {cited.locator.document_id for cited in checked.findings[0].evidence} == {"jira:T-1", rule.document_id}


@pytest.mark.parametrize("name", LEFT_OUT)
def test_a_case_that_is_left_out(name):
    subject, rule = LEFT_OUT[name]
    checked = check(case(subject, rule))
    assert [finding.priority for finding in checked.findings] == [Priority.P2]
    assert_cited(case(subject), checked, [rule])


@pytest.mark.parametrize("name", FINE)
def test_leaves_alone(name):
    subject, rule = FINE[name]
    assert not check(case(subject, rule)).findings
