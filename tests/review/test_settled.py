"""Before a question is asked: what was set aside or answered since, with the comment as its source."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime

import pytest

from core.errors import IndexUnusable
from core.types import Audience
from review.checks import policy_conflict, thresholds, unanswered_question, undecided
from review.previous import Previous
from review.settled import settle
from review.types import Cited, Finding, Priority
from tests.review.cases import AUDIENCE, LABELS, START, case, change, comment, day, page, ticket

LEADS = LABELS | {"jira:T:role:Leads"}


@dataclass(frozen=True)
class Set:
    fingerprint: str
    comment_id: str
    reason: str = "decided with sales"
    at: datetime = START


def found(number: int, statement: str = "", question: str = "") -> Finding:
    subject = ticket()
    cited = Cited(subject.locator, subject.labels, quote=f"Sentence {number}.")
    return Finding(
        "existing-data",
        "data and migration",
        Priority.P2,
        statement or f"Nobody says what becomes of slip {number}.",
        "Why.",
        question or f"What becomes of slip number {number}?",
        (cited,),
    )


THREE = (found(1), found(2), found(3))


def told(*findings: Finding, at: float = 4, made_for: Audience = AUDIENCE, trigger: str = "gone") -> Previous:
    return Previous(day(at), trigger, made_for, findings or THREE)


def kept(subject, previous: Sequence[Previous] = (), dismissals: Sequence[Set] = (), findings=THREE) -> list[int]:
    sifted = settle(findings, subject, previous, dismissals)
    assert len(sifted.findings) + len(sifted.settled) == len(findings)
    assert {s.fingerprint for s in sifted.settled}.isdisjoint(f.fingerprint for f in sifted.findings)
    texts = {one.locator.document_id: one.text for one in subject.ticket.comments}
    for one in sifted.settled:
        assert one.evidence
        assert all(cited.quote in texts[cited.locator.document_id] for cited in one.evidence)
        assert all(subject.audience.may_read(cited.labels) for cited in one.evidence)
    return [n for n, finding in enumerate(findings, 1) if finding in sifted.findings]


DISMISSES = comment("Ann", "#qa-check dismiss 2: decided with sales", 5)


def test_a_dismissed_finding_is_listed_with_its_comment_and_reason():
    subject = case(ticket(comments=[DISMISSES]))
    sifted = settle(THREE, subject, [], [Set(THREE[1].fingerprint, DISMISSES.id)])
    assert sifted.findings == (THREE[0], THREE[2])
    (one,) = sifted.settled
    assert "Ann" in one.what
    assert "decided with sales" in one.what
    assert THREE[1].statement in one.what
    assert one.fingerprint == THREE[1].fingerprint
    assert one.evidence == (Cited(DISMISSES.locator, DISMISSES.labels, DISMISSES.text),)


@pytest.mark.parametrize(
    "comments",
    [
        [],
        [replace(DISMISSES, text="#qa-check")],
        [replace(DISMISSES, by_bot=True)],
        [replace(DISMISSES, id="another")],
    ],
)
def test_a_dismissal_counts_only_while_its_comment_stands(comments):
    assert kept(case(ticket(comments=comments)), [], [Set(THREE[1].fingerprint, DISMISSES.id)]) == [1, 2, 3]


def test_the_last_dismissal_that_stands_is_told():
    again = comment("Ben", "well\n#qa-check dismiss 2: no such slips\nthanks", 6)
    rows = [Set(THREE[1].fingerprint, again.id, "no such slips", day(6)), Set(THREE[1].fingerprint, DISMISSES.id)]
    sifted = settle(THREE, case(ticket(comments=[DISMISSES, again])), [], rows)
    assert "no such slips" in sifted.settled[0].what
    assert sifted.settled[0].evidence[0].quote == "#qa-check dismiss 2: no such slips"


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("2: at most 30 days", [1, 3]),
        ("**2:** at most 30 days", [1, 3]),
        ("- 2: yes", [1, 3]),
        ("Re 2: they are kept", [1, 3]),
        ("re: 2, they are kept", [1, 3]),
        ("ad 2) they are kept", [1, 3]),
        ("To question 2: they are kept.", [1, 3]),
        ("to question 2 - they are kept", [1, 3]),
        ("Question 2 was decided: they are kept", [1, 3]),
        ("Zu Frage 2: sie bleiben erhalten.", [1, 3]),
        ("Hello all,\n\n1: yes\n3: they are deleted after 30 days\n\nAnn", [2]),
        ("1, 3: both are kept", [2]),
        ("1 and 3: both are kept", [2]),
        ("2:\nThey are kept for 30 days.", [1, 3]),
        ("#2: they are kept", [1, 3]),
        # no answers
        ("2: why?", [1, 2, 3]),
        ("2: still to be decided", [1, 2, 3]),
        ("2: TBD", [1, 2, 3]),
        ("2: good question", [1, 2, 3]),
        ("2: will check, I don't know yet, asking Ben", [1, 2, 3]),
        ("2:", [1, 2, 3]),
        ("9: they are kept", [1, 2, 3]),
        ("2. Open the page", [1, 2, 3]),
        ("1. Open the page\n2. Press print\n3. Wait", [1, 2, 3]),
        ("2) Press print", [1, 2, 3]),
        ("12:30 would suit me", [1, 2, 3]),
        ("2:1 for us", [1, 2, 3]),
        ("For 2 guests we print two slips", [1, 2, 3]),
        ("To 2 customers we send mail", [1, 2, 3]),
        ("2 days: that is what we need", [1, 2, 3]),
        ("Question 2 worries me", [1, 2, 3]),
        ("> 2: they are kept", [1, 2, 3]),
        ("`2: they are kept`", [1, 2, 3]),
        ("```\n2: they are kept\n```", [1, 2, 3]),
        ("#qa-check 2: they are kept", [1, 2, 3]),
    ],
)
def test_a_reply_to_a_number(text, left):
    assert kept(case(ticket(comments=[comment("Ann", text, 5)])), [told()]) == left


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("> What becomes of slip number 2?\n\nThey are kept.", [1, 3]),
        ("> Nobody says what becomes of slip 2.\n> **Question:** What becomes of slip number 2?\nKept.", [1, 3]),
        ("> slip number 2\n\nKept.\n\n> What becomes of slip number 3?\n\nDeleted.", [1]),
        ("> What becomes of slip number 2?\n\nWhy does it matter?", [1, 2, 3]),
        ("> What becomes of slip number\n\nThey are kept.", [1, 2, 3]),
        ("> slip\n\nThey are kept.", [1, 2, 3]),
        ("> What becomes of slip number 2?", [1, 2, 3]),
        ("What becomes of slip number 2? They are kept.", [1, 2, 3]),
        ("They are kept.\n> What becomes of slip number 2?", [1, 2, 3]),
    ],
)
def test_a_reply_to_a_quotation(text, left):
    assert kept(case(ticket(comments=[comment("Ann", text, 5)])), [told()]) == left


def test_a_number_means_the_last_review_told_before_the_comment():
    reply = comment("Ann", "2: they are kept", 5)
    subject = case(ticket(comments=[reply]))
    assert kept(subject, [told(at=6)]) == [1, 2, 3]
    assert kept(subject, [told(at=3), told(*THREE[::-1], at=4)]) == [1, 3]
    assert kept(subject, [told(at=3), told(THREE[0], THREE[2], at=4)]) == [1, 2]
    assert kept(subject, [told(at=4), told(THREE[0], THREE[2], at=6)]) == [1, 3]
    assert kept(subject) == [1, 2, 3]


def test_an_open_reply_does_not_speak_of_a_review_that_only_some_could_see():
    """Who writes openly answers what was told openly, even when the leads were told something else since."""
    asks, secretly = comment("Mia", "#qa-check", 1), replace(comment("Lea", "#qa-check", 3), labels=LEADS)
    open_reply = comment("Ann", "1: they are kept", 5)
    leads_reply = replace(comment("Lea", "1: they are kept", 5.5), labels=LEADS)
    reviews = [
        told(at=2, trigger=asks.id),
        told(THREE[2], at=4, made_for=Audience(LEADS), trigger=secretly.id),
    ]
    leads = replace(case(ticket(comments=[asks, secretly, open_reply])), audience=Audience(LEADS))
    assert kept(leads, reviews) == [2, 3]
    leads = replace(case(ticket(comments=[asks, secretly, leads_reply])), audience=Audience(LEADS))
    assert kept(leads, reviews) == [1, 2]
    everybody = case(ticket(comments=[asks, open_reply]))
    assert kept(everybody, reviews) == [2, 3]
    assert kept(everybody, reviews[1:]) == [1, 2, 3]


def test_the_bots_own_words_answer_nothing():
    assert kept(case(ticket(comments=[comment("Bot", "2: kept", 5, by_bot=True)])), [told()]) == [1, 2, 3]


# What the ticket, the pages and the code say


def settled(rule, subject):
    return settle(rule.check(subject).findings, subject, [], [])


LOCKS = "Lock accounts after failed sign-ins"
POLICY = page("Sign-in policy", "Accounts are locked for 30 minutes after five failed sign-ins.")


@pytest.mark.parametrize(
    ("subject", "pages", "answer"),
    [
        (
            ticket(LOCKS, "How long accounts stay locked is TBD."),
            [POLICY],
            "Accounts are locked for 30 minutes after five failed sign-ins.",
        ),
        (
            ticket(LOCKS, "The number of failed sign-ins is still to be defined."),
            [POLICY],
            "Accounts are locked for 30 minutes after five failed sign-ins.",
        ),
        (
            ticket("Cancel a booking in the app", "Whether guests may cancel after check-in is undecided."),
            [page("Booking rules", "Guests may not cancel a booking after check-in.")],
            "Guests may not cancel a booking after check-in.",
        ),
        (
            ticket(LOCKS, "The number of failed sign-ins is TBD.", fields={"Limits": "At most 5 failed sign-ins."}),
            [],
            "At most 5 failed sign-ins.",
        ),
        # not answered
        (ticket(LOCKS, "How long accounts stay locked is TBD."), [], None),
        (
            ticket(LOCKS, "How long accounts stay locked is TBD."),
            [page("Sign-in policy", "Accounts are locked after five failed sign-ins.")],
            None,
        ),
        (
            ticket(LOCKS, "How long accounts stay locked is TBD."),
            [replace(POLICY, attributes={"archived": "true"})],
            None,
        ),
        (
            ticket(LOCKS, "How long accounts stay locked is TBD."),
            [page("Sign-in policy", "Accounts used to be locked for 30 minutes after five failed sign-ins.")],
            None,
        ),
        (
            ticket(LOCKS, "How long accounts stay locked is TBD."),
            [page("Sign-in policy", "Should accounts be locked for 30 minutes after failed sign-ins?")],
            None,
        ),
        (
            ticket(LOCKS, "How long accounts stay locked is TBD."),
            [page("Gate policy", "Gates stay locked for 30 minutes.")],
            None,
        ),
        (
            ticket("Raise the lock of accounts after failed sign-ins", "How long accounts stay locked is TBD."),
            [POLICY],
            None,
        ),
        (ticket(LOCKS, "How long accounts stay locked under the new rule is TBD."), [POLICY], None),
        (
            ticket("Cancel a booking in the app", "Whether guests may cancel after check-in is undecided."),
            [page("Booking rules", "Guests may cancel their newsletter.")],
            None,
        ),
    ],
)
def test_something_undecided_is_looked_up(subject, pages, answer):
    sifted = settled(undecided, case(subject, *pages))
    assert [cited.quote for one in sifted.settled for cited in one.evidence] == ([answer] if answer else [])
    assert bool(sifted.findings) is (answer is None)


@pytest.mark.parametrize(
    ("question", "pages", "answered"),
    [
        ("How many failed sign-ins lock an account?", [POLICY], True),
        ("Does the lock of accounts also hold for admins?", [POLICY], False),
        (
            "Does the lock of accounts also hold for admins?",
            [page("Sign-in policy", "The lock of accounts after failed sign-ins does not hold for admins.")],
            True,
        ),
        ("How many failed sign-ins lock an account? And who unlocks it again?", [POLICY], False),
    ],
)
def test_an_open_question_is_looked_up(question, pages, answered):
    sifted = settled(unanswered_question, case(ticket(LOCKS, comments=[comment("Ann", question, 2)]), *pages))
    assert bool(sifted.settled) is answered
    assert bool(sifted.findings) is not answered


def code(text):
    return replace(page("signin.py", text), kind="code", source="code")


@pytest.mark.parametrize(
    ("line", "answered"),
    [
        ("MAX_FAILED_SIGN_INS = 5", True),
        ("MAX_SIGN_INS = compute()", False),
        ("MAX_UPLOADS = 5", False),
    ],
)
def test_the_code_answers_how_things_are(line, answered):
    asks = comment("Ann", "How many failed sign-ins are allowed?", 2)
    sifted = settled(unanswered_question, case(ticket(LOCKS, comments=[asks]), code(f"# account locks\n{line}\n")))
    assert [cited.quote for one in sifted.settled for cited in one.evidence] == ([line] if answered else [])


def test_the_code_does_not_decide_what_is_open():
    subject = case(ticket(LOCKS, "The number of failed sign-ins is TBD."), code("MAX_FAILED_SIGN_INS = 5"))
    assert not settled(undecided, subject).settled


SHIPPING = ticket("Shipping costs", "Orders over 100 EUR ship free. Orders under 100 EUR cost 5 EUR to ship.")


@pytest.mark.parametrize(
    ("text", "answered"),
    [
        ("Orders of 100 EUR or more ship free of shipping costs.", True),
        ("Orders from 100 EUR on ship free; shipping costs apply below.", True),
        ("Orders over 100 EUR ship free of shipping costs.", False),
        ("Orders of 90 EUR or more ship free of shipping costs.", False),
    ],
)
def test_a_page_says_what_holds_at_the_limit(text, answered):
    sifted = settled(thresholds, case(SHIPPING, page("Shipping", text)))
    assert bool(sifted.settled) is answered


RULE = page("Returns policy", "A parcel may be returned within 90 days.")


@pytest.mark.parametrize(
    ("comments", "history", "answered"),
    [
        ([comment("Ann", "We decided: a parcel may be returned within 90 days.", 3)], [], True),
        ([comment("Ann", "We decided: a parcel may be returned within 30 days.", 3)], [], False),
        ([comment("Ann", "What about returning a parcel within 90 days?", 3)], [], False),
        ([comment("Ann", "We decided: the label may be printed within 90 days.", 3)], [], False),
        (
            [comment("Ann", "We decided: a parcel may be returned within 90 days.", 3)],
            [change("description", "", "A parcel may be returned within 30 days.", 4)],
            False,
        ),
        (
            [
                comment("Ann", "We decided: a parcel may be returned within 90 days.", 3),
                comment("Ann", "Now we decided: a parcel may be returned within 30 days.", 4),
            ],
            [],
            False,
        ),
    ],
)
def test_a_later_decision_overtakes_a_conflict(comments, history, answered):
    it = ticket("Return a parcel", "A parcel may be returned within 30 days.", comments=comments, history=history)
    sifted = settled(policy_conflict, case(it, RULE))
    assert bool(sifted.settled) is answered
    assert bool(sifted.findings) is not answered


def test_what_people_said_counts_though_the_index_cannot_be_searched():
    def broken(query):
        raise IndexUnusable(query.text)

    subject = replace(case(ticket(LOCKS, "How long accounts stay locked is TBD.", comments=[DISMISSES])), search=broken)
    findings = (*THREE, *undecided.check(subject).findings)
    sifted = settle(findings, subject, [], [Set(THREE[1].fingerprint, DISMISSES.id)])
    assert sifted.findings == (THREE[0], THREE[2], findings[3])
    assert isinstance(sifted.failed, IndexUnusable)


def test_searches_are_bounded():
    asked = 0

    def counting(query):
        nonlocal asked
        asked += 1
        return case(ticket()).search(query)

    subject = replace(case(ticket()), search=counting)
    findings = [
        replace(finding, rule="model", question=f"How many slips has parcel type {n}?")
        for n, finding in enumerate([replace(found(m), category="missing rule") for m in range(30)])
    ]
    assert settle(findings, subject, [], []).findings == tuple(findings)
    assert 0 < asked <= 8


def test_the_same_in_gives_the_same_out():
    subject = case(ticket(LOCKS, "How long accounts stay locked is TBD.", comments=[DISMISSES]), POLICY)
    findings = (*THREE, *undecided.check(subject).findings)
    rows = [Set(THREE[1].fingerprint, DISMISSES.id)]
    assert settle(findings, subject, [told()], rows) == settle(findings, subject, [told()], rows)


def test_a_model_s_question_that_somebody_answered_in_the_comments_is_settled():
    asked = comment("ann", "Do slips that were printed before stay as they are?", 1)
    reply = comment("bo", "Yes, old slips keep their form.", 2)
    quoted = Cited(asked.locator, asked.labels, quote=asked.text)
    texts = ("Old slips are undecided.", "Why.", "Do they stay?")
    question = Finding("model", "undecided condition", Priority.P1, *texts, (quoted,))
    answered, open_ = case(ticket(comments=(asked, reply))), case(ticket(comments=(asked,)))
    (settled,) = settle((question,), answered, (), ()).settled
    assert settled.what.startswith("Answered in the comments: “Yes, old slips keep their form”")
    assert settled.evidence[0].locator == reply.locator
    assert settle((question,), open_, (), ()).findings == (question,)
    for other in (replace(question, category="conflict"), replace(question, rule="undecided")):
        assert settle((other,), answered, (), ()).findings == (other,)


def test_a_question_word_that_opens_a_sentence_does_not_make_it_a_condition():
    for text, found in (
        ("Which paper proves it is still to be agreed with the councils.", True),
        ("Orders which are still to be agreed with the councils are hidden.", False),
    ):
        assert bool(undecided.check(case(ticket(description=text))).findings) is found
