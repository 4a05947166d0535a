"""Files made from text, the same each time: what people attach to tickets and pages."""

import struct
import zlib
from collections.abc import Iterable

MEDIA_TYPES = {
    "csv": "text/csv",
    "md": "text/markdown",
    "pdf": "application/pdf",
    "png": "image/png",
    "txt": "text/plain",
}
"""By the ending of a name."""


def ending(name: str) -> str:
    return name.rpartition(".")[2].lower()


def media_type(name: str) -> str:
    return MEDIA_TYPES.get(ending(name), "application/octet-stream")


def content(name: str, text: str) -> bytes:
    """A file of the kind that its name says: a PDF of one page shows the lines, a PNG draws a bar for each line."""
    if ending(name) == "pdf":
        return _pdf(text.splitlines())
    if ending(name) == "png":
        return _png([len(line) for line in text.splitlines()])
    return text.encode()


def _pdf(lines: Iterable[str]) -> bytes:
    """The smallest PDF that all readers take: https://opensource.adobe.com/dc-acrobat-sdk-docs/pdfstandards/PDF32000_2008.pdf"""
    shown = "".join(f"({_escaped(line)}) Tj T*\n" for line in lines)
    drawn = f"BT /F1 12 Tf 16 TL 60 780 Td\n{shown}ET".encode("cp1252", "replace")
    objects = [
        b"<</Type/Catalog/Pages 2 0 R>>",
        b"<</Type/Pages/Kids[3 0 R]/Count 1>>",
        b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 595 842]/Contents 4 0 R/Resources<</Font<</F1 5 0 R>>>>>>",
        b"<</Length %d>>\nstream\n%s\nendstream" % (len(drawn), drawn),
        b"<</Type/Font/Subtype/Type1/BaseFont/Helvetica/Encoding/WinAnsiEncoding>>",
    ]
    out, places = b"%PDF-1.4\n", []
    for number, body in enumerate(objects, 1):
        places.append(len(out))
        out += b"%d 0 obj\n%s\nendobj\n" % (number, body)
    table = b"".join(b"%010d 00000 n \n" % place for place in places)
    head = b"xref\n0 %d\n0000000000 65535 f \n%s" % (len(objects) + 1, table)
    return out + head + b"trailer<</Size %d/Root 1 0 R>>\nstartxref\n%d\n%%%%EOF\n" % (len(objects) + 1, len(out))


def _escaped(line: str) -> str:
    return line.replace("\\", "\\\\").replace("(", "\\(").replace(")", "\\)")


def _png(bars: Iterable[int]) -> bytes:
    """A bar chart in two colours: https://www.w3.org/TR/png-3/"""
    lengths = [min(length, 60) * 4 for length in bars]
    width, height = 260, 24 * max(len(lengths), 2)
    rows = bytearray()
    for y in range(height):
        length = lengths[y // 24] if y // 24 < len(lengths) and 4 <= y % 24 < 20 else 0
        rows += b"\0" + b"\x30\x60\xa0" * length + b"\xff\xff\xff" * (width - length)
    header = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    chunks = [(b"IHDR", header), (b"IDAT", zlib.compress(bytes(rows), 9)), (b"IEND", b"")]
    return b"\x89PNG\r\n\x1a\n" + b"".join(map(_chunk, chunks))


def _chunk(chunk: tuple[bytes, bytes]) -> bytes:
    kind, data = chunk
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
