"""A picture of the index as plain data: which passages it shows, where each stands, and where a question and its hits
are. Made where the index is; `crosscheck.map_files` makes the files of it.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

from bots.text import one_line
from core.embedders import Embedders
from core.embedding.sparse import query as sparse_query
from core.store.base import COLLECTIONS, CollectionName, Passage, Point, Store, Vectored
from core.types import Audience
from crosscheck.errors import CrosscheckError
from crosscheck.map_projection import WORDS, Item, check_installed, positions
from crosscheck.map_sample import Sample, sample

MOST = 5_000  # passages in one picture: t-SNE's time, and what an eye can tell apart

_HITS = 50
_LINE = 160  # characters of a title or a place
_LONGEST_URL = 2_000
_EVERY = 1_000  # points between two reports

Report = Callable[[dict[str, Any]], None]


@dataclass(frozen=True, slots=True)
class MapQuestion:
    """A question and what was found for it."""

    text: str
    vectors: Mapping[CollectionName, Vectored]
    """The question as each collection compares it."""
    hits: tuple[str, ...] = ()
    """Ids of points (`Evidence.id`), best first."""


def asked(text: str, hits: Iterable[str], embedders: Embedders) -> MapQuestion:
    """A question with its vectors. Raises EmbedderUnavailable."""
    vectors: dict[CollectionName, Vectored] = {}
    for collection in COLLECTIONS:
        encoded = embedders.of(collection).embed([text], "query")
        terms = encoded.terms[0] if encoded.terms else sparse_query(text)
        vectors[collection] = Vectored(encoded.dense[0], terms)
    return MapQuestion(text, vectors, tuple(hits)[:_HITS])


def every_point(store: Store) -> Iterator[Point]:
    """All points of both collections. Raises IndexUnusable."""
    for collection in COLLECTIONS:
        for some in store.points(collection):
            yield from some


def map_data(
    points: Iterable[Point],
    audience: Audience,
    embedders: Embedders,
    question: MapQuestion | None = None,
    report: Report = lambda _message: None,
    most: int = MOST,
) -> dict[str, Any]:
    """What the files show, as JSON. Only what the audience may read is in it, is counted, or moves anything.

    `embedders` are those that made the points. CrosscheckError if nothing is there to be drawn or packages are missing.
    """
    check_installed()
    hits = {key: rank for rank, key in enumerate(question.hits if question else (), 1)}
    chosen = sample(_readable(points, audience, report), hits, most)
    if not chosen.points:
        raise CrosscheckError("There is nothing in the index that this audience may read.")
    items = [_point_item(point, embedders) for point in chosen.points.values()]
    items += [_question_item(question, embedders)] if question else []
    placed = positions(items, lambda done, steps: report({"step": "map", "done": done, "total": steps}))
    spots = [{"x": round(float(x), 4), "y": round(float(y), 4)} for x, y in placed]
    numbers = {name: number for number, name in enumerate(sorted(chosen.totals))}
    shown = [
        {**_passage_record(point.passage, numbers), **spot, "hit": hits.get(key)}
        for (key, point), spot in zip(chosen.points.items(), spots, strict=False)  # the question's comes after them
    ]
    return {
        "audience": one_line(", ".join(sorted(audience.labels)), _LINE),
        "question": {"text": one_line(question.text, _LINE), **spots[-1]} if question else None,
        "sources": _source_records(chosen),
        "points": shown,
        "total": sum(chosen.totals.values()),
    }


def _readable(points: Iterable[Point], audience: Audience, report: Report) -> Iterator[Point]:
    done = 0
    for point in points:
        if audience.may_read(point.passage.labels):
            yield point
            done += 1
            if done % _EVERY == 0:
                report({"step": "read", "done": done, "total": None})


def _point_item(point: Point, embedders: Embedders) -> Item:
    return _item({point.collection: Vectored(point.content, point.content_terms)}, embedders)


def _question_item(question: MapQuestion, embedders: Embedders) -> Item:
    return _item(question.vectors, embedders)


def _item(vectors: Mapping[CollectionName, Vectored], embedders: Embedders) -> Item:
    """Collections with one embedder share its space; words that are weighed by BM25 are the same words everywhere."""
    dense, terms = {}, {}
    for collection, vectored in vectors.items():
        embedder = embedders.of(collection)
        dense[embedder.name] = vectored.dense
        terms[embedder.name if embedder.learned_terms else WORDS] = vectored.terms
    return Item(dense, terms)


def _source_records(chosen: Sample) -> list[dict[str, Any]]:
    drawn = Counter(point.passage.source for point in chosen.points.values())
    return [
        {"name": one_line(name, _LINE), "drawn": drawn[name], "total": total}
        for name, total in sorted(chosen.totals.items())
    ]


def _passage_record(passage: Passage, numbers: Mapping[str, int]) -> dict[str, Any]:
    within = passage.heading if passage.line is None else f"line {passage.line}"
    place = passage.context if within is None or passage.context.endswith(within) else f"{passage.context}, {within}"
    return {
        "source": numbers[passage.source],
        "kind": one_line(passage.kind, _LINE),
        "title": one_line(passage.title, _LINE),
        "place": one_line(place, _LINE),
        "url": passage.url if _opens(passage.url) else "",
    }


def _opens(url: str) -> bool:
    """Whether a reader's click may go there: web addresses only, never a script."""
    try:
        parts = urlsplit(url)
    except ValueError:
        return False
    return parts.scheme in {"http", "https"} and bool(parts.netloc) and len(url) <= _LONGEST_URL and url.isprintable()
