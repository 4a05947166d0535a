"""Names of files, branches and commits, between Git's bytes and text."""

import re

_COMMIT_ID = re.compile(r"[0-9a-f]{40}(?:[0-9a-f]{24})?")
_NUMBERED = re.compile(r"\\x[89a-f][0-9a-f]")


def text_of(name: bytes) -> str:
    return name.decode("utf-8", "surrogateescape")


def bytes_of(name: str) -> bytes:
    return name.encode("utf-8", "surrogateescape")


def shown(name: str) -> str:
    """A name as it can be stored, another one for each: a byte that is not UTF-8 is written as its number in
    hexadecimal. In names that have such a byte, or what reads like one, backslashes are doubled.
    """
    plain = bytes_of(name).decode("utf-8", "backslashreplace")
    if not _NUMBERED.search(plain):
        return plain
    return bytes_of(name.replace("\\", "\\\\")).decode("utf-8", "backslashreplace")


def is_commit_id(text: str) -> bool:
    return bool(_COMMIT_ID.fullmatch(text))
