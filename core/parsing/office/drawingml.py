"""Text within shapes (ECMA-376 part 1, chapter 21.1: DrawingML text and tables)."""

from collections.abc import Iterator

from core.parsing import markdown
from core.parsing.office.package import Element, Part, address, is_on, local, reference, whole

_GENERATED = ("slidenum", "datetime")  # fields whose text is no author's


def line(paragraph: Element, part: Part | None) -> str:
    """A paragraph's text, its line breaks kept."""
    return "".join(_pieces(paragraph, part)).strip()


def plain(body: Element | None) -> str:
    """All text of a body in one line."""
    if body is None:
        return ""
    return markdown.one_line(" ".join(line(paragraph, None) for paragraph in body.iter("{*}p")))


def blocks(body: Element, part: Part | None, *, bulleted: bool = False) -> list[str]:
    """A body's paragraphs; those that follow each other as items make up one list. `bulleted` is what holds for
    paragraphs that do not say.
    """
    found: list[list[str]] = []
    numbers: dict[int, int] = {}
    in_list = False
    for paragraph in body.iterfind("{*}p"):
        text = line(paragraph, part)
        if not text:
            continue
        properties = paragraph.find("{*}pPr")
        level = _level(properties)
        marker = _marker(properties, bulleted, numbers, level)
        item = "" if marker is None else _indented(markdown.item(marker, [text]), level)
        if item and in_list:
            found[-1].append(item)
        else:
            found.append([item or text])
        in_list = bool(item)
    return ["\n".join(lines) for lines in found]


def table(element: Element, part: Part | None) -> str:
    """A table whose cells merged downwards are filled; of those merged across the first one holds the text."""
    rows: list[list[str]] = []
    for row in element.iterfind("{*}tr"):
        cells: list[str] = []
        for column, cell in enumerate(row.iterfind("{*}tc")):
            if is_on(cell.get("vMerge")) and rows and column < len(rows[-1]):
                cells.append(rows[-1][column])
            elif is_on(cell.get("hMerge")):
                cells.append("")
            else:
                cells.append("\n".join(line(paragraph, part) for paragraph in cell.iterfind("{*}txBody/{*}p")))
        rows.append(cells)
    return markdown.table(rows)


def _pieces(paragraph: Element, part: Part | None) -> Iterator[str]:
    for child in paragraph:
        match local(child):
            case "r":
                text = child.findtext("{*}t") or ""
                link = _address(child, part)
                yield markdown.link(text, link) if link else text
            case "fld" if not (child.get("type") or "").startswith(_GENERATED):
                yield child.findtext("{*}t") or ""
            case "br":
                yield "\n"
            case "m" | "oMath" | "oMathPara":
                yield "".join(text.text or "" for text in child.iter("{*}t"))


def _address(run: Element, part: Part | None) -> str:
    click = run.find("{*}rPr/{*}hlinkClick")
    return "" if click is None or part is None else address(part, reference(click))


def _level(properties: Element | None) -> int:
    return 0 if properties is None else min(whole(properties.get("lvl")), 8)


def _marker(properties: Element | None, bulleted: bool, numbers: dict[int, int], level: int) -> str | None:
    kinds = set() if properties is None else {local(child) for child in properties}
    automatic = None if properties is None else properties.find("{*}buAutoNum")
    if automatic is not None:
        for deeper in [other for other in numbers if other > level]:
            del numbers[deeper]
        numbers[level] = numbers[level] + 1 if level in numbers else whole(automatic.get("startAt"), 1)
        return f"{numbers[level]}."
    numbers.clear()
    if "buNone" in kinds or not (bulleted or kinds & {"buChar", "buBlip"}):
        return None
    return "-"


def _indented(text: str, level: int) -> str:
    return "  " * level + text.replace("\n", "\n" + "  " * level)
