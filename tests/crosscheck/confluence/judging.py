"""What went to Confluence: as the vendor describes it, and nothing in it but text."""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from xml.etree import ElementTree as ET

from sandbox.confluence_talk import Note
from sandbox.exchange import Exchange
from sandbox.server import Sandbox
from tests.specs import Judge

_TAGS = frozenset({"p", "h1", "h2", "h3", "h4", "h5", "h6", "ul", "ol", "li", "strong", "em", "code", "pre", "a", "br"})
_TABLES = frozenset({"table", "tbody", "tr", "th", "td"})
_ANCHOR = re.compile(
    r'<ac:structured-macro[^>]* ?ac:name="anchor"[^>]*><ac:parameter ac:name="">crosscheck-[0-9a-f-]+</ac:parameter>'
    r"</ac:structured-macro>"
)
_SLIP = re.compile(r"/rest/api/content/[0-9]+/child/attachment: response: status 200 is not described$")
"""Data Center's description says that a list of files is answered with 201."""
_NUMBER = re.compile(r"\d+")


class Requests:
    """Judges each kind of request once, and each that writes."""

    def __init__(self, judge: Judge) -> None:
        self._judge = judge
        self._known: set[tuple[str, ...]] = set()

    def problems(self, box: Sandbox) -> list[str]:
        found = (
            f"{one.method} {one.path}: {problem}"
            for one in box.exchanges.all("confluence")
            if self._is_new(one)
            for problem in self._judge.check(one)
        )
        return [problem for problem in found if not _SLIP.search(problem)]

    def _is_new(self, one: Exchange) -> bool:
        kind = (one.method, _NUMBER.sub("0", one.path), _NUMBER.sub("0", one.query), str(one.status))
        new = one.method != "GET" or kind not in self._known
        self._known.add(kind)
        return new


@contextmanager
def judged(box: Sandbox, requests: Requests) -> Iterator[None]:
    """What is asked of Confluence meanwhile is described, whatever becomes of it."""
    box.exchanges.clear()
    yield
    found = requests.problems(box)
    assert found == [], "\n".join(found)


def more_than_text(note: Note, site: str, *others: str) -> list[str]:
    """What a reply holds beside text, plain marks, links to what was read, and the anchor it is found by."""
    storage, anchors = _ANCHOR.subn("", note.versions[-1].storage or "")
    found = [] if anchors == 1 else [f"{anchors} anchors"]
    try:
        root = ET.fromstring(f"<all>{storage}</all>")
    except ET.ParseError as error:
        return [*found, f"no plain XML: {error}"]
    for node in root.iter():
        if node.tag not in {"all", *_TAGS, *_TABLES}:
            found.append(f"<{node.tag}>")
        elif node.tag == "a" and not node.get("href", "").startswith((site, *others)):
            found.append(f"a link to {node.get('href')}")
        found += [f"{node.tag} {name}" for name in set(node.keys()) - {"href", "start", "local-id"}]
    return found
