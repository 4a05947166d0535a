"""All arms of a search: every filter in each of them, and who is believed how far."""

from dataclasses import replace
from datetime import timedelta

import pytest

from core.arms import LEADING, Arms
from core.asking import Asked, asked
from core.embedding.static import StaticEmbedder
from core.ranking import VOTES, Rankings
from core.store.base import CollectionName, Scope
from core.types import ORG, Audience, Filters, NullMetrics
from tests.core.parts import EARLY, EVERYBODY, Bench, Counting, document
from tests.core.test_exact import code
from tests.core.test_votes import touching

LATE = EARLY + timedelta(days=9)
BOTH = Audience(frozenset({ORG, "repo:vault"}))


def wordings(bench: Bench, *texts: str) -> list[Asked]:
    return asked(texts, bench.embedders.documents)


def ranked(
    bench: Bench, collection: CollectionName, *texts: str, audience: Audience = EVERYBODY, **filters: object
) -> Rankings:
    scope = Scope(audience, Filters(**filters))
    question = wordings(bench, *texts)
    commits = question[0] if collection == "code" else None
    return Arms(bench.store, NullMetrics()).rankings(collection, question, scope, 100, 0.5, commits=commits)


def documents(bench: Bench, rankings: Rankings) -> dict[str, set[str]]:
    """The ids of the documents that each arm found."""
    found = {}
    for ranking in rankings.chunks:
        passages = bench.store.fetch("code", ranking.ids, BOTH) | bench.store.fetch("documents", ranking.ids, BOTH)
        found[ranking.name] = {passage.document_id for passage in passages.values()}
    return found


ARMS = {"content words", "context words", "content meaning", "context meaning"}
FILES = {
    "a": code("def lock():\n    return 1\n", "src/lock.py", id="git:shop:src/lock.py"),
    "b": code("def lock():\n    return 2\n", "src/lock.ts", source="web"),
    "c": code("def lock():\n    return 3\n", "lib/lock.py", repo="vault", labels=frozenset({"repo:vault"})),
    "d": code("def lock():\n    return 4\n", "lib/lock.go", updated=LATE),
    "e": code(
        "def lock():\n    return 5\n", "src/lock.py", id="git:shop@next:src/lock.py", branch="next", development=True
    ),
}
FILTERS = [
    ({}, "abd"),
    ({"sources": frozenset({"web"})}, "b"),
    ({"repos": frozenset({"vault"})}, ""),
    ({"repos": frozenset({"shop"})}, "abd"),
    ({"path": "src/**"}, "ab"),
    ({"path": "*.go"}, "d"),
    ({"languages": frozenset({"python"})}, "a"),
    ({"branch": "next"}, "e"),
    ({"as_of": EARLY}, "ab"),
    ({"documents": frozenset({FILES["b"].id, FILES["c"].id})}, "b"),
    ({"without": frozenset({FILES["b"].id})}, "ad"),
    ({"kinds": frozenset({"page"})}, ""),
]


@pytest.fixture
def shop(bench: Bench) -> Bench:
    paths = sorted({one.path or "" for one in FILES.values()})
    shop = touching(1, "lock the account", *paths)
    bench.index(*FILES.values(), shop, touching(2, "lock it", *paths, repo="vault"))
    return bench


@pytest.mark.parametrize(("filters", "letters"), FILTERS)
def test_every_filter_holds_in_every_arm(shop: Bench, filters: dict, letters: str) -> None:
    found = documents(shop, ranked(shop, "code", "where is the lock", **filters))
    expected = {FILES[letter].id for letter in letters}
    for arm in ARMS & found.keys():
        assert found[arm] == expected, arm
    assert found.get(VOTES, set()) <= expected
    assert bool(expected) == bool(found)


def test_votes_do_not_widen_what_is_asked_for(shop: Bench) -> None:
    """Though the commits that vote are among the documents that are asked for."""
    commits = {f"git:shop@{1:040x}", f"git:vault@{2:040x}"}
    only = frozenset(commits | {FILES["b"].id})
    assert documents(shop, ranked(shop, "code", "lock", documents=only))[VOTES] == {FILES["b"].id}
    assert VOTES not in documents(shop, ranked(shop, "code", "lock", documents=frozenset(commits)))


def test_the_arms_of_documents_have_no_votes(shop: Bench) -> None:
    assert {ranking.kind for ranking in ranked(shop, "documents", "lock").chunks} == ARMS


def test_a_file_that_shares_no_word_with_the_question_is_voted_for(bench: Bench) -> None:
    """Nor is it among the nearest by meaning: only the commit leads to it."""
    fitting = [code(f"def close_account_{n}():\n    close(account)\n", f"src/account_{n}.py") for n in range(8)]
    meant = code("class Zygote:\n    pass\n", "lib/zygote.py")
    bench.index(*fitting, meant, touching(1, "close the account for good", "lib/zygote.py"))
    arms = Arms(bench.store, NullMetrics())
    question = wordings(bench, "close the account")
    made = arms.rankings("code", question, Scope(EVERYBODY), 5, 0.5, commits=question[0])
    assert all(meant.id not in found for name, found in documents(bench, made).items() if name != VOTES)
    assert documents(bench, made)[VOTES] == {meant.id}


def test_only_those_commits_vote_that_are_left(shop: Bench) -> None:
    arms = Arms(shop.store, NullMetrics())
    question, scope = wordings(shop, "lock"), Scope(EVERYBODY)
    nobody = Filters(as_of=EARLY - timedelta(days=1))
    assert VOTES in documents(shop, arms.rankings("code", question, scope, 100, 0.5, commits=question[0]))
    left = arms.rankings("code", question, scope, 100, 0.5, commits=question[0], voters=nobody)
    assert VOTES not in documents(shop, left)


def test_the_leading_arm_is_not_held_against_itself(bench: Bench) -> None:
    bench.index(*(document(f"The lock of hall {n} is blue.", id=f"wiki:{n}", title=f"Hall {n}") for n in range(60)))
    weights = {ranking.name: ranking.weight for ranking in ranked(bench, "documents", "lock hall blue").chunks}
    assert weights[LEADING] == 1.0
    assert all(0 <= weight <= 1 for weight in weights.values())


def test_an_arm_that_knows_nothing_is_not_believed(bench: Bench, embedder: StaticEmbedder) -> None:
    """Its meaning says all about trees, where the words are all about locks."""
    locks = [document(f"lock account hour {n}", id=f"lock:{n}", title=f"L{n}") for n in range(60)]
    trees = [document(f"oak birch elm {n}", id=f"tree:{n}", title=f"T{n}") for n in range(60)]
    bench.index(*locks, *trees)
    [right] = wordings(bench, "lock account hour")
    astray = replace(right, dense=embedder.embed(["oak birch elm"], "query").dense[0])
    made = Arms(bench.store, NullMetrics()).rankings("documents", [astray], Scope(EVERYBODY), 50, 0.5)
    weights = {ranking.name: ranking.weight for ranking in made.chunks}
    assert weights["content words"] == 1.0
    assert weights["content meaning"] < 0.1


def test_where_the_words_know_nothing_the_meaning_is_believed(bench: Bench, embedder: StaticEmbedder) -> None:
    """R1: one page of noise shares one word with the question, and says nothing against what is found by meaning."""
    noise = document("Secret santa: put a gift of ten euros below the tree.", id="noise", title="Party")
    bench.index(noise, *(document(f"oak birch elm {n}", id=f"tree:{n}", title=f"T{n}") for n in range(60)))
    [question] = wordings(bench, "why can people not authenticate after typing a wrong secret")
    astray = replace(question, dense=embedder.embed(["oak birch elm"], "query").dense[0])
    made = Arms(bench.store, NullMetrics()).rankings("documents", [astray], Scope(EVERYBODY), 50, 0.5)
    weights = {ranking.name: ranking.weight for ranking in made.chunks}
    assert weights["content words"] == pytest.approx(1 / 9)
    assert weights["content meaning"] >= 8 / 9


def test_other_wordings_count_their_share(bench: Bench) -> None:
    bench.index(document("The lock is blue.", id="wiki:1"), document("The gate is red.", id="wiki:2"))
    weights = {ranking.name: ranking.weight for ranking in ranked(bench, "documents", "lock", "lock").chunks}
    assert weights["content words"] == 1.0
    assert weights["content words 2"] == 0.5


def test_an_arm_that_finds_nothing_is_left_out_and_counted(bench: Bench) -> None:
    bench.index(document("The lock is blue."))
    metrics = Counting()
    made = Arms(bench.store, metrics).rankings("documents", wordings(bench, "zeppelin"), Scope(EVERYBODY), 9, 0.5)
    assert {ranking.name for ranking in made.chunks} == {"content meaning", "context meaning"}
    empty = "crosscheck_search_empty_arms_total"
    assert metrics.counts == {
        (empty, ("arm", f"{place} words"), ("collection", "documents")): 1 for place in ("content", "context")
    }


def test_nobody_finds_anything(shop: Bench) -> None:
    made = ranked(shop, "code", "lock", audience=Audience(frozenset({"other"})))
    assert made == Rankings([], [])
