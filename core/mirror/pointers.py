"""Pointers that Git LFS keeps in place of large files."""

import re

LONGEST = 1024
"""Bytes of a pointer, by the Git LFS specification."""
_POINTER = re.compile(
    rb"version https://git-lfs\.github\.com/spec/v1\n(?:[a-z0-9.-]+ .*\n)*?size (?P<size>[0-9]{1,18})\n"
)


def pointed_size(content: bytes) -> int | None:
    """Bytes of the file that a pointer stands for; None for what is no pointer."""
    pointer = _POINTER.match(content) if len(content) <= LONGEST else None
    return int(pointer["size"]) if pointer else None
