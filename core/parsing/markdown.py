"""Pieces of Markdown that every parser puts together. Text is never escaped: an identifier or a quotation must read
in the index exactly as its author wrote it; only what would break a table's row is.
"""

import re
from collections.abc import Iterable, Sequence

_CONTROLS = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]")
_SURROGATES = re.compile("[\ud800-\udfff]")
_TICKS = re.compile("`+")
_LINE_END = re.compile(r"(?<!\s)\s*\n")  # looked for once in each run of space
_MOST_FILLED = 400_000  # cells of a table whose rows are made equally long


def clean(text: str) -> str:
    """Text that every store and wire takes: no control characters but tab and line feed, no lone surrogates, line
    feeds only.
    """
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    return _SURROGATES.sub("\ufffd", _CONTROLS.sub("", text))


def join(blocks: Iterable[str]) -> str:
    """Blocks with a blank line between them; empty ones are left out."""
    return "\n\n".join(block for block in blocks if block.strip())


def heading(level: int, text: str) -> str:
    return f"{'#' * min(max(level, 1), 6)} {one_line(text)}" if text.strip() else ""


def one_line(text: str) -> str:
    return " ".join(text.split())


def quote(text: str) -> str:
    return "\n".join(f"> {line}" if line else ">" for line in text.split("\n"))


def item(marker: str, blocks: Sequence[str]) -> str:
    """A list item; what follows its first line is indented to stand under the bullet's text."""
    text = "\n".join(block for block in blocks if block.strip())
    bullet = marker.partition(" ")[0]
    return f"{marker} {text}".rstrip().replace("\n", "\n" + " " * (len(bullet) + 1))


def code_span(text: str) -> str:
    ticks = "`" * (1 + max((len(run) for run in _TICKS.findall(text)), default=0))
    pad = " " if text.startswith("`") or text.endswith("`") else ""
    return f"{ticks}{pad}{text}{pad}{ticks}"


def fence(code: str, language: str = "") -> str:
    """A fenced block whose fence is longer than any run of backticks inside."""
    ticks = "`" * max(3, 1 + max((len(run) for run in _TICKS.findall(code)), default=0))
    return f"{ticks}{language}\n{code.rstrip()}\n{ticks}"


def link(text: str, target: str) -> str:
    """`[text](target)`, or the target alone when the text says no more."""
    text, target = text.strip(), target.strip()
    if not target or not text or text == target:
        return text or target
    around = f"<{target}>" if re.search(r"[\s()]", target) else target
    return f"[{text}]({around})"


def table(rows: Sequence[Sequence[str]]) -> str:
    """A table whose first row is its head. Lines within a cell are joined by `<br>`.

    Short rows are filled up unless that would make very many empty cells; Markdown reads them either way.
    """
    filled = [row for row in rows if any(cell.strip() for cell in row)]
    if not filled:
        return ""
    width = max(len(row) for row in filled)
    least = width if width * len(filled) <= _MOST_FILLED else 0
    lines = [_row(filled[0], width), *(_row(row, least) for row in filled[1:])]
    lines.insert(1, "|" + " --- |" * width)
    return "\n".join(lines)


def _row(cells: Sequence[str], least: int) -> str:
    return "| " + " | ".join([*map(_cell, cells), *[""] * (least - len(cells))]) + " |"


def _cell(text: str) -> str:
    return _LINE_END.sub("<br>", text.strip()).replace("|", "\\|")
