"""Law 4: nothing is found by an audience that does not hold all of its labels, under any filter, on any route."""

from datetime import timedelta

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from core.store.base import Arm, Scope
from core.types import ORG, Audience, Document, Evidence, Filters, Query
from tests.core.parts import EARLY, EVERYBODY, Bench, Shelf, document

LABELS = (ORG, "jira:PAY", "jira:PAY:role:Support", "confluence:HR", "restriction:1234")
labels = st.frozensets(st.sampled_from(LABELS), max_size=4)

PEOPLE = settings(max_examples=25, deadline=None, suppress_health_check=list(HealthCheck))


@st.composite
def corpora(draw: st.DrawFn) -> list[Document]:
    documents = []
    for number in range(draw(st.integers(1, 8))):
        kind = draw(st.sampled_from(["page", "ticket", "comment", "code", "commit"]))
        text = draw(
            st.sampled_from(["lock the account", "def lock_account():\n    pass", "see PAY-1", "lock PAY-1 twice"])
        )
        documents.append(
            document(
                text,
                id=f"d{number}",
                kind=kind,
                source=draw(st.sampled_from(["wiki", "jira"])),
                labels=draw(labels.filter(bool)),
                keys=draw(st.frozensets(st.sampled_from(["PAY-1", "Rules", "deadbeef12"]), max_size=2)),
                path=draw(st.sampled_from([None, "src/a.py", "src/b.py"])),
                repo=draw(st.sampled_from([None, "shop"])),
                branch=draw(st.sampled_from([None, "dev"])),
                updated=EARLY + timedelta(days=draw(st.integers(0, 3))),
            )
        )
    return documents


filters = st.builds(
    Filters,
    sources=st.frozensets(st.sampled_from(["wiki", "jira"]), max_size=1),
    kinds=st.frozensets(st.sampled_from(["page", "code", "ticket"]), max_size=2),
    repos=st.sampled_from([frozenset(), frozenset({"shop"})]),
    path=st.sampled_from([None, "*.py", "src/*", "**/b.py"]),
    branch=st.sampled_from([None, "dev"]),
    as_of=st.sampled_from([None, EARLY + timedelta(days=1)]),
    without=st.sampled_from([frozenset(), frozenset({"d0"})]),
)
questions = st.sampled_from(
    [
        "lock the account",
        "PAY-1",
        "lock_account",
        "src/a.py:1",
        "`lock_account`",
        '"see PAY-1"',
        "Rules",
        "deadbeef",
        "lock PAY-1",
    ]
)


def satisfies(document: Document, wanted: Filters) -> bool:
    return (
        (not wanted.sources or document.source in wanted.sources)
        and (not wanted.kinds or document.kind in wanted.kinds)
        and (not wanted.repos or document.repo in wanted.repos)
        and (wanted.branch is None or document.branch == wanted.branch)
        and (wanted.as_of is None or document.updated <= wanted.as_of)
        and document.id not in wanted.without
        and (wanted.path is None or (document.path or "").endswith("b.py" if "b.py" in wanted.path else ".py"))
    )


@PEOPLE
@given(corpus=corpora(), held=labels, wanted=filters, question=questions)
def test_no_hit_lacks_a_label_or_a_filter(bench: Bench, corpus, held, wanted, question) -> None:
    bench.index(*corpus)
    audience = Audience(held)
    by_id = {d.id: d for d in corpus}
    found = bench.searcher.search(Query(question, variants=("account",), filters=wanted), audience).evidence
    for evidence in found:
        assert held >= by_id[evidence.document_id].labels == evidence.labels
        assert satisfies(by_id[evidence.document_id], wanted)
    for evidence in bench.searcher.lookup(question, audience):
        assert held >= evidence.labels
    for key, one in by_id.items():
        assert bool(bench.searcher.open_document(key, audience)) == (held >= one.labels)


@PEOPLE
@given(corpus=corpora(), held=labels, question=questions)
def test_what_is_hidden_answers_like_what_does_not_exist(bench: Bench, corpus, held, question) -> None:
    """Which passages are found is the same with the hidden documents in the index and without them."""
    audience = Audience(held)
    everything = Query(question, limit=100)

    def seen() -> tuple[set[str], set[str]]:
        result = bench.searcher.search(everything, audience)
        assert result.degraded == ()
        return identities(result.evidence), identities(bench.searcher.lookup(question, audience, 100))

    bench.index(*corpus)
    with_hidden = seen()
    bench.index(*(d for d in corpus if audience.may_read(d.labels)))
    assert seen() == with_hidden


def identities(evidence: tuple[Evidence, ...]) -> set[str]:
    return {e.text for e in evidence}


def test_both_labels_are_required(bench: Bench) -> None:
    bench.index(document("the salary table", labels=frozenset({"confluence:HR", "restriction:1234"})))
    for held in ({"confluence:HR"}, {"restriction:1234"}, {ORG}, set()):
        assert bench.searcher.search(Query("salary table"), Audience(frozenset(held))).evidence == ()
    both = Audience(frozenset({"confluence:HR", "restriction:1234", ORG}))
    assert len(bench.searcher.search(Query("salary table"), both).evidence) == 1


def test_hidden_documents_take_no_place_from_the_others(bench: Bench) -> None:
    """Filtering after the search would lose what lies beyond its limit."""
    hidden = [document(f"refund rule {n}", id=f"h{n}", labels=frozenset({"confluence:HR"})) for n in range(150)]
    bench.index(*hidden, document("a refund takes long, says an old and wordy page about other things", id="open"))
    found = bench.searcher.search(Query("refund rule"), EVERYBODY).evidence
    assert [evidence.document_id for evidence in found] == ["open"]


def test_a_changed_label_counts_at_once(bench: Bench) -> None:
    bench.index(document("the merger plan", id="m"))
    shelf = Shelf([document("the merger plan", id="m")], live={"m": frozenset({ORG, "restriction:1234"})})
    assert bench.ingest.sweep_labels(shelf) == 1
    assert bench.searcher.search(Query("merger plan"), EVERYBODY).evidence == ()
    shelf.live = {"m": None}  # who may read it cannot be told: nobody, until it can
    assert bench.ingest.sweep_labels(shelf) == 1
    assert bench.searcher.search(Query("merger plan"), Audience(frozenset(LABELS))).evidence == ()
    shelf.live = {}
    assert bench.ingest.sweep_labels(shelf) == 1
    assert bench.ingest.sweep_labels(shelf) == 0
    assert len(bench.searcher.search(Query("merger plan"), EVERYBODY).evidence) == 1


def test_a_label_that_changes_between_ranking_and_reading_hides_the_text(bench: Bench) -> None:
    bench.index(document("the merger plan", id="m"))
    arm = Arm("content", bench.embedders.documents.embed(["merger"]).dense[0])
    [[hit]] = bench.store.rank("documents", [arm], Scope(EVERYBODY), 5)
    bench.store.relabel({"m": frozenset({"restriction:1234"})})
    assert bench.store.fetch("documents", [hit.id], EVERYBODY) == {}


def test_an_empty_audience_gets_nothing(bench: Bench) -> None:
    bench.index(document("lock PAY-1", keys=frozenset({"PAY-1"})))
    nobody = Audience(frozenset())
    assert bench.searcher.search(Query("lock"), nobody).evidence == ()
    assert bench.searcher.lookup("PAY-1", nobody) == ()
    assert bench.searcher.open_document("wiki:1", nobody) == ()
