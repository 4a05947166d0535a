"""The table of `make bench`, over tiny sets in place of the real ones."""

import json
from pathlib import Path

from evals.retrieval.bench import ASKED, table
from tests.evals import small_sets


def test_every_metric_that_was_asked_for_stands_beside_what_is_measured(tmp_path: Path) -> None:
    folder = tmp_path / "bench"
    folder.mkdir()
    issues, mixed = small_sets.issues(folder / "code-issues"), small_sets.mixed(folder / "mixed")
    small_sets.questions(folder / "code-questions")
    small_sets.corpus(folder / "tickets")
    small_sets.corpus(folder / "pages")

    def fetch(requirement: str, sha256: str, into: Path, *, source: bool) -> Path:
        return (mixed if source else issues)(requirement, sha256, into, source=source)

    made = json.loads(json.dumps(table(tmp_path, fetch)))
    assert {name: [row["metric"] for row in of["metrics"]] for name, of in made["measured"].items()} == {
        name: list(metrics) for name, metrics in ASKED.items()
    }
    row = made["measured"]["tickets"]["metrics"][0]
    assert (row["asked"], row["measured"], row["bm25_published"]) == (0.67, 1.0, 0.604)
    assert len(row["to_bm25"]) == 3
    assert made["asked"]["code-issues"]["Acc@5"] == 0.79
