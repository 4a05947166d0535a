"""The delivery key in a comment's body: an anchor, which nobody sees. No I/O.

It is in the body because a content property would take a second request, and a crash may come between the two.
"""

import hashlib
import re
from dataclasses import dataclass

from bots.types import Post

# Attributes come with what Confluence's editor stores again: ids, a schema's version.
_MARKER = re.compile(r"<ac:parameter\b[^<>]{0,400}>\s*crosscheck-([0-9a-f]{32})-([0-9a-f]{16})\s*</ac:parameter>")
_FIRST_BLOCK = re.compile(r"<(?:p|h[1-6])>")


@dataclass(frozen=True, slots=True)
class Marker:
    key: str
    """Digest of the delivery key."""
    text: str
    """Digest of the body that was sent; what Confluence gives back need not equal it."""


def marker_of(post: Post) -> Marker:
    return Marker(_digest(post.delivery_key, 32), _digest(post.body["value"], 16))


def with_marker(post: Post) -> str:
    """The post's body, its marker before everything else."""
    value, marker = str(post.body["value"]), marker_of(post)
    name = f"crosscheck-{marker.key}-{marker.text}"
    anchor = (
        f'<ac:structured-macro ac:name="anchor"><ac:parameter ac:name="">{name}</ac:parameter></ac:structured-macro>'
    )
    first = _FIRST_BLOCK.match(value)
    return f"{first[0]}{anchor}{value[first.end() :]}" if first else f"<p>{anchor}</p>{value}"


def found_in(storage: str) -> Marker | None:
    """The marker in a comment as Confluence gives it back: the first, since others may be quoted in what follows."""
    found = _MARKER.search(storage)
    return Marker(found[1], found[2]) if found else None


def _digest(text: str, length: int) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:length]
