"""Figures of a search and of an index, for whoever measures retrieval: the report draws them."""

from core.embedders import Embedders
from core.store.base import Store
from core.types import Audience, Query, Trace
from crosscheck.map_data import MapQuestion, every_point, map_data
from crosscheck.records import trace_record
from evals.harness.types import Figure
from evals.retrieval.run import Searches

_RESULTS = 10


def flow_figure(searcher: Searches, question: str, audience: Audience) -> Figure:
    """How the question's candidates came to be results: `{"question", "trace": as trace_record makes it}`.

    Raises BadQuery, and what the store and the embedders raise.
    """
    found = searcher.search(Query(question, limit=_RESULTS), audience)
    trace = trace_record(found.trace or Trace("hybrid"))
    return Figure("flow", "How a question is answered", {"question": question, "trace": trace})


def map_figure(store: Store, audience: Audience, embedders: Embedders, question: MapQuestion | None = None) -> Figure:
    """All that the audience may read in the index, what is alike standing together: `{"drawn": as map_data makes it}`.
    A question is marked with its hits.

    CrosscheckError if nothing is there to be drawn or the extra `map` is not installed; raises IndexUnusable.
    """
    return Figure(
        "map", "Map of what was searched", {"drawn": map_data(every_point(store), audience, embedders, question)}
    )
