"""Makes of a text document's tree what a reader of it sees: changes are accepted, wrappers gone (ECMA-376 part 1, 17.5
and 17.13). python-docx passes over whatever is inserted, chosen or calculated, since it looks at direct children only.
"""

from itertools import islice

from docx.oxml.ns import qn
from docx.oxml.parser import OxmlElement

from core.parsing.office.package import Element

_MATH = "{http://schemas.openxmlformats.org/officeDocument/2006/math}"
_GONE = ("w:del", "w:moveFrom", "w:sdtPr", "w:sdtEndPr", "w:rt")
_WRAPPERS = (
    "w:ins", "w:moveTo", "w:sdt", "w:sdtContent", "w:smartTag", "w:customXml", "w:bdo", "w:dir", "w:ruby",
    "w:rubyBase",
)  # fmt: skip
PAGES = (["PAGE"], ["NUMPAGES"], ["SECTIONPAGES"], ["PAGEREF"])
"""How the fields begin whose text no author wrote."""


def accept(root: Element) -> Element:
    """The same tree."""
    for mark in list(root.iter(qn("w:del"))):
        match [above.tag for above in islice(mark.iterancestors(), 3)]:
            case [row_properties, *_] if row_properties == qn("w:trPr"):
                _replace(mark.getparent().getparent(), [])
            case [run_properties, properties, _] if (run_properties, properties) == (qn("w:rPr"), qn("w:pPr")):
                _join(mark.getparent().getparent().getparent())
    for element in list(root.iter(*map(qn, _GONE))):
        _replace(element, [])
    for field in list(root.iter(qn("w:fldSimple"))):
        begins = field.get(qn("w:instr"), "").upper().split()[:1]
        _replace(field, [] if begins in PAGES else list(field))
    for equation in list(root.iter(f"{_MATH}oMath")):
        run = OxmlElement("w:r")
        run.text = "".join(text.text or "" for text in equation.iter(f"{_MATH}t"))
        _replace(equation, [run])
    for element in list(root.iter(*map(qn, _WRAPPERS), f"{_MATH}oMathPara")):
        _replace(element, list(element))
    return root


def _join(paragraph: Element) -> None:
    """A paragraph whose end was deleted goes on in the next one, which keeps its own looks."""
    after = paragraph.getnext()
    if after is not None and after.tag == paragraph.tag:
        at = int(after.pPr is not None)
        after[at:at] = [child for child in paragraph if child is not paragraph.pPr]
        _replace(paragraph, [])


def _replace(element: Element, children: list[Element]) -> None:
    parent = element.getparent()
    if parent is not None:
        at = parent.index(element)
        parent[at : at + 1] = children
