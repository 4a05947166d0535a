import pytest

from review.checks import RULES
from review.checks.linked_ticket import ID, check
from review.types import Priority
from tests.review.cases import assert_cited, case, link, talk, ticket

CATCHES = {
    "blocker open": (link("is blocked by"), Priority.P1),
    "depends on, in progress": (link("depends on", status="In Progress"), Priority.P1),
    "case of the relation": (link("Is Blocked By", status="In Review"), Priority.P1),
    "german blocker": (link("wird blockiert von", status="Offen"), Priority.P1),
    "blocker rejected": (link("is blocked by", status="Closed", done=True, resolution="Won't Do"), Priority.P1),
    "curly apostrophe": (link("depends on", status="Closed", done=True, resolution="Won’t Fix"), Priority.P1),  # noqa: RUF001
    "relates to rejected": (link("relates to", status="Rejected", done=True), Priority.P2),
    "parent cancelled": (link("parent", status="Cancelled", done=True), Priority.P1),
    "german, rejected": (link("hängt ab von", status="Abgelehnt", done=True), Priority.P1),
    "declined": (link("implements", status="Done", done=True, resolution="Declined"), Priority.P1),
}
LOOK_ALIKES = {
    "blocker done": link("is blocked by", status="Done", done=True, resolution="Done"),
    "this one blocks": link("blocks"),
    "this one blocks a rejected one": link("blocks", status="Rejected", done=True),
    "related and open": link("relates to"),
    "related and done": link("relates to", status="Done", done=True, resolution="Fixed"),
    "duplicates a rejected one": link("duplicates", status="Closed", done=True, resolution="Won't Do"),
    "is duplicated by": link("is duplicated by", status="Rejected", done=True),
    "clones": link("clones", status="Closed", done=True, resolution="Won't Fix"),
    "is cloned by": link("is cloned by", status="Rejected", done=True),
    "sub-task cancelled": link("sub-task", status="Cancelled", done=True),
    "parent open": link("parent", status="In Progress"),
    "reopened with an old resolution": link("relates to", status="Open", resolution="Won't Do"),
    "a word of rejection in the summary": link("relates to", summary="Show rejected claims", status="Done", done=True),
    "german duplicate": link("dupliziert", status="Abgelehnt", done=True),
}


@pytest.mark.parametrize("name", CATCHES)
def test_catches(name):
    other, priority = CATCHES[name]
    subject = case(ticket(links=[other]))
    checked = check(subject)
    assert [finding.priority for finding in checked.findings] == [priority]
    assert other.key in checked.findings[0].statement
    assert_cited(subject, checked)


def test_its_title_is_right_whichever_case_was_found():
    (title,) = (rule.title for rule in RULES if rule.id == ID)
    assert " or " not in title


@pytest.mark.parametrize("name", LOOK_ALIKES)
def test_leaves_alone(name):
    assert not check(case(ticket(links=[LOOK_ALIKES[name]]))).findings


def test_a_rejection_that_the_ticket_knows_of_is_left_alone():
    other = link("relates to", "T-7", status="Rejected", done=True)
    assert not check(case(ticket(description="Since T-7 was rejected, staff do it by hand.", links=[other]))).findings
    assert not check(case(ticket(comments=talk("Ana: T-7 is obsolete, we do this instead."), links=[other]))).findings
    assert check(case(ticket(description="Follows T-7. Old forms are rejected.", links=[other]))).findings


def test_a_done_ticket_with_an_open_blocker_is_less_urgent():
    (finding,) = check(case(ticket(links=[link("is blocked by")], done=True))).findings
    assert finding.priority is Priority.P2


def test_a_link_that_is_there_twice_is_told_once():
    assert len(check(case(ticket(links=[link("is blocked by"), link("is blocked by")]))).findings) == 1
