"""Workbooks, sheet by sheet (ECMA-376 part 1, chapter 18).

Sheets are read here and not by a library: none of those at hand gives formulas beside values, hidden rows, merged cells
and comments in one pass, or stops at a limit without having unpacked the sheet.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from core.parsing import markdown
from core.parsing.office.comments import cell_comments, people
from core.parsing.office.compose import Composer
from core.parsing.office.errors import FileUnreadable, PartUnreadable
from core.parsing.office.package import Element, Package, Relation, is_on, related
from core.parsing.office.pictures import Pictures
from core.parsing.office.shapes import Drawing
from core.parsing.office.xlsx_blocks import NamedTable, blocks
from core.parsing.office.xlsx_sheet import Budget, area_of, read_sheet, read_strings
from core.parsing.office.xlsx_tables import GROUP, Group, groups, tables
from core.parsing.office.xlsx_values import Style, Values, styles
from core.parsing.parsed import Parsed, unreadable

MAX_SHEETS = 200


def parse(_name: str, data: bytes, budget: Budget | None = None) -> Parsed:
    """A workbook's text. Whatever is wrong with it is said in what is given."""
    try:
        return _Reader(Package(data), budget or Budget()).read()
    except FileUnreadable as error:
        return unreadable(str(error))


@dataclass(frozen=True, slots=True)
class _Entry:
    """A sheet as the workbook lists it."""

    name: str
    hidden: bool
    relation: Relation | None

    @property
    def label(self) -> str:
        return f"sheet {self.name}{' (hidden)' if self.hidden else ''}"


class _Reader:
    def __init__(self, package: Package, budget: Budget) -> None:
        if package.main.endswith(".bin"):
            raise FileUnreadable("it is a binary workbook (.xlsb); save it as .xlsx")
        self._package = package
        self._pictures = Pictures(package)
        self._composer = Composer()
        self._budget = budget
        self._unread: list[str] = []
        try:
            self._book = package.xml(package.main)
            self._relations = package.relations(package.main)
        except PartUnreadable as error:
            raise FileUnreadable(f"it is damaged: its list of sheets cannot be read ({error})") from error
        self._values = self._read_values()
        try:
            self._people = people(package)
        except PartUnreadable:
            self._people = {}  # the comments still stand, without names

    def read(self) -> Parsed:
        entries = [self._entry(found) for found in self._book.iterfind("{*}sheets/{*}sheet")]
        for entry in entries[:MAX_SHEETS]:
            self._read_entry(entry)
        if len(entries) > MAX_SHEETS:
            self._lost(f"sheets after {MAX_SHEETS} not read")
        return self._composer.parsed([*self._unread, *self._pictures.unread], self._pictures.found)

    def _read_values(self) -> Values:
        settings = self._book.find("{*}workbookPr")
        from_1904 = settings is not None and is_on(settings.get("date1904"))
        parts = {relation.kind: relation.target for relation in self._relations.values() if not relation.external}
        strings, cut = read_strings(self._package, parts["sharedStrings"]) if "sharedStrings" in parts else ([], "")
        if cut:
            self._lost(f"texts of cells after {len(strings):,} not read: {cut}")
        looks: list[Style] = []
        try:
            looks = styles(self._package.xml(parts["styles"])) if "styles" in parts else []
        except PartUnreadable as error:
            self._lost(f"formats of numbers not read, so that dates read as numbers: {error}")
        return Values(strings, looks, from_1904=from_1904)

    def _entry(self, found: Element) -> _Entry:
        relation = self._relations.get(related(found))
        name = markdown.one_line(markdown.clean(found.get("name", "")))
        return _Entry(name, found.get("state", "visible") != "visible", relation)

    def _read_entry(self, entry: _Entry) -> None:
        self._composer.heading(entry.name + (" (hidden)" if entry.hidden else ""), entry.label)
        if entry.relation is None or entry.relation.external:
            self._lost(f"{entry.label}: not read: it is missing")
            return
        part = entry.relation.target
        if entry.relation.kind == "worksheet":
            self._read_cells(entry, part)
        try:
            relations = self._package.relations(part)
        except PartUnreadable as error:
            self._lost(f"{entry.label}: drawings not read: {error}")
            return
        self._composer.add_all(self._drawings(entry, relations), "[this sheet is empty]")

    def _read_cells(self, entry: _Entry, part: str) -> None:
        comments: Mapping[str, str] = {}
        named: list[NamedTable] = []
        try:
            comments = cell_comments(self._package, part, self._people)
            named = list(_named_tables(self._package, part))
        except PartUnreadable as error:
            self._lost(f"{entry.label}: comments or table names not read: {error}")
        sheet = read_sheet(self._package, part, self._values, comments, self._budget)
        found = tables(blocks(sheet.rows, named), sheet.hides)
        for group in _packed(group for table in found for group in groups(table, sheet.hidden_rows)):
            rows = f"row {group.first}" if group.first == group.last else f"rows {group.first} to {group.last}"
            self._composer.add(group.text, f"{entry.label}, {rows}")
        if sheet.cut:
            self._lost(f"{entry.label}: {sheet.cut}")

    def _drawings(self, entry: _Entry, relations: Mapping[str, Relation]) -> Iterator[str]:
        for relation in relations.values():
            if relation.kind in {"oleObject", "package"}:
                self._lost(f"embedded file not read: {relation.target.rpartition('/')[2]} on {entry.label}")
            if relation.kind != "drawing" or relation.external:
                continue
            try:
                drawing = Drawing(self._package, relation.target, f"on {entry.label}", self._pictures)
                yield from drawing.read(self._package.xml(relation.target))
            except PartUnreadable as error:
                self._lost(f"{entry.label}: drawing not read: {error}")
            else:
                self._unread += drawing.unread

    def _lost(self, what: str) -> None:
        self._composer.add(f"[{what}]")
        self._unread.append(what)


def _named_tables(package: Package, sheet: str) -> Iterator[NamedTable]:
    for relation in package.relations(sheet).values():
        if relation.kind == "table" and not relation.external:
            root = package.xml(relation.target)
            if area := area_of(root.get("ref", "")):
                name = markdown.one_line(root.get("displayName") or root.get("name") or "")
                yield NamedTable(name, area, int(root.get("headerRowCount", "1") != "0"))


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
