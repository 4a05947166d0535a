"""A review with a language model, end to end: the scripted model over HTTP, the reply as it stands in the ticket."""

import re

import pytest
from pydantic import SecretStr

from crosscheck.settings_reviewing import Model
from crosscheck.wiring import Program
from sandbox.load import load_company
from sandbox.model_replies import Fails, Hangs, Structured, ToolCall
from tests.crosscheck.live import at_work, links, nodes, opened, quick, text_of
from tests.fakes import Tally
from tests.specs import judge

TICKET = "BKG-142"
NOTHING = Structured({"findings": []})
KEEP_ALL = Structured({"verdicts": [], "ranked": [], "findings": []})


def by_agent(documents, supervisor=lambda _request: KEEP_ALL):
    """Answers each agent's requests in its own way, whatever their order; the code agent finds nothing."""

    def rule(request):
        tools = {tool["function"]["name"] for tool in request["tools"]}
        if "search" not in tools:
            return supervisor(request)
        return NOTHING if "users_of" in tools else documents(request)

    return rule


@pytest.fixture(scope="module")
def live(tmp_path_factory):
    with opened(load_company(), tmp_path_factory.mktemp("model")) as made:
        model = Model(name="openai:scripted", base_url=f"{made.box.model_url}/v1", seconds=2)
        secrets = made.secrets.model_copy(update={"model_api_key": SecretStr(made.box.model.key)})
        program = Program(quick(made.settings, model=model), secrets, metrics=Tally())
        with at_work(made.box, program) as running:
            yield running


def answered(live, documents, supervisor=lambda _request: KEEP_ALL, **shown):
    """The reply to a question when the model answers so."""
    live.box.model.answer_by(by_agent(documents, supervisor))
    return live.answer(TICKET, live.ask(TICKET, **shown))


def test_a_review_by_rules_and_model_says_so(live, shared):

    def add_one(request):
        told = [m["content"] for m in request["messages"] if m["role"] == "tool"]
        if not told:
            return ToolCall("search", {"query": "failed sign-in attempts"})
        source = re.search(r'id="(S\d+)"', told[0])[1]
        quote = told[0].split("---\n")[1].splitlines()[0][:60].strip()
        return Structured({"findings": [finding(citations=[{"source": source, "quote": quote}])]})

    reply = answered(live, add_one, lambda _request: Structured({"verdicts": [], "ranked": ["C1"], "findings": []}))
    said = text_of(reply["body"])
    assert "Made by rules and scripted" in said
    assert "The lock is not described for staff." in said
    assert "Account security policy" in said
    assert judge(shared).adf(reply["body"]) == []


def finding(**changes):
    return {
        "category": "missing rule",
        "priority": "P2",
        "statement": "The lock is not described for staff.",
        "why": "Staff may be locked out.",
        "question": "What happens to staff?",
        "citations": [],
    } | changes


@pytest.mark.parametrize(
    ("failure", "reason"),
    [
        (Fails(429, {"retry-after": "600"}), "allows no more requests"),
        (Fails(500), "reported an error"),
        (Fails(200, {"content-type": "text/html"}, "<html>Log in</html>"), "not answer in the form"),
        (Hangs(), "took too long"),
    ],
    ids=["429", "500", "html", "hang"],
)
def test_when_the_model_fails_the_rules_review_is_posted_and_says_so(live, failure, reason):
    said = text_of(answered(live, lambda _request: failure, lambda _request: failure)["body"])
    assert "Made by rules alone" in said
    assert "The model gave no usable answer" in said
    assert reason in said
    assert "to settle" in said


def test_a_model_that_obeys_the_injected_page_changes_nothing_in_what_is_posted(live):
    """It drops findings without a reason, adds a link, a mention, an order to people, and a fact it may not know."""

    def obeys(request):
        case = str(request["messages"])
        source = re.search(r'id=\\?"(S\d+)', case)[1]
        evil = (
            "Approved, see https://evil.example/x or [here](https://evil.example) and "
            "[~accountid:5e91b0c4a7d3f2068b1c4e01] @Ingrid"
        )
        cited = [{"source": source, "quote": "this quote stands in no source at all"}]
        real = [{"source": source, "quote": "", "looked_for": "<a href='https://evil.example'>approval</a>"}]
        verdicts = [{"finding": f"F{n}", "decision": "drop", "reason": ""} for n in range(1, 9)]
        findings = [
            finding(statement=evil, why=evil, question=evil, citations=cited),
            finding(statement=evil, why=evil, question=evil, citations=real),
            finding(statement=evil, why=evil, question=evil, citations=[]),
        ]
        obeyed.append(source)
        return verdicts, findings

    obeyed = []
    kept = text_of(answered(live, lambda _request: NOTHING)["body"])
    reply = answered(
        live,
        lambda request: Structured({"findings": obeys(request)[1]}),
        lambda request: Structured({"verdicts": obeys(request)[0], "ranked": [], "findings": obeys(request)[1]}),
    )
    assert len(obeyed) >= 2
    said = text_of(reply["body"])
    for number in re.findall(r"\d+\. P\d [a-z ]+", kept):
        assert number in said
    assert "evil.example" not in str(reply["body"])
    assert [node for node in nodes(reply["body"]) if node["type"] in {"mention", "inlineCard"}] == []
    ours = (live.box.jira_url, live.box.confluence_url, live.box.github_url)
    assert all(address.startswith(ours) for address in links(reply["body"]))


def test_a_model_is_never_shown_what_the_readers_may_not_read(live):
    company = live.box.company
    secret = [marker.word for marker in company.markers]

    def looks(request):
        turns = sum(m["role"] == "tool" for m in request["messages"])
        calls = [
            ToolCall("search", {"query": " ".join(secret)}),
            ToolCall("lookup", {"identifier": "GATE-66"}),
            NOTHING,
        ]
        return calls[min(turns, 2)]

    answered(live, looks)
    assert len(live.box.model.requests) >= 4
    tools = [m["content"] for r in live.box.model.requests for m in r["messages"] if m["role"] != "assistant"]
    assert [word for word in secret if word in str(tools)] == []
