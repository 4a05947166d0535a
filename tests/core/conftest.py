from collections.abc import Iterator

import pytest

from core.embedders import Embedders
from core.embedding.static import StaticEmbedder
from tests.core.parts import Bench


@pytest.fixture(scope="session")
def embedder() -> StaticEmbedder:
    return StaticEmbedder()


@pytest.fixture(scope="session")
def folder_bench(tmp_path_factory: pytest.TempPathFactory, embedder: StaticEmbedder) -> Iterator[Bench]:
    made = Bench(tmp_path_factory.mktemp("index") / "index", Embedders.same(embedder))
    yield made
    made.store.close()


@pytest.fixture
def bench(folder_bench: Bench) -> Bench:
    """An empty index. Making one takes longer than emptying it."""
    folder_bench.clear()
    return folder_bench
