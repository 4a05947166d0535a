"""The straight strokes of what is drawn on a PDF page: a table's grid may be one path, or a box around each cell."""

import ctypes
from collections.abc import Iterator

import pypdfium2 as pdfium
import pypdfium2.raw as pdfium_c

_MOST_SEGMENTS = 500  # of a path; a curve of a map has more

Box = tuple[float, float, float, float]
Point = tuple[float, float]


def strokes(path: pdfium.PdfObject) -> Iterator[Box]:
    """Left, bottom, right, top of each straight part of a path, in the page's own coordinates."""
    matrix = path.get_matrix()
    start = at = (0.0, 0.0)
    for index in range(min(pdfium_c.FPDFPath_CountSegments(path), _MOST_SEGMENTS)):
        segment = pdfium_c.FPDFPath_GetPathSegment(path, index)
        x, y = ctypes.c_float(), ctypes.c_float()
        pdfium_c.FPDFPathSegment_GetPoint(segment, x, y)
        before, at = at, matrix.on_point(x.value, y.value)
        kind = pdfium_c.FPDFPathSegment_GetType(segment)
        if kind == pdfium_c.FPDF_SEGMENT_MOVETO:
            start = at
        elif kind == pdfium_c.FPDF_SEGMENT_LINETO:
            yield _box(before, at)
        if pdfium_c.FPDFPathSegment_GetClose(segment):
            yield _box(at, start)
            at = start


def _box(a: Point, b: Point) -> Box:
    return min(a[0], b[0]), min(a[1], b[1]), max(a[0], b[0]), max(a[1], b[1])
