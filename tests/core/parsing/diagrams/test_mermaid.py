import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.parsing.diagrams import mermaid
from core.parsing.diagrams.graph import MAX_EDGES, NotAGraph


def lines(text):
    return mermaid.read(text).text().split("\n")


@pytest.mark.parametrize(
    ("link", "said"),
    [
        ("A --> B", "A -> B"),
        ("A-->B", "A -> B"),
        ("A --- B", "A - B"),
        ("A -.-> B", "A -> B"),
        ("A -.- B", "A - B"),
        ("A ==> B", "A -> B"),
        ("A === B", "A - B"),
        ("A <--> B", "A <-> B"),
        ("A --o B", "A -> B"),
        ("A --x B", "A -> B"),
        ("A x--x B", "A <-> B"),
        ("A ----> B", "A -> B"),
        ("A -...-> B", "A -> B"),
        ("A =====> B", "A -> B"),
        ("A e1@==> B", "A -> B"),
        ("A -->|yes, go| B", "A -> B: yes, go"),
        ("A-->|yes|B;", "A -> B: yes"),
        ("A -- some text --> B", "A -> B: some text"),
        ("A --text--- B", "A - B: text"),
        ("A -. maybe .-> B", "A -> B: maybe"),
        ("A == must ==> B", "A -> B: must"),
        ("A <-- both --> B", "A <-> B: both"),
        ('A -- "a -> b" --> B', "A -> B: a -> b"),
        ("sign-in --> log_out.2", "sign-in -> log_out.2"),
        ("Кот --> 猫", "Кот -> 猫"),
        ("A(fa:fa-terminal cli) ---- |schedule| B[Flask\\n(app.py)]", "cli - Flask (app.py): schedule"),
    ],
)
def test_every_link_of_a_flowchart(link, said):
    assert lines(f"graph TD\n{link}") == [said]


@pytest.mark.parametrize(
    "shape",
    [
        *("[{}]", "({})", "([{}])", "[[{}]]", "[({})]", "(({}))", "((({})))", ">{}]", "{{{}}}", "{{{{{}}}}}", "[/{}/]"),
        *("[\\{}\\]", "[/{}\\]", "[\\{}/]", '["{}"]', '["`{}`"]', '@{{ shape: rect, label: "{}" }}', "[{}]:::red"),
    ],
)
def test_every_shape_of_a_flowchart(shape):
    assert lines(f"flowchart LR; a{shape.format('Check name')} --> b") == ["Check name -> b"]


def test_a_flowchart_with_all_sorts():
    assert lines(
        """---
title: Login
---
%%{init: {"theme": "dark",
 "x": 1}}%%
flowchart TB
    %% a comment --> here
    subgraph shop [Web shop]
        direction LR
        A["Log in (by #quot;mail#quot;)<br/>or phone"] --> B{Valid?}
        subgraph "Inner part"
            C
        end
    end
    B -->|yes| C & D[(Users)] --> E
    B -- no --> A; E ~~~ F
    D --> shop
    A["Sign in"]:::bold
    quoted["two
    lines --> of text"] --> C
    classDef bold fill:#f9f
    class A,B bold
    style A fill:#bbf
    linkStyle 0 stroke:red
    click A "https://example.com" _blank
"""
    ) == [
        "Group Web shop: group Inner part; Sign in; Valid?",
        "Group Inner part: C",
        "Sign in -> Valid?",
        "Valid? -> C: yes",
        "Valid? -> Users: yes",
        "C -> E",
        "Users -> E",
        "Valid? -> Sign in: no",
        "Users -> Web shop",
        '"two lines --> of text" -> C',
        "Without a connection:",
        "- F",
    ]


def test_lines_that_are_not_understood_are_named_and_cost_only_themselves():
    graph = mermaid.read("graph TD\nA -->\nA --> B\n[broken\nB --> C[no end\n" + "(\n" * 9)
    assert graph.text().split("\n")[0] == "A -> B"
    assert graph.unread() == ("lines 2, 4, 5, 6, 7 and 7 more, not understood",)


def test_sequence_diagram():
    assert lines(
        """sequenceDiagram
    autonumber
    title Pay
    box LightBlue Shop
    participant W as Web shop
    actor U as The user
    end
    participant B@{ "type": "boundary" } as Bank
    U->>+W: POST /pay: 10 EUR
    alt card is valid
        loop up to 3 times
            W-->>B: charge
        end
    else card is not
        W-xB: cancel
    end
    rect rgb(0, 200, 0)
    par notify
    W-)U: mail
    and book
    W->W: book
    end
    end
    B<<->>W: sync
    Note over W,B: within 2 s
    Note right of U: waits
    in-house team->>W: looks
    W->>-U:
    activate W
"""
    ) == [
        "Group LightBlue Shop: Web shop; The user",
        '"The user -> Web shop: POST /pay: 10 EUR"'.strip('"'),
        '"Web shop -> Bank: charge (alt: card is valid > loop: up to 3 times)"'.strip('"'),
        "Web shop -> Bank: cancel (else: card is not)",
        "Web shop -> The user: mail (part > par: notify)",
        "Web shop -> Web shop: book (part > and: book)",
        "Bank <-> Web shop: sync",
        "in-house team -> Web shop: looks",
        "Web shop -> The user",
        "Note: within 2 s (over W, B)",
        "Note: waits (right of U)",
    ]


def test_state_diagram():
    assert lines(
        """stateDiagram-v2
    [*] --> Still
    Still --> Moving : pushed: hard
    state "Moving along" as Moving
    Still : does nothing
    state Door {
        direction LR
        [*] --> Open
        Open-->[*]
        --
        Shut
    }
    Moving --> Door:::hot
    state join <<join>>
    Door --> join
    note right of Still
        It rests
        for long
    end note
    note left of Door : oak
    classDef hot fill:red
"""
    ) == [
        "Group Door: start of Door; Open; end of Door; Shut",
        "start -> Still",
        '"Still -> Moving along: pushed: hard"'.strip('"'),
        "start of Door -> Open",
        "Open -> end of Door",
        "Moving along -> Door",
        "Door -> join (join)",
        "Still holds: does nothing",
        "Note: It rests for long (on Still)",
        "Note: oak (on Door)",
    ]


def test_entities_with_columns_and_counts():
    assert lines(
        """erDiagram
    CUSTOMER ||--o{ ORDER : places
    ORDER }|..|| "Delivery Address" : "is sent to"
    CUSTOMER {
        string name PK "the full name"
        int   age
    }
    p[Person] { string id }
    p |o--o| CUSTOMER : is
"""
    ) == [
        "CUSTOMER - ORDER: places (exactly one to zero or more)",
        "ORDER - Delivery Address: is sent to (one or more to exactly one)",
        "Person - CUSTOMER: is (zero or one to zero or one)",
        'CUSTOMER holds: string name PK "the full name"; int age',
        "Person holds: string id",
    ]


def test_classes_with_members_and_relations():
    assert lines(
        """classDiagram
    note "All of it"
    note for Duck "can fly"
    Animal <|-- Duck
    Animal <|.. Robot : walks
    Duck "1" *-- "many" Feather : has
    Pond o-- Duck
    Duck --> Pond
    Duck ..> Bread
    Duck -- Egg
    Egg<-->Nest
    class Animal {
        <<abstract>>
        +int age
        +List~string~ names()
    }
    Duck : +quack() void
    namespace Water {
      class Pond["Small pond"]
    }
    class Box~T~
    <<interface>> Bread
    direction RL
    com.acme.A ..|> com.acme.B
"""
    ) == [
        "Group Water: Small pond",
        "Duck -> Animal: inherits from",
        "Robot -> Animal: implements; walks",
        "Duck -> Feather: is composed of; has (1 to many)",
        "Small pond -> Duck: has",
        "Duck -> Small pond",
        "Duck -> Bread",
        "Duck - Egg",
        "Egg <-> Nest",
        "com.acme.A -> com.acme.B: implements",
        "Animal holds: <<abstract>>; +int age; +List<string> names()",
        "Duck holds: +quack() void",
        "Bread holds: interface",
        "Without a connection:",
        "- Box<T>",
        "Note: All of it",
        "Note: can fly (on Duck)",
    ]


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("gantt\n title A", "it is of the kind gantt"),
        ("pie title Pets", "it is of the kind pie"),
        ("", "it names no kind of diagram"),
        ("%% only a comment", "it names no kind of diagram"),
        ("---\ntitle: x", "it names no kind of diagram"),
        ("graph TD\n" + "A-->B\n" * 400_000, "it has more than 500,000 characters"),
    ],
)
def test_other_kinds_say_what_they_are(text, reason):
    with pytest.raises(NotAGraph, match=reason):
        mermaid.read(text)


HEADS = ["graph TD\n", "sequenceDiagram\n", "stateDiagram-v2\n", "erDiagram\n", "classDiagram\n"]


PIECES = [
    *(
        "A-->B\n",
        "A-->",
        "-",
        "a[",
        'a["',
        "a(\n",
        "A -- t ",
        "a.",
        "a..b",
        "x@",
        "a ",
        '"',
        "subgraph a\n",
        "&",
        "A{",
        " ",
    ),
    *(
        "[/a/]-->",
        "alt\n",
        "a~",
        "<<",
        "note over ",
        "|o--",
        "a : b\n",
        "#quot;",
        "class a {\n",
        "e1@",
        "---\n",
        "<br ",
    ),
    *("state a {\n", "participant a as ", "namespace a{\n", "<|--", 'a "b" '),
]


@pytest.mark.parametrize("piece", PIECES)
def test_any_piece_many_times_over_is_read_in_linear_time(piece):
    for head in HEADS:
        text = head + piece * (50_000 // len(piece)) + "A->>B: x\n" * 1_000 + '"!'
        began = time.process_time()
        written = mermaid.read(text).text()
        assert time.process_time() - began < 1
        assert len(written) < 1_500_000


@pytest.mark.parametrize("head", HEADS)
def test_as_many_arrows_as_are_taken(head):
    graph = mermaid.read(head + "A --> B\n" * 62_000)
    assert len(graph.text()) < 100_000
    assert graph.unread()[-1].endswith("of the connections") or "not understood" in graph.unread()[0]


SIGNS = [
    "A",
    "B",
    *'[](){}"|&;: \n*~\0',
    "-->",
    "--",
    "---",
    "-.",
    ".->",
    "==",
    "==>",
    "->>",
    "||--o{",
    "<|--",
    "[*]",
    "@{",
]
WORDS = [
    "subgraph ",
    "end\n",
    "alt x\n",
    "else\n",
    "note over A: ",
    "state ",
    "class ",
    "participant ",
    " as ",
    "box\n",
]
PARTS = st.sampled_from([*SIGNS, *WORDS, "%%", "---\n", "\ud800", "namespace N {\n"])


@given(st.sampled_from(HEADS), st.lists(PARTS, max_size=40).map("".join))
def test_nothing_raises(head, text):
    graph = mermaid.read(head + text)
    assert graph.text() == mermaid.read(head + text).text()


def test_what_is_joined_with_ampersands_does_not_multiply_without_limit():
    graph = mermaid.read("graph TD\n" + "A&" * 100_000 + "A --> " + "B&" * 100_000 + "B")  # ten thousand million arrows
    assert len(graph.edges) == 10 * MAX_EDGES
    assert graph.unread() == (f"{9 * MAX_EDGES:,} of the connections",)
    few = mermaid.read("graph TD\nA & B --> C & D --> E")
    assert few.text().split("\n") == ["A -> C", "A -> D", "B -> C", "B -> D", "C -> E", "D -> E"]


@pytest.mark.parametrize(
    "line",
    ["A -- " + "a" + "--a" * 100_000, "A -- a" + "-" * 400_000, "A == a" + "=" * 400_000, "A -. a" + "." * 400_000],
)
def test_a_long_line_is_gone_through_once(line):
    assert mermaid.read(f"graph TD\n{line}").unread() == ("line 2, not understood",)


def test_a_class_of_very_many_parts_is_gone_through_once():
    assert mermaid.read("classDiagram\nA" + "~--B" * 100_000 + "{").unread() == ("line 2, not understood",)
    assert mermaid.read("classDiagram\nA~x-y.z~--B~int~").text() == "A<x-y.z> - B<int>"


def test_a_long_condition_is_not_kept_with_every_message():
    graph = mermaid.read("sequenceDiagram\nalt " + "x" * 20_000 + "\n" + "A->>B: a\n" * 3_000 + "end")
    assert len(graph.edges) == 3_000
    assert sum(len(edge.condition) for edge in graph.edges) < 3_000 * 300
