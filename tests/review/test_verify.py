"""Laws 4 and 5: nothing is told that does not stand on what this audience may read."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.types import Locator
from review.register import Register, normal
from review.types import Cited, Priority
from review.verify import QUOTE, verify
from review.wording import cut, cut_quote, plain
from tests.review.fakes import AUDIENCE, HIDDEN, POLICY, evidence, finding, quoting, ticket


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
    assert bool(verified.refused) is not stands


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
