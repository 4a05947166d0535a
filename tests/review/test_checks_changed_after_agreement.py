import pytest

from review.checks.changed_after_agreement import check
from tests.review.cases import assert_cited, case, change, comment, talk, ticket

OLD = "Members may borrow five books. Fines are paid at the desk."
NEW = "Members may borrow eight books. Fines are paid at the desk."


def agreed(word, *edits, **more):
    """Somebody writes this on day 1; edits follow."""
    return ticket("Lending", edits[-1].after if edits else OLD, comments=talk(f"Ana: {word}"), history=edits, **more)


def edit(before=OLD, after=NEW, at=2.0, field="description"):
    return change(field, before, after, at)


CATCHES = {
    "approved": agreed("Approved.", edit()),
    "lgtm": agreed("LGTM", edit()),
    "looks good": agreed("Looks good to me, thanks for the update", edit()),
    "signed off": agreed("Signed off by the library board.", edit()),
    "we agree": agreed("We agree with the text as it is.", edit()),
    "agreed": agreed("Agreed!", edit()),
    "go ahead": agreed("Please read it once more, Ben. From my side: go ahead.", edit()),
    "status": ticket("Lending", NEW, history=[change("status", "Draft", "Approved", 1), edit()]),
    "summary": agreed("Approved", change("summary", "Lend books to members", "Lend books to everybody", 3)),
    "acceptance field": agreed(
        "Approved", change("Acceptance Criteria", "Five books are lent.", "Six books are lent.", 3)
    ),
    "sentence removed": agreed("Approved", edit(after="Members may borrow five books.")),
    "sentence added": agreed("Approved", edit(after=OLD + " Children need a parent's consent.")),
    "a not slips in": agreed("Approved", edit(after="Members may not borrow five books. Fines are paid at the desk.")),
    "agreed again before the last change": ticket(
        "Lending",
        NEW,
        comments=[comment("Ana", "Approved", 1), comment("Ana", "Approved", 3)],
        history=[edit(at=2), edit(at=4)],
    ),
    "german": agreed("Freigegeben.", edit("Fünf Bücher pro Person.", "Acht Bücher pro Person.")),
    "german, fits": agreed("Passt so für mich.", edit("Fünf Bücher pro Person.", "Acht Bücher pro Person.")),
    "opposite by prefix": agreed("Approved", edit("Names are encrypted on disk.", "Names are unencrypted on disk.")),
}
LOOK_ALIKES = {
    "nobody agreed": ticket("Lending", NEW, comments=talk("Ana: Interesting idea."), history=[edit()]),
    "changed before": ticket("Lending", NEW, comments=[comment("Ana", "Approved", 3)], history=[edit(at=2)]),
    "agreed again": ticket(
        "Lending",
        NEW,
        comments=[comment("Ana", "Approved", 1), comment("Ana", "Still approved by me: looks good", 3)],
        history=[edit()],
    ),
    "agreed again, in a later clause": ticket(
        "Lending",
        NEW,
        comments=[comment("Ana", "Approved", 1), comment("Ana", "Read the new line, agreed in this form too.", 3)],
        history=[edit()],
    ),
    "not agreed": agreed("This is not agreed.", edit()),
    "once approved": agreed("Once approved, we can start.", edit()),
    "will be approved": agreed("It will be approved next week.", edit()),
    "question": agreed("Is this approved?", edit()),
    "conditional": agreed("Looks good once the fines are out.", edit()),
    "but": agreed("Looks good, but the number of books is too low.", edit()),
    "about something else": agreed("Approved loans are listed on page 2.", edit()),
    "as agreed": agreed("I moved the picture as agreed.", edit()),
    "quoted": agreed("> Approved\n\nI have not read it.", edit()),
    "whitespace and case": agreed(
        "Approved", edit(after="Members may borrow   Five books.\n\nFines are paid at the desk")
    ),
    "markup": agreed("Approved", edit(after="Members may borrow **five** books. Fines are _paid_ at the desk.")),
    "typo": agreed("Approved", edit("Members may borow five books.", "Members may borrow five books.")),
    "order only": agreed("Approved", edit(after="Fines are paid at the desk. Members may borrow five books.")),
    "reverted": agreed("Approved", edit(), edit(NEW, OLD, 3)),
    "what the agreement asked for": agreed("Approved with eight books.", edit()),
    "another field": agreed("Approved", change("Sprint", "12", "13", 2), change("status", "Open", "In Progress", 3)),
    "taken back": ticket(
        "Lending",
        NEW,
        comments=talk("Ana: Approved", "Ana: I withdraw my approval, needs rework."),
        history=[edit(at=3)],
    ),
    "sent back by status": ticket(
        "Lending",
        NEW,
        history=[change("status", "Draft", "Approved", 1), change("status", "Approved", "Draft", 2), edit(at=3)],
    ),
    "german, not yet": agreed("Noch nicht freigegeben.", edit()),
}

AGREEING = (
    "Approved by the city council.",
    "I'm fine with this, approved",
    "OK from my side",
    "Text is approved, please go on.",
    "👍 approved",
    "We've agreed on this version.",
    "All stakeholders signed off today.",
    "This looks good to us!",
    "Agreed, let's build it.",
    "I hereby approve the requirements.",
    "Great, LGTM!",
    "Accepted.",
    "Wir sind einverstanden.",
    "Abgenommen, danke!",
    "Sign-off from legal: done",
    "No objections from me.",
)
NOT_AGREEING = (
    "Not approved yet.",
    "I can't approve this.",
    "Waiting for sign-off.",
    "Who approves this?",
    "Approved requests are listed first.",
    "I'd agree if siblings came last.",
    "Looks good except for the group size.",
    "We need approval from the city first.",
    "The board has not agreed.",
    "Users have agreed to the terms, so we can mail them.",
    "Please approve.",
    "This will be signed off on Monday.",
    "As agreed in the call I changed the picture.",
    "When it's approved I will start.",
    "Ist das freigegeben?",
    "Sobald es abgenommen ist, geht es los.",
    "We agreed to meet on Monday.",
)


@pytest.mark.parametrize("words", AGREEING)
def test_takes_the_words_for_an_agreement(words):
    assert check(case(agreed(words, edit()))).findings


@pytest.mark.parametrize("words", NOT_AGREEING)
def test_takes_the_words_for_none(words):
    assert not check(case(agreed(words, edit()))).findings


@pytest.mark.parametrize("name", CATCHES)
def test_catches(name):
    subject = case(CATCHES[name])
    checked = check(subject)
    assert len(checked.findings) == 1
    assert_cited(subject, checked)


@pytest.mark.parametrize("name", LOOK_ALIKES)
def test_leaves_alone(name):
    assert not check(case(LOOK_ALIKES[name])).findings


def test_quotes_what_it_was_and_what_it_is():
    (finding,) = check(case(CATCHES["approved"])).findings
    assert [cited.quote for cited in finding.evidence] == [
        "Approved.",
        "Members may borrow five books.",
        "Members may borrow eight books.",
    ]


def test_cannot_tell_with_a_history_that_was_not_read_whole():
    checked = check(case(agreed("Approved", unread=("the older half of the history",))))
    assert not checked.findings
    assert "older half" in checked.unknowns[0].settled_by
