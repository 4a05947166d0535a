"""`crosscheck eval retrieval`, as a person gives it."""

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from evals.cli import eval_app
from evals.harness.errors import BadRun
from evals.retrieval.errors import BadSet
from tests.evals import small_sets

RIGHT = {"LAMP-1": ["LAMP-2"], "q-2": ["LAMP-3"]}
WRONG = {"LAMP-1": ["LAMP-4"], "q-2": ["LAMP-1", "LAMP-4", "LAMP-3"]}


def given(*arguments: object) -> CliRunner:
    return CliRunner().invoke(
        eval_app, ["retrieval", *map(str, arguments)], catch_exceptions=False, env={"COLUMNS": "200"}
    )


@pytest.fixture
def lamps(tmp_path: Path) -> Path:
    small_sets.corpus(tmp_path / "set")
    return tmp_path / "set"


def found(path: Path, run: object) -> Path:
    path.write_text(run if isinstance(run, str) else json.dumps(run))
    return path


def stored(folder: Path) -> dict:
    (path,) = folder.glob("*-retrieval.json")
    return json.loads(path.read_text())


def test_a_set_is_measured_and_its_run_written(lamps: Path, tmp_path: Path) -> None:
    answer = given(lamps, "--run", tmp_path / "run.json")
    assert answer.exit_code == 0
    assert "2 of 2 questions answered" in answer.stdout
    assert "nDCG@10" in answer.stdout
    assert "There is no stored run to compare with." in answer.stdout
    assert json.loads((tmp_path / "run.json").read_text())["q-2"][0] == "LAMP-3"


def test_json_holds_every_number_of_every_way(tmp_path: Path) -> None:
    small_sets.questions(tmp_path / "set")
    answer = given(tmp_path / "set", "--json")
    search, bm25, arm = json.loads(answer.stdout)["measurements"]
    assert [one["way"] for one in (search, bm25, arm)] == ["search", "BM25", "best arm"]
    assert {(one["part"], one["set"]) for one in (search, bm25, arm)} == {("retrieval", "set")}
    recall = search["metrics"]["recall@5"]
    assert (recall["value"], recall["n"], recall["unit"]) == (1, 1, "share")
    assert recall["low"] < recall["value"] <= recall["high"]
    assert search["cases"]["q1"]["recall@5"] == 1
    assert search["made_with"].keys() == {"questions", "documents by", "code by"}
    assert answer.stderr == ""


def test_a_run_that_is_kept_is_what_the_next_one_is_compared_with(lamps: Path, tmp_path: Path) -> None:
    given(lamps, "--results", tmp_path / "results")
    again = given(lamps, "--results", tmp_path / "results")
    assert "Nothing is worse than" in again.stdout
    assert "the same" in again.stdout


def test_a_run_beside_a_better_one_is_worse_and_beside_a_worse_one_better(tmp_path: Path) -> None:
    """Twenty questions of which search finds half: a stored run had all of them, another none."""
    folder = tmp_path / "set"
    folder.mkdir()
    titles = [f"{chr(97 + n)}{chr(97 + n)}lamp" for n in range(20)]
    small_sets.lines(folder / "corpus.jsonl", [{"_id": f"L-{n}", "title": t, "text": t} for n, t in enumerate(titles)])
    small_sets.lines(folder / "queries.jsonl", [{"_id": f"q{n}", "text": t} for n, t in enumerate(titles)])
    right = [(f"q{n}", f"L-{n if n % 2 else (n + 1) % 20}", 1) for n in range(20)]
    small_sets.qrels(folder / "qrels" / "test.tsv", right)
    given(folder, "--results", tmp_path / "results")
    run = stored(tmp_path / "results")
    for value in (0, 1):
        for measurement in run["measurements"]:
            for case in measurement["cases"].values():
                case.update(dict.fromkeys(case, value))
        (tmp_path / f"{value}.json").write_text(json.dumps(run))
    better = given(folder, "--against", tmp_path / "0.json")
    assert "Nothing is worse than 0.json beyond noise." in better.stdout
    assert "better" in better.stdout
    worse = given(folder, "--against", tmp_path / "1.json")
    assert "Worse than 1.json beyond noise" in worse.stdout
    assert "search: P@1" in worse.stdout
    assert not list(tmp_path.glob("*-retrieval.json"))


def test_what_another_system_found_is_measured_beside(lamps: Path, tmp_path: Path) -> None:
    trec = "".join(
        f"{query} Q0 {document} {99 - place} {10 - place} theirs\n"
        for query, documents in WRONG.items()
        for place, document in enumerate(documents)
    )
    good, bad = found(tmp_path / "good.json", RIGHT), found(tmp_path / "bad.run", trec)
    answer = given(lamps, "--beside", good, "--beside", bad)
    assert "good" in answer.stdout
    assert "search less it, 95 %" in answer.stdout
    told = json.loads(given(lamps, "--beside", good, "--beside", bad, "--json").stdout)["measurements"]
    by_way = {one["way"]: one for one in told}
    assert by_way.keys() == {"search", "BM25", "best arm", "good", "bad"}
    assert by_way["good"]["metrics"]["P@1"]["value"] == 1
    assert by_way["bad"]["metrics"]["P@1"]["value"] == 0
    assert by_way["bad"]["cases"]["q-2"]["MRR"] == pytest.approx(1 / 3, abs=1e-6)


def test_how_many_questions_another_system_answered_is_told(lamps: Path, tmp_path: Path) -> None:
    half = found(tmp_path / "half.json", {"q-2": ["LAMP-3"], "of another set": ["LAMP-1"]})
    whole = found(tmp_path / "whole.json", RIGHT)
    by_way = {
        one["way"]: one
        for one in json.loads(given(lamps, "--beside", half, "--beside", whole, "--json").stdout)["measurements"]
    }
    assert by_way["half"]["notes"] == ["It answers 1 of 2 questions; each of the others counts 0."]
    assert by_way["whole"]["notes"] == []


@pytest.mark.parametrize(
    ("content", "says"),
    [
        ("{", "is not JSON"),
        ("[" * 100_000, "is not JSON"),
        ("[]", "does not hold a JSON object"),
        ('{"q-2": "LAMP-3"}', "'q-2' is no list of documents"),
        ('{"q-2": [1]}', "'q-2' is no list of documents"),
        ('{"other": ["LAMP-3"]}', "about none of this set's questions"),
        ("", "about none of this set's questions"),
        ("q-2 Q0 LAMP-3 1 0.5\n", "line 1: this is neither JSON nor a line of a TREC run"),
        ("\nq-2 Q0 LAMP-3 1 nan theirs\n", "line 2: this is neither"),
        ("\ud83d", "it is not UTF-8"),
    ],
)
def test_what_is_no_run_of_another_system_is_refused(lamps: Path, tmp_path: Path, content: str, says: str) -> None:
    (tmp_path / "other.json").write_bytes(content.encode("utf-8", "surrogatepass"))
    with pytest.raises(BadSet, match=says):
        given(lamps, "--beside", tmp_path / "other.json")


def test_two_ways_of_one_name_are_refused(lamps: Path, tmp_path: Path) -> None:
    with pytest.raises(BadSet, match="'search'"):
        given(lamps, "--beside", found(tmp_path / "search.json", RIGHT))
    (tmp_path / "more").mkdir()
    twice = [found(folder / "theirs.json", RIGHT) for folder in (tmp_path, tmp_path / "more")]
    with pytest.raises(BadSet, match="'theirs'"):
        given(lamps, "--beside", twice[0], "--beside", twice[1])


def test_a_file_to_compare_with_that_is_no_run_is_said_before_anything_is_done(lamps: Path, tmp_path: Path) -> None:
    with pytest.raises(BadRun, match="no stored run"):
        given(lamps, "--against", found(tmp_path / "other.json", RIGHT), "--run", tmp_path / "run.json")
    assert not (tmp_path / "run.json").exists()


def test_what_is_no_set_is_refused(tmp_path: Path) -> None:
    with pytest.raises(BadSet, match="no retrieval set"):
        given(tmp_path)
