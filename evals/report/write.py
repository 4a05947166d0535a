"""A run's report as files: `index.html`, which is whole in itself, and `report.md` with its drawings beside it."""

from collections.abc import Iterator
from pathlib import Path

from evals.harness.errors import EvalError
from evals.harness.types import Run
from evals.report import pages
from evals.report.content import Report, report
from evals.report.pages import Kept
from evals.report.pictures import Drawing, Picture

PAGE, MARKDOWN, PLOTS = "index.html", "report.md", "plots"


def write_report(run: Run, before: Run | None, folder: Path) -> Path:
    """Write the pages there, and return the one to open. The same run makes the same bytes.

    Raises EvalError where the folder cannot be written.
    """
    said = report(run, before)
    drawn = dict(_drawn(said))
    kept = {
        place: [Kept(_path(*place, number, one), one.alternative) for number, one in enumerate(some, 1)]
        for place, some in drawn.items()
    }
    try:
        (folder / PLOTS).mkdir(parents=True, exist_ok=True)
        for place, some in drawn.items():
            for beside, one in zip(kept[place], some, strict=True):
                _write(folder / beside.path, one.image)
        _write(folder / MARKDOWN, pages.markdown(said, kept).encode())
        _write(folder / PAGE, pages.html(said).encode())
    except OSError as error:
        raise EvalError(f"The report cannot be written to {folder}: {error.strerror}.") from error
    return folder / PAGE


def _drawn(said: Report) -> Iterator[tuple[tuple[int, int], list[Drawing]]]:
    for section in said.sections:
        for number, picture in enumerate(section.pictures, 1):
            yield (section.number, number), [*picture.drawings, *_flow(picture)]


def _flow(picture: Picture) -> Iterator[Drawing]:
    """In the page it is part of the page."""
    if picture.flow:
        yield Drawing("flow", pages.flow(picture.flow).encode(), picture.tables[0].alternative)


def _path(section: int, picture: int, number: int, one: Drawing) -> str:
    ending = "png" if one.media == "image/png" else "svg"
    return f"{PLOTS}/{section:02}-{picture}-{number}-{one.kind}.{ending}"


def _write(path: Path, content: bytes) -> None:
    """All of it or nothing."""
    new = path.with_name(f"{path.name}.next")
    new.write_bytes(content)
    new.replace(path)
