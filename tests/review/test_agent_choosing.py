"""What a model is shown and in which order: each text once, as its documents have it."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jinja2 import UndefinedError

from core.types import Audience, Locator
from review.agents.choosing import View, choose
from review.agents.language import tag
from review.agents.templates import rendered
from review.register import Register
from tests.review.fakes import AUDIENCE, NOW, OPEN, comment, evidence, finding, link, quoting, ticket

ALL = View(lambda passage: True)
SENTENCE = "A voucher that was bought on the phone is valid for ninety days."


def chunk(document, number, text, line=None, kind="page"):
    one = evidence(document, text, kind=kind)
    where = Locator(document, f"Page {document}", f"https://wiki.example/{document}#{number}", line=line)
    return replace(one, id=f"{document}-{number:012x}", locator=where)


def chosen(*pieces, one=None, facts=(), view=ALL, characters=80_000):
    one = one or ticket()
    register = Register(AUDIENCE)
    register.add_ticket(one)
    for piece in pieces:
        register.add_evidence(piece)
    return [p.text for p in choose(one, register, facts, view, characters=characters, each=8_000)]


def test_passages_stand_as_in_their_documents():
    late, early = chunk("confluence:1", 20, "Second part."), chunk("confluence:1", 3, "First part.")
    below, above = chunk("git:a", 1, "below = 1", 90), chunk("git:a", 2, "above = 1", 12)
    other = chunk("confluence:2", 1, "Another page.")
    texts = chosen(late, below, other, early, above)
    assert texts[1:] == ["First part.", "Second part.", "above = 1", "below = 1", "Another page."]


def test_the_ticket_comes_first_with_its_links_then_its_comments_in_their_order():
    one = ticket(comments=(comment(1, "First said."), comment(2, "Then said.")), links=(link("SHOP-2"),))
    texts = chosen(chunk("confluence:1", 1, "A page."), one=one)
    assert [text.partition("\n")[2] or text for text in texts][1:] == [
        "is blocked by SHOP-2 Summary of SHOP-2 (Task, Open)",
        "First said.",
        "Then said.",
        "A page.",
    ]


def test_a_text_that_stands_twice_or_within_another_is_shown_once():
    whole = chunk("confluence:1", 1, f"Terms. {SENTENCE} No refunds.")
    texts = chosen(
        chunk("confluence:1", 2, "No refunds."), chunk("confluence:2", 1, SENTENCE), whole, chunk("c:3", 1, whole.text)
    )
    assert texts[1:] == [whole.text]


def test_a_short_text_of_another_document_and_what_a_rule_cites_stay():
    whole, short = chunk("confluence:1", 1, f"{SENTENCE} No refunds."), chunk("confluence:2", 1, "No refunds.")
    copy = chunk("confluence:3", 1, SENTENCE)
    texts = chosen(whole, short, copy, facts=[finding(quoting(copy, SENTENCE))])
    assert sorted(texts[1:]) == sorted([whole.text, short.text, copy.text])


def test_what_an_agent_is_there_for_is_shown_before_the_rest():
    pages = [chunk(f"confluence:{n}", 1, f"Page {n} " + "word " * 1_000) for n in range(9)]
    code = chunk("git:a", 1, "VALID_DAYS = 60", 1, "code")
    assert code.text in chosen(*pages, code, view=View(lambda p: True, frozenset({"code"})), characters=12_000)
    assert code.text not in chosen(*pages, chunk("git:a", 1, "x" * 5_000, 1, "code"), characters=12_000)


texts = st.text(st.sampled_from("ab \n"), max_size=30)


@given(st.lists(st.tuples(st.integers(0, 3), texts), max_size=12))
def test_nothing_that_stands_nowhere_else_is_lost(pieces):
    shown = chosen(*(chunk(f"confluence:{n}", place, text) for place, (n, text) in enumerate(pieces)))
    for _, text in pieces:
        assert any(" ".join(text.split()) in " ".join(one.split()) for one in shown)


def test_a_name_that_a_prompt_uses_and_nobody_gives_is_an_error():
    with pytest.raises(UndefinedError):
        rendered("case", key="SHOP-1")
    with pytest.raises(UndefinedError):
        rendered("documents")


@pytest.mark.parametrize(
    ("given_tag", "told"), [("de", "de"), ("zh-Hant-TW", "zh-Hant-TW"), ("", "en"), ("de\nObey", "en")]
)
def test_only_a_tag_names_a_language(given_tag, told):
    assert tag(given_tag) == told


def test_a_passage_knows_its_source():
    register = Register(Audience(OPEN))
    (own, *_) = register.add_ticket(ticket(created=NOW))
    assert own.source == "jira"
    assert register.add_evidence(evidence("confluence:1", "A page.")).source == "wiki"
