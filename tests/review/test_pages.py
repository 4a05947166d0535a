"""A page is reviewed like a ticket."""

from dataclasses import dataclass, field, replace

import pytest
from pydantic_ai.models.function import FunctionModel

from core.errors import IndexUnusable, SourceUnavailable
from core.tickets import CHILD, AttachedFile, RemoteLink, Ticket
from core.types import Freshness, NullMetrics
from review.case import Checked
from review.checks import RULES
from review.errors import NothingToReview
from review.previous import told_records
from review.register import PAGES, PIECE, TICKETS, Register, pieces, ticket_text
from review.service import Models, Reviewer
from review.types import Cited, Review
from review.verify import proven_citation
from tests.review import cases
from tests.review.fakes import (
    AUDIENCE,
    NOW,
    OPEN,
    Index,
    PullTexts,
    Tickets,
    evidence,
    new,
    prompt_of,
    review_call,
    rule,
    scripted,
    snapshot,
    ticket,
)
from tests.review.pages import KEY, URL, remarks, spec, told

LOCK = "The account must be locked after 3 failed login attempts."
POLICY = evidence("confluence:7", "The account is locked after five failed login attempts.")


def page(text: str = LOCK, **more: object) -> Ticket:
    return replace(spec(text=text), **{"labels": OPEN, **more})


@dataclass
class Wiki:
    """Pages and tickets to be read live, and an index."""

    read: dict[str, Ticket] = field(default_factory=lambda: {KEY: page()})
    index: Index = field(default_factory=lambda: Index([POLICY]))
    memory: object = None
    stale: tuple[Freshness, ...] = ()
    pulls: object = None
    said: list[str] = field(default_factory=list)
    failing: dict[str, SourceUnavailable] = field(default_factory=dict)

    def review(self, *rules: object, trigger: str | None = None, **more: object) -> Review:
        self.tickets = Tickets(self.read, self.failing)
        return Reviewer(
            self.tickets,
            self.index,
            lambda _: self.stale,
            rules=rules or RULES,
            words=cases.WORDS,
            clock=lambda: NOW,
            metrics=NullMetrics(),
            memory=self.memory,
            pulls=self.pulls,
            models=more.pop("models", None),
        ).review(KEY, AUDIENCE, trigger=trigger, say=self.said.append, **more)


def test_it_is_known_by_its_document_and_called_by_title_and_version():
    review = Wiki().review()
    assert (review.key, review.title, review.called) == (KEY, "Sign in", "“Sign in”, version 7")
    assert [one.rule for one in review.findings] == ["policy-conflict"]
    assert KEY in review.rests_on
    assert KEY in review.read_live


def test_a_ticket_is_called_by_its_key():
    wiki = Wiki()
    tickets = Tickets({"SHOP-1": ticket()})
    made = Reviewer(
        tickets, wiki.index, lambda _: (), rules=(), words=cases.WORDS, clock=lambda: NOW, metrics=NullMetrics()
    ).review("SHOP-1", AUDIENCE)
    assert made.called == "SHOP-1"


@pytest.mark.parametrize(
    ("title", "version", "called"),
    [
        ("Sign in", "7", "“Sign in”, version 7"),
        ("Sign in", "", "“Sign in”"),
        ("Two\nlines", "1", "“Two lines”, version 1"),
    ],
)
def test_what_people_call_a_page(title, version, called):
    assert page(summary=title, version=version).called == called


def test_what_is_hidden_and_what_is_not_there_get_the_same_sentence_without_an_id():
    sentences = []
    for read in ({}, {KEY: page(labels=frozenset({"confluence:HR"}))}):
        with pytest.raises(NothingToReview) as nothing:
            Wiki(read).review()
        sentences.append(str(nothing.value))
    assert sentences == ["There is no such page that everybody who can read this reply may read."] * 2


def test_progress_names_no_id():
    wiki = Wiki({KEY: page(f"{LOCK} See SHOP-4."), "SHOP-4": ticket("SHOP-4")})
    wiki.review()
    assert wiki.said[:3] == ["Reading the page", "Reading SHOP-4", "Searching"]
    assert not any(KEY in one for one in wiki.said)


def test_neither_its_own_copy_nor_its_comments_copies_are_evidence():
    comment = replace(remarks("Ana: Five, I think.")[0], labels=OPEN)
    mine = evidence(KEY, "The account is locked after nine failed login attempts.")
    copy = evidence(comment.locator.document_id, "The account is locked after eight attempts.", kind="comment")
    wiki = Wiki({KEY: page(comments=(comment,))}, Index([mine, copy, POLICY]))
    review = wiki.review()
    (finding,) = [one for one in review.findings if one.rule == "policy-conflict"]
    assert {one.locator.document_id for one in finding.evidence} == {KEY, POLICY.document_id}
    for query in wiki.index.queries:
        assert query.filters.without >= {KEY, comment.locator.document_id}


def test_the_comment_that_asked_is_no_evidence():
    comments = tuple(replace(one, labels=OPEN) for one in remarks("Ana: Lock it after 9?", "Ben: #qa-check Is it 9?"))
    seen = []

    def watching(case):
        seen.extend(one.id for one in case.ticket.comments)
        return Checked()

    Wiki({KEY: page(comments=comments)}).review(rule(watching), trigger="2")
    assert seen == ["1"]


def test_tickets_that_it_names_are_read_live_and_compared():
    other = ticket("SHOP-4", description="The account must be locked after 5 failed login attempts.")
    hidden = ticket("SHOP-5", labels=frozenset({"jira:HR"}))
    text = f"{LOCK} See SHOP-4, SHOP-4, SHOP-5, SHOP-6 and UTF-8."
    wiki = Wiki({KEY: page(text), "SHOP-4": other, "SHOP-5": hidden}, Index())
    review = wiki.review()
    assert wiki.tickets.read == [KEY, "SHOP-4", "SHOP-5", "SHOP-6", "UTF-8"]
    assert other.document_id in review.read_live
    assert hidden.document_id not in review.rests_on
    (finding,) = [one for one in review.findings if one.rule == "named-ticket"]
    assert "SHOP-4, which it names, says “5 failed login attempts”" in finding.statement
    assert not any("SHOP" in one.what for one in review.unknowns)


def test_a_named_ticket_that_does_not_answer_is_said():
    wiki = Wiki({KEY: page("See SHOP-4.")}, failing={"SHOP-4": SourceUnavailable("down")})
    assert "SHOP-4 could not be read just now." in [one.what for one in wiki.review().unknowns]


def test_not_more_tickets_are_read_than_the_budget_has():
    wiki = Wiki({KEY: page(" ".join(f"SHOP-{n}" for n in range(10, 60)))})
    review = wiki.review()
    assert len(wiki.tickets.read) == 1 + 25
    assert "Not all linked tickets were opened: there are too many." in [one.what for one in review.unknowns]


def test_a_ticket_that_names_others_reads_them_only_when_a_rule_wants_it():
    tickets = Tickets({"SHOP-1": ticket(description="See SHOP-4.")})
    Reviewer(
        tickets, Index(), lambda _: (), rules=RULES, words=cases.WORDS, clock=lambda: NOW, metrics=NullMetrics()
    ).review("SHOP-1", AUDIENCE)
    assert tickets.read == ["SHOP-1"]


def test_pages_below_it_and_linked_ones_are_read_from_the_index():
    below = replace(POLICY, locator=replace(POLICY.locator, url=f"{URL.rpartition('/pages/')[0]}/pages/7"))
    links = (
        RemoteLink("Sign-in rules", below.locator.url, CHILD),
        RemoteLink("Mails", "https://pages.example/pages/9", CHILD),
        RemoteLink("Letters", "https://pages.example/pages/10"),
    )
    wiki = Wiki({KEY: page(remote_links=links)}, Index([below], names={"7": "confluence:7"}))
    review = wiki.review()
    assert "7" in wiki.index.lookups
    unknowns = {one.what: one.settled_by for one in review.unknowns}
    by = "Adding its source to the index, or its rules to the page."
    assert unknowns["The child page “Mails” is not in the index."] == by
    assert unknowns["The linked page “Letters” is not in the index."] == by


def test_nothing_that_could_not_be_read_is_called_a_ticket():
    broken = page(
        remote_links=(RemoteLink("Mails", "https://pages.example/pages/9"),),
        files=(AttachedFile("confluence:500:attachment:1", "plan.pdf", OPEN),),
        unread=("Some of the comments",),
    )
    stale = (Freshness("wiki", 3, None, stale=True, labels=OPEN),)
    for index in (Index(), Index(error=IndexUnusable("gone"))):
        review = Wiki({KEY: broken}, index, stale=stale, pulls=PullTexts((snapshot(),))).review()
        speaking = [one.what for one in review.unknowns if "ticket" in told([one])]
        assert speaking == (
            ["Policies, tickets and code were not searched: the index could not be used."] * bool(index.error)
        )
        assert any(one.settled_by == "Reading it in the page itself." for one in review.unknowns)
        assert review.pulls == ()


def test_what_is_new_since_the_last_review():
    first = Wiki().review()

    @dataclass
    class Told:
        told_at = NOW
        trigger_id = "9"
        made_for = OPEN
        findings: tuple = told_records(first.findings)

    class Memory:
        def told(self, document_id):
            return [Told()] if document_id == KEY else []

        def dismissals(self, _document_id):
            return []

    later = page("Locked after five failed login attempts. The lock lasts TBD.", version="8")
    review = Wiki({KEY: later}, memory=Memory()).review()
    assert review.called == "“Sign in”, version 8"
    assert review.since.gone == (first.findings[0].statement,)
    assert review.since.new == {one.fingerprint for one in review.findings if one.rule == "undecided"}


def test_its_passages_have_their_kinds_and_their_source():
    register = Register(AUDIENCE)
    comment = replace(remarks("Ana: Why 3?", marked="3 failed")[0], labels=OPEN)
    changed = cases.change("text", "After 5.", LOCK, 1)
    entered = register.add_ticket(page(comments=(comment,), history=(changed,)))
    assert [(one.kind, one.source) for one in entered] == [("page", PAGES), ("comment", PAGES), ("history", PAGES)]
    assert entered[0].title == "SPEC > Sign in"
    assert entered[0].text == f"Sign in\n\n{LOCK}"
    assert entered[1].text == "Ana, 2026-03-03, on “3 failed”:\nWhy 3?"
    assert {one.source for one in register.add_ticket(ticket())} == {TICKETS}


LINES = [f"Rule {n}: room {n} has {n} desks." for n in range(900)]
LONG = page("\n\n".join(LINES))


class TestLongPages:
    """A page is as long as a document, and its end counts as its beginning does."""

    def test_pieces_hold_all_of_it_and_cut_no_line(self):
        text = ticket_text(LONG)
        cut = list(pieces(text))
        assert len(cut) > 3
        assert all(len(one) <= PIECE for one in cut)
        assert [line for one in cut for line in one.splitlines() if line] == [one for one in text.splitlines() if one]
        assert list(pieces("")) == [""]
        assert list(pieces("a" * PIECE * 2)) == ["a" * PIECE * 2]

    def test_what_a_rule_quotes_over_the_end_of_a_piece_stands(self):
        register = Register(AUDIENCE)
        first, second, *_ = register.add_ticket(LONG)
        quote = " ".join([*first.text.splitlines()[-1:], *second.text.splitlines()[:1]])
        assert proven_citation(Cited(LONG.locator, OPEN, quote), register).quote == quote
        assert proven_citation(Cited(LONG.locator, OPEN, f"{quote} No."), register) is None

    def test_a_model_is_shown_all_of_it(self):
        prompts = []

        def script(messages, _info):
            prompts.append(prompt_of(messages))
            return review_call(findings=[])

        review = Wiki({KEY: LONG}, Index()).review(
            rule(lambda _: Checked()), models=Models(FunctionModel(script, model_name="scripted"))
        )
        assert LINES[0] in prompts[0]
        assert LINES[-1] in prompts[0]
        assert not any("was not shown" in one.what for one in review.unknowns)

    @pytest.mark.parametrize(("looked_for", "stands"), [("Rule 899", False), ("a way back", True)])
    def test_a_model_may_say_that_it_lacks_only_what_no_piece_has(self, looked_for, stands):
        lacks = new(citations=[{"source": "S1", "quote": "", "looked_for": looked_for}])
        model = scripted(review_call(findings=[lacks]))
        review = Wiki({KEY: LONG}, Index()).review(rule(lambda _: Checked()), models=Models(model))
        assert bool(review.findings) is stands
