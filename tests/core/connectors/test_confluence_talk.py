"""Comments on pages and files attached to them, on Cloud and on Data Center alike."""

import time
from datetime import UTC, datetime, timedelta

import pytest

from core import visibility
from core.errors import SourceIncomplete
from core.parsing.files import FileReader
from core.parsing.parsed import Parsed
from sandbox.confluence_files import content
from sandbox.load import load_company
from sandbox.server import Sandbox
from tests.core.connectors.confluence_parts import MARK, Reading, by_id, connector
from tests.sandbox_fixtures import DEVELOPER, OWNER, T

POL = visibility.confluence_space("POL")
ENGINEERING = visibility.restriction(["engineering"], [])


@pytest.fixture(params=["cloud", "data center"])
def flavour(request):
    return request.param


@pytest.fixture
def reading():
    return Reading()


@pytest.fixture
def wiki(box, flavour, reading):
    return connector(box, flavour, read=reading)


def test_comments_are_documents_of_their_own(box, wiki):
    notes = box.confluence.notes
    foot = notes.add("502", "Who *decides*?", OWNER.id)
    reply = notes.add("502", "We do.", DEVELOPER.id, reply_to=foot)
    inline = notes.add("501", "Why five?", DEVELOPER.id, marked="Five tries")
    found = by_id(wiki.load())
    assert {key for key in found if "comment" in key} == {
        f"502:comment:{foot}", f"502:comment:{reply}", f"501:comment:{inline}"
    }  # fmt: skip
    first = found[f"502:comment:{foot}"]
    assert (first.kind, first.text, first.title) == ("comment", "Who decides?", "Comment on Details")
    assert first.context == "Policies > Login <policy> & rules > Details > comment"
    assert first.labels == {POL, ENGINEERING}
    assert first.attributes["author"] == OWNER.name
    assert f"focusedCommentId={foot}" in first.url
    about = found[f"501:comment:{inline}"]
    assert about.text == "On this text of the page (open):\n\n> Five tries\n\nWhy five?"
    assert about.attributes["resolution"] == "open"
    assert wiki.ids() == {f"confluence:{key}" for key in found}
    assert wiki.total() == len(found)


@pytest.mark.parametrize("state", ["resolved", "dangling"])
def test_a_comment_changes_without_its_page(box, wiki, state):
    inline = box.confluence.notes.add("501", "Why five?", DEVELOPER.id, marked="Five tries")
    before = wiki.mark()
    assert list(wiki.changed_since(before)) == []
    foot = box.confluence.notes.add("503", "New.", OWNER.id)
    box.confluence.notes.resolve(inline, state)
    found = by_id(wiki.changed_since(before))
    assert found.keys() == {f"501:comment:{inline}", f"503:comment:{foot}"}
    assert found[f"501:comment:{inline}"].text.startswith(f"On this text of the page ({state}):")
    before = wiki.mark()
    box.confluence.notes.edit(foot, "Newer.")
    assert [document.text for document in wiki.changed_since(before)] == ["Newer."]


def test_a_reply_shares_the_marked_text_and_a_renamed_page_renames_its_comments(box, wiki):
    top = box.confluence.notes.add("503", "Why?", OWNER.id, marked="Still more")
    reply = box.confluence.notes.add("503", "So.", OWNER.id, reply_to=top)
    before = wiki.mark()
    box.confluence.rename("502", "Fine print")
    found = by_id(wiki.changed_since(before))
    assert found.keys() == {"502", "503", f"503:comment:{top}", f"503:comment:{reply}"}
    assert "Fine print" in found[f"503:comment:{reply}"].context
    assert "> Still more" in found[f"503:comment:{reply}"].text


def test_many_changed_comments_are_not_asked_for_one_by_one(box, wiki):
    for number in range(60):
        box.confluence.notes.add("503", f"Comment {number}.", OWNER.id)
    mark = wiki.mark()
    box.confluence.rename("502", "Fine print")
    box.exchanges.clear()
    assert len(list(wiki.changed_since(mark))) == 62
    assert len(box.exchanges.all()) < 40


def test_the_bots_own_answers_are_left_out(box, flavour):
    bot = box.accounts.bot.id
    box.confluence.notes.add("501", "Asked by a person.", OWNER.id)
    box.confluence.notes.add("501", "The answer, with what it cites.", bot)
    wiki = connector(box, flavour, bots=lambda: frozenset({bot}))
    assert [d.text for d in wiki.load() if d.kind == "comment"] == ["Asked by a person."]
    assert len([key for key in wiki.ids() if "comment" in key]) == 1
    assert len([d for d in connector(box, flavour).load() if d.kind == "comment"]) == 2


def test_removed_since(box, wiki):
    note = box.confluence.notes.add("504", "x", OWNER.id)
    file = box.confluence.files.add("504", "a.txt", b"alpha", OWNER.id)
    other = box.confluence.notes.add("501", "y", OWNER.id)
    before = wiki.mark()
    assert wiki.removed_since(before, ()) == set()
    box.confluence.notes.remove(other)
    assert wiki.removed_since(before, ()) == {f"confluence:501:comment:{other}"}
    box.confluence.set_status("504", "trashed")
    gone = {"confluence:504", f"confluence:504:comment:{note}", f"confluence:504:attachment:{file}"}
    assert wiki.removed_since(before, ()) == {f"confluence:501:comment:{other}", *gone}
    box.confluence.set_status("504", "current")
    assert wiki.removed_since(before, ()) == {f"confluence:501:comment:{other}"}
    box.confluence.move("502", parent=None, space="LED")
    assert wiki.removed_since(before, ()) == {f"confluence:501:comment:{other}"}


def test_field_report_p2_a_page_in_the_trash_takes_its_file_along(box, wiki):
    file = box.confluence.files.add("501", "terms.txt", b"only in the file", OWNER.id)
    key = f"confluence:501:attachment:{file}"
    everything = wiki.ids()
    before = wiki.mark()
    box.confluence.set_status("501", "trashed")
    assert wiki.removed_since(before, ()) == {"confluence:501", key}
    assert wiki.ids() == everything - {"confluence:501", key}
    assert wiki.labels_now(["confluence:501", key]) == {"confluence:501": None, key: None}
    trashed = wiki.mark()
    box.confluence.set_status("501", "current")
    found = by_id(wiki.changed_since(trashed))
    assert found["501:attachment:" + file].text == "only in the file"
    assert wiki.labels_now([key]) == {key: {POL}}


def test_files_are_documents_of_their_own(box, wiki, reading):
    file = box.confluence.files.add("502", "fares & more.txt", b"alpha\nbeta", OWNER.id)
    found = by_id(wiki.load())[f"502:attachment:{file}"]
    assert (found.kind, found.title, found.text) == ("attachment", "fares & more.txt", "alpha")
    assert found.context == "Policies > Login <policy> & rules > Details > attachment fares & more.txt"
    assert found.labels == {POL, ENGINEERING}
    assert found.places[0].fragment == "#page=1"
    assert found.url.endswith("/download/attachments/502/fares%20%26%20more.txt")
    assert found.keys == {"fares & more.txt"}
    before = wiki.mark()
    reading.names.clear()
    assert list(wiki.changed_since(before)) == []
    assert reading.names == []
    box.confluence.files.add("502", "fares & more.txt", b"gamma", OWNER.id)
    (again,) = wiki.changed_since(before)
    assert (again.id, again.text) == (found.id, "gamma")
    assert again.version != found.version


def test_pictures_are_unread_without_a_describer(box, wiki):
    file = box.confluence.files.add("501", "shot.png", content("shot.png", "a bar"), OWNER.id)
    found = by_id(wiki.load())[f"501:attachment:{file}"]
    assert found.text == "before [picture not read: login.png] after"
    assert found.unread == ("picture not read: login.png",)


def test_pictures_go_to_the_describer(box, flavour, reading):
    file = box.confluence.files.add("501", "shot.png", content("shot.png", "a bar"), OWNER.id)
    wiki = connector(
        box, flavour, read=reading, describe=lambda parsed: Parsed(parsed.text.replace(MARK, "a login form"))
    )
    assert by_id(wiki.load())[f"501:attachment:{file}"].text == "before a login form after"


def test_what_is_not_downloaded_is_said(box, flavour, reading):
    files = box.confluence.files
    files.add("501", "big.txt", b"x" * 2_001, OWNER.id)
    files.add("501", "backup.zip", b"PK", OWNER.id)
    files.add("501", "small.txt", b"small", OWNER.id)
    wiki = connector(box, flavour, read=reading, largest=2_000)
    found = {d.title: d for d in wiki.load() if d.kind == "attachment"}
    assert found["big.txt"].unread == ("could not be read: it has 2,001 bytes, and the limit is 2,000",)
    assert found["backup.zip"].text == "[could not be read: files of the type zip are not read]"
    assert found["small.txt"].text == "small"
    assert reading.names == ["small.txt"]
    assert len([e for e in box.exchanges.all() if "/download/" in e.path]) == 1


def test_a_file_larger_than_it_said_is_cut_off(box, reading):
    number = box.confluence.files.add("501", "liar.txt", b"x" * 500_000, OWNER.id)
    wiki = connector(box, "cloud", read=reading, largest=1_000)
    api = wiki._api
    file = next(file for file in api.attachments([]) if file.id == number)
    with pytest.raises(Exception, match="more than 1000 bytes"):
        api.download(file)


def test_without_a_reader_files_are_left_out(box, flavour):
    box.confluence.files.add("501", "a.txt", b"alpha", OWNER.id)
    wiki = connector(box, flavour)
    assert not [key for key in wiki.ids() if "attachment" in key]
    assert not [e for e in box.exchanges.all() if "attachment" in e.path]


def test_what_the_index_holds_is_not_downloaded_again(box, flavour, reading):
    box.confluence.files.add("501", "a.txt", b"alpha", OWNER.id)
    box.confluence.files.add("501", "shot.png", b"...", OWNER.id)
    held = {d.id: d.version for d in connector(box, flavour, read=reading).load()}
    reading.names.clear()
    again = connector(box, flavour, read=reading, known=held.get)
    assert {d.id: d.version for d in again.load()} == held
    assert reading.names == ["shot.png"]  # of which something was not read


def test_cloud_gives_files_at_another_host_which_sees_no_credentials(box, reading):
    box.confluence.files.add("501", "a.txt", b"alpha", OWNER.id)
    list(connector(box, "cloud", read=reading).load())
    media = [exchange for exchange in box.exchanges.all() if exchange.service == "media"]
    assert [exchange.status for exchange in media] == [200]
    assert "authorization" not in media[0].headers
    assert "cookie" not in media[0].headers


@pytest.mark.parametrize(
    "location", ["ftp://files.example/a", "file:///etc/passwd", "//[bad", "https://127.0.0.1:1/closed"]
)
def test_a_redirect_that_is_not_safe_is_not_followed(box, reading, location):
    box.confluence.files.add("501", "a.txt", b"alpha", OWNER.id)
    box.faults.add("GET", "/download/", "status", times=9, status=302, headers={"location": location}, body="")
    read = []
    with pytest.raises(SourceIncomplete, match=r"attachment a\.txt of page 501"):
        read.extend(connector(box, "cloud", read=reading).load())
    assert "501" in by_id(read)
    assert reading.names == []


def test_a_file_that_is_refused_costs_itself_alone(box, flavour, reading):
    box.confluence.files.add("501", "a.txt", b"alpha", OWNER.id)
    box.confluence.files.add("501", "b.txt", b"beta", OWNER.id)
    box.faults.add("GET", r"/download/.*/a\.txt", "status", status=403)
    found = {d.title: d for d in connector(box, flavour, read=reading).load() if d.kind == "attachment"}
    assert found["b.txt"].text == "beta"
    assert found["a.txt"].unread


def test_a_comment_that_goes_while_it_is_read(box, wiki):
    before = wiki.mark()
    note = box.confluence.notes.add("501", "x", OWNER.id)
    box.faults.on("GET", "/content/501|/pages/501$", lambda _: remove(box, note))
    assert list(wiki.changed_since(before)) == []


def remove(box, note):
    if box.confluence.notes.get(note):
        box.confluence.notes.remove(note)


def test_a_comment_written_after_a_restriction_is_never_held_for_open(box, wiki):
    note = box.confluence.notes.add("501", "open", OWNER.id)

    def hide(_):
        box.confluence.restrict("501", users=(OWNER.id,))
        box.confluence.notes.edit(note, "For the owner.")

    before = wiki.mark()
    box.confluence.notes.edit(note, "still open")
    box.faults.on("GET", "/pages/501$|/content/501$", hide)
    found = by_id(wiki.changed_since(before))[f"501:comment:{note}"]
    assert found.text == "For the owner."
    assert found.labels != {POL}


def test_comments_of_other_spaces_are_not_ours(box, flavour):
    box.confluence.notes.add("505", "secret", OWNER.id)
    wiki = connector(box, flavour, ["POL"])
    assert not [d for d in wiki.load() if d.kind == "comment"]


@pytest.mark.parametrize(
    ("path", "where"),
    [
        ("/footer-comments$", "footer comments, page 1 of the listing"),
        ("/inline-comments$", "inline comments, page 1 of the listing"),
        ("/attachments$", "attachments, page 1 of the listing"),
    ],
)
def test_field_report_p3_a_listing_of_comments_or_files_that_fails_stops_all(box, reading, path, where):
    """Without them it would look as if they were gone."""
    wiki = connector(box, "cloud", read=reading)
    mark = wiki.mark()
    for read in (
        wiki.load,
        wiki.ids,
        wiki.mark,
        lambda: wiki.removed_since(mark, ()),
        lambda: wiki.changed_since(mark),
    ):
        box.faults.add("GET", path, "status", times=3, status=500)
        with pytest.raises(SourceIncomplete, match=where):
            list(read())
        box.faults.clear()
    assert list(wiki.changed_since(mark)) == []


def test_real_files_of_the_company():
    """What people attach is read by the reader of all files: cells, lines, edges; a picture is said to be unread."""
    reader = FileReader()
    made = load_company()
    with Sandbox.start(made) as box:
        wiki = connector(box, "cloud", [space.key for space in made.spaces], read=reader)
        documents = list(wiki.load())
        restricted = visibility.restriction(["security-team"], [])
        found = {document.title: document for document in documents if document.kind == "attachment"}
        page = next(document for document in documents if document.id == "confluence:7101")
    reader.close()
    assert "| North Quay | 3 | 2 |" in found["check-in-by-line.xlsx"].text
    assert "main -> Trial server: each night" in found["release.drawio"].text
    assert "What do we change?" in found["template.pdf"].text
    assert found["template.pdf"].places[0].label == "page 1"
    assert restricted in found["template.pdf"].labels
    assert found["lines.png"].unread == ("picture not read: lines.png",)
    assert "[diagram: release.drawio, see attachment]" in page.text
    assert "A story is ready when a tester can say" in page.text  # of the page that it includes


@pytest.fixture(params=["Pacific/Kiritimati", "America/New_York"])
def elsewhere(request, monkeypatch):
    """This process in another time zone."""
    with monkeypatch.context() as patch:
        patch.setenv("TZ", request.param)
        time.tzset()
        yield
    time.tzset()


@pytest.mark.usefixtures("elsewhere")
def test_field_report_p1_no_clock_has_a_part_in_what_changed(box, wiki):
    """All in the same second, the second one in an hour that comes twice that night, the third in the past."""
    note = box.confluence.notes.add("502", "x", OWNER.id)
    for moment in (T, datetime(2026, 11, 1, 5, 30, tzinfo=UTC), T - timedelta(days=400)):
        box.confluence.now = lambda moment=moment: moment
        box.confluence.edit("503", f"Before {moment}.")
        mark = wiki.mark()
        box.confluence.edit("503", f"After {moment}.")
        box.confluence.notes.edit(note, f"After {moment}.")
        found = list(wiki.changed_since(mark))
        assert [document.text for document in found] == [f"After {moment}."] * 2
        assert {document.updated for document in found} == {moment}
