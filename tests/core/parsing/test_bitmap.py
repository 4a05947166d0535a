import io

import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image

from core.parsing.bitmap import Bitmap, bitmap


def drawn(kind: str, width: int, height: int, **options) -> bytes:
    file = io.BytesIO()
    Image.new("RGB", (width, height), "white").save(file, kind, **options)
    return file.getvalue()


@pytest.mark.parametrize(
    ("kind", "options"),
    [
        ("png", {}),
        ("gif", {}),
        ("jpeg", {}),
        ("jpeg", {"progressive": True, "comment": b"x" * 60_000}),
        ("webp", {}),
        ("webp", {"lossless": True}),
        ("webp", {"exif": b"Exif\0\0MM\0*\0\0\0\x08\0\0"}),
    ],
)
def test_kind_and_size_are_what_a_library_drew(kind, options):
    assert bitmap(drawn(kind, 321, 45, **options)) == Bitmap(f"image/{kind}", 321, 45)


def test_what_is_no_bitmap_has_no_size():
    assert bitmap(b"<svg xmlns='http://www.w3.org/2000/svg'/>") is None
    assert bitmap(drawn("bmp", 10, 10)) is None


STARTS = [drawn(kind, 40, 30)[:size] for kind in ("png", "gif", "jpeg", "webp") for size in (8, 16, 24, 30)]


@given(
    st.sampled_from([*STARTS, b"\xff\xd8\xff" * 50, b"RIFF0000WEBPVP8 ", b"RIFF0000WEBPVP8X"]), st.binary(max_size=60)
)
def test_broken_headers_raise_nothing(start, rest):
    bitmap(start + rest)
