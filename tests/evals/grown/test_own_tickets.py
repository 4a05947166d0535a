"""What makes a closed ticket a question, over an index of a few documents and tickets read live."""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from datetime import datetime, timedelta

import pytest

from core.embedders import Embedders
from core.errors import SourceForbidden, SourceGone
from core.tickets import Change, Person, Ticket
from core.types import ORG, Audience, Document, Locator
from crosscheck.own_questions import LATER, NO_WORDS, NOTHING, OTHERS, UNREAD, OwnQuestion, Told, of_tickets
from tests.core.parts import EARLY, EVERYBODY, Bench, Letters, document
from tests.crosscheck.test_tune import code, commit, ticket

START = EARLY + timedelta(minutes=60)
"""When PAY-1's first commit was made."""
ANN = Person("a", "Ann")


@pytest.fixture(scope="module")
def opened(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Bench]:
    made = Bench(tmp_path_factory.mktemp("index") / "index", Embedders.same(Letters(8)))
    yield made
    made.store.close()


@pytest.fixture
def bench(opened: Bench) -> Bench:
    opened.clear()
    return opened


def live(**changes: object) -> Ticket:
    locator = Locator("jira:1", "PAY-1 Lock accounts", "https://jira.example/browse/PAY-1")
    made = Ticket(
        id="1",
        key="PAY-1",
        project="PAY",
        summary="Lock accounts",
        description="After five tries.",
        type="Bug",
        status="Done",
        done=True,
        resolution=None,
        reporter=None,
        assignee=None,
        created=EARLY,
        updated=EARLY,
        labels=frozenset({ORG}),
        locator=locator,
    )
    return replace(made, **changes)


WORK = (
    ticket(1, "Lock accounts"),
    commit("a" * 40, "First", ["src/a.py", "tests/test_a.py"], minute=0),
    commit("b" * 40, "PAY-1 Lock", ["src/a.py", "src/new.py", "tests/test_a.py"], "PAY-1", minute=60),
    *map(code, ["src/a.py", "src/new.py", "tests/test_a.py"]),
)


def told(bench: Bench, *more: Document, work: tuple[Document, ...] = WORK, **changes: object) -> Told:
    bench.index(*work, *more)
    return of_tickets(bench.store, lambda _number: live(**changes), EVERYBODY, lambda _message: None)


def only(found: Told) -> OwnQuestion:
    (one,) = found.questions
    return one


def test_files_that_the_ticket_s_commits_made_are_no_answer(bench: Bench) -> None:
    one = only(told(bench))
    assert one.right == {"git:shop:src/a.py": "code", "git:shop:tests/test_a.py": "test"}
    assert one.as_of == (START - timedelta(minutes=1)).isoformat()
    assert one.without == (f"git:shop@{'b' * 40}", "jira:1")
    assert (one.text, one.liked) == ("Lock accounts\n\nAfter five tries.", True)


@pytest.mark.parametrize(
    ("minute", "text", "right"),
    [(58, "As PAY-1 says", True), (62, "As PAY-1 says", False), (58, "As PAY-11 says", False)],
)
def test_a_page_answers_if_it_named_the_ticket_before(bench: Bench, minute: int, text: str, right: bool) -> None:
    page = document(text, id="confluence:5", title="Locking", updated=EARLY + timedelta(minutes=minute))
    assert ("confluence:5" in only(told(bench, page)).right) == right


@pytest.mark.parametrize(
    "address",
    [
        "https://wiki.example/wiki/spaces/HELP/pages/5/Locking",
        "https://wiki.example/pages/viewpage.action?pageId=5",
        "https://wiki.example/display/HELP/Locking+out",
    ],
)
def test_a_page_answers_if_the_ticket_pointed_to_it_then(bench: Bench, address: str) -> None:
    page = document("Locked.", id="confluence:5", title="Locking out", keys=frozenset({"5", "Locking out"}))
    assert "confluence:5" in only(told(bench, page, description=f"See [this|{address}].")).right
    later = Change(START, ANN, "description", "Nothing.", f"See {address}.")
    now = only(told(bench, page, description=f"See {address}.", history=(later,)))
    assert "confluence:5" not in now.right
    assert now.text == "Lock accounts\n\nNothing."


@pytest.mark.parametrize(("minute", "right"), [(58, True), (62, False)])
def test_a_test_s_record_answers_if_it_was_there_before(bench: Bench, minute: int, right: bool) -> None:
    values = {"id": "qa:gate:TC-1", "source": "gate", "kind": "qa", "keys": frozenset({"TC-1", "PAY-1"})}
    record = document("Locked after five.", **values, updated=EARLY + timedelta(minutes=minute))
    assert (only(told(bench, record)).right.get("qa:gate:TC-1") == "test") == right


def test_what_belongs_to_the_ticket_must_not_help(bench: Bench) -> None:
    parts = [document("x", id=f"jira:1:{name}", kind=name.partition(":")[0]) for name in ("comment:7", "history")]
    other = document("x", id="jira:11:comment:8", kind="comment")
    assert {"jira:1:comment:7", "jira:1:history"} <= set(only(told(bench, *parts, other)).without)
    assert "jira:11:comment:8" not in only(told(bench, *parts, other)).without


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"created": START}, LATER),
        ({"unread": ("The history",)}, UNREAD),
        ({"labels": frozenset({"jira:PAY:security:1"})}, OTHERS),
        ({"summary": "PAY-1", "description": "!"}, NO_WORDS),
    ],
)
def test_a_ticket_that_cannot_be_asked_is_counted(bench: Bench, changes: Mapping[str, object], reason: str) -> None:
    found = told(bench, **changes)
    assert (found.questions, found.left_out) == ((), {reason: 1})


def test_a_ticket_that_is_gone_is_counted(bench: Bench) -> None:
    def gone(_number: str) -> Ticket:
        raise SourceGone("There is no such ticket.")

    bench.index(*WORK)
    assert of_tickets(bench.store, gone, EVERYBODY, lambda _message: None).left_out == {UNREAD: 1}


def many_closed(bench: Bench, count: int) -> None:
    made = [commit("f" * 40, "First", ["src/a.py"], minute=0), code("src/a.py")]
    for number in range(1, count + 1):
        named = f"PAY-{number}"
        made += [ticket(number, "Lock"), commit(f"{number:040x}", "x", ["src/a.py"], named, minute=60 * number)]
    bench.index(*made)


def test_a_jira_that_gives_no_ticket_is_not_asked_for_all_of_them(bench: Bench) -> None:
    asked = []

    def refusing(number: str) -> Ticket:
        asked.append(number)
        raise SourceForbidden("Jira refuses the token.")

    many_closed(bench, 30)
    with pytest.raises(SourceForbidden):
        of_tickets(bench.store, refusing, EVERYBODY, lambda _message: None)
    assert len(asked) == 10


def test_no_more_tickets_are_read_than_three_for_a_question(bench: Bench) -> None:
    many_closed(bench, 9)
    found = of_tickets(
        bench.store, lambda _number: live(created=START + timedelta(days=9)), EVERYBODY, lambda _message: None, most=2
    )
    assert (found.questions, found.left_out) == ((), {LATER: 6})


def test_a_ticket_whose_files_are_all_new_is_answered_by_nothing(bench: Bench) -> None:
    new = commit("b" * 40, "PAY-1 Lock", ["src/new.py"], "PAY-1", minute=60)
    assert told(bench, work=(WORK[0], new, code("src/new.py"))).left_out == {NOTHING: 1}


def test_what_the_audience_may_not_read_is_no_question_and_no_answer(bench: Bench) -> None:
    hidden = {"labels": frozenset({"confluence:HR"}), "updated": EARLY}
    page = document("As PAY-1 says", id="confluence:5", title="Locking", **hidden)
    assert "confluence:5" not in only(told(bench, page)).right
    both = Audience(frozenset({ORG, "confluence:HR"}))
    found = of_tickets(bench.store, lambda _number: live(), both, lambda _message: None)
    assert only(found).right["confluence:5"] == "doc"
    nobody = Audience(frozenset())
    assert of_tickets(bench.store, lambda _number: live(), nobody, lambda _message: None) == Told((), {})


def test_at_most_so_many_and_the_last_first(bench: Bench) -> None:
    made = [commit("c" * 40, "First", ["src/a.py"], minute=0), code("src/a.py")]
    for number in range(1, 6):
        made += [
            ticket(number, "Lock"),
            commit(f"{number:040x}", "x", ["src/a.py"], f"PAY-{number}", minute=60 * number),
        ]
    bench.index(*made)
    found = of_tickets(bench.store, lambda _number: live(), EVERYBODY, lambda _message: None, most=3)
    assert [one.id for one in found.questions] == ["jira:5", "jira:4", "jira:3"]
    moments = [datetime.fromisoformat(one.as_of or "") for one in found.questions]
    assert moments == sorted(moments, reverse=True)
