"""Names of files, branches and commits, between Git's bytes and text."""

import re

_COMMIT_ID = re.compile(r"[0-9a-f]{40}(?:[0-9a-f]{24})?")
_NUMBERED = re.compile(r"\\x[89a-f][0-9a-f]")
_WRITTEN = re.compile(rb"\\\\|\\x([89a-f][0-9a-f])")
_LONGEST_PATH = 4096  # bytes, as of Linux
_REF = re.compile(r"refs(?:/[A-Za-z0-9_][A-Za-z0-9._-]{0,200}){2,8}")


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


def unshown(name: str) -> str:
    """The name that `shown` made this of."""
    if not _NUMBERED.search(name):
        return name
    written = name.encode("utf-8", "replace")  # `shown` leaves no surrogates
    return text_of(_WRITTEN.sub(lambda found: bytes.fromhex(found[1].decode()) if found[1] else b"\\", written))


def is_path(text: str) -> bool:
    """Whether a text can be the path of a file within a tree."""
    try:
        size = len(bytes_of(text))
    except UnicodeEncodeError:
        return False
    return size <= _LONGEST_PATH and "\0" not in text and {"", ".", ".."}.isdisjoint(text.split("/"))


def is_ref(text: str) -> bool:
    """Whether a text is the whole name of a ref as hosts make them, and nothing that Git reads otherwise."""
    return bool(_REF.fullmatch(text)) and ".." not in text and not text.endswith(".lock")


def is_commit_id(text: str) -> bool:
    return bool(_COMMIT_ID.fullmatch(text))
