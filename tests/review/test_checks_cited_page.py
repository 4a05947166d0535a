from dataclasses import replace

import pytest

from core.tickets import RemoteLink
from review.checks.cited_page import check
from tests.review.cases import assert_cited, case, day, page, talk, ticket

SITE = "https://pages.example"


def stored(number, title, text, **more):
    """A page with an address of its own, and its title as the source gives it."""
    made = page(title, text, **more)
    locator = replace(made.locator, url=f"{SITE}/spaces/RULES/pages/{number}")
    return replace(made, locator=locator, attributes={**made.attributes, "title": title})


def linked(subject, number, title):
    return replace(subject, remote_links=(RemoteLink(title, f"{SITE}/pages/viewpage.action?pageId={number}"),))


RULES = "Parcels are kept for seven days at the shop."
HOLDS = stored(11, "Rules for parcel shops", RULES)
ARCHIVED = stored(12, "Parcel shops of last year", RULES, archived=True)
VOID = stored(13, "Parcel shop rules", f"**Superseded by the rules of May.**\n\n{RULES}")
NEW = stored(14, "Handbook of parcels", f'This handbook replaces "Rules for parcel shops".\n\n{RULES}')
PLAIN = ticket("Parcel shops", "Follow the rules.")

CATCHES = {
    "archived, linked": (linked(PLAIN, 12, "Parcel shops of last year"), [ARCHIVED]),
    "superseded, linked": (linked(PLAIN, 13, "Parcel shop rules"), [VOID]),
    "address in the text": (ticket("Shops", f"See {SITE}/spaces/RULES/pages/13 on parcel shop rules."), [VOID]),
    "link in the text": (ticket("Shops", f"See [the parcel shop rules]({SITE}/spaces/RULES/pages/13)."), [VOID]),
    "title in the text": (ticket("Shops", "As the page Parcel shops of last year says, wait."), [ARCHIVED]),
    "in a comment": (
        ticket("Parcel shop rules", "Wait.", comments=talk("Ana: We follow Parcel shop rules here.")),
        [VOID],
    ),
    "another page takes its place": (linked(PLAIN, 11, "Rules for parcel shops"), [HOLDS, NEW]),
}
FINE = {
    "in force": (linked(PLAIN, 11, "Rules for parcel shops"), [HOLDS]),
    "known to be old": (
        linked(
            ticket("Shops", "Parcel shops of last year is archived, we start anew."), 12, "Parcel shops of last year"
        ),
        [ARCHIVED],
    ),
    "it takes the page's place": (
        linked(ticket("Shops", 'In force. Replaces "Parcel shops of last year".'), 12, "Parcel shops of last year"),
        [ARCHIVED],
    ),
    "both editions are cited": (
        replace(
            PLAIN,
            remote_links=(
                RemoteLink("Parcel shop rules", f"{SITE}/pages/viewpage.action?pageId=13"),
                RemoteLink("Rules for parcel shops", f"{SITE}/pages/viewpage.action?pageId=11"),
            ),
        ),
        [VOID, HOLDS],
    ),
    "a short title": (ticket("Shops", "The rules say so."), [stored(15, "Rules", RULES, archived=True)]),
    "not cited": (ticket("Parcels", "Keep parcels at the shop."), [ARCHIVED, VOID]),
    "of another host": (
        replace(PLAIN, remote_links=(RemoteLink("x", "https://other.example/pages/viewpage.action?pageId=12"),)),
        [ARCHIVED],
    ),
}


@pytest.mark.parametrize("name", CATCHES)
def test_catches(name):
    subject, pages = CATCHES[name]
    checked = check(case(subject, *pages))
    assert [finding.category for finding in checked.findings] == ["conflict"]
    assert_cited(case(subject), checked, pages)
    assert len({cited.locator.document_id for cited in checked.findings[0].evidence}) == 2


@pytest.mark.parametrize("name", FINE)
def test_leaves_alone(name):
    subject, pages = FINE[name]
    assert not check(case(subject, *pages)).findings


def test_a_page_that_is_not_there_is_an_unknown_without_its_address():
    checked = check(case(ticket("Shops", f"See {SITE}/spaces/RULES/pages/99 for parcels.")))
    assert not checked.findings
    assert len(checked.unknowns) == 1
    assert "://" not in checked.unknowns[0].what


def test_an_address_that_is_none_is_no_page():
    assert not check(case(ticket("Shops", "See http://[ and https://x.example/pages/."))).unknowns


PROMISE = "Ana: We update the page on parcel shops with the new days."


@pytest.mark.parametrize(
    ("done", "days", "said", "expected"),
    [
        (True, 0, PROMISE, 1),
        (True, 9, PROMISE, 0),
        (False, 0, PROMISE, 0),
        (True, 0, "Ana: The page is fine as it is.", 0),
        (True, 0, "Ana: Shall we update the page?", 0),
    ],
)
def test_a_page_that_was_to_be_changed(done, days, said, expected):
    subject = linked(ticket("Parcel shops", "Follow it.", comments=talk(said), done=done), 11, "Rules for parcel shops")
    stands = replace(HOLDS, updated=day(days))
    checked = check(case(subject, stands))
    assert len(checked.findings) == expected
    assert_cited(case(subject), checked, [stands])
