"""Confluence in trouble with single pages, comments and files, which cost themselves alone, on both flavours."""

import json
from dataclasses import replace

import pytest
from structlog.testing import capture_logs

from core import visibility
from core.connectors.confluence import ConfluenceConnector
from core.connectors.confluence_hidden import Hidden, ShortMemory
from core.errors import SourceIncomplete, SourceUnavailable
from sandbox.records import Page, PageVersion
from tests.core.connectors.confluence_parts import Reading, by_id, connector
from tests.core.connectors.conftest import QUICK
from tests.core.connectors.test_confluence_includes import NOT_SHOWN, include, write
from tests.sandbox_fixtures import OWNER, T

POL = visibility.confluence_space("POL")
LEADS = visibility.restriction(["leads"], [])
REFUSED = "could not be read: Confluence does not give it to the account that reads"
PAGE = "/pages/{0}$|/content/{0}$"


@pytest.fixture(params=["cloud", "data center"])
def flavour(request):
    return request.param


@pytest.fixture
def wiki(box, flavour):
    return connector(box, flavour, read=Reading())


def tight(box, flavour, **options):
    site = box.confluence_url if flavour == "cloud" else box.confluence_data_center_url
    user = box.read_user if flavour == "cloud" else ""
    limits = replace(QUICK, answer_bytes=60_000)
    return ConfluenceConnector("wiki", site, user, box.read_token, ["POL", "LED"], limits=limits, **options)


def refuse(box, path, times=9):
    body = json.dumps({"message": "Only for the members of Project Nightfall"})
    box.faults.add("GET", path, "status", times=times, status=403, body=body)


def test_a_refused_page_says_so_and_costs_no_other(box, wiki):
    note = box.confluence.notes.add("501", "Said.", OWNER.id)
    refuse(box, PAGE.format(501))
    found = by_id(wiki.load())
    assert found.keys() == {"501", "502", "503", "504", "505", f"501:comment:{note}"}
    page = found["501"]
    assert (page.text, page.unread) == (f"[{REFUSED}]", (REFUSED,))
    assert (page.title, page.labels) == ("Login <policy> & rules", {POL})
    assert "Nightfall" not in repr(page)
    assert found[f"501:comment:{note}"].text == "Said."


def test_a_page_too_large_to_take_says_so_and_keeps_its_labels(box, flavour):
    write(box, "501", "<p>" + "word " * 30_000 + "</p>" + include("Details"))
    wiki = tight(box, flavour, memory=ShortMemory())
    page = by_id(wiki.load())["501"]
    assert page.unread == ("could not be read: its answer is larger than can be taken",)
    wiki.ids()
    asked = ["confluence:501", "confluence:504"]
    assert wiki.labels_now(asked) == {key: {POL} for key in asked}


def test_a_refused_comment_says_so(box, wiki):
    mark = wiki.mark()
    note = box.confluence.notes.add("504", "Said.", OWNER.id)
    refuse(box, f"/(footer|inline)-comments/{note}$|/content/{note}$")
    (comment,) = wiki.changed_since(mark)
    assert (comment.id, comment.unread, comment.labels) == (f"confluence:504:comment:{note}", (REFUSED,), {POL})


def test_a_refused_file_is_told_without_the_words_of_the_refusal(box, wiki):
    box.confluence.files.add("501", "a.txt", b"alpha", OWNER.id)
    refuse(box, "/download/")
    file = next(document for document in wiki.load() if document.kind == "attachment")
    assert (file.text, file.unread) == (f"[{REFUSED}]", (REFUSED,))


def test_a_page_of_which_nobody_can_say_who_may_read_it_is_left_out(box, wiki):
    refuse(box, "/content/504/restriction")
    with capture_logs() as logs:
        assert "504" not in by_id(wiki.load())
    assert [entry["what"] for entry in logs if "left out" in entry["event"]] == ["page 504"]
    assert "confluence:504" in wiki.ids()
    assert wiki.labels_now(["confluence:504", "confluence:501"]) == {"confluence:504": None, "confluence:501": {POL}}


def test_many_pages_left_out_are_a_source_in_trouble(box, wiki):
    for number in range(30):
        box.confluence.add_page(page(number))
    refuse(box, "/restriction", times=999)
    with pytest.raises(SourceIncomplete, match="21 pages"):
        list(wiki.load())


def page(number):
    return Page(str(600 + number), "POL", f"Page {number}", (PageVersion(T, OWNER.id, "Text."),), None)


def test_a_refused_include_is_not_shown_and_closes_nothing(box, flavour):
    write(box, "501", "<p>See:</p>" + include("Old"))
    wiki = connector(box, flavour)
    refuse(box, PAGE.format(504), times=99)
    found = by_id(wiki.load())["501"]
    assert found.text.startswith("See:\n\n" + NOT_SHOWN.format("Old"))
    wiki.ids()
    assert wiki.labels_now(["confluence:501"]) == {"confluence:501": {POL}}


@pytest.mark.parametrize("status", [403, 500])
def test_labels_of_a_page_in_trouble_break_no_others(box, flavour, status):
    wiki = connector(box, flavour)
    asked = [f"confluence:{number}" for number in (501, 504, 505)]
    before = wiki.labels_now(asked)
    assert None not in before.values()
    path = "/api/v2/pages$" if flavour == "cloud" else "/content/504$"
    # On Cloud they fail together, and then the first alone, each as often as it is tried.
    times = (2 if status == 403 else 6) if flavour == "cloud" else 9
    box.faults.add("GET", path, "status", times=times, status=status)
    after = wiki.labels_now(asked)
    (lost,) = [document for document in asked if after[document] is None]
    assert after == {**before, lost: None}


@pytest.mark.parametrize("status", [401, 503])
def test_labels_of_a_source_that_does_not_answer_are_an_error(box, wiki, status):
    box.faults.add("GET", "/", "status", times=99, status=status)
    with pytest.raises(SourceUnavailable):
        wiki.labels_now(["confluence:501"])


def test_what_is_hidden_is_known_after_a_restart(box, flavour):
    box.confluence.restrict("504", groups=("leads",))
    write(box, "501", "<p>See:</p>" + include("Old"))
    memory = ShortMemory()
    first = connector(box, flavour, memory=memory)
    first.total()
    list(first.load())
    assert connector(box, flavour, memory=memory).labels_now(["confluence:501"]) == {"confluence:501": {POL, LEADS}}
    first.ids()  # asked for when all is indexed
    again = connector(box, flavour, memory=memory)
    assert again.labels_now(["confluence:501"]) == {"confluence:501": {POL}}
    mark = again.mark()
    write(box, "501", "<p>See nothing.</p>")
    list(again.changed_since(mark))
    again.removed_since(mark, ())
    assert memory.get("hidden:wiki") == "{}"


def test_what_is_shown_from_now_on_is_known_before_it_is_given_away(box, flavour):
    """Killed between the two, a page is closed to some of its readers, never open to others."""
    box.confluence.restrict("504", groups=("leads",))
    write(box, "501", include("Old"))
    memory = ShortMemory()
    first = connector(box, flavour, memory=memory)
    list(first.load())
    first.ids()
    mark = first.mark()
    box.confluence.restrict("504")
    write(box, "501", "<p>Now:</p>" + include("Old"))
    reading = connector(box, flavour, memory=memory).changed_since(mark)
    assert any("Now:" in document.text and NOT_SHOWN.format("Old") not in document.text for document in reading)
    box.confluence.restrict("504", groups=("leads",))
    assert connector(box, flavour, memory=memory).labels_now(["confluence:501"]) == {"confluence:501": {POL, LEADS}}


def test_what_an_interrupted_run_hides_is_not_held_for_hidden():
    memory = ShortMemory()
    hidden = Hidden(memory, "wiki")
    hidden.begin()
    hidden.found("1", frozenset({"7"}))
    hidden.indexed(["1"])
    assert hidden.now() == {}
    hidden.begin()
    hidden.found("1", frozenset({"7", "8"}))
    hidden.end()
    hidden.indexed(["1"])
    assert Hidden(memory, "wiki").now() == {"1": {"7", "8"}}
    hidden.begin()
    hidden.found("1", frozenset({"8", "9"}))
    assert Hidden(memory, "wiki").now() == {"1": {"8"}}
    hidden.end()
    hidden.indexed(["2"])
    assert Hidden(memory, "wiki").now() == {}
