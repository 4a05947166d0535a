"""What kind of picture it is and how large, from its first bytes: nothing is decoded, so nothing can blow up."""

import struct
from dataclasses import dataclass
from typing import Literal

MediaType = Literal["image/png", "image/jpeg", "image/gif", "image/webp"]

_NO_LENGTH = frozenset({0x01, *range(0xD0, 0xDA)})  # JPEG markers that stand alone
_FRAMES = frozenset(range(0xC0, 0xD0)) - {0xC4, 0xC8, 0xCC}  # JPEG markers that hold the size
_MOST_SEGMENTS = 10_000


@dataclass(frozen=True, slots=True)
class Bitmap:
    """A picture's kind, by its content and not by its name, and its size in pixels."""

    media_type: MediaType
    width: int
    height: int


def bitmap(data: bytes) -> Bitmap | None:
    """None for what is no PNG, JPEG, GIF or WebP, or ends before its size is told.

    Sources: PNG specification 11.2.2; ITU-T T.81, B.2.2; GIF89a, 18; RFC 9649 (WebP), 2.5 to 2.7.
    """
    try:
        if data.startswith(b"\x89PNG\r\n\x1a\n") and data[12:16] == b"IHDR":
            return Bitmap("image/png", *struct.unpack_from(">II", data, 16))
        if data.startswith((b"GIF87a", b"GIF89a")):
            return Bitmap("image/gif", *struct.unpack_from("<HH", data, 6))
        if data.startswith(b"\xff\xd8\xff"):
            return _jpeg(data)
        if data.startswith(b"RIFF") and data[8:12] == b"WEBP":
            return _webp(data)
    except (struct.error, IndexError):
        return None
    return None


def _jpeg(data: bytes) -> Bitmap | None:
    at = 2
    for _ in range(_MOST_SEGMENTS):
        if data[at] != 0xFF:
            return None
        marker = data[at + 1]
        if marker == 0xFF:  # a fill byte
            at += 1
        elif marker in _NO_LENGTH:
            at += 2
        elif marker in _FRAMES:
            height, width = struct.unpack_from(">HH", data, at + 5)
            return Bitmap("image/jpeg", width, height)
        else:
            at += 2 + struct.unpack_from(">H", data, at + 2)[0]
    return None


def _webp(data: bytes) -> Bitmap | None:
    match data[12:16]:
        case b"VP8X":
            width, height = (int.from_bytes(data[at : at + 3], "little") + 1 for at in (24, 27))
        case b"VP8L":
            (bits,) = struct.unpack_from("<I", data, 21)
            width, height = (bits & 0x3FFF) + 1, (bits >> 14 & 0x3FFF) + 1
        case b"VP8 ":
            width, height = (side & 0x3FFF for side in struct.unpack_from("<HH", data, 26))
        case _:
            return None
    return Bitmap("image/webp", width, height)
