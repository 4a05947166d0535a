"""A ZIP archive from a stranger: nothing is unpacked beyond a limit, and every way it can be broken has one name."""

import io
import lzma
import re
import struct
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from typing import IO

from core.parsing.office.errors import FileUnreadable, PartUnreadable

MAX_ENTRIES = 20_000
MAX_UNPACKED = 600_000_000
"""Bytes that are unpacked of one file, all its parts together."""
BOMB_SIZE = 200_000_000
BOMB_RATIO = 200
"""What promises more bytes than `BOMB_SIZE` at more than this ratio is a bomb: the text of real files packs to between
a thirtieth and a tenth, columns of repeated values to a hundredth; deflate ends at 1,032 to 1 (zlib's technical notes).
"""

_XML = (".xml", ".rels", ".vml")
_WIDE = re.compile(rb"<\0?!\0D\0O\0C\0T\0Y\0P\0E")  # of either byte order
_OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
_OLE_CONTENT = {  # names in the directory of a compound file: [MS-OFFCRYPTO] 1.3.3, [MS-XLS], [MS-PPT], [MS-DOC] 2.1
    "EncryptedPackage": "it is encrypted",
    "Workbook": "it is an old binary Office file; save it as .xlsx",
    "PowerPoint Document": "it is an old binary Office file; save it as .pptx",
    "WordDocument": "it is an old binary Office file; save it as .docx",
}
# What zipfile and the decompressors under it raise on broken input.
_BROKEN = (
    zipfile.BadZipFile,
    zlib.error,
    lzma.LZMAError,
    EOFError,
    NotImplementedError,
    struct.error,
    ValueError,
    OSError,
)


class Archive:
    """The entries of a ZIP archive by name, whatever its case and slashes. Raises FileUnreadable."""

    def __init__(self, data: bytes) -> None:
        if data.startswith(_OLE):
            raise FileUnreadable(_ole_reason(data))
        try:
            self._zip = zipfile.ZipFile(io.BytesIO(data))
        except _BROKEN as error:
            raise FileUnreadable("it is damaged: its table of contents is missing or broken") from error
        entries = self._zip.infolist()
        if len(entries) > MAX_ENTRIES:
            raise FileUnreadable(f"it holds more than {MAX_ENTRIES:,} parts")
        if any(entry.flag_bits & 1 for entry in entries):
            raise FileUnreadable("it is encrypted")
        _refuse_bomb(sum(entry.file_size for entry in entries), len(data))
        self._entries = {_key(entry.filename): entry for entry in entries}
        self._left = MAX_UNPACKED

    def __contains__(self, name: str) -> bool:
        return _key(name) in self._entries

    def read(self, name: str, limit: int) -> bytes:
        """The whole entry. Raises PartUnreadable, also when it is longer than `limit` bytes."""
        with self.open(name, limit) as stream:
            return stream.read()

    @contextmanager
    def open(self, name: str, limit: int) -> Iterator["Entry"]:
        """The entry as a stream, which raises PartUnreadable."""
        entry = self._entries.get(_key(name))
        if entry is None:
            raise PartUnreadable("it is missing")
        with _named():
            opened = self._zip.open(entry)
        stream = Entry(opened, min(limit, self._left), is_xml=entry.filename.endswith(_XML))
        try:
            yield stream
        finally:
            self._left -= stream.count
            opened.close()


class Entry:
    """What is unpacked of one entry, counted."""

    def __init__(self, stream: IO[bytes], limit: int, *, is_xml: bool) -> None:
        self._stream = stream
        self._limit = limit
        self._is_xml = is_xml
        self._last = b""
        self.count = 0

    def read(self, size: int = -1) -> bytes:
        """At most `size` bytes, or all that is left. Raises FileUnreadable for XML that declares entities, before any
        parser sees it: no Office file may (ECMA-376 part 2, 8.1.4).
        """
        room = self._limit - self.count + 1
        with _named():
            data = self._stream.read(room if size < 0 else min(size, room))
        self.count += len(data)
        if self.count > self._limit:
            raise PartUnreadable("it is too large")
        if self._is_xml:
            seen = self._last + data
            if b"<!DOCTYPE" in seen or _WIDE.search(seen):
                raise FileUnreadable("it declares XML entities, which no Office file may")
            self._last = seen[-20:]
        return data


@contextmanager
def _named() -> Iterator[None]:
    try:
        yield
    except _BROKEN as error:
        raise PartUnreadable("it is damaged") from error


def _key(name: str) -> str:
    return name.replace("\\", "/").lstrip("/").casefold()


def _ole_reason(data: bytes) -> str:
    found = (reason for name, reason in _OLE_CONTENT.items() if name.encode("utf-16-le") in data)
    return next(found, "it is an old binary Office file")


def _refuse_bomb(unpacked: int, packed: int) -> None:
    if unpacked > BOMB_SIZE and unpacked > BOMB_RATIO * packed:
        raise FileUnreadable(f"it is a zip bomb: {packed:,} bytes would unpack to {unpacked:,}")
