"""One page read live, as what is reviewed like a ticket is, on Cloud and on Data Center alike."""

import json
from dataclasses import replace
from datetime import timedelta

import pytest

from core import visibility
from core.connectors.confluence_page import PageReader
from core.errors import SourceError, SourceForbidden, SourceGone, SourceUnavailable
from core.tickets import RemoteLink
from core.types import Audience, Evidence, Locator
from review.checks.addresses import document_of
from sandbox.records import Page, PageVersion
from tests.core.connectors.confluence_parts import Reading, by_id, connector
from tests.core.connectors.conftest import QUICK
from tests.core.connectors.test_confluence_includes import NOT_SHOWN, include, write
from tests.sandbox_fixtures import DEVELOPER, OWNER, T
from tests.specs import judge

POL = visibility.confluence_space("POL")
ENGINEERING = visibility.restriction(["engineering"], [])
LEADS = visibility.restriction(["leads"], [])
INCLUDED = "Some of the text that it shows of other pages"


@pytest.fixture(params=["cloud", "data center"])
def flavour(request):
    return request.param


@pytest.fixture
def pages(box, flavour):
    return page_reader(box, flavour)


def page_reader(box, flavour, spaces=("POL", "LED"), **options):
    cloud = flavour == "cloud"
    site = box.confluence_url if cloud else box.confluence_data_center_url
    return PageReader(site, box.read_user if cloud else "", box.read_token, spaces, **{"limits": QUICK, **options})


def refuse(box, path, status=403, times=99):
    body = json.dumps({"message": "Only for the members of Project Nightfall"})
    box.faults.add("GET", path, "status", times=times, status=status, body=body)


def account(flavour, person):
    return person.id if flavour == "cloud" else f"key-{person.id}"


def add(box, number, title, *texts, **options):
    versions = tuple(PageVersion(T + timedelta(hours=at), OWNER.id, text) for at, text in enumerate(texts))
    box.confluence.add_page(Page(str(number), options.pop("space", "POL"), title, versions, **options))


def test_a_page_is_read_whole(box, flavour, pages):
    note = box.confluence.notes.add("501", "Said.", OWNER.id)
    file = box.confluence.files.add("501", "limits.txt", b"five", OWNER.id)
    page = pages.ticket("confluence:501")
    assert (page.id, page.key, page.document_id, page.kind) == ("501", "confluence:501", "confluence:501", "page")
    assert (page.project, page.type, page.status, page.done, page.version) == ("POL", "page", "current", False, "2")
    assert page.called == "“Login <policy> & rules”, version 2"
    assert "| right | in |" in page.description
    assert "agreed with Olga Owner" in page.description
    assert page.reporter.name == OWNER.name
    assert page.reporter.id == account(flavour, OWNER)
    assert (page.created, page.updated) == (T, T + timedelta(days=1))
    assert page.labels == pages.labels("501") == {POL}
    assert [(field.name, field.text) for field in page.fields] == [("Labels", "a")]
    assert [comment.text for comment in page.comments] == ["Said."]
    assert page.comments[0].locator.document_id == f"confluence:501:comment:{note}"
    assert [(it.document_id, it.name, it.labels) for it in page.files] == [
        (f"confluence:501:attachment:{file}", "limits.txt", {POL})
    ]
    assert [(it.field, it.before, it.at, it.author.name) for it in page.history] == [
        ("text", "Five tries.", T + timedelta(days=1), OWNER.name)
    ]
    assert page.history[0].after == page.description
    assert page.unread == ()
    assert pages.ticket("501") == page
    # Data Center archives whole spaces.
    assert pages.ticket("504").status == ("archived" if flavour == "cloud" else "current")


def test_it_is_where_the_index_has_it(box, flavour, pages):
    box.confluence.notes.add("501", "Foot.", OWNER.id)
    box.confluence.notes.add("501", "Why five?", DEVELOPER.id, marked="Five tries")
    box.confluence.files.add("501", "limits.txt", b"five", OWNER.id)
    indexed = by_id(connector(box, flavour, read=Reading()).load())
    for number in ("501", "502", "503", "505"):
        page, document = pages.ticket(number), indexed[number]
        assert (page.locator.document_id, page.locator.title) == (document.id, document.title)
        assert (page.locator.url, page.labels, page.updated) == (document.url, document.labels, document.updated)
        assert document.text.startswith(page.description)
        attributes = page.attributes.items()
        assert attributes == {**document.attributes}.items() & attributes
    page = pages.ticket("501")
    assert len(page.comments) == 2
    for comment in page.comments:
        document = indexed[comment.locator.document_id.removeprefix("confluence:")]
        assert document.text.endswith(comment.text)
        assert comment.labels == document.labels
        assert (comment.locator.title, comment.locator.url) == (document.title, document.url)
    assert all(file.document_id.removeprefix("confluence:") in indexed for file in page.files)


def test_both_products_tell_the_same(box):
    top = box.confluence.notes.add("502", "Who *decides*, @[u-owner]?", OWNER.id)
    box.confluence.notes.add("502", "We do.", DEVELOPER.id, reply_to=top)
    box.confluence.notes.add("502", "Why?", DEVELOPER.id, marked="More")
    box.confluence.files.add("502", "limits.txt", b"five", OWNER.id)
    box.confluence.edit("502", "More, see [the policy](page:501).", DEVELOPER.id)
    write(box, "502", "<p>See " + link("Old") + "</p>" + include("Old"))
    cloud, data_center = (page_reader(box, flavour).ticket("502") for flavour in ("cloud", "data center"))
    assert comparable(data_center, box.confluence_data_center_url) == comparable(cloud, f"{box.confluence_url}/wiki")


def comparable(page, site):
    """Without ids of persons and addresses."""

    def at(locator):
        return replace(locator, url="")

    def named(person):
        return replace(person, id="")

    return replace(
        page,
        reporter=named(page.reporter),
        locator=at(page.locator),
        comments=tuple(
            replace(it, author=named(it.author), mentions=(len(it.mentions),), locator=at(it.locator))
            for it in page.comments
        ),
        history=tuple(replace(it, author=named(it.author)) for it in page.history),
        remote_links=tuple(replace(it, url=it.url.removeprefix(site)) for it in page.remote_links),
    )


def link(title, space=""):
    key = f' ri:space-key="{space}"' if space else ""
    return f'<ac:link><ri:page ri:content-title="{title}"{key} /></ac:link>'


@pytest.mark.parametrize("key", ["confluence:999", "999", "x", "", "confluence:501:comment:7", "jira:501", "../501"])
def test_what_is_no_page_is_gone(pages, key):
    for read in (pages.ticket, pages.labels):
        with pytest.raises(SourceGone):
            read(key)


def test_a_page_of_another_space_or_in_the_trash_is_gone(box, flavour):
    pages = page_reader(box, flavour, ["POL"])
    for read in (pages.ticket, pages.labels):
        with pytest.raises(SourceGone):
            read("505")
    box.confluence.set_status("504", "trashed")
    for read in (pages.ticket, pages.labels):
        with pytest.raises(SourceGone):
            read("504")


@pytest.mark.parametrize(("status", "error"), [(403, SourceForbidden), (503, SourceUnavailable)])
def test_trouble_with_the_page_itself_is_raised(box, pages, status, error):
    refuse(box, r"/pages/501$|/content/501$", status)
    for read in (pages.ticket, pages.labels):
        with pytest.raises(error):
            read("501")


def test_labels_are_those_of_the_page_and_of_all_above_it(box, pages):
    assert pages.labels("503") == {POL, ENGINEERING}
    box.confluence.restrict("503", groups=("leads",))
    assert pages.labels("confluence:503") == {POL, ENGINEERING, LEADS} == pages.ticket("503").labels
    box.confluence.restrict("502")
    assert pages.labels("503") == {POL, LEADS} == pages.ticket("503").labels


def test_labels_are_not_those_of_included_pages(box, pages):
    box.confluence.restrict("504", groups=("leads",))
    write(box, "501", include("Old"))
    assert pages.labels("501") == {POL}


@pytest.mark.parametrize("status", [403, 404, 503])
@pytest.mark.parametrize("above", ["501", "502", "503"])
def test_who_may_read_what_cannot_be_asked_is_not_guessed(box, pages, status, above):
    refuse(box, f"/content/{above}/restriction", status)
    for read in (pages.ticket, pages.labels):
        with pytest.raises(SourceError):
            read("503")


def below_a_closed_one(box):
    add(box, 600, "Closed", "Text.", groups=("leads",))
    box.confluence.move("503", parent="600")


HIDING = {
    "restricted": lambda box: box.confluence.restrict("503", groups=("leads",)),
    "restricted above": lambda box: box.confluence.restrict("501", groups=("leads",)),
    "moved": below_a_closed_one,
}


@pytest.mark.parametrize("hiding", HIDING)
def test_what_is_written_after_a_page_was_restricted_is_never_open(box, pages, hiding):
    def hide():
        HIDING[hiding](box)
        box.confluence.edit("503", "Hidden matter.")
        box.confluence.notes.add("503", "Hidden words.", OWNER.id)
        box.confluence.files.add("503", "hidden.txt", b"x", OWNER.id)

    pages.ticket("503")
    seen = 0
    for page in at_every_request(box, lambda: pages.ticket("503"), hide):
        if "hidden" in repr(page).lower():
            seen += 1
            assert LEADS in page.labels
    assert seen


def test_what_is_written_into_an_included_or_a_child_page_after_it_was_restricted_is_never_shown(box, pages):
    def hide():
        for number in ("504", "600"):
            box.confluence.restrict(number, groups=("leads",))
            box.confluence.edit(number, "Hidden matter.")
            box.confluence.rename(number, "Hidden title")

    write(box, "501", include("Old"))
    add(box, 600, "Below", "Text.", parent="501")
    assert all("Hidden" not in repr(page) for page in at_every_request(box, lambda: pages.ticket("501"), hide))


def at_every_request(box, read, happens):
    """What is read when something happens before the first request of a reading, before the second, and so on."""
    box.exchanges.clear()
    read()
    confluence = box.confluence
    notes, files = confluence.notes, confluence.files
    before = {number: (replace(page), list(page.versions)) for number, page in confluence.pages.items()}
    for at in range(len(box.exchanges.all())):
        ahead = iter([False] * at + [True])
        box.faults.on("*", "", lambda _exchange, ahead=ahead: happens() if next(ahead, False) else None)
        yield read()
        box.faults.clear()
        assert next(ahead, None) is None
        for note in notes:
            notes.remove(note.id)
        for file in files:
            files.remove(file.id)
        confluence.pages.clear()
        confluence.pages |= {
            number: replace(page, versions=list(versions)) for number, (page, versions) in before.items()
        }


def test_an_included_page_is_shown_to_those_who_may_read_it(box, pages):
    write(box, "501", "<p>See:</p>" + include("Old"))
    page = pages.ticket("501")
    assert page.description == "See:\n\nOld."
    assert page.unread == ()
    assert page.history[-1].after == "See:\n\n" + NOT_SHOWN.format("Old")


def test_an_included_page_with_fewer_readers_is_not_shown(box, pages):
    box.confluence.restrict("504", groups=("leads",))
    write(box, "501", "<p>See:</p>" + include("Old"))
    hidden = pages.ticket("501")
    assert hidden.description == "See:\n\n" + NOT_SHOWN.format("Old")
    assert hidden.unread == (INCLUDED,)
    assert "Old." not in repr(hidden)
    box.confluence.set_status("504", "trashed")
    assert pages.ticket("501") == hidden
    box.confluence.purge("504")
    assert pages.ticket("501") == hidden


@pytest.mark.parametrize("status", [403, 503])
def test_an_included_page_of_which_nobody_says_who_may_read_it_is_not_shown(box, pages, status):
    write(box, "501", "<p>See:</p>" + include("Old"))
    refuse(box, "/content/504/restriction", status)
    page = pages.ticket("501")
    assert page.description == "See:\n\n" + NOT_SHOWN.format("Old")
    assert page.unread == (INCLUDED,)


def test_no_more_than_some_included_pages_are_read(box, pages):
    for number in range(600, 640):
        add(box, number, f"Page {number}", f"Text {number}.")
    write(box, "501", "".join(include(f"Page {number}") for number in range(600, 640)))
    page = pages.ticket("501")
    assert page.description.count("Text 6") == 20
    assert page.unread == (INCLUDED,)


def test_comments_stand_in_their_threads(box, flavour, pages):
    notes = box.confluence.notes
    times = [T + timedelta(days=2, hours=at) for at in range(8)]
    first = notes.add("501", "First, @[u-owner]?", DEVELOPER.id, at=times[0])
    about = notes.add("501", "Why five?", OWNER.id, marked="Five tries", at=times[1])
    reply = notes.add("501", "Indeed.", OWNER.id, reply_to=first, at=times[5])
    notes.add("501", "So it is.", DEVELOPER.id, reply_to=reply, at=times[7])
    notes.add("501", "Earlier.", DEVELOPER.id, reply_to=first, at=times[3])
    notes.add("501", "As agreed.", DEVELOPER.id, reply_to=about, at=times[2])
    notes.add("501", "Last.", OWNER.id, at=times[6])
    notes.add("502", "Elsewhere.", OWNER.id)
    comments = pages.ticket("501").comments
    assert [(comment.text, comment.marked) for comment in comments] == [
        ("First, Olga Owner?", ""),
        ("Earlier.", ""),
        ("Indeed.", ""),
        ("So it is.", ""),
        ("Why five?", "Five tries"),
        ("As agreed.", "Five tries"),
        ("Last.", ""),
    ]
    assert comments[0].mentions == (account(flavour, OWNER),)
    assert (comments[0].author.id, comments[0].author.name) == (account(flavour, DEVELOPER), DEVELOPER.name)
    assert comments[0].created == comments[0].updated == times[0]
    notes.resolve(about, "reopened")
    assert pages.ticket("501").comments == comments


@pytest.mark.parametrize("state", ["resolved", "dangling"])
def test_threads_that_are_closed_are_left_out_with_their_replies(box, pages, state):
    about = box.confluence.notes.add("501", "Why five?", OWNER.id, marked="Five tries")
    box.confluence.notes.add("501", "Because.", DEVELOPER.id, reply_to=about)
    box.confluence.notes.add("501", "Still open.", DEVELOPER.id)
    box.confluence.notes.resolve(about, state)
    page = pages.ticket("501")
    assert [comment.text for comment in page.comments] == ["Still open."]
    assert page.unread == ()


def test_the_bots_comments_are_told_apart(box, flavour):
    box.confluence.notes.add("501", "Asked.", OWNER.id)
    box.confluence.notes.add("501", "Answered.", box.accounts.bot.id)
    bot = box.accounts.bot
    for known in {bot.id, account(flavour, bot)}:
        pages = page_reader(box, flavour, bots=lambda known=known: frozenset({known}))
        assert [comment.by_bot for comment in pages.ticket("501").comments] == [False, True]
    assert not any(comment.by_bot for comment in page_reader(box, flavour).ticket("501").comments)


def test_versions_are_changes(box, pages):
    add(box, 600, "Limits", *(f"Text {at}." for at in range(14)))
    changes = pages.ticket("600").history
    assert [(it.field, it.before, it.after) for it in changes] == [
        ("text", f"Text {at}.", f"Text {at + 1}.") for at in range(3, 13)
    ]
    assert [it.at for it in changes] == [T + timedelta(hours=at) for at in range(4, 14)]
    assert pages.ticket("600").unread == ()


def test_a_version_of_the_same_text_changes_nothing(box, pages):
    box.confluence.edit("504", "Old.")
    box.confluence.edit("504", "New.", DEVELOPER.id)
    (change,) = pages.ticket("504").history
    assert (change.before, change.after, change.author.name) == ("Old.", "New.", DEVELOPER.name)


def answer_version(box, number, order):
    """Data Center tells a version from its page by the query alone."""

    def arrived(exchange):
        if f"version={number}" in exchange.query.split("&"):
            order()

    box.faults.on("GET", r"/content/\d+$", arrived)


def test_a_change_of_the_title_is_told(box, flavour, pages):
    edited = {"number": 1, "createdAt": T.isoformat(), "authorId": OWNER.id, "when": T.isoformat()}
    body = {"storage": {"representation": "storage", "value": "<p>Old.</p>"}}
    if flavour == "cloud":
        told = {"results": [edited | {"page": {"id": "504", "title": "Oldest", "body": body}}]}
        answer(box, "/pages/504/versions$", told)
    else:
        told = {"id": "504", "type": "page", "title": "Oldest", "version": edited, "body": body}
        answer_version(box, 1, lambda: answer(box, "/content/504$", told))
    box.confluence.rename("504", "Old")
    (change,) = pages.ticket("504").history
    assert (change.field, change.before, change.after) == ("title", "Oldest", "Old")


def test_versions_without_bodies_are_not_taken_for_empty_ones(box, flavour, pages):
    edited = {"number": 1, "createdAt": T.isoformat(), "authorId": OWNER.id}
    box.confluence.edit("504", "New.")
    if flavour == "cloud":
        answer(box, "/pages/504/versions$", {"results": [edited | {"page": {"id": "504", "title": "Old"}}]})
    else:
        answer_version(box, 1, lambda: answer(box, "/content/504$", {"id": "504", "type": "page", "title": "Old"}))
    page = pages.ticket("504")
    assert (page.history, page.unread) == ((), ("The earlier versions",))


def answer(box, path, payload):
    box.faults.add("GET", path, "status", status=200, body=json.dumps(payload))


def test_a_version_that_was_removed_leaves_a_gap(box, flavour, pages):
    add(box, 600, "Limits", *(f"Text {at}." for at in range(1, 5)))
    if flavour == "cloud":
        rest = [
            {"number": at, "page": {"title": "Limits", "body": {"storage": {"value": f"Text {at}."}}}} for at in (3, 1)
        ]
        answer(box, "/pages/600/versions$", {"results": rest})
    else:
        answer_version(box, 2, lambda: refuse(box, "/content/600$", 404, times=1))
    page = pages.ticket("600")
    assert [(change.before, change.after) for change in page.history] == [
        ("Text 1.", "Text 3."), ("Text 3.", "Text 4.")
    ]  # fmt: skip
    assert page.unread == ()


def test_links_lead_to_what_the_index_holds(box, flavour, pages):
    add(box, 600, "Below", "Text.", parent="501")
    site = f"{box.confluence_url}/wiki" if flavour == "cloud" else box.confluence_data_center_url
    by_id_alone = '<ac:link><ri:content-entity ri:content-id="503" /><ac:link-body>more</ac:link-body></ac:link>'
    write(box, "501", link("Old") + link("Plans", "LED") + (by_id_alone if flavour == "cloud" else ""))
    indexed = [
        Evidence(
            id=it.id, document_id=it.id, source="wiki", kind="page", text=it.text, context=it.context,
            locator=Locator(it.id, it.title, it.url), labels=it.labels, updated=it.updated, score=1.0, route="exact",
            attributes=it.attributes,
        )
        for it in connector(box, flavour).load()
    ]  # fmt: skip
    found = [document_of(it.url, it.title, indexed) for it in pages.ticket("501").remote_links]
    expected = ["504", "505", *(["503"] if flavour == "cloud" else []), "600"]
    assert found == [f"confluence:{number}" for number in expected]
    assert all(it.url.startswith(site) for it in pages.ticket("501").remote_links)


def test_links_and_child_pages(box, pages, flavour):
    site = f"{box.confluence_url}/wiki" if flavour == "cloud" else box.confluence_data_center_url
    by_title = link("Old") + link("Plans", "LED") + link("Old") + link("Login &lt;policy&gt; &amp; rules")
    by_address = (
        f'<a href="{site}/spaces/POL/pages/504/Old">the old one</a><a href="https://elsewhere.example/pages/7">no</a>'
        f'<a href="{box.jira_url}/browse/SHOP-1">SHOP-1</a><a href="{site}/spaces/POL/pages/501">itself</a>'
        f'<a href="{site}/people/x">no</a><a href="#top">no</a><a href="http://[">no</a>'
    )
    write(box, "501", f"<p>{by_title}{by_address}</p>{include('Included')}")
    add(box, 600, "Below", "Text.", parent="501")
    add(box, 601, "Included", "Text.")
    found = pages.ticket("501").remote_links
    children = [link for link in found if link.relation]
    assert [link for link in found if not link.relation] == [
        RemoteLink("Old", f"{site}/display/POL/Old"),
        RemoteLink("Plans", f"{site}/display/LED/Plans"),
        RemoteLink("the old one", f"{site}/spaces/POL/pages/504/Old"),
    ]
    assert children == [RemoteLink("Below", f"{site}/pages/viewpage.action?pageId=600", "child page")]
    assert "Details" not in {link.title for link in found}  # it has fewer readers
    assert pages.ticket("501").unread == ()


def test_a_child_page_of_which_nobody_says_who_may_read_it_is_not_told(box, pages):
    add(box, 600, "Below", "Text.", parent="501")
    refuse(box, "/content/600/restriction")
    page = pages.ticket("501")
    assert page.remote_links == ()
    assert page.unread == ("Some of the child pages",)


def test_a_child_page_with_the_same_readers_is_told(box, pages):
    box.confluence.restrict("503", groups=("engineering",))
    assert [link.title for link in pages.ticket("502").remote_links] == ["Below details"]
    box.confluence.restrict("503", groups=("leads",))
    assert pages.ticket("502").remote_links == ()
    assert pages.ticket("502").unread == ()


@pytest.mark.parametrize("status", [403, 503])
@pytest.mark.parametrize(
    ("path", "unread"),
    [
        (r"/pages/501/versions$", "The earlier versions"),
        (r"/pages/501/(footer|inline)-comments$|/child/comment$", "The comments"),
        (r"/501/attachments$|/child/attachment$", "The files"),
        (r"/direct-children$|/child/page$", "The child pages"),
    ],
)
def test_a_part_that_fails_costs_itself_alone(box, pages, flavour, path, unread, status):
    box.confluence.notes.add("501", "Said.", OWNER.id)
    box.confluence.files.add("501", "limits.txt", b"five", OWNER.id)
    add(box, 600, "Below", "Text.", parent="501")
    whole = pages.ticket("501")
    if flavour == "data center" and unread == "The earlier versions":
        answer_version(box, 1, lambda: refuse(box, "/content/501$", status, times=1))
    else:
        refuse(box, path, status)
    page = pages.ticket("501")
    assert page.unread == (unread,)
    assert "Nightfall" not in repr(page)
    lost = {"The earlier versions": "history", "The comments": "comments", "The files": "files"}.get(unread)
    lost = lost or "remote_links"
    assert getattr(whole, lost)
    assert page == replace(whole, **{lost: ()}, unread=(unread,))


def test_names_that_cannot_be_had_cost_nothing_else(box, pages, flavour):
    box.faults.add("*", "users-bulk|/rest/api/user$", "status", times=99, status=503)
    page = pages.ticket("501")
    assert page.description
    assert page.unread == ()
    assert page.reporter.name == ("somebody" if flavour == "cloud" else OWNER.name)


def test_more_than_is_read_is_said(box, flavour, pages):
    for at in range(520):
        box.confluence.notes.add("502", f"Comment {at}.", OWNER.id)
    for at in range(210):
        box.confluence.files.add("502", f"{at}.txt", b"x", OWNER.id)
    for number in range(600, 625):
        add(box, number, f"Page {number}", "Text.", parent="502")
    write(box, "502", "<p>" + "word " * 110_000 + "</p>")
    box.exchanges.clear()
    page = pages.ticket("502")
    assert page.unread == (
        "Some of the comments", "Some of the files", "Some of the child pages", "The end of its text"
    )  # fmt: skip
    assert len(page.description) == 500_000
    assert (len(page.files), len(page.comments)) == (200, 500)
    assert len(box.exchanges.all()) < 60


def test_replies_are_asked_for_as_far_as_that_goes(box, flavour, pages):
    first = box.confluence.notes.add("501", "First.", OWNER.id)
    for at in range(105):
        box.confluence.notes.add("501", f"Comment {at}.", OWNER.id)
    box.confluence.notes.add("501", "Reply.", OWNER.id, reply_to=first)
    page = pages.ticket("501")
    if flavour == "cloud":
        assert (len(page.comments), page.unread) == (106, ("Some of the comments",))
    else:
        assert (page.comments[1].text, page.unread) == ("Reply.", ())


def test_large_versions_are_not_all_read(box, pages):
    for _ in range(5):
        write(box, "504", "<p>" + "word " * 100_000 + "</p>")
        write(box, "504", "<p>" + "other " * 100_000 + "</p>")
    page = pages.ticket("504")
    assert page.unread == ("Some of the earlier versions", "The end of its text")
    assert 0 < len(page.history) < 6


def test_credentials_are_masked(box, pages):
    secret = "ghp_" + "a1B2" * 9
    box.confluence.notes.add("504", f"Use {secret}.", OWNER.id)
    box.confluence.edit("504", f"The token is {secret}.")
    box.confluence.edit("504", f"The token was {secret}.")
    page = pages.ticket("504")
    assert secret not in repr(page)
    assert "The token was ****" in page.description
    assert len(page.history) == 2


def test_an_empty_page_has_no_text(box, pages):
    write(box, "504", "<p />")
    assert pages.ticket("504").description == ""


def test_an_audience_sees_what_it_may(pages):
    page = pages.ticket("503")
    assert page.seen_by(Audience(frozenset({POL}))) is None
    assert page.seen_by(Audience(frozenset({POL, ENGINEERING}))) == page


def test_every_exchange_is_as_described_and_they_are_few(box, pages, shared):
    top = box.confluence.notes.add("503", "Foot.", OWNER.id)
    box.confluence.notes.add("503", "Reply.", OWNER.id, reply_to=top)
    box.confluence.notes.add("503", "Inline.", OWNER.id, marked="More")
    box.confluence.files.add("503", "a.txt", b"alpha", OWNER.id)
    add(box, 600, "Below", "Text.", parent="503")
    write(box, "503", "<p>Start.</p>" + include("Old"))
    box.exchanges.clear()
    pages.ticket("503")
    found = judge(shared)
    # Of Data Center's list of attachments it is described what an upload answers.
    judged = [exchange for exchange in box.exchanges.all() if not exchange.path.endswith("/child/attachment")]
    assert [problem for exchange in judged for problem in found.check(exchange)] == []
    assert len(box.exchanges.all()) <= 24
    box.exchanges.clear()
    pages.labels("503")
    assert len(box.exchanges.all()) <= 6
