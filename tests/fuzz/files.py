"""Documents: files of every format, markup of every surface, diagrams, code, and what is made of their text."""

import io
import json
import zlib
from collections.abc import Callable
from datetime import UTC, datetime
from functools import partial
from typing import Any

import openpyxl
from docx import Document as Docx
from lxml import etree
from openpyxl.comments import Comment
from pptx import Presentation

from core import keys, links
from core.chunking import chunk
from core.embedding import sparse
from core.masking import masked
from core.parsing import adf, bitmap, delimited, drawings, junit, pdf, text, webpage, wiki
from core.parsing.diagrams import drawio, mermaid, plantuml, prose
from core.parsing.diagrams.graph import NotAGraph
from core.parsing.formats import Unread, format_of, media_type
from core.parsing.office import docx, pptx, xlsx
from core.parsing.office.smartart import smartart_text
from core.parsing.parsed import Parsed
from core.parsing.storage import Storage
from core.types import ORG, Document
from review.subject import subject_of
from review.text import language_of, sections, sentences, stems, visible_prose
from tests.core.code_samples import SAMPLES
from tests.core.parsing.pdfs import pdf as pdf_of
from tests.core.parsing.pdfs import rule, stream, written
from tests.fuzz.surfaces import ADF
from tests.fuzz.target import Target, text_of


def _png() -> bytes:
    """Two by two, red."""

    def part(kind: bytes, content: bytes) -> bytes:
        return len(content).to_bytes(4, "big") + kind + content + zlib.crc32(kind + content).to_bytes(4, "big")

    head = bytes([0, 0, 0, 2, 0, 0, 0, 2, 8, 2, 0, 0, 0])
    rows = zlib.compress(b"\0" + b"\xff\0\0" * 2 + b"\0" + b"\xff\0\0" * 2)
    return b"\x89PNG\r\n\x1a\n" + part(b"IHDR", head) + part(b"IDAT", rows) + part(b"IEND", b"")


PNG = _png()
MARKDOWN = b"""# Refunds

A refund takes **5 days**, see [policy](https://x.example/p) and `hold_minutes`.

| a | b |
|---|---|
| 1 | 2 |

1. one
   - two

> quoted PAY-12

```mermaid
flowchart LR
  A[Start] -->|yes| B{ok?}
```

```py
x = 1
```
"""
MERMAID = [
    b"flowchart TD\nsubgraph one [One]\nA[Start] -->|yes| B{ok?}\nB -.-> C((c)) & D>flag]\nend\nclassDef x fill:#f\n",
    b"sequenceDiagram\nparticipant A as Anna\nA->>+B: hello\nalt x\nB-->>-A: ok\nelse y\nend\nNote over A,B: hi\n",
    b"stateDiagram-v2\n[*] --> Still\nstate Moving {\nA --> B : go\n}\nStill --> [*]\n",
    b"erDiagram\nCUSTOMER ||--o{ ORDER : places\nCUSTOMER {\nstring name PK\n}\n",
    b"classDiagram\nAnimal <|-- Duck\nclass Duck{\n+swim()\n}\n",
    b'C4Context\nPerson(a, "Anna")\nSystem_Boundary(b, "B") {\nSystem(s, "S")\n}\nRel(a, s, "uses")\n',
]
PLANTUML = [
    b'@startuml\nactor Anna as A\nA -> "B" : hi\nactivate Bob\nalt x\nA <-- B\nelse\nend\nnote left of A\nx\nend note',
    b"@startuml\nstart\n:one;\nif (a?) then (yes)\n:two;\nelseif (b) then\nelse (no)\nstop\nendif\n@enduml",
    b"@startuml\nwhile (x)\n:y;\nendwhile\nfork\n:z;\nfork again\nend fork\n|lane|\nstop\n@enduml",
    b'@startuml\npackage "P" {\n[Comp] as c\ndatabase D\n}\nc --> D : reads\nclass A {\n+x: int\n}\nA <|-- B\n@enduml',
]
DRAWIO = (
    b'<mxfile><diagram name="P1" id="p"><mxGraphModel><root><mxCell id="0"/><mxCell id="1" parent="0"/>'
    b'<mxCell id="2" value="A &lt;b&gt;x&lt;/b&gt;" style="rounded=1;html=1" vertex="1" parent="1"><mxGeometry x="1" '
    b'y="2" width="3" height="4" as="geometry"/></mxCell><mxCell id="3" value="B" style="swimlane" vertex="1"/>'
    b'<UserObject label="L" id="4" link="data:page/id,p"><mxCell style="shape=mxgraph.c4" vertex="1" parent="3"/>'
    b'</UserObject><mxCell id="5" value="go" edge="1" source="2" target="3" parent="1" style="endArrow=none"/>'
    b"</root></mxGraphModel></diagram></mxfile>"
)
STORAGE = b"""<h1>Refunds</h1><p>In <strong>30 days</strong> <ac:link><ri:page ri:content-title="P" ri:space-key="S"/>
<ac:plain-text-link-body><![CDATA[pol]]></ac:plain-text-link-body></ac:link><ac:emoticon ac:name="tick"/></p>
<ac:structured-macro ac:name="code"><ac:parameter ac:name="language">py</ac:parameter><ac:plain-text-body><![CDATA[x=1
]]></ac:plain-text-body></ac:structured-macro><ac:structured-macro ac:name="info"><ac:rich-text-body><p>x</p>
</ac:rich-text-body></ac:structured-macro><ac:structured-macro ac:name="excerpt-include"><ac:parameter ac:name="">
<ac:link><ri:page ri:content-title="Q"/></ac:link></ac:parameter></ac:structured-macro><table><tbody><tr>
<th colspan="2">a</th><td rowspan="3">b</td></tr><tr><td>c</td></tr></tbody></table><ac:task-list><ac:task>
<ac:task-status>complete</ac:task-status><ac:task-body>do</ac:task-body></ac:task></ac:task-list>
<ac:image><ri:attachment ri:filename="a.png"/></ac:image><ol start="3"><li>x<ul><li>y</li></ul></li></ol>
<ac:layout><ac:layout-section><ac:layout-cell><p>z<time datetime="2026-01-01"/></p></ac:layout-cell>
</ac:layout-section></ac:layout><ac:link><ri:user ri:account-id="1"/></ac:link>"""
WIKI = b"""h1. Refunds
*bold* _it_ -del- {{mono}} [link|http://x.example] [~anna] !a.png|thumbnail! bq. quoted
||a||b||
|1|[x|http://y]|
* one
** two
# three
{code:java}int x;{code} {quote}q{quote} {panel:title=T}p{panel} {color:red}r{color} {noformat}n{noformat}
---- \\\\ {{a}} ??cite?? ^up^ ~down~ +ins+ &amp; (/) PAY-12
"""
HTML = b"""<!DOCTYPE html><html><head><meta charset="utf-8"><title>T</title><style>x{}</style></head><body><h1>A</h1>
<p>b <a href="https://x">c</a><br>d</p><ul><li>e<ol><li>f</li></ol></li></ul><table><tr><th>g<td colspan=3>h</table>
<pre>i
</pre><script>alert(1)</script><!-- j --><img alt="k" src="data:image/png;base64,AAAA"><svg><text>l</text></svg>"""
SVG = b'<svg xmlns="http://www.w3.org/2000/svg"><title>T</title><g><text x="1">a<tspan>b</tspan></text></g></svg>'
CSV = [b'key,title,steps\nT-1,"Refund, late","1. open\n2. pay"\nT-2;x;y\n', b"\xff\xfea\0;\0b\0\n\0", b"a\tb\n1\t=2\n"]
JUNIT = (
    b'<testsuites><testsuite name="s" timestamp="2026-01-01T00:00:00"><testcase classname="c" name="n" time="1.5">'
    b'<failure message="m">t</failure></testcase><testcase name="o"><skipped/></testcase></testsuite></testsuites>'
)
SMARTART = (
    b'<dgm:dataModel xmlns:dgm="http://schemas.openxmlformats.org/drawingml/2006/diagram" '
    b'xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main"><dgm:ptLst><dgm:pt modelId="1" type="doc"/>'
    b'<dgm:pt modelId="2"><dgm:t><a:p><a:r><a:t>One</a:t></a:r></a:p></dgm:t></dgm:pt><dgm:pt modelId="3"/></dgm:ptLst>'
    b'<dgm:cxnLst><dgm:cxn modelId="4" srcId="1" destId="2" srcOrd="0" destOrd="0"/><dgm:cxn modelId="5" srcId="2" '
    b'destId="3" srcOrd="0"/></dgm:cxnLst></dgm:dataModel>'
)
SECRETS = [
    b"password = 'Tr0ub4dor&3' token: ghp_0123456789abcdefghijABCDEFGHIJ012345 AKIAIOSFODNN7EXAMPLE\n",
    b"| user | password |\n|---|---|\n| anna | hunter2hunter2 |\nhttps://u:p4ssw0rd@x.example/\n",
    b"-----BEGIN RSA PRIVATE KEY-----\nMIIEow\n-----END RSA PRIVATE KEY-----\nAuthorization: Basic dXNlcjpwYXNz\n",
]
NAMED = [b'PAY-12 src/a.py:12 Booking.hold 4f2a91c0d3 `hold_minutes` https://x.example/browse/PAY-12 "an error: no"']
ADDRESSES = [
    b"https://acme.example/browse/PAY-12?focusedId=1",
    b"https://acme.example/wiki/spaces/HELP/pages/123/Refunds",
    b"https://acme.example/wiki/x/AbC",
    b"https://github.com/a/b/blob/main/src/a.py#L10-L12",
    b"https://gitlab.example/g/p/-/merge_requests/3/diffs",
    b"https://bitbucket.example/projects/P/repos/r/pull-requests/4",
]
PROSE = [b"A refund must be paid within 5 days, unless the customer said otherwise. See \xc2\xa7 3.\n\n- one\n- two\n"]


def _docx() -> list[bytes]:
    made, out = Docx(), io.BytesIO()
    made.add_heading("Refunds", 1)
    made.add_paragraph("One", style="List Number").add_run("two").bold = True
    table = made.add_table(2, 2)
    table.cell(0, 0).merge(table.cell(0, 1)).text = "x"
    made.add_picture(io.BytesIO(PNG))
    made.sections[0].header.paragraphs[0].text = "head"
    made.save(out)
    return [out.getvalue()]


def _pptx() -> list[bytes]:
    made, out = Presentation(), io.BytesIO()
    slide = made.slides.add_slide(made.slide_layouts[1])
    slide.shapes.title.text = "Refunds"
    slide.placeholders[1].text = "one\ntwo"
    slide.shapes.add_table(2, 2, 0, 0, 900, 900).table.cell(0, 0).text = "x"
    slide.notes_slide.notes_text_frame.text = "note"
    made.save(out)
    return [out.getvalue()]


def _xlsx() -> list[bytes]:
    made, out = openpyxl.Workbook(), io.BytesIO()
    sheet = made.active
    for row in (["key", "price", "when"], ["A-1", 1.5, datetime(2026, 1, 1)], ["A-2", "=B2*2", True]):  # noqa: DTZ001  as cells hold them
        sheet.append(row)
    sheet.merge_cells("A5:B6")
    sheet["A1"].comment = Comment("said", "anna")
    sheet.column_dimensions["C"].hidden = True
    made.create_sheet("Two").append(["x"])
    made.save(out)
    return [out.getvalue()]


def _pdf() -> list[bytes]:
    page = written(72, 700, "Refunds", 18) + written(72, 670, "A refund takes 5 days.") + rule(72, 660, 300, 660)
    boxes = b"".join(written(72 + 90 * x, 600 - 14 * y, f"c{x}{y}") for x in range(3) for y in range(4))
    about = "/Type /XObject /Subtype /Image /Width 2 /Height 2 /ColorSpace /DeviceRGB /BitsPerComponent 8"
    image = stream(zlib.compress(b"\xff\0\0" * 4), f"{about} /Filter /FlateDecode")
    shown = {0: "/Resources << /Font << /F1 3 0 R >> /XObject << /I 6 0 R >> >>"}
    return [
        pdf_of(page + boxes),
        pdf_of(page + b"q 300 0 0 300 100 100 cm /I Do Q\n", options=shown, objects=[image]),
        pdf_of(page, packed=True),
    ]


def _parsed(parse: Callable[[str, bytes], Parsed], name: str) -> Callable[[bytes], None]:
    """A file's reader raises nothing, and always says something."""

    def run(data: bytes) -> None:
        found = parse(name, data)
        found.text.encode("utf-8", "surrogatepass")
        starts = [place.start for place in found.places]
        assert starts == sorted(starts), "places out of order"
        assert not starts or starts[-1] <= len(found.text), "a place beyond the text"
        assert all(picture.mark in found.text for picture in found.pictures), "a picture without its mark"

    return run


def _storage(data: bytes) -> None:
    read = Storage(text_of(data))
    read.people(), read.includes(), read.links(), read.pictures(), read.excerpt("")
    assert read.read().text


def _wiki(data: bytes) -> None:
    wiki.to_markdown(text_of(data))
    wiki.mentions(text_of(data))


def _chunked(kind: str, path: str | None, data: bytes) -> None:
    """Every character that is not blank is in a chunk, which holds what stands at its place."""
    body = text_of(data)
    made = Document(
        "d",
        "s",
        kind,
        "1",
        "T",
        body,
        "C > T",
        "https://x",
        frozenset({ORG}),
        datetime(2026, 1, 1, tzinfo=UTC),
        path=path,
    )
    seen = 0
    for one in chunk(made):
        assert body[one.start : one.end] == one.text, "a chunk is not what stands at its place"
        assert not body[seen : max(seen, one.start)].strip(), "text between two chunks"
        seen = max(seen, one.end)
    assert not body[seen:].strip(), "text after the last chunk"


def _masked(data: bytes) -> None:
    said, count = masked(text_of(data))
    assert count >= 0
    assert said or not data


def _keys(data: bytes) -> None:
    for found in keys.parse(text_of(data)).found:
        assert found.name


def _prose(data: bytes) -> None:
    said = text_of(data)
    visible_prose(said), language_of(said), stems(said), list(sections(said))
    at = 0
    for one in sentences(said):
        assert one.start >= at, "sentences out of order"
        at = one.start
    subject_of(said[:4_000])


def _terms(data: bytes) -> None:
    sparse.query(text_of(data))
    sparse.Bm25(100.0).document(text_of(data))


def _format(data: bytes) -> None:
    media_type(data)
    bitmap.bitmap(data)
    for name in ("a", "a.docx", "a.PDF", "a.csv", "a.svg", "a.drawio", text_of(data[:200])):
        format_of(name, data)


def _smartart(data: bytes) -> None:
    smartart_text(etree.fromstring(data, etree.XMLParser(resolve_entities=False, no_network=True)), None)


def _junit(data: bytes) -> None:
    for _ in junit.results(data):
        pass


def _given(*seeds: bytes) -> Callable[[], list[bytes]]:
    return lambda: list(seeds)


def _markup(name: str, parse: Callable[[str], Any], *seeds: bytes, **more: Any) -> Target:
    return Target(name, lambda data: parse(text_of(data)), _given(*seeds), **more)


OFFICE: tuple[Any, ...] = (
    ("docx", docx.parse, _docx),
    ("pptx", pptx.parse, _pptx),
    ("xlsx", xlsx.parse, _xlsx),
)
TARGETS = (
    *(
        Target(
            f"core.parsing {name}", _parsed(parse, f"a.{name}"), seeds, grows=False, slow=True, real=f"docs/**/*.{name}"
        )
        for name, parse, seeds in OFFICE
    ),
    Target("core.parsing pdf", _parsed(pdf.parse, "a.pdf"), _pdf, grows=False, slow=True),
    Target("core.parsing smartart", _smartart, _given(SMARTART), (etree.XMLSyntaxError,)),
    Target("core.parsing csv", _parsed(delimited.parse, "a.csv"), _given(*CSV)),
    Target("core.parsing text", _parsed(text.parse, "a.txt"), _given(*PROSE, *CSV)),
    Target("core.parsing html", _parsed(webpage.parse, "a.html"), _given(HTML)),
    Target("core.parsing svg", _parsed(webpage.parse_svg, "a.svg"), _given(SVG)),
    Target("core.parsing markdown", _parsed(drawings.parse_markdown, "a.md"), _given(MARKDOWN)),
    Target("core.parsing drawio", _parsed(drawings.parse_drawio, "a.drawio"), _given(DRAWIO)),
    Target("core.parsing mermaid file", _parsed(drawings.parse_mermaid, "a.mmd"), _given(*MERMAID)),
    Target("core.parsing plantuml file", _parsed(drawings.parse_plantuml, "a.puml"), _given(*PLANTUML)),
    _markup("core.parsing mermaid", lambda said: mermaid.read(said).text(), *MERMAID, refuses=(NotAGraph,)),
    _markup(
        "core.parsing plantuml",
        lambda said: [one.text() for one in plantuml.read(said)],
        *PLANTUML,
        refuses=(NotAGraph,),
    ),
    _markup("core.parsing drawio in text", drawio.parse, DRAWIO, refuses=(drawio.NotADiagram,)),
    _markup("core.parsing diagrams in prose", prose.read, MARKDOWN, *MERMAID),
    Target("core.parsing junit", _junit, _given(JUNIT), (junit.ReportUnreadable,)),
    Target(
        "core.parsing format",
        _format,
        _given(
            PNG, b"GIF89a\2\0\2\0", b"\xff\xd8\xff\xe0\0\x10JFIF\0", b"PK\3\4", b"%PDF-1.7", b"RIFF\0\0\0\0WEBPVP8 "
        ),
        (Unread,),
    ),
    Target(
        "core.parsing adf",
        lambda data: adf.read(json.loads(data)),
        lambda: ADF,
        (ValueError, RecursionError),
        real="adf/**/*.json",
    ),
    Target("core.parsing storage", _storage, _given(STORAGE)),
    Target("core.parsing wiki", _wiki, _given(WIKI)),
    Target("core.chunking prose", partial(_chunked, "page", None), _given(MARKDOWN, *PROSE)),
    *(
        Target(
            f"core.chunking {ending}",
            partial(_chunked, "code", f"src/a.{ending}"),
            _given(sample.text.encode()),
            slow=True,
        )
        for ending, sample in sorted(SAMPLES.items())
    ),
    Target("core.chunking lines", partial(_chunked, "code", "src/a.unknown"), _given(SAMPLES["py"].text.encode())),
    Target("core.masking", _masked, _given(*SECRETS)),
    Target("core.keys", _keys, _given(*NAMED, *ADDRESSES)),
    _markup("core.links", links.pointed_to, *ADDRESSES),
    Target("core.tokens", _terms, _given(*PROSE, *NAMED)),
    Target("review text", _prose, _given(*PROSE, MARKDOWN)),
)
