"""Metrics against the scorer that comes with the sets, and against numbers worked out by hand."""

import json
import random
import re
import subprocess
import sys
from math import log2
from pathlib import Path

import pytest

from evals.retrieval.metrics import described, mean, measured
from evals.retrieval.sets import recognise
from evals.retrieval.types import Judgement


@pytest.mark.parametrize("name", ["code-issues", "code-questions", "tickets", "pages", "mixed"])
def test_numbers_are_the_scorer_s(shared: Path, tmp_path: Path, name: str) -> None:
    folder = shared / "bench" / name
    chosen = recognise(folder)
    known = sorted({key for wanted in chosen.relevant.values() for key in wanted})
    for seed in range(3):
        run = _random_run(chosen.relevant, known, random.Random(seed))
        said = _scored(folder, run, tmp_path / "run.json")
        ours = {metric: mean(values) for metric, values in measured(run, chosen.relevant).items()}
        assert set(chosen.headline) <= said.keys() <= ours.keys()
        same = {metric: said[metric] / (100 if metric.startswith("Acc") else 1) for metric in said}
        assert same == pytest.approx({metric: ours[metric] for metric in said}, abs=6e-5)
        assert any(0 < value < 1 for value in same.values())


def _random_run(relevant, known: list[str], rng: random.Random) -> dict[str, list[str]]:
    """Some questions unanswered, some documents twice, a question that is a document among what was found."""
    run = {}
    for query, wanted in relevant.items():
        itself = [query] if query in known else []
        found = [
            *rng.choices(known, k=rng.randrange(60)),
            *itself,
            *rng.sample(sorted(wanted), rng.randint(0, len(wanted))),
        ]
        rng.shuffle(found)
        if rng.random() < 0.9:
            run[query] = found
    return run


def _scored(folder: Path, run: dict[str, list[str]], path: Path) -> dict[str, float]:
    path.write_text(json.dumps(run))
    target = folder / "tasks.jsonl" if (folder / "tasks.jsonl").exists() else folder
    command = [sys.executable, str(folder.parent / "score.py"), str(target), str(path)]
    printed = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    numbers = {
        re.sub(r"^R@", "recall@", metric): float(value)
        for metric, value in re.findall(
            r"(\S+@\d+|MRR|code-and-doc hit@10) (\d+\.\d+)", printed.replace("code-and-doc hit", "hit")
        )
    }
    if "hit@10" in numbers:
        numbers["code-and-doc hit@10"] = numbers.pop("hit@10")
    by_source = printed.partition("R@10 by source:")[2].partition("code-and-doc")[0]
    sources = re.findall(r"(\w+) (\d+\.\d+) \(n=", by_source)
    return numbers | {f"recall@10 {source}": float(value) for source, value in sources}


def test_all_files_must_be_there() -> None:
    relevant = {"q": {"a.py": Judgement(1, ""), "b.py": Judgement(1, "")}}
    values = measured({"q": ["x.py", "b.py", "b.py", "a.py"]}, relevant)
    assert {metric: of["q"] for metric, of in values.items() if metric[:3] in {"Acc", "MRR", "P@1"}} == {
        "Acc@1": 0,
        "Acc@3": 1,
        "Acc@5": 1,
        "Acc@10": 1,
        "Acc@20": 1,
        "MRR": 0.5,
        "MRR@10": 0.5,
        "P@1": 0,
    }
    assert measured({}, relevant)["MRR"]["q"] == 0


def test_what_comes_late_counts_for_the_whole_rank_alone() -> None:
    found = {"q": [*(f"{n}.py" for n in range(12)), "a.py"]}
    values = measured(found, {"q": {"a.py": Judgement(1, "")}})
    assert (values["MRR"]["q"], values["MRR@10"]["q"]) == (1 / 13, 0)
    assert [values[f"recall@{k}"]["q"] for k in (5, 10, 20, 50)] == [0, 0, 1, 1]


def test_every_metric_says_what_it_is() -> None:
    relevant = {"q": {"a.py": Judgement(1, "code"), "a.md": Judgement(1, "doc")}}
    about = {name: described(name) for name in measured({}, relevant)}
    assert {name: metric.name for name, metric in about.items()} == {name: name for name in about}
    assert len({metric.about for metric in about.values()}) == len(about)
    assert "code" in about["recall@10 code"].about
    assert {name for name, metric in about.items() if metric.unit == "score"} == {"nDCG@10", "MRR", "MRR@10"}


def test_graded_answers_are_worth_more_at_the_top() -> None:
    relevant = {"q": {"good": Judgement(3, ""), "fair": Judgement(1, "")}}
    best = 3 + 1 / log2(3)
    assert measured({"q": ["good", "fair"]}, relevant)["nDCG@10"]["q"] == 1
    assert measured({"q": ["fair", "good"]}, relevant)["nDCG@10"]["q"] == pytest.approx((1 + 3 / log2(3)) / best)


def test_a_source_counts_for_the_questions_that_have_it() -> None:
    relevant = {
        "both": {"a.py": Judgement(1, "code"), "a.txt": Judgement(1, "doc")},
        "code": {"a.py": Judgement(1, "code"), "b.py": Judgement(1, "code")},
    }
    values = measured({"both": ["a.txt"], "code": ["b.py"]}, relevant)
    assert values["recall@10 code"] == {"both": 0, "code": 0.5}
    assert values["recall@10 doc"] == {"both": 1}
    assert values["code-and-doc hit@10"] == {"both": 0}
