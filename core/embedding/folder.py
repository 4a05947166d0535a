"""A model's folder: what must be in it, a name for just these files, and what can go wrong with them."""

import hashlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from core.errors import CoreError, EmbedderUnusable

_EVERY = 2**20
_SAMPLE = 4096


def need(
    folder: Path, files: Sequence[str], raised: type[CoreError] = EmbedderUnusable, user: str = "embedder"
) -> None:
    """`raised` if the folder or one of the files is missing. Nothing is ever downloaded in its place."""
    if not folder.is_dir():
        raise raised(f"There is no folder {folder} with a model for the {user}.")
    for name in files:
        if not (folder / name).is_file():
            raise raised(f"{name} is missing in {folder}, so the {user} cannot be used.")


def fingerprint(folder: Path, files: tuple[str, ...]) -> str:
    """Twelve digits that differ between any two models: of each file its size, and 4 kB of every megabyte.

    Training changes weights all over a file. To read all of two gigabytes would take longer than the rest of the start.
    """
    sum_ = hashlib.blake2b(digest_size=6)
    for name in files:
        path = folder / name
        size = path.stat().st_size
        sum_.update(f"{name}\x00{size}\x00".encode())
        with path.open("rb") as file:
            for start in range(0, size, _EVERY):
                file.seek(start)
                sum_.update(file.read(_SAMPLE))
    return sum_.hexdigest()


@contextmanager
def failing_as(raised: type[CoreError], said: str, *kinds: type[Exception]) -> Iterator[None]:
    """Errors of these kinds become ours, and so does `Exception` itself, which the tokenizers raise."""
    try:
        yield
    except Exception as error:
        if type(error) is not Exception and not isinstance(
            error, (*kinds, OSError, ValueError, KeyError, RuntimeError)
        ):
            raise
        raise raised(f"{said}: {type(error).__name__}.") from error
