"""Who sees what a job says: the rule, as a law over made-up jobs and viewers, and its corners one by one."""

import itertools
import re

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from core.store.base import point_id
from state.leaders import Leaders
from tests.crosscheck.console.stage import LEASE, Document, cited, review

LABELS = ("jira:PAY", "repo:shop", "confluence:POL", "jira:PAY:role:10", "slack:C1")
DOCUMENTS = {
    "jira:10001": frozenset({"jira:PAY"}),
    "jira:10002": frozenset({"jira:PAY", "jira:PAY:role:10"}),
    "git:shop:a.py": frozenset({"repo:shop"}),
    "confluence:7": frozenset({"confluence:POL"}),
}
LIVE = {"slack:C1:1.5": frozenset({"slack:C1"}), "git:shop!12": frozenset({"repo:shop"})}
GONE = "jira:404"
EVERY = frozenset().union(*DOCUMENTS.values(), {"jira:SEC"})  # the last by the settings

PAY, NOBODY = frozenset({"jira:PAY"}), frozenset()

numbers = itertools.count(1)
some_labels = st.frozensets(st.sampled_from(LABELS))
some_documents = st.frozensets(st.sampled_from([*DOCUMENTS, *LIVE, GONE]), max_size=3)


@pytest.fixture(scope="module")
def stage(shared_stage):
    shared_stage.document("jira", *(Document(name, labels) for name, labels in DOCUMENTS.items()))
    return shared_stage


def told(mark, documents):
    """A result that names its documents and says the mark wherever it can."""
    made = review(*(cited(one, f"title {mark}", f"quote {mark}", f"https://x.example/{mark}") for one in documents))
    made["review"]["degraded"] = [f"degraded {mark}"]
    made["review"]["made_by"] = f"maker {mark}"
    candidate = {"id": "0-0-0-0-0", "title": mark, "kind": "ticket", "fate": f"cap {mark}", "ranks": {}}
    trace = {"route": "hybrid", "keys": [mark], "arms": [], "candidates": [candidate], "left_out": 0, "steps": {}}
    return {
        **made,
        "reply": f"reply {mark}",
        "searches": [{"text": f"search {mark}", "trace": {**trace, "reranker": mark}}],
        "audit": [
            {"step": "request", "text": f"question {mark}"},
            *({"step": "source", "id": "S1", "kind": "page", "document": one, "title": mark} for one in documents),
            {"step": "failed", "agent": "a", "reason": mark},
        ],
    }


def put(stage, *, place, made_for, rests_on, quoted, error):
    number = next(numbers)
    mark = f"mark{number}mark"
    result = told(mark, quoted)
    result["review"]["audience"] = sorted(made_for)
    where = {"surface": "slack", "place": "C1", "subject": f"asked {mark}"} if place == "slack" else {}
    where = {**where, "surface": place} if place == "slack_private" else where
    job = stage.job(
        key=f"k{number}{mark}",
        made_for=made_for,
        rests_on=rests_on,
        result=result,
        error=f"error {mark}" if error else None,
        url=f"https://x.example/post-{mark}",
        **where,
    )
    stage.feedback.add(job, f"person {mark}", "down", f"because {mark}")
    return job, mark


def pages(client, job):
    for path in ("/", "/jobs", f"/jobs/{job}", "/feedback", "/sources", "/sources/jira"):
        answer = client.get(f"/console{path}")
        assert answer.status_code in {200, 404}, answer.text
        yield path, answer.text


def case(**changes):
    """An example that differs from one that is shown by these alone."""
    plain = {"place": "jira", "made_for": PAY, "rests_on": NOBODY, "quoted": NOBODY, "held": PAY, "error": True}
    return example(**{**plain, **{k: frozenset(v) if isinstance(v, set | tuple) else v for k, v in changes.items()}})


@settings(max_examples=30, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    place=st.sampled_from(["jira", "slack", "slack_private"]),
    made_for=some_labels,
    rests_on=some_documents,
    quoted=some_documents,
    held=some_labels.map(lambda labels: labels | {"jira:PAY"}) | st.just(EVERY | set(LABELS)),
    error=st.booleans(),
)
@case(quoted={"confluence:7"})  # what is quoted counts,
@case(rests_on={"confluence:7"})  # what it rests on,
@case(rests_on={GONE})  # what is not known any more,
@case(place="slack")  # where it was asked,
@case(place="slack", made_for=(), held={"jira:PAY", "slack:C1"})  # and for whom
@case()
def test_no_text_is_shown_to_who_lacks_a_label_of_it(stage, place, made_for, rests_on, quoted, held, error):
    job, mark = put(stage, place=place, made_for=made_for, rests_on=rests_on, quoted=quoted, error=error)
    known = DOCUMENTS | LIVE
    of_place = {"jira": {"jira:PAY"}, "slack": {"slack:C1"}}.get(place, set())
    asked_in = {"jira:10001"} if place == "jira" else set()
    documents = rests_on | quoted | asked_in
    needed = of_place | made_for | frozenset().union(*(known.get(one, EVERY) for one in documents))
    needed |= set() if made_for else EVERY
    visible = place != "slack_private" and needed <= held
    shown = {path for path, text in pages(stage.client(held), job) if mark in text}
    if not visible:
        assert not shown
    else:
        assert f"/jobs/{job}" in shown


def hidden_row(client, job):
    found = rf"<tr>\s*<th scope=\"row\"><a href=\"/console/jobs/{job}\">.*?</tr>"
    row = re.search(found, client.get("/console/jobs").text, re.DOTALL)
    page = client.get(f"/console/jobs/{job}").text
    assert row is not None
    return row[0].replace(str(job), "N"), re.sub(rf"\b{job}\b", "N", page)


def test_hidden_jobs_are_told_apart_by_nothing_but_number_surface_state_and_times(stage):
    client = stage.client(["org"])
    one, _ = put(stage, place="jira", made_for={"jira:PAY"}, rests_on=["jira:10001"], quoted=[], error=False)
    other, _ = put(stage, place="jira", made_for=set(LABELS), rests_on=[GONE], quoted=list(DOCUMENTS), error=True)
    assert hidden_row(client, one) == hidden_row(client, other)


def test_a_job_that_has_not_begun_takes_every_label(stage):
    job = stage.queued(f"q{next(numbers)}", "PAY-4711")
    assert "PAY-4711" not in stage.client(EVERY - {"jira:SEC"}).get(f"/console/jobs/{job}").text
    assert "PAY-4711" not in stage.client(EVERY - {"jira:PAY"}).get(f"/console/jobs/{job}").text
    assert "PAY-4711" in stage.client(EVERY).get(f"/console/jobs/{job}").text
    stage.end(job)


def test_what_was_made_for_nobody_is_not_repeated_even_to_who_holds_all(stage):
    """A refusal may quote the comment, whose own restriction is in no index."""
    result = {"refused": "I do not understand SECRETWORD.", "reply": "I do not understand SECRETWORD."}
    job = stage.job(key=f"r{next(numbers)}", made_for=(), result=result)
    page = stage.client(EVERY).get(f"/console/jobs/{job}").text
    assert "PAY-1" in page
    assert "SECRETWORD" not in page


def test_a_label_that_a_document_got_since_counts(stage):
    stage.document("jira", Document("jira:55", frozenset({"jira:PAY"})))
    job, mark = put(stage, place="jira", made_for={"jira:PAY"}, rests_on=["jira:55"], quoted=["jira:55"], error=False)
    client = stage.client(["jira:PAY"])
    assert mark in client.get(f"/console/jobs/{job}").text
    stage.document("jira", Document("jira:55", frozenset({"jira:PAY", "jira:PAY:role:10"})))
    assert mark not in client.get(f"/console/jobs/{job}").text


def test_candidates_are_shown_where_their_documents_are_known_to_be_readable(stage):
    documents = ["jira:10001", "jira:10002"]
    result = told("mark", documents[:1])
    result["searches"][0]["trace"]["candidates"] = [
        {
            "id": point_id(one, 3, "documents"),
            "title": f"candidate of {one}",
            "kind": "ticket",
            "fate": "result 1",
            "ranks": {},
        }
        for one in documents
    ]
    result["audit"] = [
        {"step": "source", "id": "S", "kind": "ticket", "document": one, "title": f"shown of {one}"}
        for one in documents
    ]
    job = stage.job(key=f"c{next(numbers)}", made_for=["jira:PAY"], result=result)
    page = stage.client(["jira:PAY"]).get(f"/console/jobs/{job}").text
    assert "candidate of jira:10001" in page
    assert "shown of jira:10001" in page
    assert "of jira:10002" not in page
    assert "1 more are not shown" in page


def test_sources_that_the_viewer_may_not_know_of_are_not_named(stage):
    client = stage.client(["jira:PAY"])
    for path in ("/", "/sources", "/sources/shop"):
        answer = client.get(f"/console{path}")
        assert ">shop<" not in answer.text
        assert "sources/shop" not in answer.text
    assert client.get("/console/sources/shop").text == client.get("/console/sources/none").text


def test_documents_not_read_in_full_are_named_to_who_may_read_them(stage):
    open_one = Document("jira:80", frozenset({"jira:PAY"}), title="Open one", unread=("a picture",))
    closed = Document("jira:81", frozenset({"jira:PAY", "jira:PAY:role:10"}), title="Closed one", unread=("a file",))
    stage.document("jira", open_one, closed)
    page = stage.client(["jira:PAY"]).get("/console/sources/jira").text
    assert "Open one" in page
    assert "Closed one" not in page
    assert "Closed one" in stage.client(["jira:PAY", "jira:PAY:role:10"]).get("/console/sources/jira").text


def test_a_leader_s_task_does_not_name_a_hidden_source(stage):
    leaders = Leaders(stage.program.database, stage.clock)
    leaders.lead("sync shop", "one", LEASE)
    leaders.lead("poll jira", "one", LEASE)
    page = stage.client(["jira:PAY"]).get("/console/").text
    assert "poll jira" in page
    assert "sync shop" not in page
