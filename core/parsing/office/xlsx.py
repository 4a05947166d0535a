"""Workbooks, sheet by sheet, by openpyxl; what is drawn on sheets, by python-pptx's view of a package."""

import warnings
from collections.abc import Iterator
from dataclasses import dataclass

from openpyxl import Workbook
from openpyxl.reader.excel import ExcelReader
from pptx.exc import PythonPptxError
from pptx.opc.package import OpcPackage

from core.parsing import markdown
from core.parsing.office.comments import cell_comments, people
from core.parsing.office.compose import Composer
from core.parsing.office.errors import FileUnreadable, PartUnreadable
from core.parsing.office.package import Element, Package, Part, kind, reference, related, target, xml
from core.parsing.office.pictures import Pictures
from core.parsing.office.shapes import Drawing
from core.parsing.office.xlsx_blocks import NamedTable, blocks
from core.parsing.office.xlsx_sheet import Budget, SheetReader, area_of
from core.parsing.office.xlsx_tables import GROUP, Group, groups, tables
from core.parsing.office.xlsx_values import Values
from core.parsing.parsed import Parsed, unreadable

MAX_SHEETS = 200

_LOST = {"sharedStrings": "texts of cells", "styles": "formats of numbers, so that dates read as numbers,"}
# What openpyxl raises where the XML is not as the schema wants it.
_FOREIGN = (AttributeError, IndexError, KeyError, OSError, TypeError, ValueError)


def parse(_name: str, data: bytes, budget: Budget | None = None) -> Parsed:
    """A workbook's text. Whatever is wrong with it is said in what is given."""
    try:
        return _Reader(Package(data, "spreadsheetml"), budget or Budget()).read()
    except FileUnreadable as error:
        return unreadable(str(error))


@dataclass(frozen=True, slots=True)
class _Entry:
    """A sheet as the workbook lists it."""

    name: str
    hidden: bool
    reference: str

    @property
    def label(self) -> str:
        return f"sheet {self.name}{' (hidden)' if self.hidden else ''}"


def _entry(found: Element) -> _Entry:
    name = markdown.one_line(markdown.clean(found.get("name", "")))
    return _Entry(name, found.get("state", "visible") != "visible", reference(found))


class _Reader:
    def __init__(self, package: Package, budget: Budget) -> None:
        self._package = package
        try:
            self._main: Part = OpcPackage.open(package.copy()).main_document_part
        except (PythonPptxError, *_FOREIGN) as error:
            raise FileUnreadable("it is damaged: its list of sheets cannot be read") from error
        self._pictures = Pictures()
        self._composer = Composer()
        self._budget = budget
        self._unread = package.unread
        self._people = people(self._main)
        self._strings, self._values = self._read_values()

    def read(self) -> Parsed:
        entries = [_entry(found) for found in xml(self._main).iterfind("{*}sheets/{*}sheet")]
        for entry in entries[:MAX_SHEETS]:
            self._read_entry(entry)
        if len(entries) > MAX_SHEETS:
            self._lost(f"sheets after {MAX_SHEETS} not read")
        return self._composer.parsed([*self._unread, *self._pictures.unread], self._pictures.found)

    def _read_values(self) -> tuple[list[str], Values]:
        for name, lost in _LOST.items():
            try:
                list(related(self._main, name))
            except PartUnreadable as error:
                self._lost(f"{lost} not read: {error}")
        reader = ExcelReader(self._package.copy(), read_only=True, keep_links=False)
        reader.wb = Workbook()
        try:
            with warnings.catch_warnings(action="ignore"):  # openpyxl warns of what it would not write
                reader.read()
        except _FOREIGN:
            self._lost("formats of numbers not read, so that dates may read as numbers: it is damaged")
        return reader.shared_strings, Values(reader.wb)

    def _read_entry(self, entry: _Entry) -> None:
        self._composer.heading(entry.name + (" (hidden)" if entry.hidden else ""), entry.label)
        try:
            part = target(self._main, entry.reference)
        except PartUnreadable as error:
            self._lost(f"{entry.label}: not read: {error}")
            return
        self._read_cells(entry, part)
        self._composer.add_all(self._drawings(entry, part), "[this sheet is empty]")

    def _read_cells(self, entry: _Entry, part: Part) -> None:
        comments: dict[str, str] = {}
        named: list[NamedTable | None] = []
        try:
            comments = cell_comments(part, self._people)
            named = [_named(xml(table)) for table in related(part, "table")]
        except PartUnreadable as error:
            self._lost(f"{entry.label}: comments or table names not read: {error}")
        sheet = SheetReader(part, self._strings, self._values, comments, self._budget).read(self._package)
        found = tables(blocks(sheet.rows, [table for table in named if table]), sheet.hides)
        for group in _packed(group for table in found for group in groups(table, sheet.hidden_rows)):
            rows = f"row {group.first}" if group.first == group.last else f"rows {group.first} to {group.last}"
            self._composer.add(group.text, f"{entry.label}, {rows}")
        if sheet.cut:
            self._lost(f"{entry.label}: {sheet.cut}")

    def _drawings(self, entry: _Entry, part: Part) -> Iterator[str]:
        for relation in part.rels.values():
            if kind(relation) in {"oleObject", "package"}:
                self._lost(f"embedded file not read: {relation.target_ref.rpartition('/')[2]} on {entry.label}")
        try:
            for found in related(part, "drawing"):
                drawing = Drawing(found, f"on {entry.label}", self._pictures)
                yield from drawing.read(xml(found))
                self._unread += drawing.unread
        except PartUnreadable as error:
            self._lost(f"{entry.label}: drawing not read: {error}")

    def _lost(self, what: str) -> None:
        self._composer.add(f"[{what}]")
        self._unread.append(what)


def _named(root: Element) -> NamedTable | None:
    area = area_of(root.get("ref", ""))
    name = markdown.one_line(root.get("displayName") or root.get("name") or "")
    return NamedTable(name, area, int(root.get("headerRowCount", "1") != "0")) if area else None


def _packed(found: Iterator[Group]) -> Iterator[Group]:
    """Small groups that follow each other as one, a title with the table below it."""
    held: Group | None = None
    for group in found:
        if held and len(held.text) + len(group.text) <= GROUP:
            text = markdown.join([held.text, group.text])
            held = Group(text, min(held.first, group.first), max(held.last, group.last))
        else:
            if held:
                yield held
            held = group
    if held:
        yield held
