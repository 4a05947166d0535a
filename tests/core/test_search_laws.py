"""What holds of every search, whatever is asked, whoever asks and whatever is hidden from them."""

import json
import os
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from core.embedders import Embedders
from core.embedding.sparse import query as sparse_query
from core.embedding.static import StaticEmbedder
from core.rerank.chain import Reranking
from core.rerank.late import LateInteraction
from core.search import Searcher
from core.store.base import Scope
from core.store.edge import EdgeStore
from core.types import ORG, Audience, Document, Filters, Query, SearchResult
from core.votes import CommitVotes
from tests.core.parts import EARLY, EVERYBODY, Bench, document
from tests.core.test_exact import code, commit, ticket

LAW = settings(max_examples=25, deadline=None, suppress_health_check=list(HealthCheck))

LABELS = (ORG, "jira:SEC", "repo:vault")
TEXTS = (
    "lock the account",
    "def lock_account():\n    return 1",
    "SEC-1 says lock",
    "close the account",
    "deadbeef12 closed it",
)
FILES = ("src/lock.py", "src/close.ts", "tests/test_lock.py", "docs/CHANGELOG.md")
WORDS = ("lock the account", "what does SEC-1 say of the lock", "how is lock_account called", "Lock rules", "口座 lock")
QUESTIONS = (*WORDS, "SEC-1", "SEC-99", "src/lock.py:1", "`lock_account`", '"says lock"', "deadbeef12", "shop#12")
NAMES = ("shop", "shopp", "shop-zq1zq", "zq")


def mark(number: int) -> str:
    """Is in all that is told of a document, and in no question."""
    return f"zq{number}zq"


def some(values: Sequence[str], most: int = 2) -> st.SearchStrategy[frozenset[str]]:
    return st.frozensets(st.sampled_from(values), max_size=most)


@st.composite
def one_of_them(draw: st.DrawFn, number: int, labels: frozenset[str]) -> Document:
    kind = draw(st.sampled_from(["page", "ticket", "comment", "code", "code", "commit", "commit"]))
    path = draw(st.sampled_from(FILES)).replace("/", f"/{mark(number)}/") if kind == "code" else None
    touched = "\n".join(sorted(draw(some([f"src/{mark(n)}/lock.py" for n in range(4)]))))
    return document(
        f"{draw(st.sampled_from(TEXTS))} {mark(number)}",
        id=f"git:shop:{path}" if path else f"id-{mark(number)}",
        kind=kind,
        source=draw(st.sampled_from(["wiki", "jira", "shop"])),
        title=f"Rules {mark(number)}",
        labels=labels,
        keys=draw(some(["SEC-1", "Lock rules", "deadbeef12"])),
        repo=draw(st.sampled_from(["shop", f"shop-{mark(number)}"])) if kind in {"code", "commit"} else None,
        path=path,
        branch=draw(st.sampled_from([None, "next"])),
        attributes={"paths": touched} if kind == "commit" and touched else {},
        updated=EARLY + timedelta(days=draw(st.integers(0, 2))),
    )


@st.composite
def corpora(draw: st.DrawFn) -> list[Document]:
    return [draw(one_of_them(number, draw(some(LABELS, 3).filter(bool)))) for number in range(draw(st.integers(1, 8)))]


AUDIENCES = st.builds(Audience, some(LABELS, 3))
FILTERS = st.just(Filters()) | st.builds(
    Filters,
    sources=some(["wiki", "jira", "shop", "wikki"]),
    kinds=some(["page", "code", "ticket", "commit"], 3),
    repos=some(NAMES),
    path=st.sampled_from([None, "*.py", "src/**", "lib/lock.py", "[", "**"]),
    languages=some(["python", "typescript", "pyton"]),
    branch=st.sampled_from([None, "next", "nextt"]),
    as_of=st.sampled_from([None, EARLY, EARLY + timedelta(days=1)]),
    documents=some([f"id-{mark(n)}" for n in range(8)], 4),
    without=some([f"id-{mark(n)}" for n in range(8)]),
)


def told(result: SearchResult) -> dict[str, Any]:
    """All of an answer but how long it took."""
    plain = asdict(replace(result, trace=replace(result.trace, steps={}) if result.trace else None))
    plain["evidence"] = [repr(evidence) for evidence in result.evidence]
    return plain


def satisfies(one: Document, wanted: Filters) -> bool:
    suffixes = {"python": ".py", "typescript": ".ts"}
    spoken = next(
        (name for name, suffix in suffixes.items() if one.kind == "code" and (one.path or "").endswith(suffix)), ""
    )
    return (
        (not wanted.sources or one.source in wanted.sources)
        and (not wanted.kinds or one.kind in wanted.kinds)
        and (not wanted.repos or one.repo in wanted.repos)
        and (not wanted.languages or spoken in wanted.languages)
        and (wanted.branch is None or one.branch == wanted.branch)
        and (wanted.as_of is None or one.updated <= wanted.as_of)
        and (not wanted.documents or one.id in wanted.documents)
        and one.id not in wanted.without
        and (wanted.path is None or (one.path is not None and _matches(one.path, wanted.path)))
    )


def _matches(path: str, glob: str) -> bool:
    return {"*.py": path.endswith(".py"), "src/**": path.startswith("src/"), "**": True}.get(glob, False)


# Law 4.


@LAW
@given(corpora(), AUDIENCES, FILTERS, st.sampled_from(QUESTIONS), st.sampled_from([(), ("close it",)]))
def test_what_may_not_be_read_is_in_no_part_of_an_answer(
    bench: Bench, corpus: list[Document], audience: Audience, filters: Filters, question: str, variants: tuple[str, ...]
) -> None:
    bench.index(*corpus)
    by_id = {one.id: one for one in corpus}
    result = bench.searcher.search(Query(question, variants, filters, 50), audience)
    for evidence in result.evidence:
        assert audience.may_read(by_id[evidence.document_id].labels)
        assert satisfies(by_id[evidence.document_id], filters)
    asked_for = filters.repos | filters.documents | filters.without
    shown = json.dumps(told(result))
    for number, one in enumerate(corpus):
        if not audience.may_read(one.labels):
            said = shown
            for name in asked_for:  # what was asked is said again
                said = said.replace(f'\\"{name}\\"', "")
            paths = {path for c in corpus if audience.may_read(c.labels) for path in [c.attributes.get("paths", "")]}
            if not any(mark(number) in path for path in paths):  # a commit that may be read names it
                assert mark(number) not in said


@LAW
@given(st.data(), st.lists(st.integers(1, 3), min_size=1, max_size=5), FILTERS, st.sampled_from(QUESTIONS))
def test_what_is_hidden_answers_as_what_does_not_exist(
    bench: Bench, data: st.DataObject, hidden: list[int], filters: Filters, question: str
) -> None:
    """Word by word and score by score. What is hidden bears the keys, files, repositories and votes that are asked for,
    or nothing at all: only its words are the same, since how rare a word is, is counted over all.
    """
    seen = [data.draw(one_of_them(number, frozenset({ORG}))) for number in range(4)]
    secret = [data.draw(one_of_them(number, frozenset({ORG, "jira:SEC"}))) for number in range(5, 5 + len(hidden))]
    bare = [
        replace(one, keys=frozenset(), repo=None, path=None, branch=None, attributes={}, source="other", updated=EARLY)
        for one in secret
    ]
    query = Query(question, ("close it",), filters, 50)
    answers = []
    for rest in (secret, bare):
        bench.index(*seen, *rest)
        searcher = Searcher(bench.store, bench.embedders)  # that remembers nothing of another index
        answers.append((told(searcher.search(query, EVERYBODY)), searcher.lookup(question, EVERYBODY, 50)))
    assert answers[0] == answers[1]
    bench.index(*seen)
    alone = bench.searcher.search(query, EVERYBODY)
    assert (list(alone.notes), list(alone.degraded)) == (list(answers[0][0]["notes"]), list(answers[0][0]["degraded"]))


class Watched:
    """A store that remembers what it was asked, and how much it answered with."""

    def __init__(self, store: object) -> None:
        self._store = store
        self.calls: list[str] = []

    def __getattr__(self, name: str) -> Any:
        self.calls.append(name)
        return getattr(self._store, name)


@pytest.mark.parametrize("asked", ["{}", "what does {} say", "see {} and HR-98", "`{}`"])
@pytest.mark.parametrize(
    ("hidden", "none"), [("SEC-9", "SEC-8"), ("src/vault.py", "src/crypt.py"), ("a" * 10, "b" * 10)]
)
def test_what_is_hidden_takes_the_same_steps_as_what_does_not_exist(
    bench: Bench, asked: str, hidden: str, none: str
) -> None:
    """So it takes the same time, too."""
    secret = frozenset({"repo:vault"})
    bench.index(
        ticket("SEC-9", "The vault key leaks.", labels=secret),
        code("class Vault:\n    pass\n", "src/vault.py", repo="vault", labels=secret),
        document("secret", id="sha", keys=frozenset({"a" * 10 + "0"}), kind="commit", labels=secret),
        document("The account is locked.", id="wiki:1"),
    )
    taken, answers = [], []
    for name in (hidden, none):
        watched: Any = Watched(bench.store)
        text = asked.format(name)
        result = Searcher(watched, bench.embedders).search(Query(text), EVERYBODY)
        Searcher(watched, bench.embedders).lookup(text, EVERYBODY)
        taken.append(watched.calls)
        answers.append((len(result.evidence), [note.replace(name, "") for note in result.notes]))
    assert taken[0] == taken[1]
    assert answers[0] == answers[1]


@pytest.mark.parametrize(
    ("filters", "others"),
    [
        ({"repos": frozenset({"vault"})}, {"repos": frozenset({"nault"})}),
        ({"sources": frozenset({"vault"})}, {"sources": frozenset({"nault"})}),
        ({"branch": "vault"}, {"branch": "nault"}),
        ({"languages": frozenset({"rust"})}, {"languages": frozenset({"ruts"})}),
        ({"path": "vault/**"}, {"path": "nault/**"}),
    ],
)
def test_a_hidden_name_is_refused_as_one_that_is_not_there(
    bench: Bench, filters: Mapping[str, Any], others: Mapping[str, Any]
) -> None:
    secret = {"labels": frozenset({"repo:vault"}), "source": "vault", "branch": "vault", "repo": "vault"}
    bench.index(code("fn vault() {}\n", "vault/key.rs", **secret), code("def lock():\n    pass\n", "src/lock.py"))
    answers, taken = [], []
    for some_filters in (filters, others):
        watched: Any = Watched(bench.store)
        query = Query("lock the vault", filters=Filters(**some_filters))
        result = Searcher(watched, bench.embedders).search(query, EVERYBODY)
        plain = json.dumps(told(result)).replace("nault", "vault").replace("ruts", "rust")
        answers.append(plain)
        taken.append(watched.calls)
    assert answers[0] == answers[1]
    assert taken[0] == taken[1]


@pytest.mark.parametrize("filters", [Filters(), Filters(kinds=frozenset({"code"})), Filters(path="src/**")])
def test_the_vote_of_a_hidden_commit_changes_neither_order_nor_scores(bench: Bench, filters: Filters) -> None:
    files = [code(f"class {name.title()}:\n    pass\n", f"src/{name}.py") for name in ("alpha", "beta", "gamma")]
    open_commit = commit("1" * 39 + "a", "close the account", attributes={"paths": "src/beta.py"})

    def answer(*paths: str) -> dict[str, Any]:
        hidden = [
            commit(f"{n:039x}f", "close the account", labels=frozenset({"x"}), attributes={"paths": "\n".join(paths)})
            for n in range(6)
        ]
        bench.index(*files, open_commit, *hidden)
        searcher = Searcher(bench.store, bench.embedders)  # that remembers nothing of another index
        return told(searcher.search(Query("close the account", filters=filters), EVERYBODY))

    assert answer() == answer("src/gamma.py") == answer("src/beta.py") == answer("src/alpha.py", "src/beta.py")


class Changing:
    """A store in which everything is hidden just after it was ranked."""

    def __init__(self, store: EdgeStore, documents: Sequence[Document]) -> None:
        self._store = store
        self._hidden = {one.id: frozenset({"x"}) for one in documents}

    def __getattr__(self, name: str) -> Any:
        return getattr(self._store, name)

    def rank(self, *arguments: Any) -> Any:
        hits = self._store.rank(*arguments)
        self._store.relabel(self._hidden)
        return hits


def test_what_is_hidden_meanwhile_is_not_shown_and_does_not_vote(bench: Bench) -> None:
    documents = [
        document("The account is locked.", id="wiki:zq1zq", title="zq1zq"),
        commit("1" * 39 + "a", "lock the account", attributes={"paths": "src/zq2zq.py"}),
    ]
    file = code("class Zygote:\n    pass\n", "src/zq2zq.py")
    bench.index(*documents, file)
    changing: Any = Changing(bench.store, [*documents, file])
    assert "zq" not in json.dumps(
        told(Searcher(changing, bench.embedders).search(Query("lock the account"), EVERYBODY))
    )
    bench.index(*documents, file)
    only_votes: Any = Changing(bench.store, documents)
    scope = Scope(EVERYBODY)
    assert CommitVotes(bench.store).documents(sparse_query("lock the account"), scope) == [file.id]
    assert CommitVotes(only_votes).documents(sparse_query("lock the account"), scope) == []


# Law 10.


@LAW
@given(corpora(), st.sampled_from(QUESTIONS), st.integers(1, 12), FILTERS)
def test_what_is_named_comes_first(
    bench: Bench, corpus: list[Document], question: str, limit: int, filters: Filters
) -> None:
    bench.index(*corpus)
    audience = Audience(frozenset(LABELS))
    found = bench.searcher.search(Query(question, filters=filters, limit=limit), audience).evidence
    routes = [evidence.route for evidence in found]
    assert routes == sorted(routes)  # `exact` before `hybrid`
    assert len(found) <= limit
    assert len({evidence.id for evidence in found}) == len(found)
    bearing = {one.id for one in corpus if "SEC-1" in one.keys and satisfies(one, filters) and not one.development}
    if "SEC-1" in question and bearing:
        assert found[0].document_id in bearing
    if question in WORDS:
        assert routes.count("exact") <= (limit + 1) // 2


# Places.


def crowded() -> list[Document]:
    """Of everything more than ten results can hold, all about one thing."""
    long = [
        document(
            "\n\n".join(
                f"## Lock part {n}\n\n" + f"Lock rule {n} of hall {h} takes {n} days. " * 30 for n in range(20)
            ),
            id=f"wiki:long{h}",
            title=f"Lock manual {h}",
        )
        for h in range(3)
    ]
    pages = [document(f"Lock number {n} is in hall {n}.", id=f"wiki:{n}", title=f"Lock {n}") for n in range(15)]
    tickets = [ticket(f"PAY-{n}", f"Lock {n} of the hall fails on day {n}.") for n in range(1, 15)]
    files = [code(f"def lock_{n}(hall):\n    return hall.lock({n})\n", f"src/lock_{n}.py") for n in range(15)]
    tests = [code(f"def test_lock_{n}(hall):\n    assert {n}\n", f"tests/test_lock_{n}.py") for n in range(15)]
    apart = [code(f"var lock{n} = hall({n});\n", f"vendor/lock{n}.js") for n in range(5)]
    commits = [commit(f"{n:039x}c", f"Lock hall {n}", attributes={"paths": f"src/lock_{n}.py"}) for n in range(15)]
    return [*long, *pages, *tickets, *files, *tests, *apart, *commits]


@pytest.fixture(scope="module")
def full(tmp_path_factory: pytest.TempPathFactory, embedder: StaticEmbedder) -> Iterator[Bench]:
    made = Bench(tmp_path_factory.mktemp("full") / "index", Embedders.same(embedder))
    made.index(*crowded())
    yield made
    made.store.close()


def searchers(bench: Bench, embedder: StaticEmbedder) -> list[Searcher]:
    late = Reranking([LateInteraction(embedder)], 60)
    return [bench.searcher, Searcher(bench.store, bench.embedders, reranking=late)]


QUESTION = "how does the lock of the hall work"


@pytest.mark.parametrize("text", [QUESTION, "lock", "what says PAY-3 of the lock in the hall"])
def test_caps_and_reserved_places_hold_on_every_page(full: Bench, embedder: StaticEmbedder, text: str) -> None:
    for searcher in searchers(full, embedder):
        found = searcher.search(Query(text, limit=30), EVERYBODY).evidence
        assert len(found) == 30
        for page in (found[:10], found[10:20], found[20:]):
            assert max(Counter(evidence.document_id for evidence in page).values()) <= 6
            kinds = Counter(evidence.kind for evidence in page)
            tests = sum("tests/" in evidence.document_id for evidence in page)
            assert kinds["ticket"] >= 2
            assert kinds["page"] >= 3
            assert kinds["code"] - tests >= 3
            assert tests == 1
            assert kinds["commit"] == 0
            assert not any("vendor/" in evidence.document_id for evidence in page)


@pytest.mark.parametrize("text", [QUESTION, "lock"])
def test_the_first_ten_are_the_same_whatever_the_limit(full: Bench, embedder: StaticEmbedder, text: str) -> None:
    for searcher in searchers(full, embedder):
        ten = [evidence.id for evidence in searcher.search(Query(text, limit=10), EVERYBODY).evidence]
        for limit in (11, 13):
            assert [one.id for one in searcher.search(Query(text, limit=limit), EVERYBODY).evidence][:10] == ten, limit


@pytest.mark.parametrize("limit", range(1, 10))
def test_a_small_page_holds_the_best(full: Bench, limit: int) -> None:
    """Reserved places are beside it, not instead of it."""
    result = full.searcher.search(Query("return the hall of a lock", limit=limit), EVERYBODY)
    assert len(result.evidence) == limit
    assert result.trace is not None
    best = next(one for one in result.trace.candidates if one.fused == 1)
    assert best.id in {evidence.id for evidence in result.evidence}


# The same again.


def test_the_same_question_has_the_same_answer(full: Bench, embedder: StaticEmbedder) -> None:
    for searcher in searchers(full, embedder):
        query = Query(QUESTION, ("lock in a hall",), limit=25)
        first = told(searcher.search(query, EVERYBODY))
        assert all(told(searcher.search(query, EVERYBODY)) == first for _ in range(4))


ELSEWHERE = """
import sys
from pathlib import Path
from core.embedders import Embedders
from core.embedding.static import StaticEmbedder
from core.rerank.chain import Reranking
from core.rerank.late import LateInteraction
from core.search import Searcher
from core.types import Filters, Query
from tests.core.parts import EVERYBODY, Bench
from tests.core.test_search_laws import QUESTION, crowded

embedder = StaticEmbedder()
bench = Bench(Path(sys.argv[1]), Embedders.same(embedder))
bench.index(*crowded())
searcher = Searcher(bench.store, bench.embedders, reranking=Reranking([LateInteraction(embedder)], 60))
narrow = Filters(kinds=frozenset({"page", "code", "ticket"}), without=frozenset({"wiki:1", "wiki:2"}))
many = Query(QUESTION, ("lock in a hall",), limit=25)
for query in (many, Query(QUESTION, filters=narrow), Query("PAY-3 lock_3 lock")):
    result = searcher.search(query, EVERYBODY)
    for evidence in result.evidence:
        print(evidence.document_id, evidence.id, evidence.score)
    print(result.notes, [(arm.name, arm.weight) for arm in result.trace.arms])
bench.store.close()
"""


def test_another_process_answers_the_same(tmp_path: Path) -> None:
    root = Path(__file__).resolve().parents[2]
    printed = []
    for seed in ("1", "4242"):
        environment = os.environ | {"PYTHONHASHSEED": seed, "PYTHONPATH": str(root)}
        command = [sys.executable, "-c", ELSEWHERE, str(tmp_path / seed)]
        made = subprocess.run(
            command, env=environment, cwd=root, capture_output=True, text=True, timeout=200, check=True
        )
        printed.append(made.stdout)
    assert printed[0].count("\n") > 30
    assert printed[0] == printed[1]
