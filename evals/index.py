"""How fast a repository is indexed, how fast it is found unchanged, and how both grow."""

import resource
import time
from concurrent.futures import ProcessPoolExecutor
from dataclasses import asdict, dataclass
from multiprocessing import get_context
from pathlib import Path
from typing import Any

from core.types import Audience, Query
from core.visibility import repository as label
from crosscheck.logs import configure
from crosscheck.settings import Secrets, Settings
from crosscheck.settings_sources import Git
from crosscheck.wiring import Program
from evals.repository import commit, django, repository

_NAME = "django"
_WANTED = ("django/db/models/query.py", "how does a queryset combine filters with Q objects")


@dataclass(frozen=True, slots=True)
class Indexed:
    """A first index of a repository, by a process of its own."""

    documents: int
    chunks: int
    characters_a_chunk: float
    seconds: float
    chunks_a_second: float
    peak_rss_mb: float
    disk_mb: float
    search_ms: float
    """Of one question, the first after the index was made."""


@dataclass(frozen=True, slots=True)
class Resynced:
    """Later synchronisations, seconds each, by a process that has just opened the index."""

    unchanged: float
    unchanged_full: float
    """Everything listed and compared again, as once a day."""
    one_file: float
    one_file_chunks: int


def measure(folder: Path, copies: tuple[int, ...]) -> dict[str, Any]:
    """Index Django once, then again and with one file changed; then repositories that hold it several times."""
    tree = django(folder)
    rows = []
    again: Resynced | None = None
    for count in copies:
        origin = repository(tree, folder / f"origin{count}", count)
        data = folder / f"data{count}"
        rows.append(_apart(_first, origin, data))
        if again is None:
            again = _apart(_resynced, origin, data)
    return {
        "first": asdict(rows[0]),
        "again": asdict(again) if again else None,
        "growth": [asdict(row) for row in rows],
    }


def _apart(work: Any, *arguments: Any) -> Any:
    """In a process of its own, so that its memory is its own."""
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as pool:
        return pool.submit(work, *arguments).result()


def _program(origin: Path, data: Path) -> Program:
    configure("error")
    return Program(Settings(data=data, git=(Git(name=_NAME, location=str(origin)),)), Secrets())


def _first(origin: Path, data: Path) -> Indexed:
    program = _program(origin, data)
    started = time.perf_counter()
    report = program.sources.sync(_NAME, True, lambda _message: None)
    seconds = time.perf_counter() - started
    path, question = _WANTED
    started = time.perf_counter()
    found = program.searcher.search(Query(question), Audience(frozenset({label(_NAME)})))
    search = time.perf_counter() - started
    if not any(path in evidence.locator.title for evidence in found.evidence):
        raise RuntimeError(f"{path} was indexed and is not found.")
    program.close()
    size = sum(file.stat().st_blocks * 512 for file in (data / "index").rglob("*") if file.is_file())
    return Indexed(
        documents=report["read"],
        chunks=report["chunks"],
        characters_a_chunk=round(_characters(origin) / report["chunks"], 1),
        seconds=round(seconds, 2),
        chunks_a_second=round(report["chunks"] / seconds),
        peak_rss_mb=round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024),
        disk_mb=round(size / 1e6),
        search_ms=round(search * 1000, 1),
    )


def _characters(origin: Path) -> int:
    """Of all files that are no pictures, archives or translations compiled."""
    return sum(len(file.read_bytes()) for file in origin.rglob("*") if file.is_file() and _is_text(file))


def _is_text(file: Path) -> bool:
    return ".git" not in file.parts and b"\0" not in file.read_bytes()[:8000]


def _resynced(origin: Path, data: Path) -> Resynced:
    program = _program(origin, data)
    _ = program.index.filled
    unchanged, _ = _timed(program, full=False)
    whole, _ = _timed(program, full=True)
    file = origin / "part000/django/db/models/query.py"
    file.write_text(file.read_text().replace("class QuerySet:", "class QuerySet:  # changed"))
    commit(origin, "Change one file")
    one, chunks = _timed(program, full=False)
    program.close()
    return Resynced(unchanged, whole, one, chunks)


def _timed(program: Program, *, full: bool) -> tuple[float, int]:
    started = time.perf_counter()
    report = program.sources.sync(_NAME, full, lambda _message: None)
    return round(time.perf_counter() - started, 2), int(report["chunks"])
