import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.parsing.diagrams.prose import MAX_DIAGRAMS, diagrams_in, read

FLOW = "```mermaid\ngraph TD\nA -->|yes| B\n```"


@pytest.mark.parametrize(
    "fence",
    [
        FLOW,
        "~~~~ mermaid\ngraph TD\n```\nA -->|yes| B\n~~~~",
        "```{.mermaid}\r\ngraph TD\r\nA -->|yes| B\r\n```\r",
        "```plantuml\n@startuml\nA -> B : yes\n@enduml\n```",
        "```puml\nA -> B : yes\n```",
        "```\n@startuml\nA -> B : yes\n```",
        "```none\n@startuml\nA -> B : yes\n```",
    ],
)
def test_what_a_block_shows_stands_after_it(fence):
    told = diagrams_in(f"# Login\n\n{fence}\nAfter.")
    assert "\n\nDiagram read:\nA -> B: yes\n" in told
    assert told.startswith(f"# Login\n\n{fence}\n")
    assert told.endswith("\n\nAfter.")
    assert diagrams_in(told) == told


def test_within_a_quote_or_a_list_the_lines_belong_to_it():
    quoted = "\n".join(f"> {line}" for line in FLOW.split("\n"))
    assert diagrams_in(quoted) == quoted + "\n>\n> Diagram read:\n> A -> B: yes"
    listed = "1. Flow\n" + "\n".join(f"   {line}" for line in FLOW.split("\n"))
    assert diagrams_in(listed) == listed + "\n\n   Diagram read:\n   A -> B: yes"


def test_several_and_other_kinds():
    two = "```plantuml\n@startuml\nC -> D\n@enduml\n@startuml\nE -> F\n@enduml\n```"
    text = f"{FLOW}\n\n```mermaid\ngantt\n```\n\n```python\nA --> B\n```\n\n{two}"
    told = diagrams_in(text)
    assert "```\n\n[diagram not read: it is of the kind gantt]\n\n```python" in told
    assert told.endswith("```\n\nDiagram read:\nC -> D\n\nDiagram read:\nE -> F")
    assert told.count("Diagram read:") == 3
    assert diagrams_in(told) == told


def test_what_is_not_read_is_said_beside_the_text():
    text, unread = read(f"{FLOW}\n```mermaid\ngantt\n```\n```mermaid\ngraph TD\nA --> B\n-->\n```")
    assert unread == ("diagram not read: it is of the kind gantt", "of a diagram not read: line 3, not understood")
    assert "[of the diagram not read: line 3, not understood]" in text
    assert read(f"{FLOW}\n\n" * 201)[1] == ("diagrams not read: those after the first 200",)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "plain\n\n",
        "```mermaid\ngraph TD\nA --> B",
        "`````\n```mermaid\ngraph TD\nA-->B\n```\n`````",
        "```mermaid\n```",
        "inline ```mermaid``` text",
        "```mermaids\nA-->B\n```",
    ],
)
def test_what_is_no_closed_diagram_stays_as_it_is(text):
    told = diagrams_in(text)
    assert "Diagram read" not in told
    assert told.startswith(text)


def test_a_real_page_with_a_use_case_diagram(shared):
    """md2conf's sample of a Confluence page: PlantUML in a code macro of no language."""
    page = (shared / "real/confluence/md2conf/extension.xml").read_text("utf-8")
    code = page[page.index("@startuml") : page.index("]]>", page.index("@startuml"))]
    assert diagrams_in(f"```none\n{code}\n```").split("\n")[-6:] == [
        "",
        "Diagram read:",
        "User -> Login",
        "User -> Browse Products",
        "Admin -> Manage Inventory",
        "Manage Inventory -> Browse Products: includes",
    ]


def test_a_text_of_very_many_diagrams_is_read_in_part():
    assert diagrams_in(f"{FLOW}\n\n" * 1_000).count("Diagram read:") == MAX_DIAGRAMS


@pytest.mark.parametrize(
    "piece", ["```\n", "```mermaid\n", "> ", "`", "~~~\n```\n", "```mermaid\ngraph TD\n", "````mermaid\n```\n"]
)
def test_a_megabyte_of_fences_is_quick(piece):
    began = time.process_time()
    diagrams_in(piece * (1_000_000 // len(piece)))
    assert time.process_time() - began < 3


TEXTS = st.lists(
    st.sampled_from(
        ["```mermaid\n", "```plantuml\n", "```\n", "graph TD\n", "A --> B\n", "> ", "  ", "text\n", "\n", "~~~\n"]
    )
).map("".join)


@given(TEXTS)
def test_again_is_no_harm_and_nothing_of_the_text_is_lost(text):
    told = diagrams_in(text)
    assert diagrams_in(told) == told
    left = iter(told.split("\n"))
    assert all(line in left for line in text.split("\n"))


@pytest.mark.parametrize("inside", ["x", " ", "a.", "{code}", "> ", "\u0661"])
def test_a_megabyte_in_backticks_on_one_line_is_no_fence(inside):
    """Going through it once for each of its characters would take hours."""
    text = f"```{inside * (1_000_000 // len(inside))}```\n"
    assert diagrams_in(text) == text


def test_what_stands_before_a_fence_is_not_said_a_thousand_times():
    before = ">" * 50_000
    edges = "\n".join(f"A{n} --> B" for n in range(1_000))
    text = f"{before}```mermaid\ngraph TD\n{edges}\n```\n"
    assert len(diagrams_in(text)) < 3 * len(text)
