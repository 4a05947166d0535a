import pytest

from core.embedders import Embedders
from core.embedding.static import StaticEmbedder
from evals.retrieval.run import Setup


@pytest.fixture(scope="session")
def setup() -> Setup:
    return Setup(Embedders.same(StaticEmbedder()))
