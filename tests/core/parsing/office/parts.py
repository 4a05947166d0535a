"""Office files for the tests: made by the usual libraries, or part by part where these cannot make them."""

import io
import zipfile
from collections.abc import Mapping

import openpyxl
from lxml import etree

MAIN = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
RELATIONSHIPS = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
PACKAGE = "http://schemas.openxmlformats.org/package/2006/relationships"


def zipped(parts: Mapping[str, bytes | str]) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in parts.items():
            archive.writestr(name, content)
    return buffer.getvalue()


def unzipped(data: bytes) -> dict[str, bytes]:
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def saved(document: object) -> bytes:
    """A workbook, presentation or document as its library saves it."""
    buffer = io.BytesIO()
    document.save(buffer)  # type: ignore[attr-defined]
    return buffer.getvalue()


def workbook(rows: list[list[object]], title: str = "Sheet") -> openpyxl.Workbook:
    book = openpyxl.Workbook()
    book.active.title = title
    for row in rows:
        book.active.append(row)
    return book


def with_stored(data: bytes, values: Mapping[str, str], part: str = "xl/worksheets/sheet1.xml") -> bytes:
    """The workbook with the values that its formulas were last calculated to, which openpyxl does not write."""
    parts = unzipped(data)
    root = etree.fromstring(parts[part])
    for cell in root.iter(f"{{{MAIN}}}c"):
        if cell.get("r") in values:
            value = cell.find(f"{{{MAIN}}}v")
            value = etree.SubElement(cell, f"{{{MAIN}}}v") if value is None else value
            value.text = values[cell.get("r")]
    return zipped({**parts, part: etree.tostring(root)})


def relations(*targets: tuple[str, str, str]) -> str:
    """A `.rels` part of (id, kind, target)."""
    entries = "".join(f'<Relationship Id="{i}" Type="{RELATIONSHIPS}/{k}" Target="{t}"/>' for i, k, t in targets)
    return f'<Relationships xmlns="{PACKAGE}">{entries}</Relationships>'


def raw_workbook(sheet: str) -> bytes:
    """A workbook of one sheet, `Data`, whose XML within `worksheet` is given."""
    return zipped(
        {
            "_rels/.rels": relations(("r1", "officeDocument", "xl/workbook.xml")),
            "xl/workbook.xml": f'<workbook xmlns="{MAIN}" xmlns:r="{RELATIONSHIPS}"><sheets>'
            '<sheet name="Data" sheetId="1" r:id="r1"/></sheets></workbook>',
            "xl/_rels/workbook.xml.rels": relations(
                ("r1", "worksheet", "worksheets/sheet1.xml"),
                ("r2", "sharedStrings", "sharedStrings.xml"),
                ("r3", "styles", "styles.xml"),
            ),
            "xl/worksheets/sheet1.xml": f'<worksheet xmlns="{MAIN}">{sheet}</worksheet>',
            "xl/sharedStrings.xml": f'<sst xmlns="{MAIN}"/>',
            "xl/styles.xml": f'<styleSheet xmlns="{MAIN}"/>',
        }
    )


A = "http://schemas.openxmlformats.org/drawingml/2006/main"
P = "http://schemas.openxmlformats.org/presentationml/2006/main"
DGM = "http://schemas.openxmlformats.org/drawingml/2006/diagram"
W = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"


def raw_slides(
    *trees: str, links: tuple[tuple[str, str, str], ...] = (), more: Mapping[str, bytes | str] | None = None
) -> bytes:
    """A presentation of slides whose shapes' XML is given; `links` are relations of the first slide."""
    spaces = f'xmlns:p="{P}" xmlns:a="{A}" xmlns:r="{RELATIONSHIPS}" xmlns:dgm="{DGM}"'
    entries = "".join(f'<p:sldId id="{255 + n}" r:id="s{n}"/>' for n in range(1, len(trees) + 1))
    slides = {
        f"ppt/slides/slide{n}.xml": f"<p:sld {spaces}><p:cSld><p:spTree>{tree}</p:spTree></p:cSld></p:sld>"
        for n, tree in enumerate(trees, 1)
    }
    return zipped(
        {
            "_rels/.rels": relations(("r1", "officeDocument", "ppt/presentation.xml")),
            "ppt/presentation.xml": f"<p:presentation {spaces}><p:sldIdLst>{entries}</p:sldIdLst></p:presentation>",
            "ppt/_rels/presentation.xml.rels": relations(
                *((f"s{n}", "slide", f"slides/slide{n}.xml") for n in range(1, len(trees) + 1))
            ),
            "ppt/slides/_rels/slide1.xml.rels": relations(*links),
            **slides,
            **(more or {}),
        }
    )


def raw_document(
    body: str, links: tuple[tuple[str, str, str], ...] = (), more: Mapping[str, bytes | str] | None = None
) -> bytes:
    """A text document whose body's XML is given; `more` are parts beside it, at `word/`."""
    spaces = f'xmlns:w="{W}" xmlns:r="{RELATIONSHIPS}" xmlns:a="{A}"'
    return zipped(
        {
            "_rels/.rels": relations(("r1", "officeDocument", "word/document.xml")),
            "word/document.xml": f"<w:document {spaces}><w:body>{body}</w:body></w:document>",
            "word/_rels/document.xml.rels": relations(*links),
            **{f"word/{name}": content for name, content in (more or {}).items()},
        }
    )
