"""What Confluence does with a comment's body that is sent to it: checks it, and lets its editor touch it."""

import re
import uuid

from sandbox import storage

_IDS = uuid.UUID("3b0c2f6e-7d0b-4f0e-9d2b-8a5a2f0b7c31")
_BLOCK = re.compile(r"<(?P<tag>p|h[1-6]|ul|ol|li|table|td|th|blockquote|ac:structured-macro)(?P<rest>(?=[\s/>])[^>]*)>")
_REMARK = re.compile(r"<!--.*?-->", re.DOTALL)
_CDATA = re.compile(r"(<!\[CDATA\[.*?\]\]>)", re.DOTALL)


class Unfit(Exception):
    """A body that is refused: with status 400 for what is no storage format, 413 for what is too large."""

    def __init__(self, message: str, status: int = 400) -> None:
        super().__init__(message)
        self.status = status


def checked(value: str, longest: int) -> None:
    """Raises Unfit."""
    if len(value) > longest:
        raise Unfit(f"The content is limited to {longest} characters", 413)
    try:
        said = storage.parse(value)
    except storage.BadStorage as e:
        raise Unfit(str(e)) from e
    if not any(True for _ in said.children):
        raise Unfit("Comment body can not be empty")


def editor_made(value: str, seed: str) -> str:
    """The body as Cloud's editor leaves it: ids at blocks and macros, no XML comments. The same ids each time."""
    made = 0

    def named(found: re.Match[str]) -> str:
        nonlocal made
        made += 1
        name = uuid.uuid5(_IDS, f"{seed}/{made}")
        macro = f' ac:local-id="{name}" ac:macro-id="{uuid.uuid5(_IDS, name.hex)}"'
        more = macro if found["tag"] == "ac:structured-macro" else f' local-id="{name}"'
        return f"<{found['tag']}{more}{found['rest']}>"

    parts = _CDATA.split(value)
    return "".join(part if at % 2 else _BLOCK.sub(named, _REMARK.sub("", part)) for at, part in enumerate(parts))
