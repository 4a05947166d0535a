"""Presentations: field report O2 and its harder siblings."""

import io

import pytest
from PIL import Image
from pptx import Presentation
from pptx.chart.data import CategoryChartData, XyChartData
from pptx.enum.chart import XL_CHART_TYPE
from pptx.enum.shapes import MSO_CONNECTOR, MSO_SHAPE
from pptx.oxml import parse_xml
from pptx.util import Inches

from core.parsing.office.pptx import parse
from tests.core.parsing.office.parts import A, P, raw_slides, saved, unzipped, zipped

BLANK, TITLE_ONLY, TITLE_AND_BODY = 6, 5, 1


def slide_of(show, layout=BLANK):
    return show.slides.add_slide(show.slide_layouts[layout])


def box(shapes, text, left=1.0, top=1.0, width=1.5, height=0.5):
    shape = shapes.add_textbox(Inches(left), Inches(top), Inches(width), Inches(height))
    shape.text_frame.text = text
    return shape


def step(shapes, text, left, top=1.0):
    shape = shapes.add_shape(MSO_SHAPE.RECTANGLE, Inches(left), Inches(top), Inches(1), Inches(1))
    shape.text_frame.text = text
    return shape


def join(shapes, one, other, arrow="tailEnd"):
    line = shapes.add_connector(MSO_CONNECTOR.STRAIGHT, 0, 0, 0, 0)
    line.begin_connect(one, 3)
    line.end_connect(other, 1)
    if arrow:
        outline = line.line._get_or_add_ln()
        outline.append(parse_xml(f'<a:{arrow} xmlns:a="{A}" type="triangle"/>'))
    return line


def png():
    buffer = io.BytesIO()
    Image.new("RGB", (8, 8), "red").save(buffer, "PNG")
    return io.BytesIO(buffer.getvalue())


def test_groups_tables_notes_and_a_picture_alone():
    """O2: every text once, none glued to another, notes marked, the picture's slide not silent."""
    show = Presentation()
    slide = slide_of(show)
    box(slide.shapes, "outside")
    group = slide.shapes.add_group_shape()
    box(group.shapes, "grouped one")
    box(group.shapes, "grouped two")
    box(group.shapes.add_group_shape().shapes, "innermost")
    table = slide.shapes.add_table(2, 2, 0, 0, Inches(4), Inches(1)).table
    for number, cell in enumerate(table.iter_cells()):
        cell.text = f"cell {number}"
    slide.notes_slide.notes_text_frame.text = "say this aloud"
    slide_of(show).shapes.add_picture(png(), 0, 0)
    parsed = parse("deck.pptx", saved(show))
    assert parsed.text == (
        "## Slide 1\n\noutside\n\ngrouped one\n\ngrouped two\n\ninnermost\n\n"
        "| cell 0 | cell 1 |\n| --- | --- |\n| cell 2 | cell 3 |\n\nNotes:\n\n> say this aloud\n\n"
        "## Slide 2\n\n[picture: image.png] [picture not read: image1.png on slide 2]"
    )
    assert [(place.label, parsed.text[place.start :].split("\n")[0]) for place in parsed.places] == [
        ("slide 1", "## Slide 1"),
        ("slide 2", "## Slide 2"),
    ]
    (picture,) = parsed.pictures
    assert (picture.name, picture.media_type) == ("image1.png on slide 2", "image/png")
    assert parsed.text.count(picture.mark) == 1
    assert picture.data.startswith(b"\x89PNG")


def test_titles_lists_links_and_hidden_slides():
    show = Presentation()
    slide = slide_of(show, TITLE_AND_BODY)
    slide.shapes.title.text = "Lockout\npolicy"
    frame = slide.placeholders[1].text_frame
    frame.text = "Five tries"
    for text, level in (("then wait", 1), ("or call", 0)):
        paragraph = frame.add_paragraph()
        paragraph.text, paragraph.level = text, level
    frame.paragraphs[2].runs[0].hyperlink.address = "https://example.org/help"
    slide._element.set("show", "0")
    assert parse("l.pptx", saved(show)).text == (
        "## Slide 1: Lockout policy (hidden)\n\n- Five tries\n  - then wait\n- [or call](https://example.org/help)"
    )


def test_connectors_are_a_graph_with_the_texts_beside_them_as_labels():
    show = Presentation()
    shapes = slide_of(show).shapes
    check, lock, retry = step(shapes, "Check", 1), step(shapes, "Lock", 5), step(shapes, "Retry", 1, top=4)
    join(shapes, check, lock)
    join(shapes, retry, check, arrow="headEnd")
    join(shapes, lock, retry, arrow="")
    box(shapes, "five tries", left=3, top=1.1)
    box(shapes, "far away", left=7, top=6)
    assert parse("g.pptx", saved(show)).text == (
        "## Slide 1\n\nfar away\n\nCheck -> Lock: five tries\nCheck -> Retry\nLock - Retry"
    )


def test_connectors_within_groups_and_arrows_that_join_nothing():
    show = Presentation()
    slide = slide_of(show)
    group = slide.shapes.add_group_shape()
    join(group.shapes, step(group.shapes, "Start", 1), step(group.shapes, "End", 4))
    loose = slide.shapes.add_connector(MSO_CONNECTOR.STRAIGHT, 0, 0, 9, 9)
    loose.line._get_or_add_ln().append(parse_xml(f'<a:tailEnd xmlns:a="{A}" type="arrow"/>'))
    slide.shapes.add_connector(MSO_CONNECTOR.STRAIGHT, 0, 0, 9, 9)  # a mere line
    half = slide.shapes.add_connector(MSO_CONNECTOR.STRAIGHT, 0, 0, 9, 9)
    half.begin_connect(step(slide.shapes, "Lost", 7), 1)
    parsed = parse("c.pptx", saved(show))
    assert "Start -> End\nLost - (nothing)\n" in parsed.text
    assert "[of the diagram not read: arrows that are attached to no shape: 1]" in parsed.text
    assert parsed.unread == ("of the diagram on slide 1: arrows that are attached to no shape: 1",)


def test_charts_are_tables_of_their_numbers():
    show = Presentation()
    slide = slide_of(show)
    data = CategoryChartData()
    data.categories = ["Q1", "Q2"]
    data.add_series("passed", (10, 0.1 + 0.2))
    data.add_series("failed", (1, None))
    chart = slide.shapes.add_chart(XL_CHART_TYPE.COLUMN_CLUSTERED, 0, 0, Inches(4), Inches(3), data).chart
    chart.has_title = True
    chart.chart_title.text_frame.text = "Test runs"
    points = XyChartData()
    points.add_series("load").add_data_point(1.5, 200)
    slide.shapes.add_chart(XL_CHART_TYPE.XY_SCATTER, 0, 0, Inches(4), Inches(3), points)
    text = parse("chart.pptx", saved(show)).text
    assert "Chart (bar): Test runs" in text
    assert "|  | passed | failed |\n| --- | --- | --- |\n| Q1 | 10 | 1 |\n| Q2 | 0.3 |  |" in text
    assert "Chart (scatter)\n\n|  | load |\n| --- | --- |\n| 1.5 | 200 |" in text


def test_merged_cells_of_tables():
    show = Presentation()
    table = slide_of(show).shapes.add_table(3, 3, 0, 0, Inches(4), Inches(1)).table
    for number, cell in enumerate(table.iter_cells()):
        cell.text = str(number)
    table.cell(1, 0).merge(table.cell(2, 0))
    table.cell(0, 1).merge(table.cell(0, 2))
    text = parse("t.pptx", saved(show)).text
    assert "| 0 | 1<br>2 |  |\n| --- | --- | --- |\n| 3<br>6 | 4 | 5 |\n| 3<br>6 | 7 | 8 |" in text


def test_a_running_footer_is_said_once_and_slide_numbers_never():
    shape = (
        '<p:sp><p:nvSpPr><p:cNvPr id="{0}" name="x"/><p:cNvSpPr/><p:nvPr><p:ph type="{1}"/></p:nvPr></p:nvSpPr>'
        "<p:txBody><a:p>{2}</a:p></p:txBody></p:sp>"
    )
    tree = shape.format(2, "ftr", "<a:r><a:t>ACME internal</a:t></a:r>") + shape.format(
        3, "sldNum", '<a:fld type="slidenum"><a:t>7</a:t></a:fld>'
    )
    text = parse("f.pptx", raw_slides(tree, tree)).text
    assert text == "## Slide 1\n\nFooter: ACME internal\n\n## Slide 2\n\n[slide 2 holds nothing]"


def test_embedded_files_and_sounds_are_said_to_be_unread():
    show = Presentation()
    slide = slide_of(show)
    slide.shapes.add_ole_object(io.BytesIO(b"xlsx"), "Excel.Sheet.12", 0, 0, icon_file=png())
    slide.shapes.add_movie(io.BytesIO(b"mp4"), 0, 0, 9, 9, poster_frame_image=png(), mime_type="video/mp4")
    unread = parse("e.pptx", saved(show)).unread
    assert any(what.startswith("embedded file not read: ") and "Excel.Sheet.12" in what for what in unread)
    assert any(what.startswith("video not read: ") and what.endswith("on slide 1") for what in unread)


def test_a_picture_that_is_shown_twice_is_collected_once():
    show = Presentation()
    for _ in range(2):
        slide_of(show).shapes.add_picture(png(), 0, 0)
    parsed = parse("p.pptx", saved(show))
    assert len(parsed.pictures) == 1
    assert parsed.text.endswith("## Slide 2\n\n[picture: image.png] [picture: image1.png again]")


@pytest.mark.parametrize(("picture", "reason"), [(None, "it is missing"), (b"not a picture", "it is damaged")])
def test_a_broken_picture_costs_only_itself(picture, reason):
    show = Presentation()
    slide = slide_of(show)
    slide.shapes.add_picture(png(), 0, 0)
    box(slide.shapes, "still here")
    parts = unzipped(saved(show))
    del parts["ppt/media/image1.png"]
    parsed = parse("b.pptx", zipped(parts if picture is None else {**parts, "ppt/media/image1.png": picture}))
    assert "still here" in parsed.text
    assert parsed.unread == (f"picture not read: image1.png on slide 1: {reason}",)
    assert not parsed.pictures


def test_a_broken_slide_costs_only_itself():
    show = Presentation()
    for text in ("first", "second", "third"):
        box(slide_of(show).shapes, text)
    parts = unzipped(saved(show))
    parts["ppt/slides/slide2.xml"] = parts["ppt/slides/slide2.xml"][:300]
    parsed = parse("s.pptx", zipped(parts))
    assert parsed.text == (
        "## Slide 1\n\nfirst\n\n## Slide 2\n\n[slide 2 not read: it is damaged]\n\n## Slide 3\n\nthird"
    )
    assert parsed.unread == ("slide 2 not read: it is damaged",)
    assert [place.label for place in parsed.places] == ["slide 1", "slide 2", "slide 3"]


def test_comments_of_both_kinds_with_their_authors():
    modern = "http://schemas.microsoft.com/office/powerpoint/2018/8/main"
    more = {
        "ppt/comments/old.xml": f'<p:cmLst xmlns:p="{P}"><p:cm authorId="0"><p:text>Is it five?</p:text></p:cm>'
        "</p:cmLst>",
        "ppt/comments/new.xml": f'<x:cmLst xmlns:x="{modern}" xmlns:a="{A}"><x:cm authorId="{{B}}"><x:replyLst>'
        '<x:reply authorId="none"><x:txBody><a:p><a:r><a:t>Yes</a:t></a:r></a:p></x:txBody></x:reply></x:replyLst>'
        "<x:txBody><a:p><a:r><a:t>Checked?</a:t></a:r></a:p></x:txBody></x:cm></x:cmLst>",
        "ppt/authors.xml": f'<x:authorLst xmlns:x="{modern}"><x:author id="{{B}}" name="Ben"/></x:authorLst>',
        "ppt/commentAuthors.xml": f'<p:cmAuthorLst xmlns:p="{P}"><p:cmAuthor id="0" name="Anna"/></p:cmAuthorLst>',
    }
    links = (("c1", "comments", "../comments/old.xml"), ("c2", "comments", "../comments/new.xml"))
    parts = unzipped(raw_slides("", links=links, more=more))
    authors = '<Relationship Id="a1" Type="x/authors" Target="authors.xml"/>'
    authors += '<Relationship Id="a2" Type="x/commentAuthors" Target="commentAuthors.xml"/></Relationships>'
    name = "ppt/_rels/presentation.xml.rels"
    parts[name] = parts[name].replace(b"</Relationships>", authors.encode())
    assert parse("c.pptx", zipped(parts)).text == (
        "## Slide 1\n\nComment by Anna: Is it five?\nComment by Ben: Checked?\nReply: Yes"
    )


def test_of_alternatives_one_is_read():
    shape = (
        '<p:sp><p:nvSpPr><p:cNvPr id="{0}" name="x"/></p:nvSpPr>'
        "<p:txBody><a:p><a:r><a:t>{1}</a:t></a:r></a:p></p:txBody></p:sp>"
    )
    space = "http://schemas.openxmlformats.org/markup-compatibility/2006"
    tree = (
        f'<mc:AlternateContent xmlns:mc="{space}"><mc:Choice Requires="p14">{shape.format(2, "new")}</mc:Choice>'
        f"<mc:Fallback>{shape.format(2, 'old')}</mc:Fallback></mc:AlternateContent>{shape.format(3, 'after')}"
    )
    assert parse("a.pptx", raw_slides(tree)).text == "## Slide 1\n\nnew\n\nafter"


def test_shapes_nested_beyond_reason_are_said():
    tree = "<p:grpSp>" * 80 + "</p:grpSp>" * 80
    assert parse("n.pptx", raw_slides(tree)).unread == ("shapes nested too deeply not read on slide 1",)
    tree = "<p:grpSp>" * 5_000 + "</p:grpSp>" * 5_000
    assert parse("n.pptx", raw_slides(tree, "")).unread == ("slide 1 not read: it is damaged",)
