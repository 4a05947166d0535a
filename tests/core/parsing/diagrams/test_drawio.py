import base64
import zlib
from urllib.parse import quote
from xml.sax.saxutils import escape, quoteattr

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.parsing.diagrams import drawio
from core.parsing.diagrams.drawio import NotADiagram, pages, parse


def cell(key, value="", *, style="rounded=1;html=1;", parent="1", kind="vertex", more="", x=None):
    geometry = "" if x is None else f'<mxGeometry x="{x}" relative="1" as="geometry"/>'
    return (
        f'<mxCell id="{key}" value={quoteattr(value)} style="{style}" {kind}="1" parent="{parent}" {more}>'
        f"{geometry}</mxCell>"
    )


def line(key, source=None, target=None, value="", style="html=1;", more=""):
    ends = "".join(f' {name}="{end}"' for name, end in (("source", source), ("target", target)) if end)
    return cell(key, value, style=style, kind="edge", more=ends + more)


def model(*cells):
    layers = '<mxCell id="0"/><mxCell id="1" parent="0"/>'
    return f"<mxGraphModel><root>{layers}{''.join(cells)}</root></mxGraphModel>"


def packed(xml):
    deflate = zlib.compressobj(9, zlib.DEFLATED, -15)
    return base64.b64encode(deflate.compress(quote(xml, safe="~()*!.'").encode()) + deflate.flush()).decode()


def mxfile(*content, names=("Login", "Payment")):
    body = "".join(
        f'<diagram id="p{n}" name="{name}">{page}</diagram>'
        for n, (name, page) in enumerate(zip(names, content, strict=False))
    )
    return f'<mxfile host="app.diagrams.net">{body}</mxfile>'


def lines(*cells):
    [(_, graph)] = pages(model(*cells))
    return graph.text().split("\n")


def chunk(kind, data):
    return len(data).to_bytes(4, "big") + kind + data + zlib.crc32(kind + data).to_bytes(4, "big")


def png(*chunks):
    return b"\x89PNG\r\n\x1a\n" + b"".join([chunk(b"IHDR", bytes(13)), *chunks, chunk(b"IEND", b"")])


TWO = model(cell("a", "Käse & <b>Brot</b>"), cell("b", "B"), line("e", "a", "b", "100 %"))
READ = "Käse & Brot -> B: 100 %"


def test_several_pages_plain_and_compressed():
    data = mxfile(TWO, packed(model(cell("a", "Pay"), cell("b", "Book"), line("e", "a", "b")))).encode()
    parsed = parse(data)
    assert parsed.text == f"## Diagram Login\n\n{READ}\n\n## Diagram Payment\n\nPay -> Book"
    assert [(parsed.text[place.start :][:17], place.label) for place in parsed.places] == [
        ("## Diagram Login\n", "page Login"),
        ("## Diagram Paymen", "page Payment"),
    ]
    assert parsed.unread == ()


FILE = mxfile(TWO, names=("P",))
SVG = f'<svg xmlns="http://www.w3.org/2000/svg" content={quoteattr(FILE)}><g/></svg>'
DOCTYPE = '<!DOCTYPE svg PUBLIC "-//W3C//DTD SVG 1.1//EN" "http://www.w3.org/Graphics/SVG/1.1/DTD/svg11.dtd">'


@pytest.mark.parametrize(
    "data",
    [
        FILE,
        TWO,
        FILE.encode("utf-16"),
        b"\xef\xbb\xbf" + b'<?xml version="1.0" encoding="UTF-8"?>\n' + FILE.encode(),
        SVG.encode(),
        (DOCTYPE + SVG).encode(),
        SVG.replace(quoteattr(FILE), f'"{quote(FILE)}"').encode(),
        png(chunk(b"tEXt", b"mxfile\0" + quote(FILE).encode())),
        png(chunk(b"zTXt", b"mxfile\0\0" + zlib.compress(quote(FILE).encode()))),
        png(chunk(b"zTXt", b"mxGraphModel\0\0" + zlib.compress(quote(TWO).encode(), wbits=-15))),
        png(chunk(b"iTXt", b"mxfile\0\0\0\0\0" + FILE.encode())),
        png(chunk(b"iTXt", b"mxfile\0\1\0en\0mxfile\0" + zlib.compress(FILE.encode()))),
    ],
    ids=[
        "mxfile",
        "model",
        "utf-16",
        "bom",
        "svg",
        "svg-doctype",
        "svg-quoted",
        "tEXt",
        "zTXt",
        "raw",
        "iTXt",
        "iTXt-z",
    ],
)
def test_wherever_the_drawing_is_kept(data):
    [(_, graph)] = pages(data)
    assert graph.text() == READ


def test_arrows_in_every_direction():
    boxes = [cell(key, key.upper()) for key in "abc"]
    assert lines(
        *boxes,
        line("e1", "a", "b"),
        line("e2", "a", "b", style="endArrow=none;html=1;"),
        line("e3", "a", "b", style="startArrow=classic;endArrow=none;"),
        line("e4", "a", "b", style="startArrow=block;startFill=1;endArrow=block;"),
        line("e5", "a", "b", style="endArrow=block;endFill=0;"),
        line("e6", "a", "b", style="endArrow=block;endFill=0;dashed=1;"),
        line("e7", "a", "b", style="endArrow=open;startArrow=diamondThin;startFill=0;"),
        line("e8", "a", "b", style="endArrow=ERzeroToMany;startArrow=ERmandOne;", value="places"),
        line("e9", "c", None, "times out"),
    ) == [
        "A -> B",
        "A - B",
        "B -> A",
        "A <-> B",
        "A -> B: inherits from",
        "A -> B: implements",
        "A -> B: has",
        "A - B: places (exactly one to zero or more)",
        "C -> (nothing): times out",
    ]


def test_a_lines_labels_stand_in_their_order_along_it():
    label = "edgeLabel;html=1;"
    assert lines(
        cell("a", "A"),
        cell("b", "B"),
        line("e", "a", "b"),
        cell("l2", "0..*", style=label, parent="e", x=0.9),
        cell("l1", "1", style=label, parent="e", x=-0.9),
        cell("l3", "<p>owns</p>", style=label, parent="e", x=0),
    ) == ["A -> B: 1; owns; 0..*"]


def test_lanes_and_containers_are_groups_and_nameless_ones_are_not():
    assert lines(
        cell("pool", "Shop", style="swimlane;html=1;"),
        cell("lane", "Clerk", style="swimlane;html=1;", parent="pool"),
        cell("g", "", style="group", parent="lane"),
        cell("a", "Scan", parent="g"),
        cell("b", "Pay", parent="lane"),
        line("e", "a", "b"),
        line("f", "b", "pool"),
    ) == ["Group Shop: group Clerk", "Group Clerk: Scan; Pay", "Scan -> Pay", "Pay -> Shop"]


def test_tables_and_classes_keep_their_lines_and_say_which_a_line_joins():
    row = "text;html=1;"
    assert lines(
        cell("t", "orders", style="shape=table;childLayout=tableLayout;html=1;"),
        cell("r", style="shape=tableRow;", parent="t"),
        cell("c1", "FK", style="shape=partialRectangle;html=1;", parent="r"),
        cell("c2", "customer_id", style="shape=partialRectangle;html=1;", parent="r"),
        cell("k", "Customer", style="swimlane;childLayout=stackLayout;html=1;"),
        cell("k1", "+ name: String", style=row, parent="k"),
        cell("k2", "", style="line;html=1;", parent="k"),
        cell("k3", "+ rename(to)", style=row, parent="k"),
        line("e", "r", "k", style="endArrow=none;"),
    ) == [
        "orders - Customer: (from FK customer_id to the box)",
        "orders holds: FK customer_id",
        "Customer holds: + name: String; + rename(to)",
    ]


def test_a_stack_of_real_boxes_is_a_group():
    assert lines(
        cell("s", "Stack", style="swimlane;childLayout=stackLayout;html=1;"),
        cell("a", "A", parent="s"),
        cell("b", "B", parent="s"),
        line("e", "a", "b"),
    ) == ["Group Stack: A; B", "A -> B"]


def test_wrapped_cells_give_their_data_links_and_placeholders():
    wrapped = (
        '<object id="a" label="%host%:%port% on %page% %nobody%" placeholders="1" host="db1" port="5432" '
        'owner="Team &lt;b&gt;Pay&lt;/b&gt;" tooltip="first" link="https://w/db1"><mxCell style="html=1;" '
        'vertex="1" parent="1"/></object><UserObject id="b" label="Next" link="data:page/id,p0"><mxCell vertex="1" '
        'parent="1"/></UserObject>'
    )
    [(_, graph)] = pages(mxfile(model(wrapped, line("e", "a", "b"))))
    assert graph.text().split("\n") == [
        "db1:5432 on Login %nobody% -> Next",
        "db1:5432 on Login %nobody% holds: host: db1; port: 5432; owner: Team Pay; tooltip: first; link: https://w/db1",
        "Next holds: link to the page Login",
    ]


def test_what_is_hidden_is_marked():
    assert lines(
        '<mxCell id="2" value="Old design" parent="0" visible="0"/>',
        cell("a", "A", parent="2"),
        cell("b", "B"),
        cell("c", "C", more='visible="0"'),
        line("e", "b", "c"),
        cell("f", "", kind="edge", parent="2", more='source="a" target="b"'),
    ) == ["Group Old design (hidden layer): A", "B -> C (hidden)", "A -> B (hidden)"]


def test_texts_are_notes_and_decoration_is_left_out():
    [(_, graph)] = pages(
        model(
            cell("t", "Valid since&nbsp;May", style="text;html=1;"),
            cell("i", "", style="shape=image;image=data:image/png,iVBO;"),
            cell("d", "", style="shape=mxgraph.aws4.lambda_function;"),
            cell("q", "", style="rhombus;"),
            cell("x", "a < b &amp c", style="rounded=0;"),
            cell("f", "", style="image;html=1;image=img/lib/azure2/compute/Function_Apps.svg;"),
            cell("r", "", style="rounded=1;html=1;"),
            line("e", "d", "q"),
            line("e2", "f", "r"),
            line("n", None, None),
        )
    )
    assert graph.text().split("\n") == [
        "(lambda_function) -> (rhombus)",
        "(Function_Apps) -> (box)",
        "Without a connection:",
        "- a < b &amp c",
        "Note: Valid since May",
        "[of the diagram not read: 1 of the lines, attached to nothing at either end and without a label]",
    ]


def bomb(size):
    deflate = zlib.compressobj(9, zlib.DEFLATED, -15)
    body = b"".join(deflate.compress(b" " * 1_000_000) for _ in range(size))
    return base64.b64encode(body + deflate.flush()).decode()


ENTITIES = (
    '<!DOCTYPE x [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;&a;&a;">]>'
    '<mxfile><diagram name="&b;"><mxGraphModel/></diagram></mxfile>'
)


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"", "it is no well-formed XML"),
        (b"PK\x03\x04", "it is no well-formed XML"),
        (b"<html><body/></html>", "it holds no diagram"),
        (b"<svg/>", "it is no well-formed XML"),
        (ENTITIES.encode(), "it declares entities of its own"),
        (ENTITIES.encode("utf-16"), "it declares entities of its own"),
        (png(), "the picture holds no draw.io diagram"),
        (png(chunk(b"zTXt", b"mxfile\0\0" + zlib.compress(bytes(drawio.LARGEST + 1)))), "bytes when unpacked"),
        (b"<a>" * 100_000, "it is no well-formed XML"),
        (b"<mxfile>" + b" " * drawio.LARGEST, "characters"),
    ],
)
def test_what_is_no_diagram_says_why(data, reason):
    with pytest.raises(NotADiagram, match=reason):
        pages(data)
    assert parse(data).unread[0].startswith("could not be read: ")


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (bomb(17), "it has more than 16,777,216 bytes when unpacked"),
        ("AAAA", "its compressed data is cut short"),
        ("////", "its compressed data is damaged"),
        ("$$$$", "it is neither XML nor compressed XML"),
        (packed("<mxGraphModel><root>"), "it is no well-formed XML"),
    ],
)
def test_a_bad_page_costs_only_itself(content, reason):
    parsed = parse(mxfile(content, TWO))
    assert parsed.text.endswith(READ)
    assert parsed.unread == (f"of the diagram Login not read: the whole page: {reason}",)
    assert f"[of the diagram not read: the whole page: {reason}]" in parsed.text


def test_parents_in_a_circle_and_ends_at_lines_do_no_harm():
    assert lines(
        cell("a", "A", parent="b"),
        cell("b", "B", parent="a"),
        cell("c", "C", parent="c"),
        line("e", "c", "f"),
        line("f", "e", "nobody", "odd"),
    ) == ["Group A: group B", "Group B: group A", "Group C", "C -> (nothing)", "(nothing) -> (nothing): odd"]


def test_a_drawing_of_very_many_shapes_is_cut_and_quick():
    many = "".join(cell(f"n{number}", f"N {number}", parent=f"n{number - 1}") for number in range(25_000))
    [(_, graph)] = pages(model(many))
    assert "all after the first 20,000 shapes" in graph.unread()


SOUP = st.lists(
    st.sampled_from(
        [
            cell("a", "A"),
            cell("b", "%x%", parent="a"),
            line("e", "a", "b"),
            "<UserObject/>",
            "<!-- -->",
            "<object id='q'>",
            "</object>",
            "<mxCell/>",
            "<mxCell edge='1' parent='e' source='e'/>",
            escape("<b>"),
            "<diagram>",
            "&",
            "\0",
        ]
    )
).map("".join)


@given(
    st.binary(max_size=200) | SOUP.map(lambda soup: model(soup).encode()) | SOUP.map(lambda soup: mxfile(soup).encode())
)
def test_nothing_raises(data):
    assert parse(data).text
