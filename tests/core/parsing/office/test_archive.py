"""Files that are broken, hostile or too large."""

import io
import time
import zipfile

import pytest

from core.parsing.office import docx, pptx, xlsx
from core.parsing.office.archive import MAX_ENTRIES, Archive
from core.parsing.office.errors import FileUnreadable, PartUnreadable
from tests.core.parsing.office.parts import MAIN, raw_workbook, saved, unzipped, workbook, zipped

PARSERS = [xlsx.parse, pptx.parse, docx.parse]
OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(504)


@pytest.mark.parametrize("parse", PARSERS)
@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"", "it is damaged: its table of contents is missing or broken"),
        (b"PK\x03\x04 and then nothing", "it is damaged: its table of contents is missing or broken"),
        (OLE + "EncryptedPackage".encode("utf-16-le"), "it is encrypted"),
        (OLE + "Workbook".encode("utf-16-le"), "it is an old binary Office file; save it as .xlsx"),
        (OLE + "PowerPoint Document".encode("utf-16-le"), "it is an old binary Office file; save it as .pptx"),
        (OLE + "WordDocument".encode("utf-16-le"), "it is an old binary Office file; save it as .docx"),
        (OLE, "it is an old binary Office file"),
        (zipped({"a.txt": "no office file"}), "it is damaged: its list of relations cannot be read"),
    ],
)
def test_what_is_no_office_file_says_why(parse, data, reason):
    parsed = parse("file", data)
    assert parsed.unread == (f"could not be read: {reason}",)
    assert parsed.text == f"[could not be read: {reason}]"


def test_a_truncated_file_is_damaged():
    data = saved(workbook([["a", "b"], [1, 2]]))
    for length in range(0, len(data), 97):
        assert xlsx.parse("t.xlsx", data[:length]).unread[0].startswith("could not be read: it is damaged")


def test_flipped_bytes_never_escape_the_parser():
    data = saved(workbook([["a", "b"], [1, 2], ["text", "=A2*2"]]))
    for at in range(0, len(data), 13):
        broken = bytearray(data)
        broken[at] ^= 0xFF
        assert xlsx.parse("b.xlsx", bytes(broken)).text


def test_hundreds_of_megabytes_of_nothing_are_a_bomb():
    buffer = io.BytesIO()
    with (
        zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive,
        archive.open("xl/worksheets/sheet1.xml", "w", force_zip64=True) as sheet,
    ):
        for _ in range(300):
            sheet.write(bytes(1_000_000))
    started = time.monotonic()
    parsed = xlsx.parse("bomb.xlsx", buffer.getvalue())
    assert time.monotonic() - started < 1
    assert "it is a zip bomb" in parsed.unread[0]


def test_no_more_is_unpacked_than_asked_for():
    archive = Archive(zipped({"a": b"x" * 100_000}))
    with archive.open("a", 50_000) as stream:
        assert len(stream.read(50_000)) == 50_000
        with pytest.raises(PartUnreadable, match="too large"):
            stream.read(1)
    with pytest.raises(PartUnreadable, match="too large"):
        archive.read("a", 99_999)
    assert len(archive.read("A", 100_000)) == 100_000


def test_an_entry_that_lies_about_its_size_is_damaged():
    data = bytearray(zipped({"a": b"x" * 100_000}))
    at = data.rindex(b"PK\x01\x02") + 24
    data[at : at + 4] = (50).to_bytes(4, "little")
    with pytest.raises(PartUnreadable, match="damaged"):
        Archive(bytes(data)).read("a", 1_000_000)


def test_too_many_entries():
    with pytest.raises(FileUnreadable, match="more than"):
        Archive(zipped({str(number): b"" for number in range(MAX_ENTRIES + 1)}))


def test_a_password_on_the_entries():
    data = bytearray(zipped({"a": b"x"}))
    data[data.index(b"PK\x01\x02") + 8] |= 1
    assert xlsx.parse("p.xlsx", bytes(data)).unread == ("could not be read: it is encrypted",)


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16"])
@pytest.mark.parametrize("filler", ["", f"<!--{'x' * 5_000}-->"])
@pytest.mark.parametrize("part", ["xl/sharedStrings.xml", "xl/worksheets/sheet1.xml", "xl/workbook.xml"])
def test_entity_declarations_are_refused_before_they_are_expanded(encoding, filler, part):
    parts = unzipped(raw_workbook("<sheetData/>"))
    levels = "".join(f'<!ENTITY a{n} "{f"&a{n - 1};" * 10}">' for n in range(1, 12))
    bomb = f'<?xml version="1.0" encoding="{encoding}"?>{filler}<!DOCTYPE x [<!ENTITY a0 "ha">{levels}]>'
    body = f'<sst xmlns="{MAIN}"><si><t>&a11;</t></si></sst>'
    started = time.monotonic()
    parsed = xlsx.parse("e.xlsx", zipped({**parts, part: (bomb + body).encode(encoding)}))
    assert time.monotonic() - started < 1
    assert len(parsed.text) < 500
    assert parsed.unread
    assert "could not be read: it declares XML entities, which no Office file may" in parsed.unread or filler


def test_an_external_entity_is_not_opened(tmp_path):
    secret = tmp_path / "secret.txt"
    secret.write_text("do not read me")
    parts = unzipped(raw_workbook('<sheetData><row r="1"><c r="A1" t="s"><v>0</v></c></row></sheetData>'))
    entity = f'<!--{"x" * 5_000}--><!DOCTYPE x [<!ENTITY e SYSTEM "{secret.as_uri()}">]>'
    parts["xl/sharedStrings.xml"] = f'{entity}<sst xmlns="{MAIN}"><si><t>&e;</t></si></sst>'.encode()
    assert "do not read me" not in xlsx.parse("x.xlsx", zipped(parts)).text
