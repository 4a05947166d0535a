"""PDF by page: the order of reading, tables, what runs along the edges, and what cannot be read."""

import hashlib
import io

import pytest
from PIL import Image

from core.parsing.pdf import parse
from core.types import Place
from tests.core.parsing.pdfs import assembled, pdf, rule, stream, written


def read(*pages, **options):
    return parse("x.pdf", pdf(*pages, **options))


def lines(left, top, *texts, pitch=12, size=10):
    return b"".join(written(left, top - pitch * number, text, size) for number, text in enumerate(texts))


def footer(number):
    return written(72, 40, f"Acme Ltd, internal, page {number}")


def test_field_report_o3():
    """The left column whole, then the right; the table row by row; the footer in no sentence."""
    left = ["The account is locked after", "five failed attempts, and the"]
    right = ["owner gets a message that says", "when it opens again."]
    interleaved = b"".join(
        written(72, 700 - 12 * row, left[row]) + written(330, 700 - 12 * row, right[row]) for row in range(2)
    )
    rows = [("Attempts", "Lock"), ("5", "30 min"), ("10", "a day")]
    table = b"".join(written(72, 700 - 14 * n, a) + written(250, 700 - 14 * n, b) for n, (a, b) in enumerate(rows))
    parsed = read(interleaved + footer(1), table + footer(2))
    assert parsed.text == (
        "Acme Ltd, internal, page 1\n\n"
        "The account is locked after five failed attempts, and the owner gets a message that "
        "says when it opens again.\n\n"
        "| Attempts | Lock |\n| --- | --- |\n| 5 | 30 min |\n| 10 | a day |"
    )
    second = parsed.text.index("| Attempts")
    assert parsed.places == (Place(0, "page 1", "#page=1"), Place(second, "page 2", "#page=2"))
    assert parsed.unread == ()


WORDS = ["every", "rule", "of", "this", "house", "holds", "for", "all", "who", "live", "in", "it"]


def prose(count, first=0):
    """Lines of about one width, each with a number to be found by."""
    return [f"{number:02} " + " ".join(WORDS[number % 3 : number % 3 + 6]) for number in range(first, first + count)]


@pytest.mark.parametrize("shift", [0, 5])
@pytest.mark.parametrize("count", [2, 3])
def test_columns_between_lines_that_span_them(count, shift):
    """Whether or not their lines stand beside each other; a title above and a note below belong to no column."""
    width = 540 // count
    page = written(40, 740, "A title above all columns, from the left edge to the right edge of the text", 8)
    for column in range(count):
        page += lines(40 + width * column, 700 - shift * column, *prose(12, 12 * column), size=7)
    page += written(40, 500, "A note below all columns, which is as wide as they are and so belongs to none", 8)
    text = read(page).text
    numbers = [int(word) for word in text.split() if word.isdigit()]
    assert numbers == list(range(12 * count))
    assert text.startswith("A title above")
    assert text.endswith("belongs to none")


def test_a_ruled_table_keeps_cells_of_several_lines_together():
    page = b""
    for y in (720, 690, 640, 600):
        page += rule(70, y, 500, y)
    page += written(75, 700, "Case") + written(200, 700, "Expected")
    page += written(75, 675, "Wrong password") + lines(
        200, 678, "The account is locked after five tries", "and the owner told"
    )
    page += written(75, 620, "Right password") + lines(200, 628, "The page that was asked for first", "is shown")
    assert read(page).text == (
        "| Case | Expected |\n| --- | --- |\n"
        "| Wrong password | The account is locked after five tries and the owner told |\n"
        "| Right password | The page that was asked for first is shown |"
    )


def test_an_upright_line_parts_columns_that_stand_close():
    page = rule(106, 690, 106, 660) + rule(70, 690, 200, 690)
    for y, left, right in ((680, "abcdef", "ghi"), (667, "uvwxyz", "rst")):
        page += written(70, y, left) + written(108, y, right)
    assert read(page).text == "| abcdef | ghi |\n| --- | --- |\n| uvwxyz | rst |"


def test_dots_that_lead_to_a_page_number_are_no_text():
    entries = [("Scope", 1), ("Locking accounts", 12), ("Reports", 30)]
    page = b"".join(
        written(72, 700 - 14 * n, title)
        + written(160, 700 - 14 * n, "." * 90)
        + written(500, 700 - 14 * n, str(number))
        for n, (title, number) in enumerate(entries)
    )
    assert "| Locking accounts | 12 |" in read(page).text


def test_headings_by_size_and_by_the_outline():
    page = (
        written(72, 720, "Account rules", 20)
        + lines(72, 690, *prose(3))
        + written(72, 600, "2.1 Locks")
        + lines(72, 570, *prose(3, 3))
    )
    outline = [
        b"<< /Type /Outlines /First 7 0 R /Last 7 0 R /Count 1 >>",
        b"<< /Title (2.1 Locks) /Parent 6 0 R /Dest [4 0 R /Fit] >>",
    ]
    text = read(page, objects=outline, catalog="/Outlines 6 0 R").text
    assert text.startswith("# Account rules\n\n00 every")
    assert "\n\n# 2.1 Locks\n\n03" in text


def test_paragraphs_lists_and_broken_words():
    page = lines(
        72, 700, "All the accounts of the whole com-", "pany are locked when it closes at", "night.", "- one", "- two"
    )
    page += lines(72, 600, "A new paragraph.")
    assert read(page).text == (
        "All the accounts of the whole company are locked when it closes at night.\n- one\n- two\n\nA new paragraph."
    )


def test_what_runs_along_the_edges_stands_once():
    pages = [
        written(72, 760, f"Handbook {number} of 4", 8)
        + lines(72, 700, *prose(3, 3 * number))
        + written(300, 30, str(number))
        for number in range(4)
    ]
    parsed = read(*pages)
    assert parsed.text.count("Handbook") == 1
    assert parsed.text.startswith("Handbook 0 of 4\n\n00 every")
    assert [place.label for place in parsed.places] == [f"page {number}" for number in range(1, 5)]
    assert not any(block.isdigit() for block in parsed.text.split("\n\n"))


def test_a_title_that_comes_back_in_the_text_is_no_running_header():
    pages = [written(72, 700, "Rule of the day") + lines(72, 686, *prose(3, 3 * number)) for number in range(3)]
    assert read(*pages).text.count("Rule of the day") == 3


@pytest.mark.parametrize("degrees", [0, 90, 180, 270])
def test_a_turned_page_reads_as_it_is_shown(degrees):
    content = {
        0: "1 0 0 1 0 0",
        90: "0 1 -1 0 612 0",
        180: "-1 0 0 -1 612 792",
        270: "0 -1 1 0 0 792",
    }[degrees]
    page = f"q {content} cm\n".encode() + lines(72, 500, *prose(6)) + lines(340, 500, *prose(6, 6)) + b"Q"
    text = read(page, options={0: f"/Rotate {degrees}"}).text
    assert [int(word) for word in text.split() if word.isdigit()] == list(range(12))


def test_text_up_the_side_of_the_page_stands_apart():
    page = lines(72, 700, *prose(6)) + b"q 0 1 -1 0 60 300 cm\n" + written(0, 0, "DRAFT of the day") + b"Q"
    assert read(page).text.endswith("\n\nDRAFT of the day")


def image(width=200, height=200):
    """An image object, drawn in the unit square."""
    data = io.BytesIO()
    Image.radial_gradient("L").resize((width, height)).save(data, "JPEG")
    entries = f"/Type /XObject /Subtype /Image /Width {width} /Height {height} /ColorSpace /DeviceGray "
    return stream(data.getvalue(), entries + "/BitsPerComponent 8 /Filter /DCTDecode")


WITH_IMAGE = "/Resources << /Font << /F1 3 0 R >> /XObject << /I 8 0 R >> >>"


def test_scans_and_pictures_are_handed_on_to_be_described():
    scan = b"q 612 0 0 792 0 0 cm /I Do Q"
    figure = lines(72, 700, *prose(30)) + b"q 300 0 0 150 100 100 cm /I Do Q q 10 0 0 10 0 0 cm /I Do Q"
    parsed = read(scan, figure, options={0: WITH_IMAGE, 1: WITH_IMAGE}, objects=[image()])
    assert [picture.name for picture in parsed.pictures] == ["page 1", "image 1 on page 2"]
    for picture in parsed.pictures:
        assert parsed.text.count(picture.mark) == 1
    sizes = [Image.open(io.BytesIO(picture.data)).size for picture in parsed.pictures]
    assert sizes == [(1237, 1600), (1200, 600)]


def test_a_picture_of_most_of_the_page_is_handed_on_too():
    page = b"q 600 0 0 500 6 200 cm /I Do Q\n" + lines(72, 180, *prose(10))
    parsed = read(
        page, options={0: "/Resources << /Font << /F1 3 0 R >> /XObject << /I 6 0 R >> >>"}, objects=[image()]
    )
    assert [picture.name for picture in parsed.pictures] == ["image 1 on page 1"]


def test_a_scan_with_recognised_text_is_text():
    page = b"q 612 0 0 792 0 0 cm /I Do Q 3 Tr\n" + lines(72, 700, *prose(10))
    parsed = parse("x.pdf", pdf(page, b"", options={0: WITH_IMAGE}, objects=[image()]))
    assert parsed.pictures == ()
    assert "09 every rule" in parsed.text


def test_remarks_and_forms_are_part_of_the_page():
    appearance = stream(
        written(0, 5, "Approved by Ana"),
        "/Type /XObject /Subtype /Form /BBox [0 0 200 20] /Resources << /Font << /F1 3 0 R >> >>",
    )
    remark = b"<< /Type /Annot /Subtype /FreeText /Rect [72 600 272 620] /F 4 /Contents (x) /AP << /N 7 0 R >> >>"
    text = read(lines(72, 700, *prose(3)), options={0: "/Annots [6 0 R]"}, objects=[remark, appearance]).text
    assert "Approved by Ana" in text


def _rc4(key, data):
    state, j = list(range(256)), 0
    for i in range(256):
        j = (j + state[i] + key[i % len(key)]) % 256
        state[i], state[j] = state[j], state[i]
    out, i, j = bytearray(), 0, 0
    for byte in data:
        i = (i + 1) % 256
        j = (j + state[i]) % 256
        state[i], state[j] = state[j], state[i]
        out.append(byte ^ state[(state[i] + state[j]) % 256])
    return bytes(out)


def encrypted(password):
    """40-bit RC4, revision 2 (ISO 32000-1, 7.6.3), with this user password."""
    pad = bytes.fromhex("28bf4e5e4e758a4164004e56fffa01082e2e00b6d0683e802f0ca9fe6453697a")
    padded = (password.encode() + pad)[:32]
    owner = _rc4(hashlib.md5(padded).digest()[:5], padded)
    key = hashlib.md5(padded + owner + (-4).to_bytes(4, "little", signed=True) + b"ID").digest()[:5]
    content_key = hashlib.md5(key + (5).to_bytes(3, "little") + bytes(2)).digest()[:10]
    content = _rc4(content_key, written(72, 700, "Behind the lock"))
    return assembled(
        [
            b"<< /Type /Catalog /Pages 2 0 R >>",
            b"<< /Type /Pages /Kids [4 0 R] /Count 1 >>",
            b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
            b"<</Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents 5 0 R /Resources <</Font <</F1 3 0 R>>>>>>",
            stream(content),
            f"<< /Filter /Standard /V 1 /R 2 /P -4 /O <{owner.hex()}> /U <{_rc4(key, pad).hex()}> >>".encode(),
        ],
        f"/Encrypt 6 0 R /ID [<{b'ID'.hex()}> <{b'ID'.hex()}>]",
    )


def test_an_empty_password_is_no_lock():
    assert parse("x.pdf", encrypted("")).text == "Behind the lock"
    assert parse("x.pdf", encrypted("secret")).unread == ("could not be read: it is encrypted",)


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"", "it is damaged"),
        (b"%PDF-1.7\n", "it is damaged"),
        (pdf(lines(72, 700, "cut"))[:300], "it is damaged"),
        (pdf(b""), "it holds no text"),
    ],
)
def test_what_cannot_be_read_says_why(data, reason):
    assert parse("x.pdf", data).unread == (f"could not be read: {reason}",)


def test_a_damaged_page_costs_only_itself():
    data = pdf(lines(72, 700, "first"), lines(72, 700, "second"), lines(72, 700, "third"))
    parsed = parse("x.pdf", data.replace(b"6 0 obj\n<< /Type /Page ", b"6 0 obj\n[[ /Type /Page "))
    assert "first" in parsed.text
    assert "third" in parsed.text
    assert parsed.unread == ("page 2 not read: it is damaged",)


def test_pages_beyond_the_limit_are_said():
    parsed = read(*[written(72, 700, f"word{number}") for number in range(2_003)])
    assert parsed.unread == ("pages from 2,001 on not read: there are 2,003",)
    assert "word1999" in parsed.text
    assert "word2000" not in parsed.text
