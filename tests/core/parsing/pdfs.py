"""PDF files made by hand, so that each test says what is on its page."""

import zlib
from collections.abc import Iterable, Mapping


def written(x, y, text, size=10):
    """Text from (x, y) on, in points from the bottom left."""
    escaped = text.replace("\\", r"\\").replace("(", r"\(").replace(")", r"\)")
    return f"BT /F1 {size} Tf 1 0 0 1 {x} {y} Tm ({escaped}) Tj ET\n".encode("cp1252")


def rule(x0, y0, x1, y1):
    return f"{x0} {y0} m {x1} {y1} l S\n".encode()


def pdf(
    *pages: bytes,
    options: Mapping[int, str] | None = None,
    objects: Iterable[bytes] = (),
    catalog: str = "",
    packed: bool = False,
) -> bytes:
    """A file of these pages, given as content streams. `options` are entries of a page's dictionary by its number from
    0; `objects` come after all others, the first has the number `4 + 2 * len(pages)`.
    """
    kids = " ".join(f"{4 + 2 * number} 0 R" for number in range(len(pages)))
    held = [
        f"<< /Type /Catalog /Pages 2 0 R {catalog} >>".encode(),
        f"<< /Type /Pages /Kids [{kids}] /Count {len(pages)} >>".encode(),
        b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>",
    ]
    for number, content in enumerate(pages):
        extra = (options or {}).get(number, "")
        resources = "" if "/Resources" in extra else "/Resources << /Font << /F1 3 0 R >> >>"
        held.append(
            f"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] {resources} "
            f"/Contents {5 + 2 * number} 0 R {extra} >>".encode()
        )
        held.append(stream(content, packed=packed))
    return assembled([*held, *objects])


def stream(content: bytes, entries: str = "", *, packed: bool = False) -> bytes:
    if packed:
        content, entries = zlib.compress(content, 9), f"{entries} /Filter /FlateDecode"
    return f"<< /Length {len(content)} {entries} >>\nstream\n".encode() + content + b"\nendstream"


def assembled(objects: Iterable[bytes], trailer: str = "") -> bytes:
    """Objects, numbered from 1, with their table. The first is the catalog."""
    out = bytearray(b"%PDF-1.7\n")
    offsets = []
    for number, content in enumerate(objects, 1):
        offsets.append(len(out))
        out += f"{number} 0 obj\n".encode() + content + b"\nendobj\n"
    table = len(out)
    out += f"xref\n0 {len(offsets) + 1}\n0000000000 65535 f \n".encode()
    out += b"".join(f"{offset:010} 00000 n \n".encode() for offset in offsets)
    out += f"trailer << /Size {len(offsets) + 1} /Root 1 0 R {trailer} >>\nstartxref\n{table}\n%%EOF\n".encode()
    return bytes(out)
