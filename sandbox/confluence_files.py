"""Files that people attach to pages, made from text as `sandbox.files` does, with two more kinds: spreadsheets and
draw.io diagrams.
"""

import csv
import io
import re
import zipfile
from html import escape

from sandbox import files

_MEDIA_TYPES = {
    "drawio": "application/vnd.jgraph.mxfile",
    "xlsx": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
}
_EDGE = re.compile(r"(?P<source>.+?) -> (?P<target>.+?)(?:: (?P<label>.+))?")
_SHEET = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
_RELATIONS = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
_PACKAGE = "http://schemas.openxmlformats.org/package/2006"
_OFFICE = "application/vnd.openxmlformats-officedocument.spreadsheetml"


def media_type(name: str) -> str:
    return _MEDIA_TYPES.get(files.ending(name)) or files.media_type(name)


def content(name: str, text: str) -> bytes:
    """A file of the kind that its name says: a spreadsheet of lines of CSV, a diagram of lines `A -> B: label`, and
    otherwise what `sandbox.files.content` makes.
    """
    if files.ending(name) == "xlsx":
        return _xlsx(list(csv.reader(text.splitlines())))
    if files.ending(name) == "drawio":
        return _drawio(text.splitlines())
    return files.content(name, text)


def _xlsx(rows: list[list[str]]) -> bytes:
    """One sheet of inline strings and numbers: ECMA-376, part 1."""
    cells = "".join("<row>" + "".join(map(_cell, row)) + "</row>" for row in rows)
    main = "/xl/workbook.xml"
    parts = {
        "[Content_Types].xml": f'<Types xmlns="{_PACKAGE}/content-types">'
        '<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>'
        f'<Override PartName="{main}" ContentType="{_OFFICE}.sheet.main+xml"/>'
        f'<Override PartName="/xl/worksheets/sheet1.xml" ContentType="{_OFFICE}.worksheet+xml"/></Types>',
        "_rels/.rels": _relation("officeDocument", main),
        "xl/workbook.xml": f'<workbook xmlns="{_SHEET}" xmlns:r="{_RELATIONS}"><sheets>'
        '<sheet name="Sheet1" sheetId="1" r:id="rId1"/></sheets></workbook>',
        "xl/_rels/workbook.xml.rels": _relation("worksheet", "/xl/worksheets/sheet1.xml"),
        "xl/worksheets/sheet1.xml": f'<worksheet xmlns="{_SHEET}"><sheetData>{cells}</sheetData></worksheet>',
    }
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, body in parts.items():
            entry = zipfile.ZipInfo(name, (2026, 1, 1, 0, 0, 0))  # the same bytes each time
            archive.writestr(entry, f'<?xml version="1.0" encoding="UTF-8" standalone="yes"?>{body}')
    return out.getvalue()


def _relation(kind: str, target: str) -> str:
    relation = f'<Relationship Id="rId1" Type="{_RELATIONS}/{kind}" Target="{target}"/>'
    return f'<Relationships xmlns="{_PACKAGE}/relationships">{relation}</Relationships>'


def _cell(value: str) -> str:
    if re.fullmatch(r"-?\d+(\.\d+)?", value):
        return f"<c><v>{value}</v></c>"
    return f'<c t="inlineStr"><is><t>{escape(value)}</t></is></c>'


def _drawio(lines: list[str]) -> bytes:
    """A page with a box for each name and an arrow for each line."""
    edges = [found for line in lines if (found := _EDGE.fullmatch(line.strip()))]
    boxes = {name: f"n{at}" for at, name in enumerate(dict.fromkeys(n for e in edges for n in e.group(1, 2)))}
    drawn = ['<mxCell id="0"/><mxCell id="1" parent="0"/>']
    drawn += [
        f'<mxCell id="{number}" value="{escape(name)}" vertex="1" parent="1">'
        f'<mxGeometry x="{180 * at}" y="40" width="120" height="40" as="geometry"/></mxCell>'
        for at, (name, number) in enumerate(boxes.items())
    ]
    drawn += [
        f'<mxCell id="e{at}" value="{escape(edge["label"] or "")}" edge="1" parent="1"'
        f' source="{boxes[edge["source"]]}" target="{boxes[edge["target"]]}"><mxGeometry as="geometry"/></mxCell>'
        for at, edge in enumerate(edges)
    ]
    model = f"<mxGraphModel><root>{''.join(drawn)}</root></mxGraphModel>"
    return f'<mxfile host="sandbox"><diagram id="d1" name="Page-1">{model}</diagram></mxfile>'.encode()
