"""Names of files, branches and commits, between Git's bytes and text."""

import re

_COMMIT_ID = re.compile(r"[0-9a-f]{40}(?:[0-9a-f]{24})?")


def text_of(name: bytes) -> str:
    return name.decode("utf-8", "surrogateescape")


def bytes_of(name: str) -> bytes:
    return name.encode("utf-8", "surrogateescape")


def shown(name: str) -> str:
    """A name as it can be stored: a byte that is not UTF-8 is written as its number in hexadecimal."""
    return bytes_of(name).decode("utf-8", "backslashreplace")


def is_commit_id(text: str) -> bool:
    return bool(_COMMIT_ID.fullmatch(text))
