"""Outline -> the comments that tell it, in Confluence's storage format. No I/O.

Storage format is XML. Text only ever becomes escaped text, so no character in it is markup: no macro, no mention, no
emoticon comes of it, and a bare address stays text, which Confluence does not turn into a link. A link is made from a
locator's address alone. Code is `<pre>`: a macro for it would need CDATA, and names of languages that Confluence knows.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from xml.sax.saxutils import escape, quoteattr

from bots.outline import Block, Bullets, Code, Heading, Link, Outline, Paragraph, Span, Table
from bots.parts import most, packed, utf16
from bots.shown import SHORTENED, shown, shows, side_by_side
from bots.text import clean, is_visible
from bots.web_address import web_address

LIMIT = 30_000
"""Size of one comment, in UTF-16 units of its XML. Atlassian names no limit for a comment in Confluence; this is what
a comment in Jira may have, so that replies read alike on both."""

_ROOM = LIMIT - 500  # without the line that says which part it is, and the delivery's marker


def render(outline: Outline) -> list[str]:
    """The comments' bodies, in order; each smaller than `LIMIT`, none if there is nothing to see.

    A paragraph, a list item and a table row stay whole. One that is too long for a comment of its own is cut, with a
    visible mark. Every part after the first begins with a line that says so.
    """
    parts = list(map(_joined, packed([unit for block in outline for unit in _units(block)], _ROOM)))
    told = [f"<p>(continued, part {number} of {len(parts)})</p>" for number in range(2, len(parts) + 1)]
    return [head + part for head, part in zip(["", *told], parts, strict=False)]


@dataclass(frozen=True, slots=True, eq=False)
class _Shell:
    """The list or table around units, which is opened anew in every part."""

    tag: str
    head: str = ""
    """A table's header row."""

    def opened(self, number: int) -> str:
        start = f' start="{number}"' if number > 1 else ""
        inner = f"<tbody>{self.head}" if self.tag == "table" else ""
        return f"<{self.tag}{start}>{inner}"

    @property
    def closed(self) -> str:
        return "</tbody></table>" if self.tag == "table" else f"</{self.tag}>"

    @property
    def cost(self) -> int:
        return utf16(self.opened(10**9)) + utf16(self.closed)


@dataclass(frozen=True, slots=True)
class _Unit:
    """What may not be split."""

    xml: str
    shell: _Shell | None = None
    """The same object for all units of one block."""
    number: int = 1
    """An ordered list's item; the list goes on counting in the next part."""
    leads: bool = False
    """A heading: it does not stand last in a part."""

    @property
    def cost(self) -> int:
        return utf16(self.xml)

    @property
    def opening(self) -> int:
        return self.shell.cost if self.shell else 0


class _Pen:
    """Writes text up to a number of characters; then a mark once, and nothing more. A line break counts as one."""

    def __init__(self, characters: int) -> None:
        self._left = characters
        self._marked = False

    def text(self, text: str, line_break: str = "<br />") -> str:
        if self._marked:
            return ""
        start = text[: self._left]
        self._left -= len(start)
        self._marked = len(start) < len(text)
        return escape(start + SHORTENED * self._marked).replace("\n", line_break)

    def spans(self, spans: Iterable[Span]) -> str:
        return "".join(map(self._span, spans))

    def _span(self, span: Span) -> str:
        text = self.text(shown(span))
        if not text:
            return ""
        if isinstance(span, Link):
            address = web_address(span.locator.url)
            return f"<a href={quoteattr(address)}>{text}</a>" if address else text
        if span.code:  # Cloud's editor has no code that is strong as well
            return f"<code>{text}</code>"
        return f"<strong>{text}</strong>" if span.strong else text


Writing = Callable[[_Pen], str]


def _units(block: Block) -> Iterator[_Unit]:
    """A block without anything to see gives none."""
    if isinstance(block, Table):
        yield from _table(block)
    elif isinstance(block, Bullets):
        yield from _list(block)
    elif isinstance(block, Paragraph):
        spans = block.spans
        if shows(spans):
            yield _Unit(_fitting(lambda pen: f"<p>{pen.spans(spans)}</p>", _ROOM))
    elif is_visible(clean(block.text)):
        yield _heading(block) if isinstance(block, Heading) else _code(block)


def _heading(block: Heading) -> _Unit:
    level, text = min(max(block.level, 1), 6), " ".join(clean(block.text).split("\n"))
    return _Unit(_fitting(lambda pen: f"<h{level}>{pen.text(text)}</h{level}>", _ROOM // 2), leads=True)


def _code(block: Code) -> _Unit:
    text = clean(block.text)
    return _Unit(_fitting(lambda pen: f"<pre>{pen.text(text, line_break=chr(10))}</pre>", _ROOM))


def _list(block: Bullets) -> Iterator[_Unit]:
    shell = _Shell("ol" if block.ordered else "ul")
    room = _ROOM - shell.cost
    for number, item in enumerate(filter(shows, block.items), start=1):
        xml = _fitting(_item(item), room)
        yield _Unit(xml, shell, number if block.ordered else 1)


def _item(spans: Sequence[Span]) -> Writing:
    return lambda pen: f"<li><p>{pen.spans(spans)}</p></li>"


def _table(table: Table) -> Iterator[_Unit]:
    """Its rows."""
    names, rows = side_by_side(table)
    head = ""
    if any(map(is_visible, names)):
        head = _fitting(lambda pen: _row("th", map(pen.text, names)), _ROOM // 3)
    shell = _Shell("table", head)
    for row in rows:
        yield _Unit(_fitting(_cells(row), _ROOM - shell.cost), shell)
    if head and not rows:
        yield _Unit(shell.opened(1) + shell.closed)


def _cells(cells: Sequence[Sequence[Span]]) -> Writing:
    return lambda pen: _row("td", map(pen.spans, cells))


def _row(kind: str, cells: Iterable[str]) -> str:
    return "<tr>" + "".join(f"<{kind}><p>{cell}</p></{kind}>" for cell in cells) + "</tr>"


def _fitting(written: Writing, room: int) -> str:
    """What is written if it fits; otherwise as much of its text, from the start, as does, and a mark that says so."""
    whole = written(_Pen(room))  # every character costs one unit at least
    if utf16(whole) <= room:
        return whole
    return written(_Pen(most(room, lambda characters: utf16(written(_Pen(characters))) <= room)))


def _joined(part: Iterable[_Unit]) -> str:
    xml: list[str] = []
    shell: _Shell | None = None
    for unit in part:
        if unit.shell is not shell:
            xml += [shell.closed] if shell else []
            xml += [unit.shell.opened(unit.number)] if unit.shell else []
            shell = unit.shell
        xml.append(unit.xml)
    return "".join([*xml, shell.closed if shell else ""])
