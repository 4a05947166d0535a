"""Strategies that make hostile inputs of good ones: by bytes, tokens, the tree of JSON, the entries of zips."""

import io
import json
import re
import zipfile
import zlib
from collections.abc import Callable, Sequence
from typing import Any

from hypothesis import strategies as st
from hypothesis.strategies import DrawFn, SearchStrategy

LONGEST = 200_000  # bytes of an input
_ENTRY = 2_000_000  # bytes of a zip's entry that is changed
_DEEP = 2_000

HOSTILE: tuple[bytes, ...] = (
    b"\0",
    b"\xff",
    b"\xc3",
    b"\xed\xa0\x80",  # a lone surrogate
    b"\xf0\x9f\x92\xa9",
    "\u202e".encode(),  # what follows runs from right to left
    "\u2028".encode(),
    "\u200b".encode(),
    "\ufeff".encode(),
    "\u0130".encode(),  # longer in small letters
    "\u0e33".encode(),
    "e\u0301".encode(),
    "\u0660\u00b2".encode(),  # digits that int() takes, and that it does not
    b"\r",
    b"\x0b",
    b"\x1b[2J",
    b"-1",
    b"0",
    b"99999999999999999999999",
    b"1e999",
    b"NaN",
    b"9" * 5_000,
    b"../../etc/passwd",
    b"javascript:alert(1)",
    b"http://[",
    b"&lt;&#0;&#x110000;",
    b"%00%ff%",
    b"{{7*7}}${x}",
)
BRACKETS = (
    (b"[", b"]"),
    (b"{", b"}"),
    (b"(", b")"),
    (b"<a>", b"</a>"),
    (b'{"a":', b"}"),
    (b"<", b">"),
    (b"**", b"**"),
    (b"> ", b""),
    (b"- ", b""),
    (b"{quote}", b"{quote}"),
    (b"/*", b"*/"),
)
_MARKS = b"[ ] ( ) { } < > \" ' ` ``` * ** _ ~ | - # = / \\ : ; , . ! ? @ & % $ ^ + \n \t"
DELIMITERS = (
    *_MARKS.split(b" "),
    *(
        b" ",
        b"{code}",
        b"{quote}",
        b"<!--",
        b"<![CDATA[",
        b"&amp;",
        b"\n\n",
        b"a ",
        b"$$",
        b"--",
        b"<a ",
        b"a.",
        b"]]>",
    ),
)
ODD: tuple[Any, ...] = (
    None,
    True,
    0,
    -1,
    2**63,
    2**70,
    10**400,
    1.5,
    1e308,
    float("nan"),
    "",
    " ",
    "\0",
    "\ud800",
    "\u202ex",
    "x" * 5_000,
    "0001-01-01T00:00:00+23:59",
    "9999-12-31T23:59:59-23:59",
    [],
    {},
    [[]],
    [None],
    {"": None},
    ["\ud800"],
    [{}],
    [1, "a", None],
)

Step = Callable[[DrawFn, bytes, Sequence[bytes]], bytes]


def _cut(draw: DrawFn, data: bytes) -> tuple[int, int]:
    begin = draw(st.integers(0, len(data)))
    return begin, min(len(data), begin + draw(st.integers(0, 64)))


def _flip(draw: DrawFn, data: bytes, _pieces: Sequence[bytes]) -> bytes:
    at = draw(st.integers(0, len(data)))
    return data[:at] + bytes([draw(st.integers(0, 255))]) + data[at + 1 :]


def _drop(draw: DrawFn, data: bytes, _pieces: Sequence[bytes]) -> bytes:
    begin, end = _cut(draw, data)
    return data[:begin] + data[end:]


def _end(draw: DrawFn, data: bytes, _pieces: Sequence[bytes]) -> bytes:
    return data[: draw(st.integers(0, len(data)))]


def _copy(draw: DrawFn, data: bytes, _pieces: Sequence[bytes]) -> bytes:
    begin, end = _cut(draw, data)
    at = draw(st.integers(0, len(data)))
    return data[:at] + data[begin:end] * draw(st.sampled_from([1, 2, 30, 1_000])) + data[at:]


def _insert(draw: DrawFn, data: bytes, pieces: Sequence[bytes]) -> bytes:
    at = draw(st.integers(0, len(data)))
    return data[:at] + draw(st.sampled_from([*HOSTILE, *pieces])) + data[at:]


def _repeat(draw: DrawFn, data: bytes, pieces: Sequence[bytes]) -> bytes:
    at = draw(st.integers(0, len(data)))
    return data[:at] + draw(st.sampled_from([*DELIMITERS, *pieces])) * draw(st.integers(2, 2_000)) + data[at:]


def _nest(draw: DrawFn, data: bytes, _pieces: Sequence[bytes]) -> bytes:
    begin, end = _cut(draw, data)
    opening, closing = draw(st.sampled_from(BRACKETS))
    deep = draw(st.sampled_from([1, 10, 200, _DEEP]))
    return data[:begin] + opening * deep + data[begin:end] + closing * deep + data[end:]


def _number(draw: DrawFn, data: bytes, _pieces: Sequence[bytes]) -> bytes:
    numbers = list(re.finditer(rb"\d+", data))
    if not numbers:
        return data
    found = draw(st.sampled_from(numbers))
    other = draw(st.sampled_from([b"0", b"-1", b"1", b"4294967296", b"99999999999999999999", b"1e400", b"9" * 4_400]))
    return data[: found.start()] + other + data[found.end() :]


def _json(draw: DrawFn, data: bytes, _pieces: Sequence[bytes]) -> bytes:
    """Another value somewhere in the tree, or a key less."""
    try:
        tree = json.loads(data)
    except (ValueError, RecursionError):
        return data
    places = list(_places(tree))
    if not places:
        return json.dumps(draw(st.sampled_from(ODD))).encode()
    holder, key = draw(st.sampled_from(places))
    how = draw(st.sampled_from(["odd", "odd", "odd", "none", "twice", "wrapped"]))
    if how == "odd":
        holder[key] = draw(st.sampled_from(ODD))
    elif how == "none":
        del holder[key]
    elif how == "twice":
        holder[key] = [holder[key]] * 3
    else:
        holder[key] = {"type": holder[key], "content": [holder[key]]}
    return json.dumps(tree).encode()


def _places(tree: Any) -> list[tuple[Any, Any]]:
    found: list[tuple[Any, Any]] = []
    left = [tree]
    while left:
        one = left.pop()
        keys = list(one) if isinstance(one, dict) else range(len(one)) if isinstance(one, list) else ()
        for key in keys:
            found.append((one, key))
            left.append(one[key])
    return found


def _zip(draw: DrawFn, data: bytes, pieces: Sequence[bytes]) -> bytes:
    """Another content of one entry, packed anew: what an attacker sends has sound checksums."""
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            entries = {info.filename: archive.read(info) for info in archive.infolist() if info.file_size < _ENTRY}
    except (zipfile.BadZipFile, ValueError, OSError, NotImplementedError, RuntimeError, EOFError, zlib.error):
        return data
    if not entries:
        return data
    name = draw(st.sampled_from(sorted(entries)))
    if draw(st.integers(0, 9)):
        entries[name] = draw(st.sampled_from(BYTES))(draw, entries[name], pieces)
    else:
        del entries[name]
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in entries.items():
            archive.writestr(name, content)
    return out.getvalue()


BYTES: tuple[Step, ...] = (_flip, _drop, _end, _copy, _insert, _repeat, _nest, _number)


def _steps(seed: bytes) -> list[Step]:
    if seed[:2] == b"PK":
        return [_zip, _zip, _zip, *BYTES]
    if seed[:1] in b"[{":
        return [_json, *[_json] * 6, *BYTES]
    return [*BYTES]


def pieces_of(seeds: Sequence[bytes]) -> tuple[bytes, ...]:
    """Words and marks of the seeds, which are the words of their language."""
    found = dict.fromkeys(piece for seed in seeds for piece in re.findall(rb"\w+|[^\w\s]+", seed[:20_000]))
    return tuple(piece for piece in found if len(piece) < 40)[:400]


def mutated(seeds: Sequence[bytes]) -> SearchStrategy[bytes]:
    """Inputs that begin as one of the seeds, up to LONGEST bytes."""
    pieces = pieces_of(seeds) or (b"x",)

    @st.composite
    def made(draw: DrawFn) -> bytes:
        data = draw(st.sampled_from(list(seeds)))
        steps = _steps(data)
        for step in draw(st.lists(st.sampled_from(steps), min_size=1, max_size=5)):
            data = step(draw, data, pieces)[:LONGEST]
        return data

    return made()
