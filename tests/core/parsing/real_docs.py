"""What is read of real files: the table in docs/sources.md. `python -m tests.core.parsing.real_docs` writes it anew."""

import json
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from core.parsing import adf
from core.parsing.files import FileReader
from core.parsing.parsed import Parsed
from core.parsing.storage import Storage
from tests.conftest import SHARED

PAGE = Path(__file__).parents[3] / "docs" / "sources.md"
BEGIN, END = "<!-- real files: begin -->\n", "<!-- real files: end -->\n"

FACTS: Mapping[str, str] = {
    "pdf-3col-federal-register.pdf": "| Action | Labor cost | Parts cost | Cost per product | Cost on U.S. operators |",
    "pdf-borderless-table.expected.md": "| SKU-8847     | A-12     | 450      |",
    "pdf-borderless-table.pdf": "| SKU-4563 | D-22 |  | 156 |  | CRITICAL |",
    "pdf-duplicate-chars.pdf": "| 意大利语 | 读写能力 | 听说能力 |",
    "pdf-invisible-text-layer.pdf": "Invisible OCR text layer",
    "pdf-malformed-932.pdf": "2021 3 31",
    "pdf-multicolumn-latex.pdf": "Donec nonummy pellentesque ante.",  # from one column into the next
    "pdf-rtl-arabic.pdf": "وعليه، فإن الحكومة المصرية تضع",
    "pptx-bad-text.pptx": "standard content template collection",
    "pptx-comment.pptx": "Comment by XPVMWARE01: testdoc",
    "pptx-embedded-pptx.pptx": "[slide 1 holds nothing]",
    "pptx-grouped-shapes.pptx": "[slide 1 holds shapes without text]",
    "pptx-groupshape.pptx": "[slide 1 holds shapes without text]",
    "pptx-malformed-pictures.pptx": "Slide With Dangling Rel",
    "pptx-markitdown-test.pptx": "| 7 | 8 | 9 | 1b92870d-e3b5-4e65-8153-919f4ff45592 | 11 | 12 |",
    "pptx-notes.pptx": "Notes:\n\n> ",
    "pptx-smartart-simple.pptx": "- abc\n- def\n- ghi",
    "pptx-smartart.pptx": "[SmartArt without text]",
    "xlsx-docling-04-inflated.xlsx": "| 8 | 16 | 24 | 32 |",
    "xlsx-docling-06-edge.xlsx": "AI 2 | What are the specific use cases? | The AI is applied for...",
    "xlsx-docling-07-gap.xlsx": "Rated system voltage |  | kV | : | 130",
    "xlsx-docling-comments.xlsx": "80 (comment by Jane Smith (JS): Minimum number of saltwater ducks",
    "xlsx-poi-49156.xlsx": "6000 (=SUM(F60:G60))",
    "xlsx-poi-50867_with_table.xlsx": "Table Tabella1:",
    "xlsx-poi-62629_toMerge.xlsx": "1/2 CHEST | A | G",
    "xlsx-poi-DateFormatTests.xlsx": "| 11-10-52 (=TEXT(C2, B2)) | d-m-y | 1952-10-11 14:35:27 | Date |",
    "xlsx-poi-StructuredRefs-lots-with-lookups.xlsx": "All States Summary by year",
    "xlsx-poi-TwoSheetsOneHidden.xlsx": "## Sheet1 (hidden)",
    "xlsx-poi-unicodeSheetName.xlsx": "## Sheet・1",
}
"""Of every file that is read: a sentence, a cell or a remark that must be in its text."""

FAMILIES: Mapping[str, str] = {
    "confluence/md2conf": "- [x] Finished action\n- [ ] Unfinished action",
    "confluence/xwiki-storage": "Mia Bednarczyk\nRecruitment",
    "confluence/xwiki-tests": "This is a note (woaw)",
    "adf/atla": "| Status | Ready |",
    "adf/atlas-doc-parser": "- [x] item 1\n  - [x] item 1.1\n    - [x] item 1.1.1\n- [ ] item 2",
    "adf/atlaskit": "[unsupported: codBlock]\n\nInvalid code block",
    "adf/extended-markdown-adf-parser": "@Sarah Wilson has updated the project timeline [On Track]",
    "adf/jira-cli": "[info]\nPanel paragraph\n\n@Person A",
}
"""Of every folder of pages: something of one of them."""

_NAMED = re.compile(r"\[(macro|unsupported|image|media|include)\b[^\]]*\]")


@dataclass(frozen=True, slots=True)
class Row:
    name: str
    read: str
    fact: str
    unread: str

    def line(self) -> str:
        cells = (f"`{self.name}`", self.read, _cell(self.fact), self.unread)
        return f"| {' | '.join(cells)} |"


def documents() -> list[Path]:
    return sorted((SHARED / "real" / "docs").iterdir())


def read_all() -> dict[str, Parsed]:
    reader = FileReader()
    try:
        return {path.name: reader(path.name, path.read_bytes()) for path in documents()}
    finally:
        reader.close()


def unread_of(parsed: Parsed) -> tuple[str, ...]:
    """What is said as unread where no describer is set up."""
    return (*parsed.unread, *(f"picture not read: {picture.name}" for picture in parsed.pictures))


def family(name: str) -> dict[str, str]:
    """The text of each page, comment or document of a folder, by its name."""
    folder = SHARED / "real" / name
    return dict(found for path in sorted(folder.rglob("*")) if path.is_file() for found in _texts(path))


def _texts(path: Path) -> Iterator[tuple[str, str]]:
    source = path.read_text(encoding="utf-8")
    if path.suffix in {".json", ".adf"}:
        yield path.name, adf.read(json.loads(source)).text
    elif path.suffix == ".md":
        yield path.name, source
    elif path.name.endswith("entities.xml"):  # an export of a whole space
        bodies = re.findall(r'<property name="body"><!\[CDATA\[(.*?)\]\]></property>', source, re.DOTALL)
        for number, body in enumerate(bodies):
            yield f"{path.name} {number}", Storage(body.replace("]] >", "]]>")).read().text
    elif path.suffix == ".test":
        yield path.name, Storage(_input_of(source)).read().text
    else:
        yield path.name, Storage(source).read().text


def _input_of(source: str) -> str:
    """The storage format in a file of test cases, whose sections begin with lines of `.#---`."""
    return re.split(r"\n\.#-+\n", source)[1].partition("\n.#")[0]


def table() -> str:
    rows = [_file_row(name, parsed) for name, parsed in read_all().items()]
    rows += [_family_row(name, fact, family(name)) for name, fact in FAMILIES.items()]
    head = "| file | read | something of it | said as unread |\n| --- | --- | --- | --- |\n"
    return head + "".join(f"{row.line()}\n" for row in rows)


def _file_row(name: str, parsed: Parsed) -> Row:
    held = dict.fromkeys(place.label.partition(", rows")[0] for place in parsed.places)
    kinds = Counter(label.partition(" ")[0] for label in held)
    read = ", ".join(f"{count} {kind}{'s' if count > 1 else ''}" for kind, count in kinds.items())
    unread = unread_of(parsed)
    whole = any(reason.startswith("could not be read") for reason in unread)
    return Row(name, "" if whole else read or "text", FACTS.get(name, ""), _reasons(unread))


def _reasons(unread: tuple[str, ...]) -> str:
    if len(unread) > 3:
        return f"{'; '.join(unread[:2])} and {len(unread) - 2} more"
    return "; ".join(unread)


def _family_row(name: str, fact: str, texts: Mapping[str, str]) -> Row:
    named = Counter(found[1] for text in texts.values() for found in _NAMED.finditer(text))
    said = ", ".join(f"{count} {kind}" for kind, count in sorted(named.items()))
    return Row(
        f"{name}/", f"{len(texts)} text{'s' if len(texts) > 1 else ''}", fact, f"named only: {said}" if said else ""
    )


def _cell(text: str) -> str:
    return "`" + text.replace("\n", " ").replace("|", "\\|").strip() + "`" if text else ""


def main() -> None:
    before, _, rest = PAGE.read_text(encoding="utf-8").partition(BEGIN)
    _, _, after = rest.partition(END)
    PAGE.write_text(f"{before}{BEGIN}{table()}{END}{after}", encoding="utf-8")


if __name__ == "__main__":
    main()
