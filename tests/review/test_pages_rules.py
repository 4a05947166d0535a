"""Which rules are for pages, and how they speak of one."""

import re
from dataclasses import dataclass, replace
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.errors import IndexUnusable
from core.tickets import CHILD, RemoteLink, Ticket
from core.types import Evidence, Query, SearchResult
from review.applying import apply
from review.case import Checked, Rule
from review.checks import RULES, policy_conflict
from review.focus import focus_on
from tests.review.cases import assert_cited, bug, case, change, link, page, ticket
from tests.review.pages import URL, remarks, spec, told
from tests.review.pull_cases import pull
from tests.review.test_checks_cited_page import stored
from tests.review.test_checks_tests import record

LOCK = "The account must be locked after 3 failed login attempts."
POLICY = page("Sign-in policy", "The account is locked after five failed login attempts.")
TILL = page("Tills", "Only shift leads may open the till without a sale.")
BOOK = page("Library", "A reserved book cannot be renewed.")
GONE = stored(13, "Rules of signing in", "**Superseded by the rules of May.**\n\nWait an hour.")
RECORD = record("## Expected\n\nAfter 5 failed sign-in attempts the account is locked.")
EXPORT = bug("Export of guests loses rows when a name contains a comma", "The guest export drops the row.")
KEPT = "A parcel is kept for {} days at the shop."
OF_TICKETS = {
    "acceptance-criteria",
    "pull-conflict",
    "linked-ticket",
    "not-deployed",
    "other-base",
    "named-in-pull",
    "existing-data",
    "consumers",
}


@dataclass(frozen=True)
class Example:
    """A page of which a rule has something to say."""

    rule: str
    subject: Ticket
    says: str
    evidence: tuple[Evidence, ...] = ()
    others: tuple[Ticket, ...] = ()


def kept(*days: int) -> Ticket:
    texts = [KEPT.format(number) for number in days]
    changes = [change("text", before, after, n) for n, (before, after) in enumerate(pairwise(texts), 1)]
    return spec("Parcel shop", texts[-1], history=changes)


EXAMPLES = (
    Example("policy-conflict", spec(text=LOCK), "The page says “3 failed login attempts” (text), but the", (POLICY,)),
    Example(
        "named-ticket",
        spec(text=f"{LOCK} Built with SHOP-4."),
        "but SHOP-4, which it names, says “5 failed login attempts” (description",
        others=(ticket("Lock", "The account must be locked after 5 failed login attempts.", key="SHOP-4"),),
    ),
    Example(
        "reserved-deeds",
        spec("Tills", "A cashier can open the till without a sale."),
        "The page says “A cashier",
        (TILL,),
    ),
    Example("reserved-deeds", spec("Renew", "A reader can renew a book online."), "the page does not speak", (BOOK,)),
    Example(
        "changed-after-agreement",
        spec(text=LOCK, comments=remarks("Ana: Agreed."), history=[change("text", "Lock it after 9.", LOCK, 3)]),
        "Mia changed the text from",
    ),
    Example("undecided", spec(text="The lock lasts TBD."), "In the text something is marked as not decided yet"),
    Example("undecided", spec("Sign in, TBD", "Text."), "In the title something is marked"),
    Example("undecided", spec(text="## Acceptance criteria\n\nTBD"), "something is marked as not decided yet: “TBD”"),
    Example("unanswered-question", spec(comments=remarks("Ana: How long does the lock last?")), "Ana asked a question"),
    Example(
        "cited-page",
        spec(text=f"See [the rules]({GONE.locator.url})."),
        "The page cites in the text the page “Rules of signing in”, but that page says of itself",
        (GONE,),
    ),
    Example(
        "contradicted-by-tests",
        spec("Lock an account", "After 8 failed sign-in attempts the account is locked."),
        "The page says “8 failed sign-in attempts” (text",
        (RECORD,),
    ),
    Example("flipped-value", kept(7, 14, 7), "In the text a value was changed and then changed back."),
    Example(
        "thresholds",
        spec("Discount", "- Orders over 100 EUR are free of charge.\n- Orders under 100 EUR cost 5 EUR."),
        "The page says what holds over and under “100 EUR”",
    ),
    Example(
        "earlier-bug", spec("Export guests", "Hotels download all guests."), "This page does not mention", (EXPORT,)
    ),
)


def checked(subject: Ticket, *evidence: Evidence, others: tuple[Ticket, ...] = ()) -> Checked:
    return apply(RULES, case(subject, *evidence, others=others)).checked


def test_every_rule_says_what_it_is_for():
    assert {rule.id for rule in RULES if rule.kinds == {"ticket"}} == OF_TICKETS
    assert {rule.id for rule in RULES if rule.kinds == {"page"}} == {"named-ticket"}
    for_pages = {rule.id for rule in RULES if "page" in rule.kinds}
    assert {example.rule for example in EXAMPLES} == for_pages


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda one: f"{one.rule}: {one.says[:30]}")
def test_a_rule_finds_it_on_a_page(example):
    rule = next(rule for rule in RULES if rule.id == example.rule)
    subject = case(example.subject, *example.evidence, others=example.others)
    found = rule.check(subject)
    assert any(example.says in finding.statement for finding in found.findings), found
    read = tuple(
        replace(EXPORT, document_id=one.document_id, text=f"{one.summary}\n{one.description}") for one in example.others
    )
    assert_cited(subject, found, (*example.evidence, *read))
    assert not re.search(r"\btickets?\b", told([*found.findings, *found.unknowns, *found.settled]), re.IGNORECASE)


def test_nothing_is_said_of_a_page_that_only_makes_sense_for_a_ticket():
    blocked = replace(spec(text="Nothing is expected here."), links=(link("is blocked by"),), done=True)
    subject = replace(case(blocked), snapshots=(pull(state="open"),))
    findings = apply(RULES, subject).checked.findings
    assert not {finding.rule for finding in findings} & OF_TICKETS
    of_ticket = apply(RULES, replace(subject, ticket=replace(blocked, kind="ticket"))).checked.findings
    assert {"acceptance-criteria", "linked-ticket", "not-deployed"} <= {finding.rule for finding in of_ticket}


def test_a_rule_that_is_for_something_else_is_not_applied():
    def never(_case):
        raise AssertionError

    applied = apply([Rule("r", "R", never, frozenset({"ticket"}))], case(spec()))
    assert (applied.checked, applied.failed) == (Checked(), frozenset())


def test_titles_of_rules_that_could_not_look_speak_of_no_ticket():
    def down(_query: Query) -> SearchResult:
        raise IndexUnusable("no index")

    unknowns = apply(RULES, replace(case(spec(text=LOCK)), search=down)).checked.unknowns
    assert "A page that is relied on holds no longer" in unknowns[0].what
    assert "ticket" not in told(unknowns)


SENTENCES = st.sampled_from(
    [
        LOCK,
        "The lock lasts TBD.",
        "A cashier can open the till without a sale.",
        "A reader can renew a book online.",
        "- Orders over 100 EUR are free of charge.\n- Orders under 100 EUR cost 5 EUR.",
        "After 8 failed sign-in attempts the account is locked.",
        f"See [the rules]({GONE.locator.url}).",
        "Hotels export all guests.",
        "## Open questions",
        "- Who is told?",
        "| over 5 days | free |",
        KEPT.format(7),
        "Agreed.",
        "How long does the lock last?",
        "Decided: 5 failed login attempts.",
        "",
    ]
)
TEXTS = st.lists(SENTENCES, max_size=6).map("\n\n".join)
SHELF = (POLICY, TILL, BOOK, GONE, RECORD, EXPORT, page("Parcels", KEPT.format(9)))


@given(TEXTS, TEXTS, st.lists(SENTENCES, max_size=4), TEXTS, st.booleans())
@settings(max_examples=150, deadline=None)
def test_no_word_about_a_page_speaks_of_a_ticket(title, text, said, before, unread):
    subject = spec(
        title,
        text,
        comments=remarks(*(f"P{n % 2}: {one}" for n, one in enumerate(said))),
        history=[change("text", text, before, 2), change("text", before, text, 3)],
        unread=("Some of the comments",) if unread else (),
    )
    found = checked(subject, *SHELF)
    words = told([*found.findings, *found.unknowns, *found.settled])
    assert "ticket" not in words.lower(), words
    assert_cited(case(subject), found, SHELF)


class TestNamedTickets:
    """A page against the tickets that it names."""

    SAME = ticket("Lock", LOCK, key="SHOP-4")
    OTHER = ticket("Lock", "The account must be locked after 5 failed login attempts.", key="SHOP-5")

    def of(self, named: Ticket, text: str = f"{LOCK} See SHOP-4 and SHOP-5, by UTF-8.") -> Checked:
        rule = next(rule for rule in RULES if rule.id == "named-ticket")
        return rule.check(case(spec(text=text), others=(named,)))

    def test_agrees(self):
        found = self.of(self.SAME)
        assert found.findings == ()
        assert [one.what for one in found.settled] == ["“3 failed login attempts” is what SHOP-4 says, too."]
        assert found.sources == {self.SAME.document_id}

    def test_says_something_else(self):
        (finding,) = self.of(self.OTHER).findings
        assert (finding.category, finding.priority.name) == ("conflict", "P1")
        assert {one.locator.document_id for one in finding.evidence} == {"confluence:500", self.OTHER.document_id}

    def test_is_done(self):
        (finding,) = self.of(replace(self.OTHER, done=True)).findings
        assert finding.priority.name == "P2"

    @pytest.mark.parametrize("text", [LOCK, f"{LOCK} See SHOP-9."])
    def test_is_not_named(self, text):
        assert self.of(self.OTHER, text) == Checked()

    def test_was_turned_down(self):
        assert self.of(replace(self.OTHER, resolution="Won't do", done=True)) == Checked()

    def test_is_named_in_a_comment(self):
        rule = next(rule for rule in RULES if rule.id == "named-ticket")
        subject = spec(text=LOCK, comments=remarks("Ana: That is SHOP-5."))
        assert len(rule.check(case(subject, others=(self.OTHER,))).findings) == 1


def test_a_page_does_not_rely_on_what_is_below_it_nor_on_itself():
    rule = next(rule for rule in RULES if rule.id == "cited-page")
    below = RemoteLink("Rules of signing in", GONE.locator.url, CHILD)
    assert rule.check(case(spec(text=f"[Top]({URL}#top)", remote_links=[below]), GONE)) == Checked()
    (finding,) = rule.check(case(spec(remote_links=[replace(below, relation=None)]), GONE)).findings
    assert finding.statement.startswith("The page links to the page “Rules of signing in”")


def test_who_agrees_at_a_marked_text_agrees_to_that_alone():
    rule = next(rule for rule in RULES if rule.id == "changed-after-agreement")
    changes = [change("text", "Lock it after 9.", LOCK, 3)]
    whole = spec(text=LOCK, comments=remarks("Ana: Agreed."), history=changes)
    part = spec(text=LOCK, comments=remarks("Ana: Agreed.", marked="3 failed"), history=changes)
    assert len(rule.check(case(whole)).findings) == 1
    assert rule.check(case(part)) == Checked()


def test_the_marked_text_is_looked_up_though_many_numbers_stand_before_it():
    many = "\n".join(f"- Room {'x' * n} has {n} desks." for n in range(3, 20))
    subject = spec(text=f"{many}\n- {LOCK}")
    rule = next(rule for rule in RULES if rule.id == "policy-conflict")
    assert rule.check(case(subject, POLICY)).findings == ()
    focused = replace(case(subject, POLICY), focus=focus_on("3 failed login attempts", subject))
    assert len(rule.check(focused).findings) == 1


def test_a_page_that_says_it_holds_no_longer_is_not_compared_with_those_that_do():
    rules = page("Sign-in rules", "An account is locked after 5 failed attempts.")
    old = "An account is locked after 8 failed attempts."
    assert policy_conflict.check(case(spec("Sign in", old), rules)).findings
    checked = policy_conflict.check(case(spec("Sign in", f"> Superseded by the sign-in rules.\n\n{old}"), rules))
    assert not checked.findings
    assert "holds no longer: “Superseded by the sign-in rules”" in checked.settled[0].what
