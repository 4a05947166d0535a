"""What a file is: by its content first, since names lie, and by its name where content does not tell."""

import codecs
import re
import struct
from pathlib import PurePosixPath

BINARY = frozenset({"pdf", "xlsx", "pptx", "docx"})
"""Formats of which no text is seen without a parser."""

_IMAGES = (
    (b"\x89PNG\r\n\x1a\n", "image/png"),
    (b"\xff\xd8\xff", "image/jpeg"),
    (b"GIF87a", "image/gif"),
    (b"GIF89a", "image/gif"),
    (b"BM", "image/bmp"),
    (b"II*\0", "image/tiff"),
    (b"MM\0*", "image/tiff"),
)
_FOREIGN = (
    (b"PK\x03\x04", "a ZIP archive"),
    (b"PK\x05\x06", "a ZIP archive"),
    (b"\x1f\x8b", "a gzip archive"),
    (b"7z\xbc\xaf\x27\x1c", "a 7z archive"),
    (b"Rar!", "a RAR archive"),
    (b"\x7fELF", "a program"),
    (b"MZ", "a program"),
    (b"SQLite format 3\0", "an SQLite database"),
    (b"{\\rtf", "RTF"),
    (b"%!PS", "PostScript"),
)
_OFFICE = (("word/", "docx"), ("xl/", "xlsx"), ("ppt/", "pptx"))
_OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
_ENCRYPTED = "EncryptedPackage".encode("utf-16-le")
_MARKUP = re.compile(
    rb"(?:\s|<\?xml[^>]{0,500}\?>|<!--.{0,2000}?-->)*+<(!doctype\s+html|html|svg|!doctype\s+svg|mxfile|mxGraphModel)[\s>]",
    re.IGNORECASE | re.DOTALL,
)
_SUFFIXES = {
    ".md": "markdown", ".markdown": "markdown", ".mdx": "markdown",
    ".csv": "csv", ".tsv": "csv", ".tab": "csv",
    ".html": "html", ".htm": "html", ".xhtml": "html",
    ".mmd": "mermaid", ".mermaid": "mermaid",
    ".puml": "plantuml", ".plantuml": "plantuml", ".pu": "plantuml", ".iuml": "plantuml",
    ".drawio": "drawio", ".dio": "drawio",
}  # fmt: skip
# draw.io keeps the diagram within a picture of it.
_PNG_DIAGRAM = re.compile(rb"(?:tEXt|zTXt|iTXt)mx(?:file|GraphModel)\0")
_SVG_DIAGRAM = re.compile(rb"<svg\b[^>]*\bcontent=[\"'](?:&lt;|<)mx(?:file|GraphModel)", re.IGNORECASE)
_DIRECTORY_END = struct.Struct("<4s4xHHLLH")
_DIRECTORY_ENTRY = struct.Struct("<4s24xHHH12x")


class Unread(Exception):
    """The file's format is not read; the message says why, as a sentence's end."""


def format_of(name: str, data: bytes) -> str:
    """`pdf`, `xlsx`, `pptx`, `docx`, `html`, `csv`, `markdown`, `text`, `mermaid`, `plantuml`, `drawio`, `svg`, or an
    image's media type. Raises Unread.
    """
    if not data.strip(b"\0 \t\r\n"):
        raise Unread("it is empty")
    if b"%PDF-" in data[:1024]:
        return "pdf"
    if data.startswith(_OLE):
        raise Unread(
            "it is encrypted" if _ENCRYPTED in data else "its format (Office 97 to 2003) is not one that is read"
        )
    if image := media_type(data):
        return "drawio" if image == "image/png" and _PNG_DIAGRAM.search(data[:100_000]) else image
    if data.startswith(b"PK") and (office := _office(data, name)):
        return office
    for magic, what in _FOREIGN:
        if data.startswith(magic):
            raise Unread(f"its format ({what}) is not one that is read")
    return _text_format(name, data)


def media_type(data: bytes) -> str | None:
    """Of a bitmap, by its first bytes."""
    if data.startswith(b"RIFF") and data[8:12] == b"WEBP":
        return "image/webp"
    return next((kind for magic, kind in _IMAGES if data.startswith(magic)), None)


def _text_format(name: str, data: bytes) -> str:
    wide = data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE, codecs.BOM_UTF32_LE, codecs.BOM_UTF32_BE))
    if not wide and b"\0" in data[:8000]:
        raise Unread("its format is not one that is read")
    start = data[:10_000].replace(b"\0", b"").lstrip(b"\xef\xbb\xbf\xff\xfe")
    if found := _MARKUP.match(start):
        root = found[1].lower()
        drawn = root.startswith(b"mx") or (b"svg" in root and _SVG_DIAGRAM.search(start))
        return "drawio" if drawn else "svg" if b"svg" in root else "html"
    if start.lstrip().startswith(b"@start"):
        return "plantuml"
    return _SUFFIXES.get(PurePosixPath(name).suffix.lower(), "text")


def _office(data: bytes, name: str) -> str | None:
    """Which Office format a ZIP archive is, by its table of contents, or by its name when it has lost that."""
    names = _zip_names(data)
    if names is None:
        suffix = PurePosixPath(name).suffix.lower()[1:]
        return suffix if suffix in BINARY else None
    return next((kind for folder, kind in _OFFICE if any(entry.startswith(folder) for entry in names)), None)


def _zip_names(data: bytes, most: int = 10_000) -> list[str] | None:
    """The first names of an archive's table of contents, nothing of it unpacked; None when there is no table."""
    end = data.rfind(b"PK\x05\x06", max(0, len(data) - 70_000))
    if end < 0 or len(data) < end + _DIRECTORY_END.size:
        return None
    *_, at, _comment = _DIRECTORY_END.unpack_from(data, end)
    names: list[str] = []
    while len(names) < most and len(data) >= at + _DIRECTORY_ENTRY.size:
        magic, length, extra, comment = _DIRECTORY_ENTRY.unpack_from(data, at)
        if magic != b"PK\x01\x02":
            break
        start = at + _DIRECTORY_ENTRY.size
        names.append(data[start : start + length].decode("utf-8", "replace"))
        at = start + length + extra + comment
    return names
