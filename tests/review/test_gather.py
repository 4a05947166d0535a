"""What is collected before anybody judges: bounded, and entered in the register."""

from dataclasses import dataclass, field, replace

import pytest

from core.errors import IndexUnusable
from core.tickets import Field
from core.types import Audience, Evidence, NullMetrics, Query, SearchResult
from review import gather
from review.budget import Budget
from review.reading import Reading
from review.words import defaults
from tests.review.fakes import AUDIENCE, Tickets, evidence, ticket


@dataclass
class Kinds:
    """An index that answers by kind; with a ticket's key, commits that carry it."""

    documents: list[Evidence] = field(default_factory=list)
    queries: list[Query] = field(default_factory=list)
    error: Exception | None = None

    def search(self, query: Query, audience: Audience) -> SearchResult:
        self.queries.append(query)
        if self.error:
            raise self.error
        wanted = query.filters.kinds
        found = [one for one in self.documents if not wanted or one.kind in wanted]
        if wanted == {"commit"}:
            found = [one for one in found if query.text in one.text]
        return SearchResult(tuple(found[: query.limit]))

    def lookup(self, key: str, audience: Audience) -> tuple[Evidence, ...]:
        return ()

    def open_document(self, document_id: str, audience: Audience, limit: int) -> tuple[Evidence, ...]:
        return ()


def reading(index: Kinds) -> Reading:
    return Reading(Tickets(), index, AUDIENCE, Budget(), NullMetrics())


def bug(key: str, more: dict[str, str] | None = None) -> Evidence:
    made = evidence(f"jira:{key}", f"{key} The voucher was lost", kind="ticket")
    return replace(made, attributes={"type": "Bug", "done": "true", "resolution": "Fixed", "key": key} | (more or {}))


def commit(key: str) -> Evidence:
    return evidence(f"git:shop@{key}", f"{key} Keep the voucher", kind="commit")


def read_of(one: Reading) -> set[str]:
    return set(one.register.documents())


def test_fixes_of_similar_bugs_are_read():
    index = Kinds([bug("SHOP-7"), commit("SHOP-7"), commit("SHOP-9")])
    it = reading(index)
    gather.read_earlier_bugs(ticket(), it, defaults())
    assert {"jira:SHOP-7", "git:shop@SHOP-7"} <= read_of(it)
    assert "git:shop@SHOP-9" not in read_of(it)


@pytest.mark.parametrize("change", [{"done": "false"}, {"type": "Story"}, {"resolution": "Duplicate"}, {"key": ""}])
def test_what_was_not_fixed_has_no_fix(change):
    index = Kinds([bug("SHOP-7", change), commit("SHOP-7")])
    gather.read_earlier_bugs(ticket(), reading(index), defaults())
    assert len(index.queries) == 1


def test_only_some_bugs_are_looked_up():
    index = Kinds([bug(f"SHOP-{number}") for number in range(100, 130)])
    gather.read_earlier_bugs(ticket(), reading(index), defaults())
    assert len(index.queries) == 1 + gather.BUGS


def test_test_records_are_read():
    index = Kinds([evidence("qa:records:TC-1", "Voucher. Latest result: failed.", kind="qa")])
    it = reading(index)
    gather.read_test_records(ticket(), it)
    assert "qa:records:TC-1" in read_of(it)
    assert index.queries[0].limit == gather.RECORDS
    assert ticket().key in index.queries[0].text


def test_one_search_with_other_wordings():
    index = Kinds()
    subject = ticket(
        fields=(Field("f-1", "Risk", "low"), Field("f-2", "Acceptance criteria", "- It is kept for 9 days."))
    )
    gather.search_around(subject, reading(index), 5)
    assert len(index.queries) == 1
    assert index.queries[0].variants == (subject.summary, "- It is kept for 9 days.")
    assert subject.document_id in index.queries[0].filters.without


def test_a_ticket_of_a_summary_alone_is_searched_for_once():
    index = Kinds()
    gather.search_around(ticket(summary="Keep it", description=""), reading(index), 5)
    assert index.queries[0].variants == ()


@pytest.mark.parametrize("subject", [ticket(summary="", description=""), ticket(summary="***", description="--")])
def test_nothing_to_search_for(subject):
    it = reading(Kinds())
    gather.search_around(subject, it, 5)
    gather.read_earlier_bugs(subject, it, defaults())
    gather.read_test_records(subject, it)
    assert not it.unknowns


def test_what_could_not_be_searched_is_said():
    it = reading(Kinds(error=IndexUnusable("broken")))
    gather.read_earlier_bugs(ticket(), it, defaults())
    gather.read_test_records(ticket(), it)
    assert [unknown.what for unknown in it.unknowns] == [
        "How similar bugs were fixed was not looked up: the index could not be used.",
        "Test records were not searched: the index could not be used.",
    ]
