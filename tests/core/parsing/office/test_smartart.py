"""SmartArt becomes what its layout shows: a tree, a chain, a list."""

import pytest

from core.parsing.office.pptx import parse
from tests.core.parsing.office.parts import DGM, A, raw_slides

FRAME = (
    '<p:graphicFrame><p:nvGraphicFramePr><p:cNvPr id="4" name="Diagram"/></p:nvGraphicFramePr>'
    '<a:graphic><a:graphicData><dgm:relIds r:dm="d1"{0}/></a:graphicData></a:graphic></p:graphicFrame>'
)


def point(key: str, text: str = "", kind: str = "", extra: str = "") -> str:
    shape = f' type="{kind}"' if kind else ""
    run = f"<a:r><a:t>{text}</a:t></a:r>" if text else ""
    return f'<dgm:pt modelId="{key}"{shape}>{extra}<dgm:t><a:p>{run}</a:p></dgm:t></dgm:pt>'


def model(category: str, points: str, links: str) -> str:
    settings = f'<dgm:prSet loCatId="{category}"/>'
    return (
        f'<dgm:dataModel xmlns:dgm="{DGM}" xmlns:a="{A}"><dgm:ptLst>{point("doc", kind="doc", extra=settings)}{points}'
        f"</dgm:ptLst><dgm:cxnLst>{links}</dgm:cxnLst></dgm:dataModel>"
    )


def link(source: str, target: str, order: int = 0, sibling: str = "") -> str:
    ends = f'srcId="{source}" destId="{target}" srcOrd="{order}"'
    return f'<dgm:cxn modelId="{source}-{target}" {ends} sibTransId="{sibling}"/>'


def drawn(category: str, points: str, links: str) -> str:
    data = raw_slides(
        FRAME.format(""),
        links=(("d1", "diagramData", "../diagrams/data1.xml"),),
        more={"ppt/diagrams/data1.xml": model(category, points, links)},
    )
    return parse("s.pptx", data).text.removeprefix("## Slide 1\n\n")


ABC = point("a", "Draft") + point("b", "Review") + point("c", "Release")
CHAIN = link("doc", "b", 1) + link("doc", "a", 0, "t") + link("doc", "c", 2)


def test_a_process_is_a_chain_with_its_details_and_labels():
    points = ABC + point("t", "when complete", "sibTrans") + point("x", "two people")
    text = drawn("process", points, CHAIN + link("b", "x"))
    assert text == "Diagram (process):\n\nDraft -> Review: when complete\nReview -> Release\nReview holds: two people"


def test_a_cycle_closes():
    assert drawn("cycle", ABC, CHAIN).endswith("Draft -> Review\nReview -> Release\nRelease -> Draft")


def test_a_hierarchy_is_a_tree():
    points = point("a", "Head") + point("b", "Tester") + point("c", "Secretary", "asst") + point("d", "Intern")
    links = link("doc", "a") + link("a", "b", 1) + link("a", "c", 0) + link("b", "d")
    text = drawn("hierarchy", points, links)
    assert text == "Diagram (hierarchy):\n\nHead -> Secretary: assistant\nHead -> Tester\nTester -> Intern"


def test_a_list_is_a_list_and_points_of_the_presentation_are_no_text():
    points = ABC + point("p", "Draft", "pres")
    assert drawn("list", points, link("doc", "a") + link("a", "b") + link("doc", "c", 1)) == (
        "Diagram (list):\n\n- Draft\n  - Review\n- Release"
    )


@pytest.mark.parametrize("category", ["process", "hierarchy", "list"])
def test_a_model_that_runs_in_circles_ends(category):
    text = drawn(category, ABC, link("doc", "a") + link("a", "b") + link("b", "a") + link("c", "c"))
    assert "Draft" in text


def test_points_without_text_that_run_in_circles_end():
    bare = point("doc", kind="doc") + point("a", "Draft") + point("b")
    text = drawn("list", bare, link("doc", "b") + link("doc", "a", 1) + link("b", "doc"))
    assert "- Draft" in text


def test_the_layout_says_the_category_when_the_model_does_not():
    data = raw_slides(
        FRAME.format(' r:lo="l1"'),
        links=(("d1", "diagramData", "../d.xml"), ("l1", "diagramLayout", "../l.xml")),
        more={
            "ppt/d.xml": model("", ABC, CHAIN),
            "ppt/l.xml": f'<dgm:layoutDef xmlns:dgm="{DGM}"><dgm:catLst><dgm:cat type="convert"/>'
            '<dgm:cat type="process"/></dgm:catLst></dgm:layoutDef>',
        },
    )
    assert "Draft -> Review" in parse("s.pptx", data).text


def test_missing_data_is_said():
    parsed = parse("s.pptx", raw_slides(FRAME.format("")))
    assert parsed.unread == ("SmartArt not read on slide 1: it is missing",)
    assert "[SmartArt not read on slide 1: it is missing]" in parsed.text
