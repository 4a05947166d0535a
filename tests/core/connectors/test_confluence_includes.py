"""Included pages and excerpts: shown where everybody who may read the page may read them too, and nowhere else."""

import pytest

from core import visibility
from core.errors import SourceIncomplete
from core.types import Audience
from tests.core.connectors.confluence_parts import by_id, connector
from tests.sandbox_fixtures import OWNER

POL = visibility.confluence_space("POL")
ENGINEERING = visibility.restriction(["engineering"], [])
LEADS = visibility.restriction(["leads"], [])
NOT_SHOWN = "[include: {}, not shown here]"


@pytest.fixture(params=["cloud", "data center"])
def wiki(box, request):
    return connector(box, request.param)


def include(title, *, space="", excerpt=None, name=""):
    key = f' ri:space-key="{space}"' if space else ""
    named = f'<ac:parameter ac:name="name">{name}</ac:parameter>' if name else ""
    macro = "include" if excerpt is None else "excerpt-include"
    page = f'<ac:link><ri:page ri:content-title="{title}"{key} /></ac:link>'
    return (
        f'<ac:structured-macro ac:name="{macro}"><ac:parameter ac:name="">{page}</ac:parameter>{named}'
        "</ac:structured-macro>"
    )


def excerpt(text, name=""):
    named = f'<ac:parameter ac:name="name">{name}</ac:parameter>' if name else ""
    body = f"<ac:rich-text-body><p>{text}</p></ac:rich-text-body>"
    return f'<ac:structured-macro ac:name="excerpt">{named}{body}</ac:structured-macro>'


def write(box, page, storage):
    box.confluence.edit(page, "", storage=storage)


def text_of(wiki, page):
    return by_id(wiki.load())[page].text


def test_a_page_and_an_excerpt_are_shown(box, wiki):
    write(box, "504", "<p>Old.</p>" + excerpt("first") + excerpt("ten euros", "fees"))
    shown = include("Old") + include("Old", excerpt=True) + include("Old", excerpt=True, name="fees", space="POL")
    write(box, "501", f"<p>Start.</p>{shown}<p>End.</p>")
    assert text_of(wiki, "501").startswith("Start.\n\nOld.\n\nfirst\n\nten euros\n\nfirst\n\nten euros\n\nEnd.")
    write(box, "501", include("Old", excerpt=True, name="none"))
    assert text_of(wiki, "501").startswith("[include: Old has no such excerpt]")


def test_what_not_everybody_may_read_is_not_shown(box, wiki):
    write(box, "501", include("Details") + include("Plans", space="LED") + include("Nowhere") + include("X", space="Y"))
    shown = text_of(wiki, "501")
    assert shown.startswith("\n\n".join(NOT_SHOWN.format(title) for title in ("Details", "Plans", "Nowhere", "X")))
    assert "More." not in shown
    write(box, "503", include("Old") + include("Login &lt;policy&gt; &amp; rules"))
    assert text_of(wiki, "503").startswith("Old.\n\nMore.\n\n" + NOT_SHOWN.format("Plans"))


def test_a_page_that_an_included_page_must_not_show_either(box, wiki):
    """503 may show 504, which includes 502's child; to 501's readers neither is shown by way of the other."""
    write(box, "504", "<p>By way.</p>" + include("Details"))
    write(box, "501", include("Old"))
    write(box, "503", include("Old"))
    found = by_id(wiki.load())
    assert found["501"].text.startswith("By way.\n\n" + NOT_SHOWN.format("Details"))
    assert found["503"].text.startswith("By way.\n\nMore.")


def test_cycles_are_cut(box, wiki):
    write(box, "504", "<p>four</p>" + include("Login &lt;policy&gt; &amp; rules"))
    write(box, "501", "<p>one</p>" + include("Old") + include("Login &lt;policy&gt; &amp; rules"))
    cut = "[include: Login <policy> & rules, cut here: it includes itself]"
    assert text_of(wiki, "501").startswith(f"one\n\nfour\n\n{cut}\n\n{cut}")


def test_too_much_is_cut_and_said(box, wiki):
    write(box, "504", "<p>" + "word " * 60_000 + "</p>")
    write(box, "501", include("Old") * 3)
    found = by_id(wiki.load())["501"]
    assert len(found.text) < 210_000
    assert "[include: Old, the rest not read]" in found.text
    assert found.unread == ("included text: Old",)


def test_includes_of_includes_have_an_end(box, wiki):
    write(box, "504", include("Old", excerpt=True) * 50 + excerpt("x"))
    write(box, "501", include("Old") * 150)
    found = by_id(wiki.load())["501"]
    assert "included text: Old" in found.unread
    assert len(found.text) < 250_000


def test_an_including_page_is_read_again(box, wiki):
    write(box, "501", "<p>See:</p>" + include("Old"))
    write(box, "505", include("Old", space="POL"))
    mark = wiki.mark()
    box.confluence.edit("504", "New.")
    found = by_id(wiki.changed_since(mark))
    assert found.keys() == {"501", "504", "505"}
    assert found["501"].text.startswith("See:\n\nNew.")
    assert found["505"].text == NOT_SHOWN.format("Old")
    mark = wiki.mark()
    box.confluence.edit("503", "unrelated")
    assert by_id(wiki.changed_since(mark)).keys() == {"503"}
    box.confluence.set_status("504", "trashed")
    found = by_id(wiki.changed_since(mark))
    assert found["501"].text.startswith("See:\n\n" + NOT_SHOWN.format("Old"))


def test_no_change_asks_for_no_including_pages(box, wiki):
    write(box, "501", include("Old"))
    mark = wiki.mark()
    box.exchanges.clear()
    assert list(wiki.changed_since(mark)) == []
    assert not [exchange for exchange in box.exchanges.all() if exchange.path.endswith("/search")]


def test_a_restriction_on_an_included_page_is_known_at_once(box, wiki):
    """What was shown when the page was read must not be cited to those who may not read it any more."""
    write(box, "504", "<p>Between us.</p>")
    write(box, "501", include("Old"))
    assert "Between us." in text_of(wiki, "501")
    box.confluence.restrict("504", groups=("leads",))
    labels = wiki.labels_now(["confluence:501", "confluence:503"])
    assert labels["confluence:501"] == {POL, LEADS}
    assert not Audience(frozenset({POL})).may_read(labels["confluence:501"])
    assert labels["confluence:503"] == {POL, ENGINEERING}
    found = by_id(wiki.load())["501"]
    assert found.text.startswith(NOT_SHOWN.format("Old"))
    assert found.labels == {POL}
    assert wiki.labels_now(["confluence:501"]) == {"confluence:501": {POL, LEADS}}  # the index still shows it
    wiki.ids()  # asked for when all is indexed
    assert wiki.labels_now(["confluence:501"]) == {"confluence:501": {POL}}


def test_a_connector_that_has_not_read_the_page_is_careful(box, wiki):
    write(box, "501", include("Details"))
    assert wiki.labels_now(["confluence:501"]) == {"confluence:501": {POL, ENGINEERING}}
    list(wiki.load())
    wiki.ids()
    assert wiki.labels_now(["confluence:501"]) == {"confluence:501": {POL}}


def test_an_included_page_whose_restriction_cannot_be_asked(box, wiki):
    write(box, "501", include("Old"))
    list(wiki.load())
    box.faults.add("GET", "/content/504/restriction", "status", times=3, status=500)
    assert wiki.labels_now(["confluence:501"]) == {"confluence:501": None}


def test_an_included_page_that_cannot_be_read_just_now(box, wiki):
    """That does not mean that there is none: the run is not complete, and who may read the other is not said."""
    write(box, "501", include("Old"))
    list(wiki.load())
    mark = wiki.mark()
    box.confluence.edit("501", "", storage="<p>x</p>" + include("Old"))
    box.faults.add("GET", "/pages/504$|/content/504$", "status", times=3, status=503)
    with pytest.raises(SourceIncomplete, match="page 504"):
        list(wiki.changed_since(mark))
    box.faults.add("GET", "/pages/504$|/content/504$", "status", times=3, status=503)
    assert wiki.labels_now(["confluence:501"]) == {"confluence:501": None}
    assert wiki.labels_now(["confluence:501"]) == {"confluence:501": {POL}}


def test_a_search_that_does_not_know_macros_costs_only_the_including_pages(box, wiki):
    write(box, "501", include("Old"))
    mark = wiki.mark()
    box.confluence.edit("504", "New.")
    box.faults.add("GET", "/search$", "status", times=9, status=400)
    assert by_id(wiki.changed_since(mark)).keys() == {"504"}


def test_an_included_page_written_after_its_restriction(box, wiki):
    """Bodies are read before it is asked who may read them, those of included pages too."""
    write(box, "501", include("Old"))

    def hide(_):
        box.confluence.restrict("504", users=(OWNER.id,))
        box.confluence.edit("504", "For the owner.")

    box.faults.on("GET", "/pages/504$|/content/504$", hide)
    assert "For the owner." not in text_of(wiki, "501")


@pytest.mark.parametrize("flavour", ["cloud", "data center"])
def test_two_pages_of_one_title_in_two_spaces(box, flavour):
    box.confluence.rename("505", "Old")
    write(box, "501", include("Old", space="LED") + include("Old", space="POL"))
    found = by_id(connector(box, flavour).load())
    assert found["504"].title == found["505"].title == "Old"
    assert found["501"].text.startswith(NOT_SHOWN.format("Old") + "\n\nOld.")
