"""Unchanged content is not embedded again, and each collection has its own embedder."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from core.embedders import Embedders
from core.embedding.sparse import Bm25, SparseVector
from core.errors import EmbedderUnavailable
from core.ingest import Ingest
from core.search import Searcher
from core.store.base import Arm, Scope
from core.types import ORG, Document, Query
from tests.core.parts import EVERYBODY, Bench, Letters, Shelf, Weighing, document, refusing


@pytest.fixture
def letters(tmp_path: Path) -> Iterator[Bench]:
    """Documents and code in collections of different sizes; the code's terms are learned."""
    made = Bench(tmp_path / "index", Embedders(Letters(8), Weighing(16)))
    yield made
    made.store.close()


def given(bench: Bench, collection: str = "documents") -> list[str]:
    """What the embedder was given since the last look."""
    embedder = getattr(bench.embedders, collection)
    texts = list(embedder.given)
    embedder.given.clear()
    return texts


def parts(*names: str) -> str:
    return "\n\n".join(f"## Part {name}\n\n" + f"sentence {name} of the part. " * 120 for name in names)


def test_a_part_added_at_the_top_is_all_that_is_embedded(letters: Bench) -> None:
    source = Shelf([document(parts("a", "b", "c", "d"), id="p", version="1")])
    letters.ingest.sync(source)
    first = given(letters)
    held = {p.text: p for p in letters.store.read("p", EVERYBODY, 99)}
    source.documents = [replace(source.documents[0], text=parts("new", "a", "b", "c", "d"), version="2")]
    report = letters.ingest.sync(source)
    again = given(letters)
    chunks = letters.store.read("p", EVERYBODY, 99)
    fresh = {text for chunk in chunks for text in (chunk.text, chunk.context)} - set(first)
    assert report.chunks == len(chunks) > len(held)
    assert sorted(again) == sorted(fresh)
    assert 0 < len(again) < len(first)


def test_what_was_not_embedded_again_has_the_vectors_it_had(letters: Bench, tmp_path: Path) -> None:
    """The same index as one made anew: dense vectors and terms, of contents and contexts."""
    code = document("def f():\n    return 1\n\n" * 40, id="c", kind="code", path="c.py")
    source = Shelf([document(parts("a", "b"), id="p"), code])
    letters.ingest.sync(source)
    given(letters, "code")
    changed = [
        replace(source.documents[0], text=parts("b", "new"), context="HELP > Renamed", version="2"),
        replace(code, text="x = 1\n\n" + code.text, version="2"),
    ]
    source.documents = changed
    letters.ingest.sync(source)
    anew = Bench(tmp_path / "anew", Embedders(Letters(8), Weighing(16)))
    anew.ingest.sync(Shelf(changed))
    for collection, key in (("documents", "p"), ("code", "c")):
        texts = {text for p in anew.store.read(key, EVERYBODY, 99) for text in (p.text, p.context)}
        expected = anew.store.vectors(collection, [key], texts)
        assert set(expected) == texts
        got = letters.store.vectors(collection, [key], texts)
        assert set(got) == texts
        for text, vectored in expected.items():
            assert np.array_equal(got[text].dense, vectored.dense)
            assert got[text].terms == vectored.terms
    anew.store.close()


def test_a_first_sync_looks_nothing_up_and_embeds_each_text_once(letters: Bench) -> None:
    class Blind:
        def __getattr__(self, name: str) -> object:
            assert name != "vectors"
            return getattr(letters.store, name)

    ingest = Ingest(Blind(), letters.embedders, letters.registry, letters.cursors)
    ingest.sync(Shelf([document(parts("a", "b"), id="p"), document(parts("a", "b"), id="q")]))
    texts = given(letters)
    assert len(texts) == len(set(texts))


def test_documents_that_lost_chunks_are_mended_from_what_is_left(letters: Bench) -> None:
    source = Shelf([document(parts("a", "b", "c"), id="p")])
    letters.ingest.sync(source)
    given(letters)
    letters.store.trim("documents", {"p": 1})
    letters.ingest.sync(source, full=True)
    again = given(letters)
    chunks = letters.store.read("p", EVERYBODY, 99)
    assert len(chunks) > 1
    assert chunks[0].text not in again
    assert chunks[-1].text in again


def test_vectors_are_taken_only_from_the_documents_named(letters: Bench) -> None:
    letters.ingest.sync(Shelf([document("one", id="p"), document("two", id="q")]))
    assert set(letters.store.vectors("documents", ["p"], ["one", "two"])) == {"one"}
    assert letters.store.vectors("code", ["p"], ["one"]) == {}
    assert letters.store.vectors("documents", ["p"], []) == {}


# Two embedders


def both() -> list[Document]:
    return [
        document("alpha beta", id="page", title="Page"),
        document("gamma = 1\n", id="code", kind="code", path="a.py", title="a.py"),
    ]


def test_learned_terms_stand_in_place_of_bm25_where_there_are_any(letters: Bench) -> None:
    letters.ingest.sync(Shelf(both()))
    (page,) = letters.store.read("page", EVERYBODY, 9)
    (code,) = letters.store.read("code", EVERYBODY, 9)
    held = letters.store.vectors("code", ["code"], [code.text])[code.text].terms
    assert held == SparseVector((1, 5), (2.0, 6.0))  # `=` and `1`, `gamma`
    words = letters.store.vectors("documents", ["page"], [page.text])[page.text].terms
    expected = Bm25(average=200).document(f"{page.context}\n" * 3 + page.text)
    assert dict(zip(words.indices, words.values, strict=True)) == pytest.approx(
        dict(zip(expected.indices, expected.values, strict=True))
    )


def test_learned_weights_are_not_weighed_by_how_rare_they_are(letters: Bench) -> None:
    letters.ingest.sync(Shelf(both()))
    arm = Arm("content", SparseVector((5,), (1.0,)))
    ((hit,),) = letters.store.rank("code", [arm], Scope(EVERYBODY), 5)
    assert hit.score == pytest.approx(6.0)


def test_each_collection_is_asked_by_its_own_embedder(letters: Bench) -> None:
    letters.ingest.sync(Shelf(both()))
    given(letters), given(letters, "code")
    found = letters.searcher.search(Query("what is gamma or alpha"), EVERYBODY)
    assert {evidence.document_id for evidence in found.evidence} == {"page", "code"}
    assert found.degraded == ()
    assert given(letters) == given(letters, "code") == ["what is gamma or alpha"]


def test_one_embedder_for_both_is_asked_once(tmp_path: Path) -> None:
    embedder = Letters()
    bench = Bench(tmp_path / "index", Embedders.same(embedder))
    bench.ingest.sync(Shelf(both()))
    embedder.given.clear()
    bench.searcher.search(Query("what is gamma or alpha"), EVERYBODY)
    assert embedder.given == ["what is gamma or alpha"]
    bench.store.close()


def test_a_failing_embedder_leaves_words_where_it_did_not_weigh_them(letters: Bench) -> None:
    letters.ingest.sync(Shelf(both()))
    failing = Searcher(letters.store, refusing(letters.embedders, EmbedderUnavailable("gone")))
    found = failing.search(Query("what is gamma or alpha"), EVERYBODY)
    assert [evidence.document_id for evidence in found.evidence] == ["page"]
    assert len(found.degraded) == 2
    assert ORG in found.evidence[0].labels
    named = failing.search(Query("where is gamma, in a.py"), EVERYBODY)
    assert "code" in {evidence.document_id for evidence in named.evidence}
