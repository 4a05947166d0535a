"""The tools: bounded, counted, confined to what this agent was shown, and none that writes."""

import pytest

from core.consumers import Use
from core.errors import SourceUnavailable
from review.agents.audit import Audit
from review.agents.code_tools import CodeTools, PullTools
from review.agents.desk import Desk
from review.agents.fence import Fence
from review.agents.meter import Meter, Stage
from review.agents.scope import CODE_AGENT, DOCUMENT_AGENT
from review.agents.veil import Veil
from review.budget import Budget
from review.reading import Reading
from review.tools import Tools
from tests.review.fakes import (
    AUDIENCE,
    POLICY,
    Bench,
    Index,
    NullMetrics,
    PullTexts,
    Tickets,
    by_agent,
    comment,
    evidence,
    snapshot,
    ticket,
)

PLAIN = Budget()
VOUCHERS = {"src/vouchers.py": "def hold(days): return 45", "src/mail.py": "hold(3)"}
WRITING = ("write", "post", "put", "create", "update", "delete", "send", "add", "set", "run", "exec", "fetch", "http")


def desk_of(reading, scope=DOCUMENT_AGENT, requests=9, withheld=frozenset()):
    stage = Stage(Meter(requests, 100_000), requests, 100_000, 0.0, 30)
    return Desk(scope, reading, Fence(), PLAIN, Veil(withheld), Audit(), stage)


def tools_over(*documents):
    made = Reading(Tickets({"SHOP-1": ticket()}), Index(list(documents)), AUDIENCE, PLAIN, NullMetrics())
    made.ticket_under_review("SHOP-1", None)
    return made, Tools(desk_of(made))


def test_there_is_no_tool_that_writes():
    made = Bench(by_agent(), pulls=PullTexts((snapshot(),)))
    desk = desk_of(made.reading, CODE_AGENT)
    names = {tool.__name__ for tool in PullTools(desk, made.reading.pulls, made.snapshots).all()}
    documents = {"search", "lookup", "open_source"}
    assert {tool.__name__ for tool in Tools(desk).all()} == documents
    assert names == documents | {"users_of", "changed_files", "difference", "file", "grep", "symbol"}
    assert not any(name.startswith(WRITING) for name in names)


def test_answers_are_bounded_and_say_when_nothing_can_be_read():
    made, tools = tools_over(*[evidence(f"confluence:{n}", f"{n} " + "word " * 5_000) for n in range(9)])
    assert len(tools.search("word")) < PLAIN.answer_characters + 2_000
    assert tools.lookup("nothing of that name") == "Nothing was found."
    made._searcher.error = SourceUnavailable("secret-host:9200 is down")
    assert tools.search("other words") == "This could not be read: a source did not answer."
    assert made.degraded == ("A look-up for the model failed: a source did not answer.",)


def test_one_search_takes_several_wordings():
    made, tools = tools_over(POLICY)
    tools.search("voucher", ["coupon", "gift card", "Gutschein", "token", "one too many"])
    (query,) = made._searcher.queries
    assert query.variants == ("coupon", "gift card", "Gutschein", "token")
    assert "code" not in query.filters.kinds


def test_the_same_question_is_answered_once():
    made, tools = tools_over(POLICY)
    assert POLICY.text in tools.search("voucher")
    assert tools.search("voucher") == "You asked this already; the answer stands above."
    assert POLICY.text in tools.search("voucher", ["coupon"])
    assert len(made._searcher.queries) == 2


def test_look_ups_are_counted():
    _, tools = tools_over(POLICY)
    answers = [tools.lookup(f"SHOP-{n}") for n in range(PLAIN.tool_calls + 2)]
    assert answers[: PLAIN.tool_calls] == ["Nothing was found."] * PLAIN.tool_calls
    assert all("No further look-ups" in answer for answer in answers[PLAIN.tool_calls :])


def test_before_the_last_request_the_model_is_told_to_come_to_an_end():
    made, _ = tools_over(POLICY)
    assert "This was the last look-up" in Tools(desk_of(made, requests=1)).search("voucher")
    assert "This was the last look-up" not in Tools(desk_of(made, requests=2)).search("voucher")


def test_only_what_the_agent_was_shown_is_opened():
    _, tools = tools_over(POLICY)
    assert tools.open_source("S1") == "There is no source with this id.", "it is there, but was not shown"
    found = tools.search("voucher")
    assert POLICY.text in tools.open_source(found.split('id="')[1].split('"')[0])


def test_a_tool_does_not_bring_the_trigger_back():
    said = evidence("jira:1:comment:3", "#qa-check, and by the way it is 45 days", kind="comment")
    one = ticket(comments=(comment(3, said.text),))
    made = Reading(Tickets({one.key: one}), Index([said]), AUDIENCE, PLAIN, NullMetrics())
    made.ticket_under_review(one.key, "3")
    assert Tools(desk_of(made)).lookup(said.document_id) == "Nothing was found."


@pytest.fixture
def pull():
    made = Bench(by_agent(), pulls=PullTexts((snapshot(7, "shop", *VOUCHERS),), VOUCHERS))
    return PullTools(desk_of(made.reading, CODE_AGENT), made.reading.pulls, made.snapshots)


@pytest.mark.parametrize(
    ("tool", "arguments", "expected"),
    [
        ("changed_files", (), "src/mail.py"),
        ("difference", ("src/vouchers.py",), "+ def hold"),
        ("file", ("src/vouchers.py",), "head: def hold"),
        ("file", ("src/vouchers.py", "base"), "base: def hold"),
        ("grep", ("hold(3)",), "hold(3)"),
        ("symbol", ("hold",), "def hold"),
        ("difference", ("../../etc/passwd",), "This could not be read: there was nothing to search for."),
    ],
)
def test_a_pull_request_is_read_at_its_head(pull, tool, arguments, expected):
    assert expected in getattr(pull, tool)("shop!7", *arguments)


def test_a_pull_request_that_is_not_the_tickets_is_not_read(pull):
    assert pull.difference("shop!8", "src/vouchers.py") == "There is no such pull request; there are shop!7."


def test_who_uses_a_symbol_is_asked_of_what_changes_and_of_what_was_read():
    asked = []
    used = evidence("git:mail:src/send.py", "hold(3)", kind="code")

    def users_of(name, changed, audience):
        asked.append((name, changed, audience))
        return (Use("mail", "src/send.py", 1, used.text, used),)

    read = evidence("git:shop:src/read.py", "class Read", kind="code")
    made = Bench(by_agent(), [read], pulls=PullTexts((snapshot(),)), users_of=users_of)
    assert "hold(3)" in CodeTools(desk_of(made.reading, CODE_AGENT), made.snapshots).users_of("hold")
    assert asked == [("hold", {"git:shop:src/vouchers.py", "git:shop:src/read.py"}, AUDIENCE)]


def test_withheld_passages_stay_out_of_answers():
    made, _ = tools_over(POLICY)
    tools = Tools(desk_of(made, withheld=frozenset({"wiki"})))
    assert tools.search("voucher") == "Nothing was found."
    assert tools.lookup("confluence:7") == "Nothing was found."
