"""A reranker's folder: what must be in it, and what can go wrong with it."""

import json
from collections.abc import Sequence
from pathlib import Path

from core.embedding import folder as folders
from core.embedding.folder import failing_as
from core.errors import RerankerUnusable

CONFIG = "config.json"


def need(folder: Path, files: Sequence[str]) -> None:
    """RerankerUnusable if the folder or one of the files is missing. Nothing is ever downloaded in its place."""
    folders.need(folder, files, RerankerUnusable, "reranker")


def first_of(folder: Path, files: Sequence[str]) -> str:
    """The first of these files that is there. RerankerUnusable if none is."""
    for name in files:
        if (folder / name).is_file():
            return name
    raise RerankerUnusable(f"There are no weights in {folder}: neither {' nor '.join(files)}.")


def check_kind(folder: Path) -> None:
    """RerankerUnusable unless the model gives one number for a question with a text.

    An embedder's files lack the layer that does, and the libraries make up random weights for it; of a classifier's
    numbers they would take the first.
    """
    with failing_as(RerankerUnusable, f"{CONFIG} in {folder} cannot be read"):
        config = json.loads((folder / CONFIG).read_text("utf-8"))
    kinds, labels = config.get("architectures") or (), config.get("id2label") or {}
    if not any(kind.endswith("ForSequenceClassification") for kind in kinds) or len(labels) != 1:
        raise RerankerUnusable(f"The model in {folder} is no reranker: {CONFIG} does not describe one score a text.")
