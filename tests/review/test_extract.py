"""Quotes where no model words an answer: what answers plainly, and nothing else."""

from dataclasses import replace

import pytest

from core.types import Evidence, Locator
from review.answer_type import meets, type_of
from review.extract import QUOTES, telling
from review.register import Register
from review.subject import subject_of
from tests.review import fakes
from tests.review.fakes import AUDIENCE


def evidence(document: str, text: str, title: str = "A page") -> Evidence:
    where = Locator(document, title, f"https://wiki.example/{document}")
    return replace(fakes.evidence(document, text), locator=where, context=title)


DOGS = evidence("confluence:1", "A guest may bring up to 2 dogs. A dog costs 5 euros a night.", title="Animals")
KEYS = evidence("confluence:2", "A lost key costs 40 euros. Keys are handed out from 15:00.", title="Keys")
QUIET = evidence("confluence:3", "Nobody plays the piano after 22:00.", title="House rules")
OTHERS = [DOGS, KEYS, QUIET]


def quoted(question: str, *found: Evidence) -> list[str]:
    return [said.text for said in telling(question, Register(AUDIENCE), found).statements]


def of_kind(kind: str, one: Evidence, **changes: object) -> Evidence:
    return replace(one, kind=kind, **changes)


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("How many dogs may a guest bring?", "A guest may bring up to 2 dogs."),
        ("What does a lost key cost?", "A lost key costs 40 euros."),
        ("When are keys handed out?", "Keys are handed out from 15:00."),
    ],
)
def test_the_sentence_that_answers_is_quoted_alone(question, answer):
    assert quoted(question, *OTHERS) == [answer]


@pytest.mark.parametrize("first", [True, False])
def test_how_long_is_answered_by_a_time_and_not_by_a_year(first):
    said = "A refund is paid to the card it came from within 14 days."
    year = "This replaces the refund rules of 2025."
    text = f"{year}\n\n{said}" if first else f"{said}\n\n{year}"
    policy = evidence("confluence:5", text, title="Refund policy: how a refund takes place")
    assert quoted("How long does a refund take?", policy, *OTHERS) == [said]


def test_how_long_is_answered_by_a_time_wherever_in_the_document_it_stands():
    year = evidence("confluence:5", "Replaces the refund rules of 2025.", title="Refund policy")
    said = evidence("confluence:5", "- A refund is paid within 14 days after it is asked for.", title="Refund policy")
    assert quoted("How long does a refund take?", year, said, *OTHERS) == [
        "A refund is paid within 14 days after it is asked for."
    ]


def test_what_is_not_found_can_be_asked_for_again():
    (unknown,) = telling("How many dogs may a guest bring?", Register(AUDIENCE), ()).unknowns
    assert "naming a ticket or page" in unknown.settled_by


@pytest.mark.parametrize(
    "question",
    [
        "What does a lost parcel cost the neighbours?",  # half of its words
        "How many days may a guest bring dogs?",  # a number, and not of days
        "What does the piano cost?",  # no price
        "Does the Bechstein belong to a guest with dogs?",  # a name that nobody writes
        "How many dogs did a guest bring in 2024?",  # a year of which nothing is said
        "Wie heißt der Hausmeister?",
    ],
)
def test_what_nothing_answers_is_refused(question):
    drafted = telling(question, Register(AUDIENCE), OTHERS)
    assert drafted.statements == ()
    assert len(drafted.unknowns) == 1


def test_nothing_found_is_refused():
    assert quoted("How many dogs may a guest bring?") == []


def test_a_question_is_no_answer():
    asked = of_kind("comment", evidence("jira:1:comment:1", "How many dogs may a guest bring?"))
    assert quoted("How many dogs may a guest bring?", asked, KEYS) == []


def test_what_is_superseded_gives_way_to_what_holds_and_is_marked_where_nothing_does():
    old = evidence(
        "confluence:9", "Superseded by another page.\n\nA guest may bring up to 3 dogs.", title="Animals, old"
    )
    archived = replace(evidence("confluence:8", "A guest may bring up to 4 dogs."), attributes={"archived": "true"})
    question = "How many dogs may a guest bring?"
    assert quoted(question, old, archived, *OTHERS) == ["A guest may bring up to 2 dogs."]
    alone = telling(question, Register(AUDIENCE), [archived, KEYS])
    assert [said.text for said in alone.statements] == ["A guest may bring up to 4 dogs."]
    assert "holds no longer" in alone.unknowns[0].what


def test_of_each_kind_of_source_that_is_asked_for_one_is_quoted():
    story = of_kind("ticket", evidence("jira:4", "Up to 3 dogs can be booked for a guest.", title="SHOP-4 Book a dog"))
    code = of_kind("code", evidence("git:inn:dogs.py", "import os\nMAX_DOGS = 4\nROOMS = 12", title="dogs.py"))
    said = quoted("How many dogs may a guest bring: do the story, the policy and the code agree?", story, DOGS, code)
    assert set(said) == {
        "Up to 3 dogs can be booked for a guest.",
        "A guest may bring up to 2 dogs.",
        "MAX_DOGS = 4",
    }


def test_a_ticket_that_is_named_answers_and_what_mentions_it_does_not():
    ticket = of_kind(
        "ticket",
        evidence("jira:7", "The owner does not want it.", title="SHOP-7 Sell the piano"),
        attributes={"key": "SHOP-7"},
    )
    other = of_kind("ticket", evidence("jira:8", "Relates to SHOP-7 and more.", title="SHOP-8 Buy a piano"))
    assert quoted("Why was SHOP-7 closed?", ticket, other, *OTHERS) == ["The owner does not want it."]


def test_a_symbol_is_found_in_its_line():
    code = of_kind("code", evidence("git:inn:dogs.py", "ROOMS = 12\nMAX_DOGS = 4\n", title="dogs.py"))
    assert quoted("What is MAX_DOGS?", code, DOGS) == ["MAX_DOGS = 4"]


def test_the_same_sentence_of_two_documents_is_said_once_with_both():
    again = evidence("jira:5", "A guest may bring up to 2 dogs.", title="SHOP-5")
    drafted = telling("How many dogs may a guest bring?", Register(AUDIENCE), [DOGS, again])
    assert [len(said.sources) for said in drafted.statements] == [2]


def test_no_more_is_quoted_than_can_be_read():
    many = [evidence(f"confluence:{n}", f"House {n}: a guest may bring up to 2 dogs.") for n in range(20, 40)]
    assert len(quoted("How many dogs may a guest bring?", *many)) == QUOTES


@pytest.mark.parametrize(
    ("text", "question"),
    [
        ("비밀번호는 12자 이상이어야 합니다.", "비밀번호는 몇 자 이상이어야 합니까?"),
        ("Счёт оплачивается в течение 21 дня.", "Когда оплачивается счёт?"),
        ("Eine Rechnung ist innerhalb von 21 Tagen fällig.", "Wann ist eine Rechnung fällig?"),
    ],
)
def test_other_scripts_are_read(text, question):
    assert quoted(question, evidence("confluence:6", text), *OTHERS) == [text]


def test_what_a_question_is_about():
    subject = subject_of("How many days are invoices kept: do the policy and SHOP-12 say the same as in 2024?")
    assert [word.text for word in subject.words] == ["days", "invoices", "kept", "2024"]
    assert [key.text for key in subject.keys] == ["SHOP-12"]
    assert subject.kinds == ("rule", "ticket")
    assert subject.measure == {"time"}
    assert subject_of("Does a guest need a ticket for the tram?").measure is None


@pytest.mark.parametrize(
    ("question", "wanted"),
    [
        ("When is an invoice due?", "time"),
        ("Until when can I cancel?", "time"),
        ("Hi! Do you know since when it holds?", "time"),
        ("Bis wann muss man sich anmelden?", "time"),
        ("Who may open the door?", "person"),
        ("By whom is it opened?", "person"),
        ("Wessen Schlüssel ist das?", "person"),
        ("Where is the key kept?", "place"),
        ("Wo liegt der Schlüssel?", "place"),
        ("Why was it closed?", "reason"),
        ("Warum ist das so?", "reason"),
        ("When a guest leaves, how much is paid back?", None),
        ("What happens to guests who leave early?", None),
        ("Which result did it have, and why?", None),
        ("Where is the rule about dogs written?", None),
        ("How many dogs may a guest bring?", None),
    ],
)
def test_what_kind_of_answer_a_question_wants(question, wanted):
    assert type_of(question) == wanted


@pytest.mark.parametrize(
    ("wanted", "text", "met"),
    [
        ("time", "It holds since 1 March 2026.", True),
        ("time", "It comes with version 3.", True),
        ("time", "Names can be corrected until the door closes.", True),
        ("time", "The desk sees the group in a list.", False),
        ("person", "Only the deputy may do so.", True),
        ("person", "It is decided by the warden.", True),
        ("person", "Owner: Maja Holm.", True),
        ("person", "Doors are painted green.", False),
        ("place", "It is in the cellar.", True),
        ("place", "See `src/doors.py`.", True),
        ("place", "Doors are painted green.", False),
        ("reason", "It is locked because children play there.", True),
        ("reason", "Wir schließen ab, damit nichts wegkommt.", True),
        ("reason", "It is locked with a key.", False),
    ],
)
def test_what_meets_it(wanted, text, met):
    assert meets(text, wanted, frozenset({"door", "doors"})) is met


def test_a_reason_in_the_next_sentence_is_quoted_with_what_it_is_for():
    piano = evidence("confluence:12", "The piano is locked. Since the fire nobody may use it.")
    assert quoted("Why is the piano locked?", piano, *OTHERS) == [
        "The piano is locked. Since the fire nobody may use it."
    ]
    assert quoted("Why is the piano locked?", evidence("confluence:12", "The piano is locked."), *OTHERS) == []


def test_what_they_means_is_quoted_with_it():
    bicycles = evidence("confluence:13", "- Guests bring bicycles. They stand in the shed.", title="Rules")
    assert quoted("Where do bicycles stand?", bicycles, *OTHERS) == ["Guests bring bicycles. They stand in the shed."]


def test_who_owns_it_is_its_owner():
    owned = evidence("confluence:14", "Owner: Maja Holm. See the piano rules.", title="Piano rules")
    assert quoted("Who owns the piano rules?", owned, *OTHERS) == ["Owner: Maja Holm."]


def test_of_a_ticket_that_is_named_what_is_no_reason_is_quoted_too():
    ticket = of_kind(
        "ticket", evidence("jira:7", "It stays here.", title="SHOP-7 Sell the piano"), attributes={"key": "SHOP-7"}
    )
    assert quoted("Why was SHOP-7 closed?", ticket, *OTHERS) == ["It stays here."]
