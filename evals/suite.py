"""`crosscheck eval all`, `make eval`: everything that needs no model, on the make-believe company, in minutes."""

import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Annotated

import typer

from evals.harness.types import Failure, Measurement

NAME = "eval"
"""What its stored runs are called."""
Report = Callable[[str], None]
Part = Callable[[Report], Iterator[Measurement]]


def parts() -> Mapping[str, Part]:
    """By name, in the order in which they run. Imported late: they bring the whole program."""
    from evals.paths import suite as paths
    from evals.planted import suite as planted
    from evals.questions import suite as questions
    from evals.retrieval import suite as retrieval

    return {
        "retrieval": retrieval.measurements,
        "answers": questions.measurements,
        "reviews": planted.measurements,
        "latency": paths.measurements,
    }


def measured(chosen: Mapping[str, Part], report: Report) -> tuple[Measurement, ...]:
    """All measurements of the parts. A part that comes to nothing is a measurement that says so."""
    from evals.harness.cases import score

    found = score(chosen, lambda part: tuple(part(report)), {})
    failed = [_failed(one) for one in found.failures]
    return (*(one for measurements in found.outputs.values() for one in measurements), *failed)


def _failed(failure: Failure) -> Measurement:
    return Measurement(failure.case, "sandbox", "not measured", (), {}, failures=(failure,))


def run_all(
    part: Annotated[
        list[str] | None, typer.Option(help="Only this part (retrieval, answers, reviews, latency); may be repeated.")
    ] = None,
    results: Annotated[
        Path | None, typer.Option(metavar="DIR", help="Keep the run there; compare it with the last one kept there.")
    ] = None,
    against: Annotated[Path | None, typer.Option(metavar="RUN.json", help="Compare with this stored run.")] = None,
    report: Annotated[Path | None, typer.Option(metavar="DIR", help="Write the pages of the report there.")] = None,
    strict: Annotated[bool, typer.Option(help="End with 1 if anything is worse beyond noise, or failed.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON instead of tables.")] = False,
) -> None:
    """Measure retrieval, answers, reviews and latency on the make-believe company, without a model."""
    from crosscheck.logs import configure
    from evals.harness import stored
    from evals.harness.told import tell
    from evals.report.write import write_report

    configure("error")
    chosen = _chosen(part or ())
    before = against or (stored.last(results, NAME) if results else None)
    earlier = stored.read(before) if before else None  # what cannot be read is said before minutes of work
    run = stored.made(measured(chosen, lambda line: print(line, file=sys.stderr, flush=True)))
    beside = tell(run, NAME, results, as_json=as_json, against=before)
    if report:
        print(f"The report: {write_report(run, earlier, report)}", file=sys.stderr)
    if strict and any(one.worse or one.measurement.failures for one in beside):
        raise typer.Exit(1)


def _chosen(names: Iterable[str]) -> Mapping[str, Part]:
    every = parts()
    if unknown := [name for name in names if name not in every]:
        raise typer.BadParameter(f"There is no part {unknown[0]!r}. There are: {', '.join(every)}.")
    return {name: every[name] for name in every if name in names} or every
