"""Runs as files, named by the commit that was measured."""

import json
import os
import subprocess
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict, ValidationError

from evals.harness.errors import BadRun
from evals.harness.intervals import DIGITS, overall
from evals.harness.types import Better, Counted, Failure, Measurement, Metric, Run, Unit

_LARGEST = 50_000_000  # bytes


def made(measurements: Iterable[Measurement], folder: Path | None = None) -> Run:
    """A run of now. `folder` is in the repository of the program that was measured, the program's own if None."""
    return Run(
        commit=commit_of(folder or Path(__file__).parent),
        at=datetime.now(UTC).isoformat(timespec="seconds"),
        machine=f"{os.cpu_count()} cores",
        measurements=tuple(measurements),
    )


def commit_of(folder: Path) -> str:
    """Twelve digits, with `+` where files differ from it; the program's version where there is no repository."""
    own = ["git", "-C", str(folder)]
    found = subprocess.run([*own, "rev-parse", "--short=12", "HEAD"], capture_output=True, text=True, check=False)
    if found.returncode:
        return version("crosscheck")
    changed = subprocess.run([*own, "diff", "--quiet", "HEAD"], capture_output=True, check=False)
    return found.stdout.strip() + ("+" if changed.returncode else "")


def write(run: Run, folder: Path, name: str) -> Path:
    """The run as `COMMIT-NAME.json` in the folder, without its figures. All of it or nothing."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{run.commit}-{name}.json"
    new = path.with_suffix(".next")
    new.write_text(json.dumps(as_json(run, name), indent=1) + "\n", "utf-8")
    new.replace(path)
    return path


def as_json(run: Run, name: str) -> dict[str, Any]:
    """Plain data, as `read` takes it."""
    return {
        "part": name,
        "commit": run.commit,
        "at": run.at,
        "machine": run.machine,
        "measurements": [_measurement(one) for one in run.measurements],
    }


def read(path: Path) -> Run:
    """A stored run. Raises BadRun."""
    try:
        if path.stat().st_size > _LARGEST:
            raise BadRun(f"{path} is larger than {_LARGEST // 1_000_000} MB, so it is no run.")
        stored = _Run.model_validate_json(path.read_bytes())
    except OSError as error:
        raise BadRun(f"{path} cannot be read: {error.strerror}.") from error
    except ValidationError as error:
        first = error.errors()[0]
        place = ".".join(map(str, first["loc"]))
        raise BadRun(f"{path} is no stored run: {place}: {first['msg']}.") from error
    return Run(stored.commit, stored.at, stored.machine, tuple(map(_read, stored.measurements)))


def last(folder: Path, name: str) -> Path | None:
    """The file of the latest stored run of this name, by what it says of its time; what is no run is passed over."""
    found = [(run.at, path) for path in sorted(folder.glob(f"*-{name}.json")) if (run := _tried(path))]
    return max(found, default=(None, None))[1]


def _tried(path: Path) -> Run | None:
    try:
        return read(path)
    except BadRun:
        return None


def _measurement(one: Measurement) -> dict[str, Any]:
    cases: dict[str, dict[str, Any]] = {}
    for metric, values in one.values.items():
        for case, counted in values.items():
            cases.setdefault(case, {})[metric] = _number(counted)
    return {
        "part": one.part,
        "set": one.set,
        "way": one.way,
        "made_with": dict(one.made_with),
        "metrics": {
            metric.name: {"about": metric.about, "better": metric.better, "unit": metric.unit, **_summed(metric, one)}
            for metric in one.metrics
        },
        "notes": list(one.notes),
        "failures": [{"case": it.case, "what": it.what, "reason": it.reason} for it in one.failures],
        "cases": cases,
    }


def _summed(metric: Metric, one: Measurement) -> dict[str, Any]:
    """For people and other programs; `read` sums up anew."""
    found = overall(one.values.get(metric.name, {}), share=metric.unit == "share")
    if found is None:
        return {"n": 0}
    numbers = {"value": found.value, "low": found.low, "high": found.high}
    return {name: round(number, DIGITS) for name, number in numbers.items()} | {"n": found.n}


def _number(counted: Counted) -> float | list[float]:
    part = round(counted.part, DIGITS)
    return part if counted.whole == 1 else [part, round(counted.whole, DIGITS)]


class _Stored(BaseModel):
    model_config = ConfigDict(extra="ignore", frozen=True)


class _Metric(_Stored):
    about: str
    better: Better
    unit: Unit


class _Failure(_Stored):
    case: str
    what: str
    reason: str


class _Measurement(_Stored):
    part: str
    set: str
    way: str
    made_with: Mapping[str, str]
    metrics: Mapping[str, _Metric]
    notes: tuple[str, ...]
    failures: tuple[_Failure, ...]
    cases: Mapping[str, Mapping[str, float | tuple[float, float]]]


class _Run(_Stored):
    commit: str
    at: str
    machine: str
    measurements: tuple[_Measurement, ...]


def _read(stored: _Measurement) -> Measurement:
    values: dict[str, dict[str, Counted]] = {}
    for case, metrics in stored.cases.items():
        for metric, number in metrics.items():
            counted = Counted(*number) if isinstance(number, tuple) else Counted(number)
            values.setdefault(metric, {})[case] = counted
    return Measurement(
        part=stored.part,
        set=stored.set,
        way=stored.way,
        metrics=tuple(Metric(name, it.about, it.better, it.unit) for name, it in stored.metrics.items()),
        values=values,
        failures=tuple(Failure(it.case, it.what, it.reason) for it in stored.failures),
        notes=stored.notes,
        made_with=stored.made_with,
    )
