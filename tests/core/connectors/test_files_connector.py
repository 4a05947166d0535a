"""A folder as a source: what is in it, what changed, and that nothing missing ever looks like something deleted."""

import json
import os
import shutil
import socket
import tempfile
import threading
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest

from core.connectors.files import FilesConnector
from core.errors import SourceIncomplete, SourceUnavailable
from core.parsing.parsed import Parsed, Picture, unreadable
from core.types import Place


def read(name, data):
    """Text as it is; what begins with P holds a picture."""
    if data.startswith(b"P"):
        mark = "[picture not read: chart.png]"
        return Parsed(f"seen {mark}", pictures=(Picture("chart.png", "image/png", b"png", mark),))
    text = data.decode("utf-8", "replace")
    return Parsed(text, (Place(0, "page 1", "#page=1"),)) if text else unreadable("it is empty")


@pytest.fixture
def folder(tmp_path) -> Path:
    made = tmp_path / "folder"
    (made / "rules" / "old").mkdir(parents=True)
    (made / "login.md").write_text("Lock after five tries.")
    (made / "rules" / "prices.csv").write_text("a,b")
    (made / "rules" / "old" / "prices.csv").write_text("a,c")
    return made


def undescribed(parsed):
    text = parsed.text
    for picture in parsed.pictures:
        text = text.replace(picture.mark, f"[picture not read: {picture.name}]")
    unread = (*parsed.unread, *(f"picture not read: {picture.name}" for picture in parsed.pictures))
    return replace(parsed, text=text, unread=unread, pictures=())


def connector(folder, **options):
    return FilesConnector("team", folder, options.pop("read", read), **{"describe": undescribed, **options})


def ids(documents):
    return {document.id for document in documents}


def test_every_file_is_a_document(folder):
    os.utime(folder / "login.md", (1_750_000_000, 1_750_000_000))
    found = {document.id: document for document in connector(folder, link="https://files.example/{path}").load()}
    assert set(found) == {
        "files:team:login.md",
        "files:team:rules/prices.csv",
        "files:team:rules/old/prices.csv",
    }
    document = found["files:team:rules/old/prices.csv"]
    assert (document.title, document.kind, document.text) == ("prices.csv", "file", "a,c")
    assert document.context == "team > rules > old > prices.csv"
    assert document.url == "https://files.example/rules/old/prices.csv"
    assert document.labels == {"files:team"}
    assert document.keys == {"prices.csv", "rules/old/prices.csv"}
    assert document.places == (Place(0, "page 1", "#page=1"),)
    assert found["files:team:login.md"].updated == datetime.fromtimestamp(1_750_000_000, UTC)


def test_two_readings_of_the_same_files_are_equal(folder):
    source = connector(folder)
    assert list(source.load()) == list(source.load())
    assert source.mark() == source.mark()
    assert source.ids() == ids(source.load())
    assert source.total() == 3


def test_what_changed_is_told_by_comparing_listings(folder):
    source = connector(folder)
    mark = source.mark()
    assert list(source.changed_since(mark)) == []
    assert source.removed_since(mark, ()) == set()
    (folder / "login.md").rename(folder / "sign-in.md")
    (folder / "rules" / "prices.csv").write_text("a,d")
    assert ids(source.changed_since(mark)) == {"files:team:sign-in.md", "files:team:rules/prices.csv"}
    assert source.removed_since(mark, ()) == {"files:team:login.md"}


def test_a_change_that_keeps_size_and_date_is_seen(folder):
    source = connector(folder)
    path = folder / "login.md"
    before = path.stat()
    mark = source.mark()
    path.write_text("Lock after nine tries.")
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))
    assert path.stat().st_size == before.st_size
    assert ids(source.changed_since(mark)) == {"files:team:login.md"}


def test_the_version_follows_the_text_and_the_reasons_do_not_enter_it(folder):
    (folder / "login.md").write_text("Picture")
    plain = next(d for d in connector(folder).load() if d.title == "login.md")
    other = next(
        d
        for d in connector(
            folder, describe=lambda p: replace(p, unread=("picture not read: a limit",), pictures=())
        ).load()
        if d.title == "login.md"
    )
    told = next(
        d
        for d in connector(folder, describe=lambda p: replace(p, text="seen [a chart]", pictures=())).load()
        if d.title == "login.md"
    )
    assert plain.unread == ("picture not read: chart.png",)
    assert "[picture not read: chart.png]" in plain.text
    assert plain.version == other.version != told.version


@pytest.mark.parametrize("gone", ["missing", "empty", "only hidden", "a file"])
def test_a_folder_that_is_not_there_never_looks_like_one_without_files(tmp_path, gone):
    folder = tmp_path / "folder"
    if gone in {"empty", "only hidden"}:
        folder.mkdir()
    if gone == "only hidden":
        (folder / ".mounted").write_text("")
    if gone == "a file":
        folder.write_text("")
    source = connector(folder)
    for ask in (source.ids, source.mark, source.total, source.load, lambda: source.labels_now(["files:team:a"])):
        with pytest.raises(SourceUnavailable):
            ask()
    before = json.dumps({"a": "1"})
    for ask in (lambda: source.changed_since(before), lambda: source.removed_since(before, {"files:team:a"})):
        with pytest.raises(SourceUnavailable):
            ask()


def test_what_is_no_file_of_anybodys_is_left_out(folder):
    outside = folder.parent / "secret.md"
    outside.write_text("not for here")
    (folder / "link.md").symlink_to(outside)
    (folder / "loop").symlink_to(folder)
    (folder / "above").symlink_to(folder.parent)
    (folder / ".git").mkdir()
    (folder / ".git" / "config").write_text("x")
    (folder / ".env").write_text("x")
    (folder / "~$plan.docx").write_text("x")
    os.mkfifo(folder / "pipe")
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(folder / "socket"))
        assert connector(folder).ids() == {
            "files:team:login.md",
            "files:team:rules/prices.csv",
            "files:team:rules/old/prices.csv",
        }


def test_a_folder_that_becomes_a_link_while_it_is_read_leads_nowhere(folder):
    outside = folder.parent / "outside"
    outside.mkdir()
    (outside / "prices.csv").write_text("secret")
    documents = connector(folder).load()
    (folder / "rules" / "old").rename(folder / "moved")
    (folder / "rules" / "old").symlink_to(outside)
    texts = []
    with pytest.raises(SourceIncomplete, match=r"rules/old/prices\.csv"):
        texts.extend(document.text for document in documents)
    assert not any("secret" in text for text in texts)


def test_names_that_cannot_be_stored_as_they_are(folder):
    (folder / os.fsdecode(b"caf\xe9 list.md")).write_text("latin")
    (folder / "two\nlines.md").write_text("newline")
    found = {document.text: document for document in connector(folder, link="https://f.example/{path}").load()}
    assert found["latin"].id == "files:team:caf\\xe9 list.md"
    assert found["latin"].url == "https://f.example/caf%E9%20list.md"
    assert found["newline"].id == "files:team:two\nlines.md"
    assert found["newline"].title == "two lines.md"
    for document in found.values():
        document.id.encode()
        json.dumps(document.title)


@pytest.fixture
def shut() -> Iterator[Path]:
    """A folder with a file and a folder that may not be read. Root may read everything, so it becomes somebody else."""
    made = Path(tempfile.mkdtemp())
    (made / "inner").mkdir()
    for path in (made / "open.md", made / "shut.md", made / "inner" / "hidden.md"):
        path.write_text("text")
    made.chmod(0o755)
    (made / "shut.md").chmod(0)
    root = os.geteuid() == 0
    if root:
        os.seteuid(65534)
    yield made
    if root:
        os.seteuid(0)
    (made / "inner").chmod(0o755)
    shutil.rmtree(made)


def test_a_file_that_may_not_be_read_says_so_and_costs_no_other(shut):
    source = connector(shut)
    mark = source.mark()
    found = {document.id: document for document in source.load()}
    assert found.keys() == source.ids()
    denied = found["files:team:shut.md"]
    assert denied.text == "[could not be read: permission denied]"
    assert denied.unread == ("could not be read: permission denied",)
    assert (denied.title, denied.labels) == ("shut.md", {"files:team"})
    user = os.geteuid()
    os.seteuid((shut / "shut.md").stat().st_uid)
    (shut / "shut.md").chmod(0o644)
    os.seteuid(user)
    (again,) = source.changed_since(mark)
    assert (again.id, again.text, again.unread) == ("files:team:shut.md", "text", ())
    assert again.version != denied.version


def test_a_folder_that_may_not_be_listed_takes_nothing_away(shut):
    source = connector(shut)
    mark = source.mark()
    user = os.geteuid()
    os.seteuid((shut / "inner").stat().st_uid)
    (shut / "inner").chmod(0)
    (shut / "open.md").unlink()
    os.seteuid(user)
    with pytest.raises(SourceIncomplete, match="inner"):
        source.ids()
    with pytest.raises(SourceIncomplete, match="inner"):
        list(source.changed_since(mark))
    assert source.removed_since(mark, ()) == set()


def test_what_vanishes_while_it_is_read_makes_the_run_incomplete(folder):
    """An unmounted volume looks the same; had the run been complete, its unchanged files would never be read again."""
    source = connector(folder)
    documents = source.load()
    (folder / "login.md").unlink()
    with pytest.raises(SourceIncomplete, match=r"login\.md"):
        list(documents)
    assert source.ids() == {"files:team:rules/prices.csv", "files:team:rules/old/prices.csv"}


def test_many_failures_stop_the_run(folder):
    for number in range(60):
        (folder / f"{number:02}.md").write_text("x")
    documents = connector(folder).load()
    for number in range(60):
        (folder / f"{number:02}.md").unlink()
    with pytest.raises(SourceIncomplete, match="21 files"):
        list(documents)


def test_a_file_over_the_limit_is_not_opened(folder):
    with (folder / "film.mov").open("wb") as file:
        file.truncate(60_000_000)
    found = next(d for d in connector(folder).load() if d.title == "film.mov")
    assert found.text == "[could not be read: it is larger than 50 MB]"
    assert found.unread == ("could not be read: it is larger than 50 MB",)
    small = next(d for d in connector(folder, largest=3, read=unread_by).load() if d.title == "prices.csv")
    assert small.text == "3 bytes"


def unread_by(name, data):
    return Parsed(f"{len(data)} bytes")


def test_a_file_that_is_written_to_while_it_is_read_says_so(folder):
    """It is read all the same: a log that always grows must not hold up the others. The next listing finds it again."""
    path = folder / "server.log"
    path.write_bytes(b"line\n" * 2_000_000)
    source = connector(folder, read=unread_by)
    mark = source.mark()
    stop = threading.Event()

    def write():
        with path.open("ab", buffering=0) as log:
            while not stop.is_set():
                log.write(b"line\n")

    writer = threading.Thread(target=write)
    writer.start()
    try:
        for _ in range(200):  # on a busy machine a whole read may pass between two lines
            found = {document.title: document for document in source.load()}
            if found["server.log"].unread:
                break
    finally:
        stop.set()
        writer.join()
    assert found["server.log"].unread == ("it was written to while it was read",)
    assert found["login.md"].unread == ()
    assert ids(source.changed_since(mark)) == {"files:team:server.log"}


def test_labels_are_given_for_what_is_there(folder):
    source = connector(folder, labels=frozenset({"org", "files:team"}))
    assert source.labels_now(["files:team:login.md", "files:team:gone.md", "jira:1"]) == {
        "files:team:login.md": {"org", "files:team"},
        "files:team:gone.md": None,
        "jira:1": None,
    }


def test_a_deep_tree_is_walked_without_recursion(folder):
    deep = folder
    for _ in range(700):
        deep /= "d"
        deep.mkdir()
    (deep / "x.md").write_text("deep")
    assert any(document.text == "deep" for document in connector(folder).load())


def test_a_byte_and_a_name_that_reads_like_one_are_two_documents(folder):
    for name in (b"caf\xe9.md", b"caf\\xe9.md"):
        (folder / os.fsdecode(name)).write_text("x")
    loaded = [document.id for document in connector(folder).load()]
    assert len(loaded) == len(set(loaded)) == 5
