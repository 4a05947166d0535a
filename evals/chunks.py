"""Any number of chunks that look real: Django's own, and then mixtures of them. The same in every run."""

import random
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from zlib import crc32

from core.chunking import chunk
from core.chunking.languages import language_of
from core.store.base import Passage
from core.types import ORG, Audience, Document

SOURCE = "django"
_TEAMS = 20
_WRITTEN = datetime(2026, 1, 1, tzinfo=UTC)
_PROSE = {".txt", ".rst", ".md"}
_LARGEST = 1_000_000  # bytes of a file

AUDIENCE = Audience(frozenset({ORG, *(f"team:{n}" for n in range(_TEAMS - 1))}))
"""May read all but a twentieth of the documents."""


def passages(tree: Path) -> Iterator[Passage]:
    """The chunks of a source tree, its files in no order, so that the first of them are like the rest; then, without
    end, the first half of one and the second half of another.
    """
    dice = random.Random(1)
    files = sorted(tree.rglob("*"))
    dice.shuffle(files)
    real = [passage for file in files for passage in _of_file(tree, file)]
    yield from real
    copy = 0
    while True:
        copy += 1
        for one in real:
            other = dice.choice(real)
            mine, its = one.text.splitlines(keepends=True), other.text.splitlines(keepends=True)
            text = "".join([*mine[: (len(mine) + 1) // 2], *its[len(its) // 2 :]])
            yield _mixed(one, f"copy{copy}/{one.path}", text)


def _of_file(tree: Path, file: Path) -> list[Passage]:
    if not file.is_file() or file.stat().st_size > _LARGEST:
        return []
    try:
        text = file.read_text("utf-8")
    except ValueError:
        return []
    path = str(file.relative_to(tree))
    kind = "file" if file.suffix in _PROSE else "code"
    document = Document(
        id=path,
        source=SOURCE,
        kind=kind,
        version="1",
        title=path,
        text=text,
        context=path,
        url=f"https://git.example.com/{path}",
        labels=frozenset({ORG}),
        updated=_WRITTEN,
    )
    language = language_of(path, text) if kind == "code" else None
    return [
        Passage(
            document_id=path,
            ordinal=piece.ordinal,
            source=SOURCE,
            kind=kind,
            title=path,
            url=document.url,
            text=piece.text,
            context=piece.context,
            labels=_labels(path),
            updated=_WRITTEN,
            heading=piece.heading,
            line=piece.line,
            symbols=piece.symbols,
            keys=frozenset({path, file.name}),
            repo=SOURCE,
            path=path,
            branch="main",
            references=piece.references,
            language=language.name if language else None,
        )
        for piece in chunk(document)
    ]


def _mixed(one: Passage, path: str, text: str) -> Passage:
    """In a document of its own, which nothing defines or is called by but its path."""
    return replace(
        one,
        document_id=path,
        title=path,
        text=text,
        context=f"{path.partition('/')[0]} > {one.context}",
        labels=_labels(path),
        symbols=(),
        keys=frozenset({path}),
        path=path,
    )


def _labels(path: str) -> frozenset[str]:
    return frozenset({ORG, f"team:{crc32(path.encode()) % _TEAMS}"})
