"""The review from end to end, rules only: what is read, what is said of what could not be read."""

from dataclasses import replace

import pytest

from core.errors import IndexLocked, SourceForbidden, SourceGone, SourceUnavailable
from core.tickets import AttachedFile, Change, RemoteLink
from core.types import Freshness, NullMetrics, Query
from review.budget import Budget
from review.case import Case, Checked
from review.checks import RULES
from review.errors import NothingToReview
from review.service import Reviewer
from review.types import Priority, Settled, Unknown
from review.words import defaults
from tests.review.fakes import (
    ANN,
    AUDIENCE,
    HIDDEN,
    NOW,
    OPEN,
    POLICY,
    ROLE,
    Index,
    Tickets,
    World,
    comment,
    conflict_rule,
    evidence,
    finding,
    link,
    quoting,
    rule,
    ticket,
)


def said(unknowns: tuple[Unknown, ...]) -> str:
    return "\n".join(unknown.what for unknown in unknowns)


def test_rules_review_a_ticket_with_evidence_from_the_index():
    review = World().reviewer().review("SHOP-1", AUDIENCE)
    assert [f.rule for f in review.findings] == ["a-rule", "no-criteria"]
    assert [c.quote for c in review.findings[0].evidence] == ["expires after 30 days", "valid for 90 days"]
    assert review.findings[0].evidence[1].locator == POLICY.locator
    assert review.made_by.startswith("rules alone: no model is configured")
    assert review.degraded == ()
    assert review.numbers["findings"] == 2
    assert review.numbers["rules_seconds"] >= 0


def test_the_same_input_gives_the_same_review():
    reviews = [World().reviewer().review("SHOP-1", AUDIENCE) for _ in range(2)]
    assert replace(reviews[0], numbers={}) == replace(reviews[1], numbers={})
    assert [f.fingerprint for f in reviews[0].findings] == [f.fingerprint for f in reviews[1].findings]


def test_hidden_and_absent_tickets_get_the_same_sentence():
    world = World(Tickets({"SHOP-1": ticket(labels=ROLE)}))
    with pytest.raises(NothingToReview) as hidden:
        world.reviewer().review("SHOP-1", AUDIENCE)
    world.tickets.by_key.clear()
    with pytest.raises(NothingToReview) as absent:
        world.reviewer().review("SHOP-1", AUDIENCE)
    assert str(hidden.value) == str(absent.value)


@pytest.mark.parametrize("error", [SourceForbidden("no permission"), SourceUnavailable("down", retry_after=3)])
def test_a_source_that_fails_is_no_missing_ticket(error):
    world = World()
    world.tickets.failing["SHOP-1"] = error
    with pytest.raises(type(error)):
        world.reviewer().review("SHOP-1", AUDIENCE)


def test_rules_see_neither_restricted_comments_nor_the_trigger_nor_the_bot():
    seen = []
    world = World(
        Tickets(
            {
                "SHOP-1": ticket(
                    comments=(
                        comment(1, "A real remark."),
                        comment(2, "For leads only.", ROLE),
                        comment(3, "#qa-check please"),
                        comment(4, "Earlier findings of mine.", by_bot=True),
                    )
                )
            }
        ),
        Index([evidence("jira:1:comment:3", "#qa-check please", kind="comment")]),
    )

    def look(case: Case) -> Checked:
        seen.extend(c.id for c in case.ticket.comments)
        seen.extend(e.document_id for e in case.search(Query("check")).evidence)
        return Checked()

    world.reviewer(rule(look)).review("SHOP-1", AUDIENCE, trigger="3")
    assert seen == ["1"]
    assert {"jira:1:comment:3", "jira:1:comment:4"} <= world.index.queries[-1].filters.without


def test_what_the_trigger_or_the_bot_says_cannot_be_cited():
    bot, trigger = comment(4, "My earlier words.", by_bot=True), comment(3, "#qa-check with a claim")
    world = World(Tickets({"SHOP-1": ticket(comments=(bot, trigger))}))
    found = (finding(quoting(bot, "My earlier words.")), finding(quoting(trigger, "with a claim")))
    review = world.reviewer(rule(lambda _: Checked(found))).review("SHOP-1", AUDIENCE, trigger="3")
    assert review.findings == ()
    assert review.numbers["refused"] == 2


def test_the_general_search_leaves_the_ticket_itself_out():
    world = World()
    world.reviewer().review("SHOP-1", AUDIENCE)
    first = world.index.queries[0]
    assert "jira:1" in first.filters.without
    assert "Vouchers expire" in first.text


def test_an_index_that_forgets_the_audience_does_not_leak():
    world = World(index=Index([POLICY, HIDDEN], leaking=True))
    seen = []

    def look(case: Case) -> Checked:
        seen.extend(case.search(Query("salary")).evidence)
        return Checked((finding(quoting(HIDDEN, "Salary bands")),))

    review = world.reviewer(rule(look)).review("SHOP-1", AUDIENCE)
    assert seen == [POLICY]
    assert review.findings == ()


def test_linked_tickets_are_read_once_and_cycles_end():
    world = World(
        Tickets({"SHOP-1": ticket(links=(link("SHOP-2"),)), "SHOP-2": ticket("SHOP-2", links=(link("SHOP-1"),))})
    )

    def walk(case: Case) -> Checked:
        current = case.ticket
        for _ in range(50):
            following = case.open_ticket(current.links[0].key)
            assert following is not None
            current = following
        return Checked()

    world.reviewer(rule(walk)).review("SHOP-1", AUDIENCE)
    assert world.tickets.read == ["SHOP-1", "SHOP-2"]


def test_linked_tickets_have_a_limit_that_is_said():
    keys = [f"SHOP-{n}" for n in range(2, 30)]
    world = World(Tickets({"SHOP-1": ticket()} | {key: ticket(key) for key in keys}))
    opened = []

    def walk(case: Case) -> Checked:
        opened.extend(key for key in keys if case.open_ticket(key))
        return Checked()

    review = world.reviewer(rule(walk), budget=Budget(linked_tickets=5)).review("SHOP-1", AUDIENCE)
    assert opened == keys[:5]
    assert said(review.unknowns).count("Not all linked tickets were opened") == 1


def test_other_tickets_hidden_gone_or_forbidden_are_the_same_none():
    world = World(Tickets({"SHOP-1": ticket(), "SHOP-2": ticket("SHOP-2", labels=ROLE)}))
    world.tickets.failing = {
        "SHOP-3": SourceForbidden("x"),
        "SHOP-4": SourceGone("x"),
        "SHOP-5": SourceUnavailable("x"),
    }

    def walk(case: Case) -> Checked:
        assert [case.open_ticket(f"SHOP-{n}") for n in range(2, 6)] == [None] * 4
        return Checked()

    review = world.reviewer(rule(walk)).review("SHOP-1", AUDIENCE)
    assert said(review.unknowns) == "SHOP-5 could not be read just now."


def test_a_linked_page_is_read_from_the_index_and_never_fetched():
    page = replace(POLICY, locator=replace(POLICY.locator, url="https://jira.example/wiki/spaces/S/pages/7#Limits"))
    for url in (
        "https://jira.example/wiki/pages/viewpage.action?pageId=7",
        "https://jira.example/wiki/spaces/S/pages/7/X",
    ):
        linked = RemoteLink("Wiki Page", url)
        world = World(Tickets({"SHOP-1": ticket(remote_links=(linked,))}), Index([page], {"7": "confluence:7"}))
        assert world.reviewer().review("SHOP-1", AUDIENCE).unknowns == ()
        assert world.index.lookups[0] == "7"


def test_attachments_are_read_and_their_unread_parts_are_unknowns():
    readable = replace(
        evidence("jira:1:attachment:5", "The limit is five vouchers.", kind="attachment"),
        unread=("page 2: picture not read", "page 3: picture not read"),
    )
    files = (
        AttachedFile("jira:1:attachment:5", "limits.pdf", OPEN),
        AttachedFile("jira:1:attachment:6", "salaries.pdf", frozenset({"jira:internal"})),
        AttachedFile("jira:1:attachment:7", "new.pdf", OPEN),
    )
    world = World(Tickets({"SHOP-1": ticket(files=files)}), Index([POLICY, readable]))
    assert said(world.reviewer().review("SHOP-1", AUDIENCE).unknowns).split("\n") == [
        "In Page jira:1:attachment:5: page 2: picture not read.",
        "In Page jira:1:attachment:5: page 3: picture not read.",
        "The attachment new.pdf was not read: it is not in the index.",
    ]


def test_what_could_not_be_read_of_what_a_finding_cites_is_an_unknown_and_of_the_rest_is_not():
    other = replace(evidence("confluence:9", "Opening hours of the desk."), unread=("picture not read: map.png",))
    world = World(index=Index([replace(POLICY, unread=("picture not read: terms.png",)), other]))
    unknowns = said(world.reviewer().review("SHOP-1", AUDIENCE).unknowns)
    assert "In Page confluence:7: picture not read: terms.png." in unknowns
    assert "map.png" not in unknowns


def test_a_number_in_another_page_is_not_the_linked_page():
    linked = RemoteLink("Wiki Page", "https://jira.example/wiki/spaces/S/pages/90")
    world = World(Tickets({"SHOP-1": ticket(remote_links=(linked,))}), Index([POLICY], {"90": "confluence:7"}))
    assert "is not in the index" in said(world.reviewer().review("SHOP-1", AUDIENCE).unknowns)


def test_a_linked_page_is_found_by_title_on_its_own_host_only():
    here = RemoteLink("Voucher policy", "https://jira.example/some/other/path")
    elsewhere = replace(here, url="https://elsewhere.example/page")
    for linked, known in ((here, True), (elsewhere, False)):
        page = replace(POLICY, attributes={"title": "Voucher policy"})
        world = World(
            Tickets({"SHOP-1": ticket(remote_links=(linked,))}), Index([page], {linked.title: "confluence:7"})
        )
        assert (world.reviewer().review("SHOP-1", AUDIENCE).unknowns == ()) is known


@pytest.mark.parametrize("url", ["https://nowhere.example/x", "http://[", "javascript:alert(1)", ""])
def test_a_linked_page_that_is_hidden_reads_like_one_that_is_not_there(url):
    linked = RemoteLink("Pay grades", url)
    absent = World(Tickets({"SHOP-1": ticket(remote_links=(linked,))}), Index([POLICY]))
    hidden = World(Tickets({"SHOP-1": ticket(remote_links=(linked,))}), Index([POLICY, HIDDEN], {url: "confluence:8"}))
    unknowns = [world.reviewer().review("SHOP-1", AUDIENCE).unknowns for world in (absent, hidden)]
    assert unknowns[0] == unknowns[1]
    assert "is not in the index" in said(unknowns[0])


def test_what_was_not_read_and_what_is_stale_is_said_within_the_audience():
    world = World(Tickets({"SHOP-1": ticket(unread=("The oldest part of the history.",))}))
    world.freshness = [
        Freshness("Handbook", 3, NOW, stale=True, labels=frozenset({"org"})),
        Freshness("People files", 3, NOW, stale=True, labels=frozenset({"confluence:HR"})),
        Freshness("Fresh", 3, NOW, stale=False, labels=frozenset({"org"})),
    ]
    world.index.degraded = ("Results were not reranked.",)
    review = world.reviewer().review("SHOP-1", AUDIENCE)
    assert "The oldest part of the history." in said(review.unknowns)
    assert "Handbook" in said(review.unknowns)
    assert "People" not in said(review.unknowns)
    assert "Fresh" not in said(review.unknowns)
    assert review.degraded == ("Results were not reranked.",)


def test_a_rule_that_cannot_look_is_an_unknown_and_the_others_go_on():
    world = World(index=Index(error=IndexLocked("held by process 4711 in /var/data")))
    review = world.reviewer(rule(conflict_rule), rule(lambda _: Checked(settled=(Settled("Fine."),)), "other")).review(
        "SHOP-1", AUDIENCE
    )
    assert review.settled == (Settled("Fine."),)
    assert "the index could not be used: Title of a-rule" in said(review.unknowns)
    assert "4711" not in said(review.unknowns)


def test_a_mistake_in_a_rule_is_not_hidden():
    def broken(case: Case) -> Checked:
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        World().reviewer(rule(broken)).review("SHOP-1", AUDIENCE)


def test_ten_findings_are_told_and_the_rest_is_counted():
    words = [f"word{n:02}" for n in range(14)]
    one = ticket(description=" ".join(words))
    found = tuple(finding(quoting(one, word), Priority(n % 4)) for n, word in enumerate(words))
    review = World(Tickets({"SHOP-1": one})).reviewer(rule(lambda _: Checked(found))).review("SHOP-1", AUDIENCE)
    assert len(review.findings) == 10
    assert [f.priority for f in review.findings] == sorted(f.priority for f in found)[:10]
    assert "4 further findings" in said(review.unknowns)


def test_fields_history_links_and_comments_can_be_cited():
    changed = Change(NOW, ANN, "description", "It expires after 10 days.", "It expires after 30 days.")
    one = ticket(history=(changed,), links=(link("SHOP-2"),), comments=(comment(1, "Ask   the\nshop first."),))
    cited = (
        quoting(one, "after 10 days"),
        quoting(one.comments[0], "Ask the shop first."),
        quoting(one, "Status: Open"),
        replace(quoting(one, "Summary of SHOP-2"), locator=one.links[0].locator),
    )
    world = World(Tickets({"SHOP-1": one}))
    review = world.reviewer(rule(lambda _: Checked(tuple(finding(c) for c in cited)))).review("SHOP-1", AUDIENCE)
    assert {f.evidence[0].quote for f in review.findings} == {c.quote for c in cited}


def test_strange_tickets_are_reviewed():
    one = ticket(
        "SHOP-1",
        summary="\x00\u202eabc 💣",
        description="",
        comments=tuple(comment(n, "x" * 32_000 if n == 0 else "\u0645\u0631\u062d\u0628\u0627") for n in range(500)),
    )
    review = World(Tickets({"SHOP-1": one})).reviewer().review("SHOP-1", AUDIENCE)
    assert review.title == one.summary
    assert review.audience.labels == OPEN


def test_what_the_shipped_rules_find_stands_on_what_was_read():
    one = ticket(
        description="A voucher expires after 30 days. The fee for late vouchers is TBD.",
        status="Approved",
        comments=(comment(1, "Does it hold for gift cards?"),),
        links=(link("SHOP-2"),),
        history=(
            Change(NOW, ANN, "description", "A voucher expires after 10 days.", "A voucher expires after 30 days."),
        ),
    )
    reviewer = Reviewer(
        Tickets({"SHOP-1": one, "SHOP-2": ticket("SHOP-2")}),
        Index([POLICY]),
        lambda _: (),
        rules=RULES,
        words=defaults(),
        clock=lambda: NOW,
        metrics=NullMetrics(),
        agreed_statuses=frozenset({"approved"}),
    )
    review = reviewer.review("SHOP-1", AUDIENCE)
    assert {"undecided", "linked-ticket", "acceptance-criteria"} <= {f.rule for f in review.findings}
    assert review.numbers["refused"] == 0


def test_what_a_review_rests_on_is_all_that_is_told_from_other_documents():
    def look(case: Case) -> Checked:
        case.search(Query("voucher"))
        return Checked(settled=(Settled("The page says so, too."),), sources=frozenset({"confluence:7"}))

    world = World(Tickets({"SHOP-1": ticket()}), Index([POLICY]))
    assert world.reviewer(rule(look)).review("SHOP-1", AUDIENCE).rests_on == {"confluence:7"}


def test_a_closed_document_is_no_evidence_whatever_the_index_says():
    seen: list[str] = []

    def look(case: Case) -> Checked:
        seen.extend(evidence.document_id for evidence in case.search(Query("voucher")).evidence)
        return Checked()

    world = World(Tickets({"SHOP-1": ticket()}), Index([POLICY]))
    for closed in (frozenset[str](), frozenset({"confluence:7"})):
        world.reviewer(rule(look)).review("SHOP-1", AUDIENCE, closed=closed)
    assert seen == ["confluence:7"]


def test_only_what_came_from_its_source_counts_as_read_live():
    """A ticket or comment that the index gave may have other labels by now."""

    def look(case: Case) -> Checked:
        case.search(Query("voucher"))
        return Checked(sources=frozenset({"jira:77", "jira:77:comment:1"}))

    other = replace(
        POLICY, id="x", document_id="jira:77", kind="ticket", locator=replace(POLICY.locator, document_id="jira:77")
    )
    world = World(Tickets({"SHOP-1": ticket(comments=(comment(1, "Vouchers?"),))}), Index([other]))
    review = world.reviewer(rule(look)).review("SHOP-1", AUDIENCE)
    assert review.read_live == {ticket().document_id, "jira:1:comment:1"}
