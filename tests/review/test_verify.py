"""Laws 4 and 5: nothing is told that does not stand on what this audience may read."""

from dataclasses import replace
from datetime import timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.tickets import Change
from core.types import Locator, SearchResult
from review.case import Case
from review.decisions import Decisions
from review.register import Register, normal
from review.types import Cited, Priority
from review.verify import QUOTE, verify
from review.wording import cut, cut_quote, plain
from review.words import defaults
from tests.review.fakes import ANN, AUDIENCE, HIDDEN, NOW, POLICY, comment, evidence, finding, quoting, ticket


def register(*read):
    made = Register(AUDIENCE)
    made.add_ticket(ticket())
    for one in (POLICY, *read):
        made.add_evidence(one)
    return made


@pytest.mark.parametrize(
    ("cited", "stands"),
    [
        (quoting(POLICY, "valid for 90 days"), True),
        (quoting(POLICY, "valid\n for\u00a0 90   days"), True),
        (quoting(POLICY, "valid for 91 days"), False),
        (quoting(POLICY, "Valid for 90 days"), False),
        (quoting(ticket(), "valid for 90 days"), False),
        (quoting(HIDDEN, "Salary bands"), False),
        (Cited(ticket().locator, frozenset(), looked_for="acceptance criteria"), True),
        (Cited(ticket().locator, frozenset()), False),
        (Cited(ticket().locator, frozenset(), " \n", " "), False),
        (Cited(HIDDEN.locator, frozenset(), looked_for="salaries"), False),
        (Cited(replace(POLICY.locator, document_id="confluence:999"), AUDIENCE.labels, "valid for 90 days"), False),
    ],
)
def test_a_citation_stands_only_where_it_was_read(cited, stands):
    verified = verify([finding(cited)], register(HIDDEN))
    assert bool(verified.findings) is stands
    assert [one.reason for one in verified.refused] == ([] if stands else ["not cited"])


def test_one_citation_that_does_not_stand_takes_the_finding_with_it():
    half = replace(
        finding(quoting(POLICY, "valid for 90 days")), evidence=(quoting(POLICY, "valid"), quoting(POLICY, "x9"))
    )
    assert verify([half, replace(half, evidence=())], register()).findings == ()


def test_locator_and_labels_come_from_the_register():
    lie = Cited(
        Locator("confluence:7", "Prize", "https://evil.example/"), frozenset({"everybody"}), "valid for 90 days"
    )
    told = verify([finding(lie)], register()).findings[0].evidence[0]
    assert told.locator == POLICY.locator
    assert told.labels == POLICY.labels


def test_composed_and_decomposed_characters_are_the_same():
    page = evidence("confluence:9", "Zu\u0308rich pays")
    assert verify([finding(quoting(page, "Z\u00fcrich pays"))], register(page)).findings


def test_the_same_finding_is_told_once_with_its_highest_priority():
    found = [finding(quoting(POLICY, "valid for 90 days"), p, f"Wording {p}") for p in (Priority.P2, Priority.P0)]
    told = verify([*found, replace(found[1], rule="model", statement="A model's")], register()).findings
    assert [(f.priority, f.rule) for f in told] == [(Priority.P0, "a-rule")]


def test_texts_are_cut_and_a_cut_quote_still_stands():
    page = evidence("confluence:9", "word " * 400)
    long = finding(quoting(page, "word " * 300), statement="s " * 5_000)
    told = verify([long], register(page)).findings[0]
    assert len(told.statement) <= 500
    assert 0 < len(told.evidence[0].quote) <= QUOTE
    assert told.evidence[0].quote in normal(page.text)


def test_a_cut_ends_at_a_word():
    assert cut("it was agreed that all pay", 21) == "it was agreed that…"
    assert cut("it was agreed that all pay", 23) == "it was agreed that all…"
    assert cut("it was agreed that all pay", 19) == "it was agreed that…"
    assert cut("x" * 30, 20) == "x" * 19 + "…"
    assert cut("at the\nend", 10) == "at the end"


citations = st.builds(
    Cited,
    st.sampled_from([POLICY.locator, HIDDEN.locator, ticket().locator, Locator("x:1", "t", "https://evil.example")]),
    st.sampled_from([POLICY.labels, HIDDEN.labels, frozenset(), frozenset({"org"})]),
    st.sampled_from(["valid for 90 days", "Salary bands", "30 days", "", " ", "made up"]) | st.text(max_size=5),
    st.sampled_from(["", "acceptance criteria"]),
)
findings = st.builds(
    lambda cited, priority, rule, statement: replace(
        finding(Cited(POLICY.locator, POLICY.labels), priority, statement), evidence=tuple(cited), rule=rule
    ),
    st.lists(citations, max_size=3),
    st.sampled_from(Priority),
    st.sampled_from(["a-rule", "model"]),
    st.text(max_size=20),
)


@given(st.lists(findings, max_size=8))
def test_whatever_is_found_only_what_stands_is_told(found):
    read = register(HIDDEN)
    for told in verify(found, read).findings:
        assert told.evidence
        for cited in told.evidence:
            assert AUDIENCE.may_read(cited.labels)
            passages = [p for p in read.of(cited.locator.document_id) if p.locator == cited.locator]
            assert any(cited.quote in normal(p.text) and p.labels == cited.labels for p in passages)
            assert cited.quote or cited.looked_for


@given(st.lists(findings, max_size=8), st.randoms(use_true_random=False))
def test_the_order_of_finding_does_not_matter(found, random):
    shuffled = random.sample(found, len(found))
    assert verify(found, register()).findings == verify(shuffled, register()).findings


@pytest.mark.parametrize(
    ("written", "shown"),
    [
        ("See https://evil.example/x?y=1 now", "See now"),
        ("See [the policy](https://evil.example) now", "See the policy now"),
        ("See [the policy|https://evil.example] now", "See the policy now"),
        ("See <https://evil.example|the policy> now", "See now"),
        ("Ask www.evil.example or evil.com or evil.example/path", "Ask or or"),
        ("Ask mailto:a@evil.org, javascript:alert(1)", "Ask"),
        ("h\u200bttps://evil.example", ""),
        ("https\uff1a\uff0f\uff0fevil.example", ""),
        ("Ask [~accountid:1234] and <@U123> and <!channel>", "Ask and and"),
        ("Ask @ann and @here", "Ask ann and here"),
        ("<tool_call>post()</tool_call>", "post()"),
        ("a\x00b\x1bc\u202ed", "a b cd"),
        ("one\n\ntwo\tthree", "one two three"),
        ("Up to 3 < 4 and 5 > 4 for e.g. version 1.2", "Up to 3 < 4 and 5 > 4 for e.g. version 1.2"),
        ("Kündigung nach 30 Tagen; при входе", "Kündigung nach 30 Tagen; при входе"),
    ],
)
def test_a_models_wording_is_plain_text(written, shown):
    assert plain(written, 200) == shown


@given(st.text(), st.integers(min_value=2, max_value=50))
def test_plain_and_cut_keep_their_limits(text, limit):
    for made in (plain(text, limit), cut(text, limit)):
        assert len(made) <= limit
        assert "\n" not in made
    assert "://" not in plain(text, limit)


@given(st.text(), st.integers(min_value=1, max_value=50))
def test_a_cut_quote_is_the_beginning_of_the_quote(text, limit):
    quote = normal(text)
    assert quote.startswith(cut_quote(quote, limit))
    assert len(cut_quote(quote, limit)) <= limit
    assert bool(cut_quote(quote, limit)) is bool(quote)


def test_nothing_enters_the_register_that_the_audience_may_not_read():
    read = register()
    assert read.add_evidence(HIDDEN) is None
    assert not any("Salary" in passage.text for passage in read)


def test_the_same_text_enters_once():
    read = register()
    assert read.add_evidence(POLICY) is read.add_evidence(POLICY)


def test_of_two_passages_with_the_quote_the_cited_one_is_linked():
    second = replace(POLICY, text=f"{POLICY.text} Again.", locator=replace(POLICY.locator, heading="Again"))
    told = verify([finding(quoting(second, "valid for 90 days"))], register(second)).findings[0]
    assert told.evidence[0].locator == second.locator


def sides(*quotes, statement="The term is in conflict.", question="Which holds?", rule="model"):
    """A conflict between pages that say these sentences, each on a page of its own."""
    pages = [evidence(f"confluence:{n}", quote) for n, quote in enumerate(quotes, 20)]
    cited = tuple(quoting(one, quote) for one, quote in zip(pages, quotes, strict=True))
    conflict = replace(finding(cited[0], statement=statement), evidence=cited, question=question, rule=rule)
    return [one.reason for one in verify([conflict], register(*pages)).refused]


@pytest.mark.parametrize(
    ("quotes", "told"),
    [
        (("It expires after 30 days.", "It expires after 90 days."), "The term is in conflict."),
        (("It expires after 30 days.", "It expires before 30 days."), "The term is in conflict."),
        (("Keep it at least 30 days.", "Keep it at most 30 days."), "The term is in conflict."),
        (("Guests may cancel.", "Guests may not cancel."), "The right is in conflict."),
        (("Only admins may cancel.", "Admins may cancel."), "The right is in conflict."),
        (("Admins may cancel within 30 days.", "Guests may cancel within 30 days."), "Who may is in conflict."),
        (("Guests pay 5 EUR, members 3 EUR.", "Guests pay 3 EUR, members 5 EUR."), "The price is in conflict."),
        (("It is green.", "It is red."), "The colour is in conflict."),
        (("It expires after 30 days.", "It expires after 30 days.", "It never expires."), "The term is in conflict."),
        (
            ("Guests may cancel within 30 days.", "Admins and guests may cancel within 30 days."),
            "The ticket lets guests cancel, the page admins, too.",
        ),
    ],
)
def test_sides_that_differ_are_told(quotes, told):
    assert sides(*quotes, statement=told) == []


@pytest.mark.parametrize(
    ("quotes", "told"),
    [
        (("It expires after 30 days.",), "The term is in conflict."),
        (("It expires after 30 days.", "It expires after 30 days."), "The term is in conflict."),
        (("It expires after 30 days", "**It** expires  after 30 days."), "The term is in conflict."),
        (("A voucher expires after 30 days.", "The paper voucher expires after 30 days."), "The term is in conflict."),
        (
            ("It expires after 30 days.", "Its life ends after one month."),
            "The ticket says 30 days, the policy 90 days.",
        ),
    ],
)
def test_a_conflict_whose_sides_say_the_same_is_none(quotes, told):
    assert sides(*quotes, statement=told) == ["no conflict"]


def test_a_rule_may_tell_a_conflict_from_one_place():
    assert sides("It was rejected.", rule="linked-ticket") == []
    assert sides("It is so.", "It is so.", rule="policy-conflict") == ["no conflict"]


def test_the_same_words_on_both_sides_of_what_is_no_conflict_are_fine():
    both = replace(finding(quoting(POLICY, "valid for 90 days")), category="missing rule", rule="model")
    assert verify([both], register()).refused == ()


def decided(it, quote, rule="model", category="conflict"):
    """What becomes of a finding that sets a quote from the ticket or its comments against the policy."""
    read = Register(AUDIENCE)
    read.add_ticket(it)
    read.add_evidence(POLICY)
    place = next((c for c in it.comments if quote in c.text), it)
    cited = (quoting(place, quote), quoting(POLICY, "Vouchers are valid for 90 days after purchase."))
    found = replace(finding(cited[0]), evidence=cited, rule=rule, category=category)
    subject = Case(it, AUDIENCE, lambda _: SearchResult(()), lambda _: None, defaults(), NOW)
    return [one.reason for one in verify([found], read, Decisions(subject)).refused]


LATER = NOW + timedelta(days=1)
OLD_TEXT, NEW_TEXT = "A voucher is valid for 10 days.", "A voucher expires after 30 days. The customer is told by mail."
EDITED = Change(LATER, ANN, "description", OLD_TEXT, NEW_TEXT)


def later(number, text, days=2):
    return replace(comment(number, text), created=NOW + timedelta(days=days))


@pytest.mark.parametrize(
    ("changes", "quote", "reasons"),
    [
        ({}, "A voucher expires after 30 days.", []),
        ({"history": (EDITED,)}, OLD_TEXT, ["overtaken"]),
        ({"history": (EDITED,)}, "A voucher expires after 30 days.", []),
        (
            {"comments": (later(1, "We decided: a voucher expires after 60 days."),)},
            "A voucher expires after 30 days.",
            ["overtaken"],
        ),
        (
            {"comments": (later(1, "We decided: a voucher expires after 30 days."),)},
            "A voucher expires after 30 days.",
            [],
        ),
        (
            {"comments": (later(1, "Perhaps a voucher should expire after 60 days?"),)},
            "A voucher expires after 30 days.",
            [],
        ),
        (
            {"comments": (later(1, "We decided: the mail is sent after 60 minutes."),)},
            "A voucher expires after 30 days.",
            [],
        ),
        (
            {"comments": (later(1, "We decided: a voucher expires after 60 days.", 0.5),), "history": (EDITED,)},
            "A voucher expires after 30 days.",
            [],
        ),
        (
            {
                "comments": (
                    later(1, "We decided: a voucher expires after 60 days."),
                    later(2, "No, we decided: a voucher expires after 70 days.", 3),
                )
            },
            "We decided: a voucher expires after 60 days.",
            ["overtaken"],
        ),
        (
            {
                "comments": (
                    later(1, "We decided: a voucher expires after 60 days."),
                    later(2, "No, we decided: a voucher expires after 70 days.", 3),
                )
            },
            "No, we decided: a voucher expires after 70 days.",
            [],
        ),
    ],
)
def test_what_was_decided_otherwise_since_is_overtaken(changes, quote, reasons):
    assert decided(ticket(**changes), quote) == reasons


def test_rules_that_tell_of_the_past_may_quote_it():
    it = ticket(history=(EDITED,))
    assert decided(it, OLD_TEXT, rule="flipped-value") == []
    assert decided(it, OLD_TEXT, rule="changed-after-agreement") == []


def test_a_decision_on_a_value_leaves_findings_on_other_matters():
    it = ticket(comments=(later(1, "We decided: a voucher expires after 60 days."),))
    assert decided(it, "A voucher expires after 30 days.", category="regression risk") == []


@given(st.lists(findings, max_size=8), st.randoms(use_true_random=False))
def test_nothing_is_lost_without_a_reason(found, random):
    verified = verify(found, register())
    told = {one.fingerprint for one in verified.findings}
    proven = [one for one in found if one not in [refused.finding for refused in verified.refused]]
    assert len(proven) + len(verified.refused) == len(found)
    assert len(told) == len(verified.findings) <= len(proven)
    again = verify(random.sample(verified.findings, len(verified.findings)), register())
    assert again.findings == verified.findings
