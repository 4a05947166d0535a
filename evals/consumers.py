"""Who uses a name, on a small labelled set: precision and recall by confidence. `python -m evals.consumers`."""

import json
import tempfile
import time
from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Any

from core.connectors.git import GitConnector
from core.consumers import Consumers
from core.embedders import Embedders
from core.embedding.static import StaticEmbedder
from core.ingest import Ingest
from core.mirror import Mirror
from core.store.edge import EdgeStore
from core.types import Audience, NullMetrics
from core.usage.types import CONFIDENCES, Consumer
from core.visibility import repository
from evals.repository import commit, git
from evals.uses.corpus import REPOSITORIES
from evals.uses.held import HELD, HELD_REPOSITORIES
from evals.uses.labels import LABELS, Labelled, Lines, places
from state.cursors import Cursors
from state.db import open_database
from state.registry import Registry

Repositories = Mapping[str, Mapping[str, str]]
Place = tuple[str, str]
"""A file and one of its lines, its number before it where it has one."""


@dataclass(frozen=True, slots=True)
class Asked:
    """What became of one name."""

    label: Labelled
    uses: frozenset[Place]
    defines: frozenset[Place]
    either: frozenset[Place]
    unlike: frozenset[Place]
    told: Mapping[Place, Consumer]
    """As consumers."""
    defined: frozenset[Place]
    """As definitions."""
    milliseconds: float

    @property
    def wrong(self) -> frozenset[Place]:
        """What was told as a use, and is not labelled as one."""
        return frozenset(self.told) - self.uses - self.either

    @property
    def wrongly_defined(self) -> frozenset[Place]:
        return self.defined - self.defines - self.either


def measure(folder: Path) -> dict[str, Any]:
    """Both sets: `open`, by which the rules were made, and `held`, which was labelled before it was looked at."""
    return {
        "asked": {"precision": "at least .9 of what is sure or likely", "recall": "at least .9"},
        "measured": {
            "open": _measured(folder / "open", REPOSITORIES, LABELS),
            "held": _measured(folder / "held", HELD_REPOSITORIES, HELD),
        },
    }


def _measured(folder: Path, repositories: Repositories, labels: Sequence[Labelled]) -> dict[str, Any]:
    """Index a corpus from real repositories, and ask for each name once without and once with its kind."""
    audience = Audience(frozenset(map(repository, repositories)))
    with closing(indexed(folder, repositories)) as store:
        consumers = Consumers(store)
        asked = [_ask(consumers, audience, repositories, label) for label in labels]
        kinds = {one.name: consumers.consumers(one.name, audience).kind for one in labels}
    return {
        "names": len(labels),
        "taken_for_another_kind": {one.name: kinds[one.name] for one in labels if kinds[one.name] != one.kind},
        "lines": {"use": sum(len(one.uses) for one in asked), "look_alike": sum(len(one.unlike) for one in asked)},
        "all": _scores(asked),
        "kinds": {kind: _scores([a for a in asked if a.label.kind == kind]) for kind in _kinds(labels)},
        "defined": _defined(asked),
        "wrong": sorted(f"{a.label.name}: {_shown(p)} ({a.told[p].confidence})" for a in asked for p in a.wrong),
        "wrongly_defined": sorted(f"{a.label.name}: {_shown(p)}" for a in asked for p in a.wrongly_defined),
        "missed": sorted(f"{a.label.name}: {_shown(p)}" for a in asked for p in a.uses - a.told.keys()),
        "ms": {
            "median": round(median(a.milliseconds for a in asked), 1),
            "most": round(max(a.milliseconds for a in asked), 1),
        },
    }


def indexed(folder: Path, repositories: Repositories) -> EdgeStore:
    """The corpus in an index, each repository by way of Git."""
    embedders = Embedders.same(StaticEmbedder())
    store = EdgeStore.open(folder / "index", embedders)
    database = open_database(folder / "state.db")
    ingest = Ingest(store, embedders, Registry(database), Cursors(database), NullMetrics())
    for name, files in repositories.items():
        origin = folder / name
        for path, text in files.items():
            (origin / path).parent.mkdir(parents=True, exist_ok=True)
            (origin / path).write_text(text)
        git(origin, "init", "--quiet", "--initial-branch=main")
        commit(origin, "As it is")
        ingest.sync(GitConnector(name, Mirror(folder / f"{name}.git", str(origin))))
    return store


def _ask(consumers: Consumers, audience: Audience, repositories: Repositories, label: Labelled) -> Asked:
    started = time.perf_counter()
    found = consumers.consumers(label.name, audience, kind=label.kind, limit=200)
    spent = 1_000 * (time.perf_counter() - started)
    return Asked(
        label=label,
        uses=_lines(repositories, label.uses),
        defines=_lines(repositories, label.defines),
        either=_lines(repositories, label.either),
        unlike=_lines(repositories, label.unlike),
        told={_place(one): one for one in found.consumers},
        defined=frozenset(map(_place, found.defined)),
        milliseconds=spent,
    )


def _place(one: Consumer) -> Place:
    return f"{one.repo}/{one.path}", f"{one.line or '-'}: {one.text}"


def _lines(repositories: Repositories, lines: Lines) -> frozenset[Place]:
    """The places of labelled lines. ValueError for a label that fits no line."""
    found = set()
    for file, part, nth in places(lines):
        repo, _, path = file.partition("/")
        rows = repositories[repo][path].splitlines()
        fitting = [(number, row.strip()) for number, row in enumerate(rows, 1) if part in row]
        if len(fitting) < nth:
            raise ValueError(f"{file} has no such line: {part}")
        number, text = fitting[nth - 1]
        found.add((file, f"{'-' if path.endswith('.md') else number}: {text}"))
    return frozenset(found)


def _scores(asked: Sequence[Asked]) -> dict[str, Any]:
    """Precision of each confidence alone, and recall of it together with all that are surer."""
    told = Counter(one.confidence for a in asked for one in a.told.values())
    wrong = Counter(a.told[place].confidence for a in asked for place in a.wrong)
    found = Counter(a.told[place].confidence for a in asked for place in a.uses & a.told.keys())
    uses = sum(len(a.uses) for a in asked)
    scores: dict[str, Any] = {}
    reached = 0
    for confidence in CONFIDENCES:
        reached += found[confidence]
        scores[confidence] = {
            "told": told[confidence],
            "precision": _share(told[confidence] - wrong[confidence], told[confidence]),
            "recall_so_far": _share(reached, uses),
        }
    return scores | {
        "precision": _share(told.total() - wrong.total(), told.total()),
        "recall": _share(reached, uses),
    }


def _defined(asked: Sequence[Asked]) -> dict[str, float | None]:
    told = sum(len(a.defined) for a in asked)
    wrong = sum(len(a.wrongly_defined) for a in asked)
    found = sum(len(a.defines & a.defined) for a in asked)
    return {"precision": _share(told - wrong, told), "recall": _share(found, sum(len(a.defines) for a in asked))}


def _share(part: int, whole: int) -> float | None:
    return round(part / whole, 3) if whole else None


def _kinds(labels: Sequence[Labelled]) -> list[str]:
    return list(dict.fromkeys(one.kind for one in labels))


def _shown(place: Place) -> str:
    return f"{place[0]}:{place[1]}"


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        print(json.dumps({"part": "consumers", **measure(Path(folder))}, indent=2, ensure_ascii=False))


if __name__ == "__main__":
    main()
