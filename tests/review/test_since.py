"""What changed since the last review that this audience was told of."""

import json
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from core.types import Audience, Locator
from review.previous import Previous, documents, previous_of, told_records
from review.since import compare, gone
from review.types import Cited, Finding, Priority, Settled
from tests.review.fakes import AUDIENCE, HIDDEN, NOW, OPEN, POLICY, ROLE, finding, quoting, ticket

OLD = finding(quoting(POLICY, "valid for 90 days"), statement="Old.")
STAYS = finding(quoting(ticket(), "expires after 30 days"), statement="Stays.")
NEW = finding(quoting(ticket(), "told by mail"), statement="New.")
BEFORE = Previous(NOW, "501", AUDIENCE, (OLD, STAYS))


def test_new_gone_and_as_before():
    since = compare(BEFORE, [STAYS, NEW], [], audience=AUDIENCE)
    assert (since.at, since.new, since.gone) == (NOW, {NEW.fingerprint}, ("Old.",))
    assert documents(gone(BEFORE, [STAYS, NEW], [], audience=AUDIENCE)) == {POLICY.document_id}


def test_other_words_are_no_change():
    reworded = replace(STAYS, statement="Said differently.", question="And you?", priority=Priority.P3)
    since = compare(BEFORE, [reworded, OLD], [], audience=AUDIENCE)
    assert (since.new, since.gone) == (set(), ())


def test_what_is_settled_is_not_gone():
    settled = Settled("Set aside by Ann.", (), OLD.fingerprint)
    assert compare(BEFORE, [STAYS], [settled], audience=AUDIENCE).gone == ()


def test_what_could_not_be_checked_is_not_gone():
    assert compare(BEFORE, [STAYS], [], audience=AUDIENCE, unchecked={"a-rule"}).gone == ()
    assert compare(BEFORE, [STAYS], [], audience=AUDIENCE, unchecked={"model"}).gone == ("Old.",)


def test_a_review_for_others_was_not_told_to_these():
    assert compare(None, [STAYS], [], audience=AUDIENCE) is None
    for_leads = replace(BEFORE, made_for=Audience(ROLE))
    assert compare(for_leads, [STAYS], [], audience=AUDIENCE) is None
    assert gone(for_leads, [STAYS], [], audience=AUDIENCE) == ()
    assert compare(BEFORE, [STAYS], [], audience=Audience(ROLE)).gone == ("Old.",)


def test_nothing_is_said_of_what_was_closed_since():
    assert compare(BEFORE, [STAYS], [], audience=AUDIENCE, closed={POLICY.document_id}).gone == ()
    relabelled = replace(OLD, evidence=(replace(OLD.evidence[0], labels=HIDDEN.labels),))
    assert compare(replace(BEFORE, findings=(relabelled,)), [], [], audience=AUDIENCE).gone == ()


@dataclass(frozen=True)
class Row:
    findings: Any
    told_at: datetime = NOW
    trigger_id: str = "501"
    made_for: frozenset[str] = OPEN


texts = st.text(max_size=8)
found = st.builds(
    Finding,
    rule=st.sampled_from(["a-rule", "model"]),
    category=st.sampled_from(["conflict", "missing rule"]),
    priority=st.sampled_from(Priority),
    statement=texts,
    why=texts,
    question=texts,
    evidence=st.lists(
        st.builds(
            Cited,
            locator=st.builds(Locator, texts, texts, texts, st.none() | texts, st.none() | st.integers(1, 99)),
            labels=st.frozensets(st.sampled_from(["org", "role", "hr"]), min_size=1),
            quote=texts,
            looked_for=texts,
        ),
        min_size=1,
        max_size=3,
    ).map(tuple),
)


@given(st.lists(found, max_size=4))
def test_what_is_remembered_is_read_back_as_it_was(findings):
    stored = json.loads(json.dumps(told_records(findings)))
    previous = previous_of(Row(stored))
    assert previous.findings == tuple(findings)
    assert [previous.numbered(n) for n in range(len(findings) + 2)] == [None, *findings, None]
    assert (previous.told_at, previous.trigger_id, previous.made_for) == (NOW, "501", AUDIENCE)


@given(
    st.lists(found, max_size=5),
    st.lists(found, max_size=5),
    st.frozensets(st.sampled_from(["org", "role", "hr"])),
    st.frozensets(st.sampled_from(["org", "role", "hr"])),
)
def test_whatever_was_told_no_statement_reaches_who_may_not_read_its_sources(then, now, made_for, reads):
    previous, audience = Previous(NOW, "1", Audience(made_for), tuple(then)), Audience(reads)
    since = compare(previous, now, [], audience=audience)
    if since is None:
        assert not made_for <= reads
        return
    readable = {f.statement for f in then if all(audience.may_read(c.labels) for c in f.evidence)}
    assert set(since.gone) <= readable
    assert since.new == {f.fingerprint for f in now} - {f.fingerprint for f in then}
    same = compare(previous, then, [], audience=audience)
    assert (same.new, same.gone) == (frozenset(), ())
