"""Text documents."""

import io

import docx
import pytest
from docx.oxml import parse_xml
from docx.oxml.ns import qn
from PIL import Image

from core.parsing.office.docx import parse
from tests.core.parsing.office.parts import RELATIONSHIPS, W, raw_document, saved, unzipped, zipped

RUN = "<w:r><w:t xml:space='preserve'>{}</w:t></w:r>"


def paragraph(inner: str, properties: str = "") -> str:
    return f"<w:p><w:pPr>{properties}</w:pPr>{inner}</w:p>"


def text_of(body: str) -> str:
    return parse("d.docx", raw_document(body)).text


def png() -> io.BytesIO:
    buffer = io.BytesIO()
    Image.new("RGB", (8, 8), "red").save(buffer, "PNG")
    return io.BytesIO(buffer.getvalue())


def test_headings_lists_tables_comments_headers_and_pictures():
    document = docx.Document()
    document.add_heading("Lockout policy", 0)
    document.add_heading("Scope", 2)
    said = document.add_paragraph("The account is locked after ")
    said.add_run("five").bold = True
    said.add_run(" tries.")
    document.add_comment(said.runs, text="Is it five?", author="Anna", initials="A")
    document.add_paragraph("cards", style="List Bullet")
    document.add_paragraph("tokens", style="List Bullet")
    document.add_paragraph("wait", style="List Number")
    document.add_paragraph("call", style="List Number")
    table = document.add_table(3, 3)
    for number, cell in enumerate(cell for row in table.rows for cell in row.cells):
        cell.text = str(number)
    table.cell(1, 0).merge(table.cell(2, 0)).text = "both"
    table.cell(0, 1).merge(table.cell(0, 2)).text = "wide"
    document.add_picture(png())
    document.sections[0].header.paragraphs[0].text = "ACME internal"
    parsed = parse("policy.docx", saved(document))
    assert parsed.text == (
        "Header: ACME internal\n\n# Lockout policy\n\n## Scope\n\n"
        "The account is locked after five tries. (comment by Anna: Is it five?)\n\n"
        "- cards\n- tokens\n1. wait\n2. call\n\n"
        "| 0 | wide |  |\n| --- | --- | --- |\n| both | 4 | 5 |\n| both | 7 | 8 |\n\n[picture not read: image1.png]"
    )
    assert [(picture.name, picture.media_type, picture.mark) for picture in parsed.pictures] == [
        ("image1.png", "image/png", "[picture not read: image1.png]")
    ]
    assert not parsed.unread


def test_inserted_text_is_kept_and_deleted_text_is_left_out():
    body = paragraph(
        RUN.format("Lock after ")
        + '<w:del w:author="A"><w:r><w:delText>three</w:delText></w:r></w:del>'
        + f'<w:ins w:author="A">{RUN.format("five")}</w:ins>'
        + f"<w:moveFrom>{RUN.format('gone')}</w:moveFrom><w:moveTo>{RUN.format(' tries')}</w:moveTo>"
    )
    assert text_of(body) == "Lock after five tries"


def test_a_deleted_paragraph_end_joins_two_and_deleted_rows_are_gone():
    deleted = "<w:trPr><w:del/></w:trPr>"
    row = "<w:tr>{}<w:tc><w:p>{}</w:p></w:tc><w:tc><w:p/></w:tc></w:tr>"
    body = (
        paragraph(RUN.format("One "), "<w:rPr><w:del/></w:rPr>")
        + paragraph(RUN.format("line"))
        + f"<w:tbl>{row.format('', RUN.format('kept'))}{row.format(deleted, RUN.format('gone'))}</w:tbl>"
    )
    assert text_of(body) == "One line\n\n| kept |  |\n| --- | --- |"


def test_clauses_keep_the_numbers_that_people_cite():
    levels = "".join(
        f'<w:lvl w:ilvl="{n}"><w:start w:val="1"/><w:numFmt w:val="{form}"/><w:lvlText w:val="{text}"/></w:lvl>'
        for n, (form, text) in enumerate(
            [("decimal", "%1."), ("decimal", "%1.%2"), ("lowerLetter", "(%3)"), ("upperRoman", "%4")]
        )
    )
    numbering = (
        f'<w:numbering xmlns:w="{W}"><w:abstractNum w:abstractNumId="7">{levels}</w:abstractNum>'
        '<w:num w:numId="1"><w:abstractNumId w:val="7"/></w:num><w:num w:numId="2"><w:abstractNumId w:val="7"/>'
        '<w:lvlOverride w:ilvl="0"><w:startOverride w:val="4"/></w:lvlOverride></w:num></w:numbering>'
    )
    styles = (
        f'<w:styles xmlns:w="{W}"><w:style w:type="paragraph" w:styleId="Clause"><w:name w:val="Clause"/>'
        '<w:basedOn w:val="H"/><w:pPr><w:numPr><w:ilvl w:val="1"/><w:numId w:val="1"/></w:numPr></w:pPr></w:style>'
        '<w:style w:type="paragraph" w:styleId="H">'
        '<w:name w:val="heading 3"/><w:basedOn w:val="Clause"/><w:pPr><w:outlineLvl w:val="2"/></w:pPr></w:style>'
        "</w:styles>"
    )

    def numbered(level: int, text: str, number: int = 1) -> str:
        place = f'<w:numPr><w:ilvl w:val="{level}"/><w:numId w:val="{number}"/></w:numPr>'
        return paragraph(RUN.format(text), place)

    body = (
        numbered(0, "Scope")
        + paragraph(RUN.format("Lockout"), '<w:pStyle w:val="Clause"/>')
        + numbered(2, "cards")
        + numbered(2, "tokens")
        + numbered(3, "deep")
        + paragraph(RUN.format("Unlock"), '<w:pStyle w:val="Clause"/>')
        + numbered(2, "by phone")
        + numbered(0, "Roles")
        + numbered(0, "Annex", 2)
    )
    links = (("n", "numbering", "numbering.xml"), ("s", "styles", "styles.xml"))
    data = raw_document(body, links, {"numbering.xml": numbering, "styles.xml": styles})
    assert parse("n.docx", data).text == (
        "1. Scope\n\n### 1.1 Lockout\n\n    (a) cards\n    (b) tokens\n      I deep\n\n"
        "### 1.2 Unlock\n\n    (a) by phone\n2. Roles\n4. Annex"
    )


def test_notes_stand_where_they_are_referred_to():
    notes = (
        f'<w:footnotes xmlns:w="{W}"><w:footnote w:type="separator" w:id="0"><w:p/></w:footnote>'
        f'<w:footnote w:id="2"><w:p>{RUN.format("See PAY-12")}</w:p></w:footnote></w:footnotes>'
    )
    body = paragraph(RUN.format("Locked") + '<w:r><w:footnoteReference w:id="2"/></w:r>' + RUN.format(" for good"))
    data = raw_document(body, (("f", "footnotes", "footnotes.xml"),), {"footnotes.xml": notes})
    assert parse("f.docx", data).text == "Locked (footnote: See PAY-12) for good"


def test_fields_links_breaks_and_marks():
    def field(kind: str) -> str:
        return f'<w:r><w:fldChar w:fldCharType="{kind}"/></w:r>'

    link = '<w:r><w:instrText>HYPERLINK "https://example.org/a"</w:instrText></w:r>'
    page = "<w:r><w:instrText> PAGE </w:instrText></w:r>"
    body = (
        paragraph(field("begin") + link + field("separate") + RUN.format("the rule") + field("end"))
        + paragraph(RUN.format("p. ") + field("begin") + page + field("separate") + RUN.format("7") + field("end"))
        + paragraph("<w:r><w:t>a</w:t><w:tab/><w:t>b</w:t><w:br/><w:t>c</w:t><w:noBreakHyphen/><w:t>d</w:t></w:r>")
        + paragraph(f'<w:hyperlink r:id="h">{RUN.format("here")}</w:hyperlink>')
        + paragraph(
            "<w:r><w:rPr><w:strike/></w:rPr><w:t>old</w:t></w:r><w:r><w:rPr><w:vanish/></w:rPr><w:t>x</w:t></w:r>"
        )
        + paragraph(RUN.format("Contents 3"), '<w:pStyle w:val="T"/>')
    )
    style = '<w:style w:type="paragraph" w:styleId="T"><w:name w:val="toc 1"/></w:style>'
    styles = f'<w:styles xmlns:w="{W}">{style}</w:styles>'
    parts = unzipped(raw_document(body, (("s", "styles", "styles.xml"),), {"styles.xml": styles}))
    external = (
        f'<Relationship Id="h" Type="{RELATIONSHIPS}/hyperlink" Target="https://example.org/b" TargetMode="External"/>'
    )
    name = "word/_rels/document.xml.rels"
    parts[name] = parts[name].replace(b"</Relationships>", f"{external}</Relationships>".encode())
    assert parse("d.docx", zipped(parts)).text == (
        "[the rule](https://example.org/a)\n\np.\n\na\tb\nc-d\n\n[here](https://example.org/b)\n\n~~old~~x (hidden)"
    )


def test_text_boxes_are_read_once_after_their_paragraph():
    content = f"<w:txbxContent>{paragraph(RUN.format('in the box'))}</w:txbxContent>"
    compatibility = "http://schemas.openxmlformats.org/markup-compatibility/2006"
    shape = "http://schemas.microsoft.com/office/word/2010/wordprocessingShape"
    drawing = (
        f'<w:r><mc:AlternateContent xmlns:mc="{compatibility}"><mc:Choice Requires="wps"><w:drawing>'
        f'<wps:wsp xmlns:wps="{shape}"><wps:txbx>{content}</wps:txbx></wps:wsp></w:drawing></mc:Choice>'
        f'<mc:Fallback><w:pict><v:textbox xmlns:v="urn:schemas-microsoft-com:vml">{content}</v:textbox></w:pict>'
        "</mc:Fallback></mc:AlternateContent></w:r>"
    )
    body = paragraph(RUN.format("before ") + drawing + RUN.format("after")) + paragraph(RUN.format("next"))
    assert text_of(body) == "before after\n\nin the box\n\nnext"


def test_lines_between_shapes_and_embedded_files_are_said_to_be_unread():
    shape = "http://schemas.microsoft.com/office/word/2010/wordprocessingShape"
    body = paragraph(
        f'<w:r><w:drawing><wps:wsp xmlns:wps="{shape}"><wps:cNvCnPr/></wps:wsp></w:drawing></w:r>'
        '<w:r><w:object><o:OLEObject xmlns:o="urn:schemas-microsoft-com:office:office" ProgID="Excel.Sheet.12"/>'
        "</w:object></w:r>"
    )
    parsed = parse("o.docx", raw_document(body))
    assert parsed.unread == (
        "lines between the shapes of a drawing not read",
        "embedded file not read: object (Excel.Sheet.12)",
    )
    assert "[embedded file not read: object (Excel.Sheet.12)]" in parsed.text


def test_a_frame_of_one_cell_is_its_text_and_inner_tables_stay_in_their_cell():
    document = docx.Document()
    document.add_table(1, 1).cell(0, 0).text = "Mind the gap"
    outer = document.add_table(1, 2)
    outer.cell(0, 0).text = "left"
    inner = outer.cell(0, 1).add_table(1, 2)
    inner.cell(0, 0).text, inner.cell(0, 1).text = "x", "y"
    text = parse("t.docx", saved(document)).text
    assert text.startswith("Mind the gap\n\n| left | ")
    assert text.count("left") == text.count("Mind") == 1
    assert "x \\| y" in text


def test_headers_and_footers_once_and_not_for_page_numbers():
    document = docx.Document()
    for _ in range(2):
        document.add_section()
    for section in document.sections:
        section.header.is_linked_to_previous = False
        section.header.paragraphs[0].text = "ACME internal"
        section.footer.is_linked_to_previous = False
        section.footer.paragraphs[0]._p.append(
            parse_xml(f'<w:fldSimple xmlns:w="{W}" w:instr=" PAGE "><w:r><w:t>3</w:t></w:r></w:fldSimple>')
        )
    document.add_paragraph("Body")
    assert parse("h.docx", saved(document)).text == "Header: ACME internal\n\nBody"


def test_content_controls_and_equations():
    math = "http://schemas.openxmlformats.org/officeDocument/2006/math"
    body = (
        f"<w:sdt><w:sdtPr><w:alias w:val='no text'/></w:sdtPr><w:sdtContent>{paragraph(RUN.format('chosen'))}"
        f"</w:sdtContent></w:sdt>" + paragraph(f'<m:oMath xmlns:m="{math}"><m:r><m:t>x=2</m:t></m:r></m:oMath>')
    )
    assert text_of(body) == "chosen\n\nx=2"


@pytest.mark.parametrize("part", ["styles", "numbering", "comments", "footnotes"])
def test_a_broken_side_part_costs_only_itself(part):
    data = raw_document(paragraph(RUN.format("still here")), (("x", part, "x.xml"),), {"x.xml": "<broken"})
    parsed = parse("b.docx", data)
    assert parsed.text == "still here"
    assert parsed.unread == (f"{part} not read: it is damaged",)


def test_a_broken_body_is_the_whole_document():
    parsed = parse("b.docx", raw_document("<w:p>"))
    assert parsed.unread == ("could not be read: it is damaged: its main part cannot be read (it is damaged)",)


def test_an_empty_document_says_so():
    assert text_of("<w:p/>") == "[it holds nothing]"


def test_the_library_writes_what_is_read(tmp_path):
    """Every paragraph that python-docx sees in a document with all its built-in styles is in the text."""
    document = docx.Document()
    styles = [style for style in document.styles if style.type == 1 and not style.name.lower().startswith("toc")]
    for number, style in enumerate(styles):
        document.add_paragraph(f"sentence {number} ends", style=style)
    text = parse("s.docx", saved(document)).text
    assert all(text.count(f"sentence {number} ends") == 1 for number in range(len(styles)))
    assert document.element.body.findall(qn("w:p"))


def test_a_paragraph_that_the_library_cannot_read_costs_only_itself():
    broken = "<w:r><w:rPr><w:strike w:val='perhaps'/></w:rPr><w:t>lost</w:t></w:r>"
    parsed = parse("p.docx", raw_document(paragraph(broken) + paragraph(RUN.format("still here"))))
    assert parsed.text == "[paragraph not read: it is damaged]\n\nstill here"
    assert parsed.unread == ("paragraph not read: it is damaged",)


def test_a_cell_merged_down_thousands_of_rows_is_in_each():
    row = "<w:tr><w:tc><w:tcPr><w:vMerge{}/></w:tcPr>{}</w:tc><w:tc><w:p>{}</w:p></w:tc></w:tr>"
    first = row.format(' w:val="restart"', paragraph(RUN.format("all")), RUN.format("0"))
    rest = "".join(row.format("", "<w:p/>", RUN.format(str(number))) for number in range(1, 3_000))
    assert "| all | 2999 |" in text_of(f"<w:tbl>{first}{rest}</w:tbl>")


def test_broken_relations_are_said():
    parts = unzipped(raw_document(paragraph(RUN.format("still here"))))
    parsed = parse("r.docx", zipped({**parts, "word/_rels/document.xml.rels": b"<broken"}))
    assert parsed.text == "still here"
    assert parsed.unread == ("what document.xml refers to not read: it is damaged",)
