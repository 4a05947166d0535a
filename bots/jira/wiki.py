"""Outline -> the comments that tell it, in the wiki markup of Jira Data Center. No I/O.

A link is made from a locator's address alone; all other text is made inert (`bots.jira.wiki_text`).
"""

import itertools
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

from bots.jira.wiki_text import can_be_marked, entity, inert, is_word
from bots.outline import Block, Bullets, Code, Heading, Link, Outline, Paragraph, Span, Table
from bots.parts import most, packed, utf16
from bots.shown import SHORTENED, shown, shows, side_by_side
from bots.text import clean, is_visible
from bots.web_address import web_address

LIMIT = 30_000
"""Size of one comment in UTF-16 units. Jira refuses more than 32,767, unless an administrator has set another limit."""

_ROOM = LIMIT - 200  # without the line that says which part it is
_BREAK = " \\\\ "  # the spaces keep what is around it from being part of it
_IN_LINK = "]!~^@#$:"
_MENTION = re.compile(r"\[[~@]")  # Jira looks for people to notify in the bare markup, in code as well
_LANGUAGES = re.compile(
    "actionscript|ada|applescript|bash|c|c#|c[+][+]|css|erlang|go|groovy|haskell|html|java|javascript|json|lua|objc|perl"
    "|php|python|r|ruby|scala|sql|swift|visualbasic|xml|yaml"
)
"""What Jira highlights; for any other name it shows an error instead of the code."""


def render(outline: Outline) -> list[str]:
    """The comments' markup, in order; each smaller than `LIMIT`, none if there is nothing to see.

    A paragraph, a list item and a table row stay whole. One that is too long for a comment of its own is cut, with a
    visible mark. Every part after the first begins with a line that says so.
    """
    parts = [_joined(part) for part in packed([unit for block in outline for unit in _units(block)], _ROOM)]
    told = [f"(continued, part {number} of {len(parts)})\n\n" for number in range(2, len(parts) + 1)]
    return [head + part for head, part in zip(["", *told], parts, strict=False)]


@dataclass(frozen=True, slots=True, eq=False)
class _Shell:
    """The list or table around units."""

    sign: str
    """What a unit's line begins with."""
    header: str = ""
    """A table's first row, with its line end."""


@dataclass(frozen=True, slots=True)
class _Unit:
    """What may not be split."""

    text: str
    cost: int
    shell: _Shell | None = None
    opening: int = 0
    number: int = 1
    """Of a list's item; it goes on counting in the next part."""
    leads: bool = False


class _Pen:
    """Lets through so many characters of text, then a mark once, and nothing more."""

    def __init__(self, characters: int) -> None:
        self._left = characters
        self._marked = False

    def text(self, text: str) -> str:
        if self._marked:
            return ""
        start = text[: self._left]
        self._left -= len(start)
        self._marked = len(start) < len(text)
        return start + SHORTENED * self._marked


Writing = Callable[[_Pen], str]


def _unit(write: Writing, room: int, shell: _Shell | None = None, *, number: int = 1, leads: bool = False) -> _Unit:
    """What is written, whole if there is room for it; otherwise as much, from the start, as there is room for."""
    opening = utf16(shell.header) if shell else 0
    room -= opening + 12  # the line ends around it, and an item's number
    text = write(_Pen(room + 1))
    if utf16(text) > room:
        text = write(_Pen(most(room, lambda characters: utf16(write(_Pen(characters))) <= room)))
    return _Unit(text, utf16(text) + 12, shell, opening, number, leads)


def _units(block: Block) -> Iterator[_Unit]:
    """A block without anything to see gives none."""
    if isinstance(block, Table):
        yield from _table(block)
    elif isinstance(block, Bullets):
        shell = _Shell("# " if block.ordered else "* ")
        for number, item in enumerate(filter(shows, block.items), start=1):
            yield _unit(_on_a_line(item), _ROOM, shell, number=number)
    elif isinstance(block, Paragraph):
        spans = block.spans
        if shows(spans):
            yield _unit(lambda pen: _inline(spans, pen), _ROOM)
    elif is_visible(clean(block.text)):
        yield _heading(block) if isinstance(block, Heading) else _code(block)


def _heading(block: Heading) -> _Unit:
    start, text = f"h{min(max(block.level, 1), 6)}. ", " ".join(clean(block.text).split("\n"))
    return _unit(lambda pen: start + inert(pen.text(text), before=" "), _ROOM // 2, leads=True)


def _code(block: Code) -> _Unit:
    """Between two marks, which nothing in it may look like. Where it looks like all of them, or would notify somebody,
    it is text in monospaced lines.
    """
    text, language = clean(block.text), (block.language or "").lower()
    highlighted = _LANGUAGES.fullmatch(language) is not None
    has_code, has_noformat = "{code" in text.lower(), "{noformat" in text.lower()
    if _MENTION.search(text) or (has_code and has_noformat):
        return _unit(lambda pen: "\n".join(map(_monospaced, pen.text(text).split("\n"))), _ROOM)
    if has_code or (not has_noformat and not highlighted):
        opened, closed = "{noformat}", "{noformat}"
    else:
        opened, closed = "{code:" + (language if highlighted else "none") + "}", "{code}"
    return _unit(lambda pen: f"{opened}\n{pen.text(text)}\n{closed}", _ROOM)


def _monospaced(line: str) -> str:
    """A browser would drop the spaces that a line begins with."""
    text = line.lstrip(" \t")
    indent = entity("\u00a0") * len(line[: len(line) - len(text)].expandtabs(4))
    return indent + (_marked(text, "{{", "}}", "\n", "\n") or inert(text))


def _table(table: Table) -> Iterator[_Unit]:
    """Its rows."""
    names, rows = side_by_side(table)
    named = any(map(is_visible, names))
    header = _unit(lambda pen: "||" + _cells("||", [_flat(inert(pen.text(name))) for name in names]), _ROOM // 3)
    shell = _Shell("|", header.text + "\n" if named else "")
    for row in rows:
        yield _unit(_row(row), _ROOM, shell)
    if named and not rows:
        yield header


def _row(cells: Sequence[Sequence[Span]]) -> Writing:
    """Without its first edge, which is the shell's."""
    return lambda pen: _cells("|", [_flat(_inline(cell, pen)) for cell in cells])


def _cells(edge: str, cells: Iterable[str]) -> str:
    """An empty cell needs a space: two edges beside each other would make a header of the next."""
    return "".join((cell if cell.strip() else " ") + edge for cell in cells)


def _on_a_line(spans: Sequence[Span]) -> Writing:
    """An empty line would end a list or a table."""
    return lambda pen: _flat(_inline(spans, pen))


def _flat(text: str) -> str:
    return text.replace("\n", _BREAK)


def _joined(part: Iterable[_Unit]) -> str:
    blocks: list[str] = []
    for shell, run in itertools.groupby(part, key=lambda unit: unit.shell):
        if shell is None:
            blocks += [unit.text for unit in run]
        else:
            blocks.append(shell.header + "\n".join(_lines(shell, list(run))))
    return "\n\n".join(blocks)


def _lines(shell: _Shell, units: Sequence[_Unit]) -> list[str]:
    """A list of Jira's counts from one: one that goes on is made of lines with their numbers."""
    goes_on = shell.sign == "# " and units[0].number > 1
    return [(f"{unit.number}. " if goes_on else shell.sign) + unit.text for unit in units]


def _inline(spans: Sequence[Span], pen: _Pen) -> str:
    """Plain words that touch each other are made inert as one text."""
    seen = [(span, text) for span in spans if (text := pen.text(shown(span)))]
    written, plain = "", ""
    for number, (span, text) in enumerate(seen):
        rest = seen[number + 1 :]
        previous, following = (plain or written or "\n")[-1], rest[0][1][0] if rest else "\n"
        marked = _special(span, text, previous, following, touches=_touches_link(rest))
        if marked is None:
            plain += text
            continue
        written += inert(plain, before=written[-1:] or "\n", after="[") + marked
        plain = ""
    return written + inert(plain, before=written[-1:] or "\n")


def _touches_link(rest: Iterable[tuple[Span, str]]) -> bool:
    """Whether a link follows before any space does."""
    for span, text in rest:
        if isinstance(span, Link):
            return not text[0].isspace()
        if any(map(str.isspace, text)):
            return False
    return False


def _special(span: Span, text: str, previous: str, following: str, *, touches: bool) -> str | None:
    """A link or marked words; None for what is plain, or cannot be marked where it stands."""
    if isinstance(span, Link):
        return _link(text, web_address(span.locator.url), touches=touches)
    if span.code:
        return _marked(text, "{{", "}}", previous, following)
    return _marked(text, "*", "*", previous, following) if span.strong else None


def _link(text: str, address: str | None, *, touches: bool) -> str | None:
    """An address that another link follows at once is ended by an empty title: to Jira it would go on into that."""
    if address is None or "[" in address or not is_visible(text):
        return None
    start, core, end = _apart(text)
    body = inert(core.replace("\n", " "), before="[", after="|", also=_IN_LINK)
    return f"{start}[{body}|{address.replace('!', '%21')}{'|' * touches}]{end}"


def _marked(text: str, opened: str, closed: str, previous: str, following: str) -> str | None:
    """Words as a phrase, which is no part of a word. Spaces at its ends would make it none; `*#` begins a list."""
    start, core, end = _apart(text)
    if not core or not can_be_marked(core) or is_word((start or previous)[-1]) or is_word((end or following)[0]):
        return None
    return start + opened + inert(core, after=")", also=closed[0]) + closed + end


def _apart(text: str) -> tuple[str, str, str]:
    """The spaces before a text, the text, the spaces after it."""
    core = text.strip()
    start = text.index(core)
    return text[:start], core, text[start + len(core) :]
