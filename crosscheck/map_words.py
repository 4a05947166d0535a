"""What a map says of itself, on the page and in the picture."""

from collections.abc import Mapping
from typing import Any

_WHAT_NEAR_MEANS = (
    "Passages that are alike in words and meaning stand together (dense vector beside a truncated SVD of the weighted "
    "words, laid out by t-SNE). Neighbours tell something; distances between groups, and the axes, do not."
)


def title(data: Mapping[str, Any]) -> str:
    """What it is of."""
    return str(data["question"]["text"]) if data["question"] else "Map of the index"


def summary(data: Mapping[str, Any]) -> str:
    """What is on it, for whom."""
    drawn, total, sources = len(data["points"]), data["total"], len(data["sources"])
    of = f"{total:,} passages" if drawn == total else f"{drawn:,} of {total:,} passages"
    hits = sum(1 for point in data["points"] if point["hit"])
    found = f" The star is the question, the numbers are its {hits} best hits." if hits else ""
    many = "source" if sources == 1 else "sources"
    return f"{of} from {sources} {many}, of those that a reader who holds {data['audience']} may see.{found}"


def method(data: Mapping[str, Any]) -> str:
    """How it came about."""
    if len(data["points"]) == data["total"]:
        return _WHAT_NEAR_MEANS
    hits = "all hits and " if data["question"] else ""
    return (
        f"{_WHAT_NEAR_MEANS} Drawn are {hits}an equal number of passages of each source, by a fixed draw; all of a "
        "source that has fewer."
    )
