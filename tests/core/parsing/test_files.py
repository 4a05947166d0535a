"""Any file through the reader: what it is taken for, and what a bad one can do (nothing but say that it is bad)."""

import io
import json
import os
import random
import signal
import subprocess
import sys
import threading
import time
import zipfile
import zlib
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image

from core.parsing import webpage
from core.parsing.child import ChildLimits
from core.parsing.files import FileLimits, FileReader
from core.parsing.text import decoded
from core.types import Place
from tests.core.parsing.pdfs import assembled, pdf, stream, written

GOOD = pdf(written(72, 700, "All is well"))


@pytest.fixture(scope="module")
def read() -> Iterator[FileReader]:
    reader = FileReader()
    yield reader
    reader.close()


@pytest.fixture
def limited() -> Iterator[Callable[..., FileReader]]:
    """Makes readers with limits of their own; `limits` go to the process that reads."""
    made: list[FileReader] = []

    def make(largest=50_000_000, characters=5_000_000, **limits) -> FileReader:
        made.append(FileReader(FileLimits(largest, characters, ChildLimits(**limits)), processes=1))
        return made[-1]

    yield make
    for reader in made:
        reader.close()


def children() -> set[int]:
    """The processes that this one has started and not buried."""
    found = (path.read_text().split() for path in Path("/proc/self/task").glob("*/children"))
    return {int(number) for numbers in found for number in numbers}


@pytest.fixture
def started() -> Callable[[], set[int]]:
    """The processes that the test has started, of those that still run."""
    before = children()
    return lambda: children() - before


def gone(process: int) -> bool:
    """Whether a process has ended with all its threads, buried or not."""
    try:
        ended = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] == "Z"
        return ended and len(list(Path(f"/proc/{process}/task").iterdir())) == 1
    except (FileNotFoundError, ProcessLookupError):
        return True


def waited(done, seconds=10.0) -> bool:
    end = time.monotonic() + seconds
    while not done():
        if time.monotonic() > end:
            return False
        time.sleep(0.01)
    return True


def dense(pages: int) -> bytes:
    """A file that takes about 50 ms a page to read."""
    page = b"".join(written(40, 780 - 8 * line, "word " * 25, 7) for line in range(95))
    return pdf(*[page] * pages, packed=True)


def archive(**entries: bytes) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as made:
        for name, data in entries.items():
            made.writestr(name.replace("__", "/"), data)
    return out.getvalue()


PAGE = b"<!doctype html><html><head><title>Locks</title><style>p {}</style></head><body><script>x()</script><p>Hi"


@pytest.mark.parametrize(
    ("name", "data", "text"),
    [
        ("rules.txt", GOOD, "All is well"),
        ("rules", b"\n\n" + GOOD, "All is well"),
        ("rules.doc", PAGE, "# Locks\n\nHi"),
        ("page.html", b"<p>caf\xe9", "caf\u00e9"),
        ("page.html", '<meta charset="iso-8859-2"><p>\u0142'.encode("iso-8859-2"), "\u0142"),
        ("note.md", "\ufeffOne\r\ntwo".encode(), "One\ntwo"),
        ("note.md", "Grün".encode("utf-16"), "Grün"),
        ("note", b"a \x93quote\x94", "a “quote”"),
        ("code.py", b"x = 1\n", "x = 1\n"),
        ("a.csv", b"name;age\nAna;7\n", "| name | age |\n| --- | --- |\n| Ana | 7 |"),
        ("a.tsv", b"name\tage\nAna\t7\n", "| name | age |\n| --- | --- |\n| Ana | 7 |"),
        (
            "a.csv",
            b'name,said\nAna,"one\ntwo, ""three"""\n',
            '| name | said |\n| --- | --- |\n| Ana | one two, "three" |',
        ),
        ("a.csv", b"just words\nand more words\n", "just words\nand more words\n"),
        ("flow.mmd", b"graph TD\nA[Cart] -->|pays| B[Order]\n", "Cart -> Order: pays"),
        ("flow.puml", b"@startuml\nCart -> Order : pays\n@enduml\n", "Cart -> Order: pays"),
    ],
)
def test_the_content_says_what_a_file_is(read, name, data, text):
    parsed = read(name, data)
    assert parsed.text.startswith(text)
    assert parsed.unread == ()


DRAWING = b"""<mxfile><diagram name="Login"><mxGraphModel><root><mxCell id="0"/><mxCell id="1" parent="0"/>
<mxCell id="a" value="Form" vertex="1" parent="1"/><mxCell id="b" value="Check" vertex="1" parent="1"/>
<mxCell id="c" value="sends" edge="1" source="a" target="b" parent="1"/></root></mxGraphModel></diagram></mxfile>"""


def test_diagrams_are_read_as_graphs(read):
    assert "Form -> Check: sends" in read("login.xml", DRAWING).text
    fenced = b"# Login\n\n```mermaid\ngraph TD\nA[Form] -->|sends| B[Check]\n```\n\nAfter.\n"
    told = read("login.md", fenced).text
    assert "```\n\nDiagram read:\nForm -> Check: sends\n\nAfter." in told
    assert told.startswith("# Login\n\n```mermaid\n")


def test_pictures_are_handed_on_and_drawings_give_their_words(read):
    data = io.BytesIO()
    Image.new("RGB", (40, 40)).save(data, "PNG")
    parsed = read("shots/login.jpg", data.getvalue())
    assert [(picture.name, picture.media_type) for picture in parsed.pictures] == [("login.jpg", "image/png")]
    assert parsed.text == parsed.pictures[0].mark
    svg = read("flow.svg", b'<svg xmlns="http://www.w3.org/2000/svg"><g><text>Log <tspan>in</tspan></text></g></svg>')
    assert svg.text.startswith("Log in")
    assert svg.unread == ("drawing not read beyond its words: flow.svg",)
    assert webpage.parse_svg("flow.svg", b"\0<svg/>").unread == ("could not be read: it is damaged",)


@pytest.mark.parametrize(
    ("name", "data", "reason"),
    [
        ("a.pdf", b"", "it is empty"),
        ("a.txt", b" \n", "it is empty"),
        ("a.pdf", b"\0" * 100, "it is empty"),
        ("a.csv", b"\xef\xbb\xbf\n", "it is empty"),
        ("a.zip", archive(a=b"x"), "its format (a ZIP archive) is not one that is read"),
        ("a.docx", archive(a=b"x"), "its format (a ZIP archive) is not one that is read"),
        ("a.rtf", b"{\\rtf1 x}", "its format (RTF) is not one that is read"),
        ("a.bin", b"\x01\x02\x00\x03", "its format is not one that is read"),
        ("a.pdf", b"%PDF-1.7 and no more", "it is damaged"),
        ("a.csv", b"a,b\n" * 2_000_000, "it is larger than 5 MB"),
    ],
)
def test_what_cannot_be_read_says_why(limited, name, data, reason):
    reader = limited(largest=5_000_000)
    parsed = reader(name, data)
    assert parsed.text == f"[could not be read: {reason}]"
    assert parsed.unread == (f"could not be read: {reason}",)


# Tables of text


def test_rows_carry_their_header_and_their_numbers(read):
    rows = "".join(f"{number},{'x' * 60}\n" for number in range(2, 102))
    parsed = read("a.csv", f"id,text\n{rows}".encode())
    assert len(parsed.places) > 2
    assert parsed.places[0].label == "rows 2 to 38"
    for place, after in zip(parsed.places, [*parsed.places[1:], Place(len(parsed.text) + 2, "")], strict=True):
        piece = parsed.text[place.start : after.start - 2]
        head, _line, *body = piece.split("\n")
        assert head == "| id | text |"
        first, last = (int(number) for number in place.label.removeprefix("rows ").split(" to "))
        assert [int(row.split("|")[1]) for row in body] == list(range(first, last + 1))


def test_a_hundred_thousand_rows_meet_a_limit(read):
    began = time.monotonic()
    parsed = read("a.csv", b"id,name\n" + b"".join(b"%d,x\n" % number for number in range(100_000)))
    assert time.monotonic() - began < 5
    assert parsed.unread == ("50,001 lines after row 50,000 not read",)
    assert "| 49998 | x |" in parsed.text
    assert parsed.text.endswith("[50,001 lines after row 50,000 not read]")


def test_a_cell_of_fifty_megabytes_costs_its_row_alone(read):
    began = time.monotonic()
    parsed = read("a.csv", b"a,b\n1," + b"x" * 49_000_000 + b"\n2,3\n")
    assert time.monotonic() - began < 5
    assert "| 2 | 3 |" in parsed.text
    assert parsed.unread == ("row 2 not read: a cell of it has more than 131,072 characters",)


def test_long_cells_and_wide_rows_are_cut_and_named(read):
    parsed = read("a.csv", b"a,b\n" + b"x" * 20_000 + b",1\n" + b",".join(b"%d" % n for n in range(300)) + b"\n")
    assert parsed.unread == (
        "row 2, column 1: the text after 10,000 characters not read",
        "row 3: the cells after column 200 not read",
    )


@given(st.lists(st.lists(st.text("ab,;|\"'\n é", max_size=6), min_size=2, max_size=4), min_size=1, max_size=8))
@settings(max_examples=60)
def test_any_table_is_survived_and_places_point_into_the_text(rows):
    parsed = FileReader()("a.csv", "\n".join(",".join(row) for row in rows).encode())
    assert parsed.text.strip()
    assert all(0 <= place.start < len(parsed.text) for place in parsed.places)


# What a bad file can do


def test_a_file_that_takes_too_long_is_given_up_and_the_next_one_is_read(limited, started):
    reader = limited(seconds=1)
    began = time.monotonic()
    parsed = reader("slow.pdf", dense(300))
    assert 0.9 < time.monotonic() - began < 5
    assert parsed.unread == ("could not be read: reading it took longer than 1 seconds",)
    assert started() == set()
    assert reader("good.pdf", GOOD).text == "All is well"
    assert len(started()) == 1
    reader.close()
    assert started() == set()


def test_a_file_that_takes_too_much_memory_is_given_up_and_the_next_one_is_read(limited):
    """A page of 600 MB, packed in half a megabyte."""
    packer = zlib.compressobj(1)
    packed = b"".join(packer.compress(b" " * 1_000_000) for _ in range(600)) + packer.flush()
    page = b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents 4 0 R >>"
    tree = [b"<< /Type /Catalog /Pages 2 0 R >>", b"<< /Type /Pages /Kids [3 0 R] /Count 1 >>"]
    reader = limited(memory=400_000_000)
    parsed = reader("bomb.pdf", assembled([*tree, page, stream(packed, "/Filter /FlateDecode")]))
    assert parsed.unread[0].startswith("could not be read: its reader crashed on it")
    assert reader("good.pdf", GOOD).text == "All is well"


def test_memory_is_limited_in_python_too(limited):
    reader = limited(memory=150_000_000)
    parsed = reader("large.md", b"word " * 9_900_000)
    assert parsed.unread == ("could not be read: reading it took more than 150 MB of memory",)
    assert reader("good.pdf", GOOD).text == "All is well"


def test_more_output_than_may_be_is_refused(limited):
    reader = limited(output=10_000)
    parsed = reader("long.md", b"word " * 10_000)
    assert parsed.unread[0].startswith("could not be read: its reader had to be stopped")
    assert reader("good.pdf", GOOD).text == "All is well"


def test_text_beyond_the_limit_is_said(limited):
    reader = limited(characters=1_000)
    parsed = reader("a.txt", b"word " * 1_000)
    assert parsed.unread == ("the text after the first 1,000 characters not read",)
    assert len(parsed.text) < 1_100


HUGE_TREE = [b"<< /Type /Catalog /Pages 2 0 R >>"]


@pytest.mark.parametrize(
    "data",
    [
        archive(**{"[Content_Types].xml": b"x", "word__document.xml": b"\0" * 300_000_000}),
        archive(**{"[Content_Types].xml": b"x", "xl__workbook.xml": b"<a>" * 10_000_000}),
        archive(**{"ppt__presentation.xml": b"<!DOCTYPE a [<!ENTITY b 'c'>]><a>&b;</a>"})[:200],
        assembled([*HUGE_TREE, b"<< /Type /Pages /Kids [" + b"3 0 R " * 1_000_000 + b"] /Count 1000000 >>", b"<<>>"]),
        assembled(
            [*HUGE_TREE, *(b"<< /Type /Pages /Kids [%d 0 R] /Count 1 >>" % n for n in range(3, 30_000)), b"<<>>"]
        ),
        assembled([*HUGE_TREE, b"<< /Type /Pages /Kids [2 0 R 2 0 R] /Count 999999999 >>"]),
    ],
    ids=["zip bomb", "deep xml", "cut zip", "wide tree", "deep tree", "tree in a ring"],
)
def test_hostile_files_are_said_to_be_unreadable_and_soon(read, data):
    began = time.monotonic()
    parsed = read("a.dat", data)
    assert parsed.unread[0].startswith("could not be read: ")
    assert time.monotonic() - began < 15
    assert read("good.pdf", GOOD).text == "All is well"


def test_damaged_files_of_every_kind_are_survived(read):
    """Whatever bytes of a good file are changed, there is an answer, and the next file is read."""
    generator = random.Random(1)
    good = dense(2)
    for _ in range(40):
        data = bytearray(good)
        for _ in range(20):
            data[generator.randrange(10, len(data))] = generator.randrange(256)
        assert read("a.pdf", bytes(data)).text
    assert read("good.pdf", GOOD).text == "All is well"


# The process


def test_no_secret_reaches_the_process_that_reads(limited, started, monkeypatch):
    monkeypatch.setenv("CROSSCHECK_JIRA_READ_TOKEN", "very-secret")
    reader = limited()
    reader("good.pdf", GOOD)
    (process,) = started()
    environment = Path(f"/proc/{process}/environ").read_bytes()
    assert b"secret" not in environment
    names = {entry.partition(b"=")[0].decode() for entry in environment.split(b"\0") if entry}
    assert names <= {
        *("PATH", "LANG", "LC_ALL", "LC_CTYPE", "LD_LIBRARY_PATH", "PYTHONPATH"),
        *("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MALLOC_ARENA_MAX", "PYTHONDONTWRITEBYTECODE"),
    }


def test_the_process_holds_no_file_of_the_parents(limited, started, tmp_path):
    with (tmp_path / "open").open("w"):
        reader = limited()
        reader("good.pdf", GOOD)
        (process,) = started()
        held = {str(path.readlink()) for path in Path(f"/proc/{process}/fd").iterdir()}
    assert not any(str(tmp_path) in target for target in held)
    assert not any(target.startswith("socket:") for target in held)


def test_a_process_is_kept_for_several_files_and_then_replaced(limited, started):
    reader = limited(documents=3)
    seen = []
    for _ in range(4):
        assert reader("good.pdf", GOOD).text == "All is well"
        seen.append(started())
    assert seen[0] == seen[1]
    assert seen[2] == set()
    assert seen[3] not in (set(), seen[0])


def test_a_process_that_was_killed_while_idle_costs_no_file(limited, started):
    reader = limited()
    reader("good.pdf", GOOD)
    (process,) = started()
    os.kill(process, signal.SIGKILL)
    assert waited(lambda: gone(process))
    assert reader("good.pdf", GOOD).text == "All is well"


def test_threads_share_a_reader(read):
    files = [(f"{number}.pdf", pdf(written(72, 700, f"File {number}"))) for number in range(60)]
    with ThreadPoolExecutor(8) as pool:
        texts = list(pool.map(lambda file: read(*file).text, files))
    assert texts == [f"File {number}" for number in range(60)]
    assert len(children()) <= 4


def test_a_thread_that_ends_takes_no_process_with_it(limited, started):
    reader = limited()
    thread = threading.Thread(target=reader, args=("good.pdf", GOOD))
    thread.start()
    thread.join()
    (process,) = started()
    assert reader("good.pdf", GOOD).text == "All is well"
    assert started() == {process}


PARENT = """
import sys, threading
from pathlib import Path
from core.parsing.child import ChildLimits
from core.parsing.files import FileLimits, FileReader
reader = FileReader(FileLimits(child=ChildLimits(seconds=60)))
threading.Thread(target=reader, args=("a.pdf", Path(sys.argv[1]).read_bytes()), daemon=True).start()
sys.stdin.read()
"""


@pytest.mark.parametrize("pages", [1, 400], ids=["idle", "reading"])
def test_the_process_ends_with_its_parent(tmp_path, pages):
    file = tmp_path / "a.pdf"
    file.write_bytes(dense(pages))
    root = Path(__file__).parents[3]
    parent = subprocess.Popen([sys.executable, "-c", PARENT, file], stdin=subprocess.PIPE, cwd=root)
    children_of = Path(f"/proc/{parent.pid}/task")

    def child():
        found = [number for path in children_of.glob("*/children") for number in path.read_text().split()]
        return int(found[0]) if found else 0

    assert waited(lambda: child() and _imported(child()))
    process = child()
    parent.kill()
    parent.communicate()
    assert waited(lambda: gone(process))


def _imported(process: int) -> bool:
    """Whether it is so far that it reads."""
    return "pdfium" in Path(f"/proc/{process}/maps").read_text()


ATTEMPTS = """
import json, os, socket, subprocess, sys
from core.parsing.worker import confine
confine(2_000_000_000)
def outcome(attempt):
    try:
        attempt()
    except OSError as error:
        return type(error).__name__
    return "allowed"
def write():
    with open(sys.argv[1], "w") as file:
        file.write("x")
print(json.dumps([
    outcome(lambda: socket.create_connection(("127.0.0.1", 9))),
    outcome(lambda: subprocess.run(["true"])),
    outcome(lambda: os.system("true")),
    outcome(os.fork),
    outcome(write),
]))
"""


def test_the_process_may_not_connect_start_anything_or_write(tmp_path):
    root = Path(__file__).parents[3]
    target = tmp_path / "written"
    done = subprocess.run([sys.executable, "-c", ATTEMPTS, target], capture_output=True, cwd=root, check=True)
    assert json.loads(done.stdout) == ["PermissionError"] * 4 + ["OSError"]
    assert target.read_bytes() == b""


def test_a_damaged_byte_costs_only_itself():
    assert decoded("Grüße, größer, süß".encode() + b"\xff!") == "Grüße, größer, süß\ufffd!"
    assert decoded("Grüße".encode("cp1252")) == "Grüße"
    assert decoded(b"caf\xe9") == "café"


@pytest.mark.parametrize("encoding", ["utf-32-be", "utf-32-le", "utf-16-be", "utf-16-le", "utf-8"])
@pytest.mark.parametrize(("name", "source"), [("note.txt", "Größe"), ("page.html", "<p>Größe</p>")])
def test_every_byte_order_mark_is_known(read, encoding, name, source):
    parsed = read(name, ("\ufeff" + source).encode(encoding))
    assert (parsed.text, parsed.unread) == ("Größe", ())


def test_text_of_every_character_there_is_is_decoded_at_once():
    """Counting each of a million different characters in all the others would take an hour."""
    every = "".join(map(chr, [*range(0xA0, 0xD800), *range(0xE000, 0xFFFD), *range(0x10000, 0x110000)]))
    assert decoded(every.encode() + b"\xff") == every + "\ufffd"


def test_rows_that_a_stray_quote_swallows_are_said(read):
    rows = [f"{n},name {n},{n * 2}" for n in range(1, 301)]
    rows[1] = '2,"name 2,4'
    rows[200] = '201,name" 201,402'
    parsed = read("a.csv", ("id,name,twice\n" + "\n".join(rows) + "\n").encode())
    assert parsed.unread == ("row 3: a quote is not closed where one would expect it, so rows stand in one cell",)
    assert "150,name 150,300" in parsed.text
    assert "| 300 | name 300 | 600 |" in parsed.text


def test_a_long_text_in_a_cell_is_no_swallowed_row(read):
    said = "\n".join(f"Line {n}, said Ana." for n in range(100))
    assert read("a.csv", f'id,text,by\n1,"{said}",Ana\n2,x,Bo\n'.encode()).unread == ()


@pytest.mark.parametrize("piece", ["<head>", "<head ", "<title>", "<head><title>", "<img src=x ", "<img ", "</head "])
@pytest.mark.parametrize("before", ["", "<head>", "<head></head>"])
def test_a_page_of_tags_that_never_end_is_gone_through_once(before, piece):
    """In the process of the tests, where no limit of time would cut it short."""
    assert webpage.parse("a.html", (before + piece * 300_000).encode()).text


def test_the_title_is_the_heading_and_pictures_are_named():
    page = b"<HEAD lang=en><style>b</style><Title id=a>One <b></title ><title>Two</title></HEAD ><header>Hi</header>"
    parsed = webpage.parse("a.html", page + b"<IMG alt='x' src=\"a/b.png?1\"><img src=c.png")
    assert parsed.text == "# One\n\nHi\n\n[image: x][image]"
    assert parsed.unread == ("picture not read: b.png",)
