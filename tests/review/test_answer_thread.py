"""Answers within a thread: its context is used, its people are cited, and nobody learns what is not for them."""

from dataclasses import replace

from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic_ai.models.function import FunctionModel

from core.embedders import Embedders
from core.embedding.static import StaticEmbedder
from core.types import Audience, Locator, NullMetrics
from review.agents.fence import Fence
from review.agents.heard import EACH, heard
from review.agents.heard import THREAD as SHOWN
from review.answer import Answerer
from review.budget import Budget
from review.service import Models
from tests.core.parts import Bench, document
from tests.review.discussions import THREAD, discussion, remark
from tests.review.fakes import AUDIENCE, NOW, POLICY, Index, calls, evidence, prompt_of
from tests.review.test_follow_up import LOCKED, entered

SAID = "For partners an account is locked for an hour."


def answerer(model=None, index=None, **models):
    made = Models(model, **models) if model else None
    held = index or Index([POLICY])
    return Answerer(held, lambda _: [], models=made, clock=lambda: NOW, metrics=NullMetrics(), budget=Budget(seconds=5))


def citing(*wanted):
    """A model that cites the passages whose blocks hold the wanted texts, and what it was sent."""
    sent = []

    def answer(messages, info):
        prompt = prompt_of(messages)
        sent.append(prompt)
        ids = [
            block.split('id="')[1].split('"')[0]
            for block in prompt.split("<source-")
            if 'id="' in block and any(text in block for text in wanted)
        ]
        said = [{"text": f"Said in {one}.", "sources": [one]} for one in ids]
        return calls((info.output_tools[0].name, {"statements": said}))

    return FunctionModel(answer, model_name="scripted"), sent


def test_a_follow_up_is_searched_with_the_thread_and_what_it_named():
    index = Index([POLICY, evidence("jira:12", "PAY-12 locks accounts.")], names={"PAY-12": "jira:12"})
    answered = answerer(index=index).answer(
        "and for partners?", AUDIENCE, discussion=discussion(LOCKED, "It is PAY-12 that does it.")
    )
    assert index.queries[0].text == f"{LOCKED} and for partners?"
    assert index.lookups == ["PAY-12"]
    assert answered.question == "and for partners?"
    assert "jira:12" in answered.rests_on


def test_a_model_is_given_the_thread_as_data():
    model, sent = citing(SAID)
    thread = discussion(LOCKED, remark("Half an hour.", 2, by_bot=True), remark(SAID, 3, "Bo"))
    answered = answerer(model).answer("and for partners?", AUDIENCE, discussion=thread)
    (prompt,) = sent
    context, sources = prompt.split("# Question")
    assert context.index(LOCKED) < context.index("Half an hour.") < context.index(SAID)
    assert all(text not in sources for text in (LOCKED, "Half an hour.", SAID))
    outside = [part.split(">", 1)[1] for part in context.split("</source-")[1:]]  # what no fence encloses
    assert not any("hour" in text.split("<source-")[0] for text in outside)
    assert [one.kind for one in answered.references] == ["thread"]
    assert answered.references[0].cited.locator.url == thread.remarks[2].locator.url
    assert answered.references[0].updated == thread.remarks[2].at
    assert THREAD in answered.rests_on
    assert answered.read_live == {THREAD}


def test_the_bot_s_own_words_cannot_be_cited():
    model, sent = citing("Half an hour.")
    thread = discussion(LOCKED, remark("Half an hour.", 2, by_bot=True))
    answered = answerer(model).answer("and for partners?", AUDIENCE, discussion=thread)
    assert "Half an hour." in sent[0]
    assert answered.statements == ()


def test_the_bot_s_own_words_are_not_shown_where_something_is_withheld_from_models():
    model, sent = citing(SAID)
    thread = discussion(LOCKED, remark("Quoted from the secret wiki.", 2, by_bot=True), remark(SAID, 3))
    answerer(model, withheld=frozenset({"vault"})).answer("and for partners?", AUDIENCE, discussion=thread)
    assert SAID in sent[0]
    assert "secret wiki" not in sent[0]


def test_a_thread_that_is_withheld_from_models_is_not_shown():
    model, sent = citing(SAID)
    withheld = frozenset({"slack:C1"})
    readers = Audience(AUDIENCE.labels | withheld)
    thread = discussion(LOCKED, SAID, labels=withheld)
    answered = answerer(model, withheld=withheld).answer("Vouchers of partners?", readers, discussion=thread)
    assert SAID not in sent[0]
    assert any("Not shown to the model" in one.what for one in answered.unknowns)


def test_a_thread_alone_can_answer():
    model, _ = citing(SAID)
    answered = answerer(model, Index([])).answer("and for partners?", AUDIENCE, discussion=discussion(LOCKED, SAID))
    assert len(answered.statements) == 1


def test_without_a_model_a_remark_is_quoted_if_it_answers_and_the_question_never():
    answered = answerer(index=Index([])).answer(
        "and for partners?", AUDIENCE, discussion=discussion(LOCKED, f"Hi! {SAID}", "and for partners?")
    )
    assert [one.text for one in answered.statements] == [SAID]
    assert [one.cited.locator.url for one in answered.references] == ["https://slack.example/archives/C1/p2"]


def test_the_choice_of_what_matters_is_made_with_the_thread():
    sent = []

    def both(messages, info):
        sent.append(prompt_of(messages))
        choosing = "response" in info.output_tools[0].parameters_json_schema["properties"]
        return calls((info.output_tools[0].name, {"response": [1]} if choosing else {"statements": []}))

    index = Index([POLICY, *(evidence(f"confluence:{n}", f"Gift cards, part {n}.") for n in range(20, 30))])
    model = FunctionModel(both, model_name="scripted")
    answerer(model, index, filtering=True).answer("and for partners?", AUDIENCE, discussion=discussion(LOCKED, SAID))
    choice, answer = sent
    assert SAID in choice.split("# Passages")[0]
    assert SAID not in choice.split("# Passages")[1]
    assert SAID in answer.split("# Sources")[0]
    assert "Gift cards" not in answer


def test_of_a_long_thread_the_newest_is_shown():
    remarks = [remark(f"{number} {'x' * EACH}", number) for number in range(20)]
    text, passages = heard(entered(*remarks), Fence(), 1.0)
    assert len(text) < SHOWN * 1.5
    assert [one.text for one in passages] == [one.text for one in remarks[-len(passages) :]]
    assert text.startswith("(Earlier messages are not shown.)")
    short, fewer = heard(entered(*remarks), Fence(), 0.25)
    assert len(short) < len(text) / 2
    assert fewer


LABELS = ("org", "slack:C1", "jira:SHOP")
SECRET = "Zebras are paid by PAY-66 in the vault."


@settings(max_examples=60, deadline=None)
@given(
    held=st.frozensets(st.sampled_from(LABELS), max_size=3),
    labels=st.frozensets(st.sampled_from(LABELS), max_size=2),
    closed=st.booleans(),
    by_bot=st.booleans(),
    question=st.sampled_from(["and why?", "Why are zebras paid by the vault?", "PAY-1"]),
)
def test_a_thread_that_is_closed_or_for_others_never_enters(held, labels, closed, by_bot, question):
    model, sent = citing("Zebras")
    index = Index([POLICY])
    thread = discussion(remark(SECRET, by_bot=by_bot), labels=labels)
    shut = frozenset({THREAD} if closed else ())
    for one in (answerer(model, index), answerer(index=index)):
        answered = one.answer(question, Audience(held), closed=shut, discussion=thread)
        without = one.answer(question, Audience(held), closed=shut)
        if closed or not labels or not labels <= held:
            assert replace(answered, numbers={}) == replace(without, numbers={})
            assert THREAD not in answered.rests_on | answered.read_live
            assert not any(SECRET in prompt for prompt in sent)
            assert not any("PAY-66" in text for text in (*index.lookups, *(query.text for query in index.queries)))
        else:
            assert THREAD in answered.rests_on & answered.read_live


def test_messages_that_name_another_document_are_of_the_thread():
    odd = replace(remark(SAID), locator=Locator("confluence:8", "Salaries", "https://wiki.example/8"))
    answered = answerer(index=Index([])).answer(
        "How long are accounts of partners locked?", AUDIENCE, discussion=discussion(odd)
    )
    assert answered.rests_on == {THREAD}


def test_over_a_real_index_the_context_finds_what_the_words_alone_do_not(tmp_path):
    embedder = StaticEmbedder()
    bench = Bench(tmp_path / "index", Embedders.same(embedder))
    lock = "After five failed sign-ins an account is locked for thirty minutes; accounts of partners for one hour."
    others = [
        document(f"Partners receive {thing} every month.", id=f"wiki:{number}", title=f"Partners and {thing}")
        for number, thing in enumerate(("invoices", "newsletters", "reports", "visitors", "stickers", "lunches"), 2)
    ]
    bench.index(document(lock, id="wiki:1", title="Account security"), *others)
    one = answerer(index=bench.searcher)
    readers = Audience(frozenset({"org"}))
    alone = one.answer("and for partners?", readers)
    within = one.answer("and for partners?", readers, discussion=discussion(LOCKED))
    bench.store.close()
    assert alone.references[0].cited.locator.document_id != "wiki:1"
    assert within.references[0].cited.locator.document_id == "wiki:1"
    assert "partners for one hour" in within.statements[0].text
