"""Telling what kind of set a folder holds, by its files."""

from collections.abc import Callable
from pathlib import Path

from evals.retrieval import corpus, issues, mixed, questions
from evals.retrieval.errors import BadSet
from evals.retrieval.files import present
from evals.retrieval.packages import Fetch, by_pip
from evals.retrieval.types import RetrievalSet

_SHAPES: tuple[tuple[str, tuple[str, ...]], ...] = (
    ("bug reports", issues.FILES),
    ("code already cut", questions.FILES),
    ("everything in one index", mixed.FILES),
    ("tickets or pages", corpus.FILES),
)


def recognise(folder: Path, fetch: Fetch = by_pip) -> RetrievalSet:
    """The set in the folder; `fetch` gets the packages that it names. BadSet if there is none, or it is not whole."""
    if not folder.is_dir():
        raise BadSet(f"There is no folder {folder}.")
    loaders: dict[tuple[str, ...], Callable[[], RetrievalSet]] = {
        issues.FILES: lambda: issues.load(folder, fetch),
        questions.FILES: lambda: questions.load(folder),
        mixed.FILES: lambda: mixed.load(folder, fetch),
        corpus.FILES: lambda: corpus.load(folder),
    }
    for _, files in _SHAPES:
        found = [name for name in files if present(folder, name)]
        if found and (missing := [name for name in files if name not in found]):
            raise BadSet(f"{folder} has {found[0]} but no {missing[0]}, so it is not whole.")
        if found:
            return loaders[files]()
    kinds = "; ".join(f"{kind}: {' and '.join(files)}" for kind, files in _SHAPES)
    raise BadSet(f"{folder} is no retrieval set. One is known by its files ({kinds}).")
