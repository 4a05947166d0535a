"""Outline -> text for a terminal or a log: readable as it is, close to Markdown."""

from collections.abc import Iterable

from bots.outline import Block, Bullets, Code, Heading, Link, Outline, Paragraph, Span, Table
from bots.text import clean, is_visible
from bots.web_address import web_address


def plain(outline: Outline) -> str:
    """The text, blocks apart by an empty line, without a trailing line end.

    Nothing in it can steer a terminal: control characters of outside text are gone. It is not meant to be parsed.
    """
    return "\n\n".join(text for block in outline if is_visible(text := _block(block)))


def _block(block: Block) -> str:
    if isinstance(block, Heading):
        return "#" * min(max(block.level, 1), 6) + " " + " ".join(clean(block.text).split("\n"))
    if isinstance(block, Paragraph):
        return _line(block.spans)
    if isinstance(block, Bullets):
        return "\n".join(_items(block))
    if isinstance(block, Table):
        return _table(block)
    return _indented(block)


def _items(block: Bullets) -> Iterable[str]:
    for number, item in enumerate(block.items, start=1):
        sign = f"{number}. " if block.ordered else "- "
        yield sign + _line(item).replace("\n", "\n" + " " * len(sign))


def _table(table: Table) -> str:
    rows = [
        [_cell(clean(name)) for name in table.header],
        *([_cell(_line(cell)) for cell in row] for row in table.rows),
    ]
    columns = max(map(len, rows))
    padded = [row + [""] * (columns - len(row)) for row in rows]
    widths = [min(max(len(row[column]) for row in padded), 60) for column in range(columns)]
    lines = [" | ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in padded]
    return "\n".join([lines[0], "-+-".join("-" * width for width in widths), *lines[1:]])


def _cell(text: str) -> str:
    return " ".join(text.split("\n"))


def _indented(block: Code) -> str:
    return "\n".join("    " + line for line in clean(block.text).rstrip("\n").split("\n"))


def _line(spans: Iterable[Span]) -> str:
    return "".join(map(_span, spans))


def _span(span: Span) -> str:
    text = clean(span.text)
    if isinstance(span, Link):
        address = web_address(span.locator.url)
        text = text if is_visible(text) else clean(span.locator.label)
        return f"{text} <{address}>" if address else text
    if span.code:
        return f"`{text}`"
    return f"**{text}**" if span.strong and text else text
