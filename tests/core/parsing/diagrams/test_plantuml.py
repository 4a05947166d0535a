import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.parsing.diagrams import plantuml
from core.parsing.diagrams.graph import NotAGraph


def lines(text):
    [graph] = plantuml.read(f"@startuml\n{text}\n@enduml")
    return graph.text().split("\n")


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("A -> B", "A -> B"),
        ("A->B:hi", "A -> B: hi"),
        ("A --> B : hi", "A -> B: hi"),
        ("A <- B", "B -> A"),
        ("A <<-- B", "B -> A"),
        ("A <-> B", "A <-> B"),
        ("A -- B", "A - B"),
        ("A .. B", "A - B"),
        ("A ..> B", "A -> B"),
        ("A -up-> B", "A -> B"),
        ("A -l-> B", "A -> B"),
        ("A <-down- B", "B -> A"),
        ("A -[#red,dashed]-> B", "A -> B"),
        ("A -[#green]left-> B", "A -> B"),
        ("A ->x B", "A -> B"),
        ("A ->o B", "A -> B"),
        ("A -\\ B", "A -> B"),
        ("A -// B", "A -> B"),
        ("A --|> B", "A -> B: inherits from"),
        ("A <|-- B", "B -> A: inherits from"),
        ("A ^-- B", "B -> A: inherits from"),
        ("A ..|> B : yes", "A -> B: implements; yes"),
        ("A *-- B", "A -> B: is composed of"),
        ("A --o B", "B -> A: has"),
        ("A o--o B", "A - B"),
        ('A "1" *-- "0..n" B : owns >', "A -> B: is composed of; owns (1 to 0..n)"),
        ("A }o--|| B", "A - B: (zero or more to exactly one)"),
        ("A ==> B", "A -> B"),
        ("A ~~> B", "A -> B"),
        ("A -> B ++ #gold : go", "A -> B: go"),
        ("A->order", "A -> order"),
        ("A --> orders", "A -> orders"),
        ("[-> A : in", "(nothing) -> A: in"),
        ("A ->] : out", "A -> (nothing): out"),
        (
            '"Long - name" -> [Other one] : see https://x.y/z__init__',
            '"Long - name" -> Other one: see https://x.y/z__init__',
        ),
        (":Clerk: --> (Book an order)", "Clerk -> Book an order"),
        ("com.acme.A --> com.acme.B::run", "com.acme.A -> com.acme.B::run"),
        ("Люди -> 猫 : **да**\\nи", "Люди -> 猫: да и"),
    ],
)
def test_arrows_of_every_kind(line, said):
    assert lines(line) == [said]


def test_sequence():
    assert lines(
        """title Login
skinparam sequence {
  ArrowColor red
}
participant "Web shop" as W
actor User #red
database DB as "The DB"
box "Bank" #LightBlue
control Gate
end box
' comment -> here
/' A -> B
more '/
User -> W ++ : POST /login
alt valid
  loop 3 times
    W -> DB : select
  end
else not valid
  W -> Gate : block
end
return done
note left of W #aqua: short
note over W, DB
  long -> one
  text
end note
ref over W, DB : see other
ref over W
  the rest
end ref
== Second ==
...5 minutes...
autonumber 10
deactivate W
A -[hidden]-> B
!include other.puml
!$x = 1
!theme plain"""
    ) == [
        "Group Bank: Gate",
        "User -> Web shop: POST /login",
        "Web shop -> The DB: select (alt: valid > loop: 3 times)",
        "Web shop -> Gate: block (else: not valid)",
        "Web shop -> User: done",
        "Note: short (left of W)",
        "Note: long -> one text (over W, DB)",
        "Note: see other (refers, over W, DB)",
        "Note: the rest (refers, over W)",
        "Note: section: Second",
        "Note: 5 minutes",
        "[of the diagram not read: what is included from elsewhere]",
        "[of the diagram not read: what the preprocessor's lines would make of it]",
    ]


def test_components_and_deployment():
    assert lines(
        """package "Front end" as F <<Node>> #red {
  [Web server] as web
  () "HTTP" as http
  component Cache
  database "Orders" {
    folder x
  }
}
together {
  node n1
}
web -down-> http : uses
[Auth service] <.. web
usecase "Pay\\nnow" as UC
:Main User: <-left- UC
F --> n1
cloud {
  [aws]
}
n1 -- aws
left to right direction
note "since 2019" as N1
N1 .. web"""
    ) == [
        "Group Front end: group Orders; Web server; HTTP; Cache",
        "Group Orders: x",
        "Web server -> HTTP: uses",
        "Web server -> Auth service",
        "Pay now -> Main User",
        "Front end -> n1",
        "n1 - aws",
        "since 2019 - Web server",
    ]


def test_classes_and_objects():
    assert lines(
        """abstract class Animal {
  +{static} int age
  --
  -- methods --
  {abstract} name(): String
}
class "Small dog" as Dog extends Animal implements Barks, Eats
interface Barks
Dog : bark()
enum Color {
  RED
}
class List<T>
class Empty {}
entity Order {
  * id : number <<generated>>
}
note top of Dog : it barks
namespace a.b {
  class C
}
hide empty members"""
    ) == [
        "Group a.b: C",
        "Small dog -> Animal: inherits from",
        "Small dog -> Barks: implements",
        "Small dog -> Eats: implements",
        "Animal holds: +{static} int age; methods; {abstract} name(): String",
        "Small dog holds: bark()",
        "Color holds: RED",
        "Order holds: * id : number <<generated>>",
        "Without a connection:",
        "- List<T>",
        "- Empty",
        "Note: it barks (top of Dog)",
    ]


def test_states():
    assert lines(
        """[*] --> Open
Open --> Closed : done
state "Being closed" as Closed
state Open {
  [*] -> New
  New --> [*]
  New : is fresh
}
Closed -up-> [*]
state c <<choice>>"""
    ) == [
        "Group Open: start of Open; New; end of Open",
        "start -> Open",
        "Open -> Being closed: done",
        "start of Open -> New",
        "New -> end of Open",
        "Being closed -> end",
        "New holds: is fresh",
        "c holds: <<choice>>",
    ]


def test_activity():
    assert lines(
        """|Customer|
start
:Read;
if (valid?) then (yes)
  :Book;
elseif (retry?) then (maybe)
  #pink:Again
  please;
else (no)
  :Reject;
  stop
endif
|Clerk|
while (more?) is (yes)
  :Next;
  if (bad?) then (yes)
    break
  endif
endwhile (no)
repeat
  :Try;
  backward :Wait;
repeat while (failed?) is (yes) not (no)
fork
  :A;
fork again
  :B;
end fork
-> all done;
switch (kind?)
case (x)
  :X]
case (y)
  :Y;
  detach
endswitch
partition "Last part" {
  :Close<
}
note right: hint
end"""
    ) == [
        "Group Customer: start; Read; valid?; Book; retry?; Again please; Reject; end (1)",
        "Group Clerk: group Last part; more?; Next; bad?; Try; failed?; Wait; A; B; kind?; X; Y; end (2)",
        "Group Last part: Close",
        "start -> Read",
        "Read -> valid?",
        "valid? -> Book: yes",
        "valid? -> retry?: no",
        "retry? -> Again please: maybe",
        "retry? -> Reject: no",
        "Reject -> end (1)",
        "Book -> more?",
        "Again please -> more?",
        "more? -> Next: yes",
        "Next -> bad?",
        "bad? -> more?: else",
        "more? -> Try: no",
        "bad? -> Try: yes",
        "Try -> failed?",
        "failed? -> Wait: yes",
        "Wait -> Try",
        "failed? -> A: no",
        "failed? -> B: no",
        "A -> kind?: all done",
        "B -> kind?: all done",
        "kind? -> X: x",
        "kind? -> Y: y",
        "X -> Close",
        "Close -> end (2)",
        "Note: hint (right)",
    ]


def test_c4_macros():
    assert lines(
        """!include <C4/C4_Container>
Person(u, "User", "A person")
System_Boundary(s, "Shop") {
  Container(web, "Web, app", "Python", "Sells")
  ContainerDb(db, "DB", $techn="pg")
}
Rel(u, web, "uses", "HTTPS")
Rel_Back(db, web, "reads")
LAYOUT_WITH_LEGEND()"""
    ) == [
        "Group Shop: Web, app; DB",
        "User -> Web, app: uses; HTTPS",
        "Web, app -> DB: reads",
        "User holds: A person",
        "Web, app holds: Python; Sells",
        "[of the diagram not read: what is included from elsewhere]",
    ]


def test_several_diagrams_and_kinds_that_have_no_reader():
    one, two, three = plantuml.read("text\n@startuml a\nA -> B\n@enduml\n@startjson\n{}\n@endjson\n@startuml\nC -> D")
    assert (one.text(), two.text()) == ("A -> B", "C -> D")
    assert three.unread() == ("a whole one: it is of the kind json",)
    with pytest.raises(NotAGraph, match="it is of the kind mindmap"):
        plantuml.read("@startmindmap\n* a\n@endmindmap")
    assert plantuml.read("A -> B")[0].text() == "A -> B"


def test_lines_that_are_not_understood_are_named():
    [graph] = plantuml.read("@startuml\nA -> B\n???\nB -> C -> D\n@enduml")
    assert graph.unread() == ("lines 3, 4, not understood",)


PIECES = [
    *(
        "A -> B\n",
        "A->",
        "-",
        "[",
        "(",
        '"',
        ":",
        ":a\n",
        "a.",
        "a::",
        "<",
        "<<",
        "note over ",
        "note as x\n",
        "alt\n",
        " ",
    ),
    *(
        "package a {\n",
        "class a {\n",
        "if (a) then\n",
        "fork\n",
        "fork again\n",
        ":x;\n",
        "repeat\n",
        "|a|\n",
        "A : b\n",
        "==",
    ),
    *(
        "@startuml\n",
        "/'\n",
        "skinparam x {\n",
        "while (a\n",
        "(a)",
        'a "b" ',
        "A -[",
        "class a extends ",
        "A, ",
        "Rel(a, ",
        "}",
    ),
    *(
        ":x;\nfork\n:y;\nfork again\n:z;\nend fork\n",
        "if (a) then\nif (b) then\n:x;\nendif\n",
        "switch (a)\ncase (b)\n",
    ),
]


@pytest.mark.parametrize("piece", PIECES)
def test_any_piece_many_times_over_is_read_in_linear_time(piece):
    for head in ("@startuml\n", "@startuml\nstart\n"):
        text = head + piece * (50_000 // len(piece)) + "\nA -> B : x" * 1_000 + '"!'
        began = time.process_time()
        written = [graph.text() for graph in plantuml.read(text)]
        assert time.process_time() - began < 1
        assert sum(map(len, written)) < 1_500_000


def test_as_many_arrows_as_are_taken_and_no_more():
    with pytest.raises(NotAGraph, match="it has more than 500,000 characters"):
        plantuml.read("A -> B\n" * 140_000)
    [graph] = plantuml.read("A -> B\n" * 70_000)
    assert graph.unread() == ("18,000 of the connections",)


SIGNS = [
    "A",
    "B",
    *'[](){}"|&;: \n*<>',
    "->",
    "-->",
    "<|--",
    "..",
    "[*]",
    "(*)",
    "@startuml\n",
    "@enduml\n",
    "\0",
    "\ud800",
]
WORDS = [
    "note ",
    "end note\n",
    "as ",
    "class ",
    "if (x) then (y)\n",
    "else\n",
    "endif\n",
    "fork\n",
    ":a;\n",
    "start\n",
    "!x\n",
]


@given(
    st.lists(
        st.sampled_from([*SIGNS, *WORDS, "while (a)\n", "endwhile\n", "repeat\n", "|l|\n", "box "]), max_size=40
    ).map("".join)
)
def test_nothing_but_not_a_graph_is_raised(text):
    try:
        graphs = plantuml.read(text)
    except NotAGraph:
        return
    assert [graph.text() for graph in graphs] == [graph.text() for graph in plantuml.read(text)]


@pytest.mark.parametrize(
    "line",
    [
        "#" + ":" * 400_000 + "x",
        "if (" + ")(" * 200_000 + "x",
        "while (" + ")(" * 200_000 + "x",
        "repeat while (" + ")(" * 200_000 + "x",
        "A -> B : [[" + "a" * 400_000,
    ],
)
def test_a_long_line_is_gone_through_once(line):
    """Two open ends that try all their lengths against each other would take hours."""
    assert plantuml.read(f"@startuml\n:a;\n{line}\n@enduml")
    assert plantuml.read(f"@startuml\n{line}\n@enduml")
