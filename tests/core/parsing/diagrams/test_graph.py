from hypothesis import given
from hypothesis import strategies as st

from core.parsing.diagrams.graph import MAX_EDGES, MAX_NOTES, Edge, Graph, Group, Node


def test_groups_edges_details_lone_nodes_and_notes_in_that_order():
    graph = Graph(
        nodes=(Node("a", "Web shop", "g"), Node("b", "Orders"), Node("c", "Audit", details=("id int", "at date"))),
        edges=(
            Edge("a", "b", "POST /orders"),
            Edge("b", "a", arrow="<->"),
            Edge("a", "g", arrow="-"),
            Edge("b", None, "later"),
            Edge("a", "b", "pay", condition="alt: card is valid"),
        ),
        groups=(Group("f", "Company"), Group("g", "Front", parent="f")),
        notes=("Since\n2019",),
    )
    lone = Graph(nodes=(*graph.nodes, Node("d", "Printer")), edges=graph.edges, groups=graph.groups, notes=graph.notes)
    assert lone.text().split("\n") == [
        "Group Company: group Front",
        "Group Front: Web shop",
        "Web shop -> Orders: POST /orders",
        "Orders <-> Web shop",
        "Web shop - Front",
        "Orders -> (nothing): later",
        "Web shop -> Orders: pay (alt: card is valid)",
        "Audit holds: id int; at date",
        "Without a connection:",
        "- Printer",
        "Note: Since 2019",
    ]


def test_equal_labels_are_told_apart_only_when_there_are_two():
    graph = Graph(
        nodes=(Node("1", "Start"), Node("2", "Start"), Node("3", "Start (1)"), Node("4", "End"), Node("5", "")),
        edges=(Edge("1", "2"), Edge("2", "3"), Edge("3", "4"), Edge("4", "5")),
    )
    assert graph.text().split("\n") == [
        "Start (2) -> Start (3)",
        "Start (3) -> Start (1)",
        "Start (1) -> End",
        "End -> unnamed",
    ]


def test_a_name_that_reads_like_an_edge_is_quoted():
    graph = Graph(nodes=(Node("1", "A -> B: c"), Node("2", "step 1: ask")), edges=(Edge("1", "2", "x: y"),))
    assert graph.text() == '"A -> B: c" -> "step 1: ask": x: y'


def test_what_is_over_a_limit_is_said():
    graph = Graph(
        nodes=(Node("a", "A" * 5_000), Node("b", "B")),
        edges=(Edge("a", "b"),) * (MAX_EDGES + 1_500),
        notes=("n",) * (MAX_NOTES + 1),
        lost=("line 7 was not understood",),
    )
    assert graph.unread() == (
        "line 7 was not understood",
        "1,500 of the connections",
        "1 of the notes",
    )
    text = graph.text()
    assert text.count("-> B") == MAX_EDGES
    assert len(text) < 500_000
    assert text.endswith("[of the diagram not read: 1 of the notes]")


LABELS = st.text(max_size=20) | st.sampled_from(["Start", "Start (1)", "A -> B", "\n", "[x", "\ud800"])
IDS = st.sampled_from(["", "a", "b", "c", "d"])
GRAPHS = st.builds(
    Graph,
    nodes=st.lists(st.builds(Node, IDS, LABELS, st.none() | IDS, st.lists(LABELS, max_size=3).map(tuple))).map(tuple),
    edges=st.lists(
        st.builds(Edge, st.none() | IDS, st.none() | IDS, LABELS, st.sampled_from(["->", "<->", "-"]), LABELS)
    ).map(tuple),
    groups=st.lists(st.builds(Group, IDS, LABELS, st.none() | IDS)).map(tuple),
    notes=st.lists(LABELS).map(tuple),
)


@given(GRAPHS)
def test_any_graph_has_a_text_with_a_line_for_each_edge(graph):
    text = graph.text()
    assert text == graph.text()
    text.encode()
    lines = text.split("\n") if text else []
    assert len(lines) >= len(graph.edges)
    assert all(lines)


@given(st.lists(LABELS, min_size=1, max_size=8))
def test_no_two_nodes_have_one_name(labels):
    graph = Graph(nodes=tuple(Node(str(number), label) for number, label in enumerate(labels)))
    lines = graph.text().split("\n")[1:]
    assert len(set(lines)) == len(labels)
