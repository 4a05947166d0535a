"""Each shape of set: recognised, made into the product's own documents, indexed, searched and measured."""

import json
from pathlib import Path

import pytest

from core.chunking import chunk
from evals.retrieval import corpus, metrics, questions
from evals.retrieval.results import about, result_of, table_of
from evals.retrieval.run import Setup, run
from evals.retrieval.sets import recognise
from evals.retrieval.spans import chunks_of, ending_of
from evals.retrieval.types import RetrievalSet
from tests.evals import small_sets


def quiet(_message: object) -> None: ...


def measured(chosen: RetrievalSet, setup: Setup) -> dict[str, float]:
    outcome = run(chosen, setup, quiet)
    return {metric: metrics.mean(values) for metric, values in metrics.measured(outcome.run, chosen.relevant).items()}


# Bug reports


def test_reports_find_their_files_in_their_own_release(tmp_path: Path, setup: Setup) -> None:
    fetch = small_sets.issues(tmp_path / "set")
    chosen = recognise(tmp_path / "set", fetch)
    outcome = run(chosen, setup, quiet)
    assert fetch.asked == [("lamp==1.0", False), ("lamp==2.0", False)]
    assert {key: found[0] for key, found in outcome.run.items()} == {
        "lamp-1": "src/lamp/dimmer.py",
        "lamp-2": "src/lamp/colour.py",
        "lamp-3": "src/lamp/socket.py",
    }
    assert all(found[0].startswith("src/lamp/") for found in outcome.baseline.values())
    assert "src/lamp/colour.py" not in outcome.run["lamp-1"]
    assert metrics.mean(metrics.measured(outcome.run, chosen.relevant)["Acc@1"]) == 1


def test_a_release_has_its_files_as_the_repository_names_them_and_only_earlier_commits(tmp_path: Path) -> None:
    chosen = recognise(tmp_path / "set", small_sets.issues(tmp_path / "set"))
    first, second = chosen.corpora()
    assert set(first.names.values()) == {"src/lamp/dimmer.py", "src/lamp/socket.py"}, "tests are left out"
    assert set(second.names.values()) == {*first.names.values(), "src/lamp/colour.py"}
    commits = {d.id: d for d in second.documents if d.kind == "commit"}
    assert set(commits) == {"git:lamp@aaaa000001", "git:lamp@aaaa000002", "git:lamp@aaaa000003"}
    assert {d.id for d in first.documents if d.kind == "commit"} == {"git:lamp@aaaa000001", "git:lamp@aaaa000002"}
    assert commits["git:lamp@aaaa000002"].attributes["paths"] == "src/lamp/socket.py"
    code = next(d for d in first.documents if d.path == "src/lamp/dimmer.py")
    assert (code.id, code.kind, code.context) == ("git:lamp:src/lamp/dimmer.py", "code", "lamp > src/lamp/dimmer.py")
    assert code.labels == commits["git:lamp@aaaa000001"].labels == {"repo:lamp"}


def test_a_set_without_a_history_has_the_package_s_own_paths(tmp_path: Path) -> None:
    fetch = small_sets.issues(tmp_path / "set")
    (tmp_path / "set" / "history-lamp.jsonl.gz").unlink()
    first, _ = recognise(tmp_path / "set", fetch).corpora()
    assert set(first.names.values()) == {"lamp/dimmer.py", "lamp/socket.py"}
    assert all(document.kind == "code" for document in first.documents)


# Tickets and pages


@pytest.mark.parametrize("name", ["corpus.jsonl", "corpus.jsonl.gz"])
def test_tickets_find_each_other_and_never_themselves(tmp_path: Path, setup: Setup, name: str) -> None:
    small_sets.corpus(tmp_path / "set", name)
    chosen = recognise(tmp_path / "set")
    outcome = run(chosen, setup, quiet)
    assert outcome.run["LAMP-1"][0] == outcome.baseline["LAMP-1"][0] == "LAMP-2"
    assert "LAMP-1" not in outcome.run["LAMP-1"] + outcome.baseline["LAMP-1"]
    assert outcome.run["q-2"][0] == "LAMP-3"
    assert metrics.mean(metrics.measured(outcome.run, chosen.relevant)["nDCG@10"]) == 1


def test_a_ticket_is_called_by_its_key_and_summary(tmp_path: Path) -> None:
    small_sets.corpus(tmp_path / "set")
    (made,) = corpus.load(tmp_path / "set").corpora()
    ticket = made.documents[2]
    assert (ticket.kind, ticket.title, ticket.context) == (
        "ticket",
        "LAMP-3 Socket cracks",
        "LAMP > LAMP-3 Socket cracks",
    )
    assert ticket.text.startswith("# Socket cracks\n\nThe ceramic socket")


def test_what_has_paths_for_ids_is_pages(tmp_path: Path) -> None:
    (tmp_path / "set").mkdir()
    pages = [
        {"_id": "guide/light/dim.md", "title": "Dimming", "text": "# Dimming\n\nTurn it."},
        {"_id": "guide/bulbs.md", "text": "# Bulbs\n\nScrew them in."},
    ]
    small_sets.lines(tmp_path / "set" / "corpus.jsonl", pages)
    small_sets.lines(tmp_path / "set" / "queries.jsonl", [{"_id": "q", "text": "how to dim"}])
    (made,) = corpus.load(tmp_path / "set").corpora()
    assert [(d.kind, d.title, d.context) for d in made.documents] == [
        ("page", "Dimming", "set > guide > light > Dimming"),
        ("page", "bulbs", "set > guide > bulbs"),
    ]


def test_without_right_answers_there_is_a_run_and_nothing_measured(tmp_path: Path, setup: Setup) -> None:
    small_sets.corpus(tmp_path / "set")
    (tmp_path / "set" / "qrels" / "test.tsv").unlink()
    chosen = recognise(tmp_path / "set")
    outcome = run(chosen, setup, quiet)
    result = result_of(chosen, outcome)
    assert set(outcome.run) == {"LAMP-1", "q-2"}
    assert (result.rows, result.best_arm, result.answered) == ((), None, 2)
    assert any("nothing is measured" in sentence for sentence in about(result))


def test_a_question_without_a_word_is_said_and_not_asked(tmp_path: Path, setup: Setup) -> None:
    small_sets.corpus(tmp_path / "set")
    small_sets.lines(tmp_path / "set" / "queries.jsonl", [{"_id": "LAMP-1", "text": "?!"}])
    chosen = recognise(tmp_path / "set")
    result = result_of(chosen, run(chosen, setup, quiet))
    assert result.answered == 0
    assert list(result.unasked) == ["LAMP-1"]
    assert {row.metric: row.measured for row in result.rows}["recall@5"] == 0


# Code that is cut already


def test_spans_are_found_by_their_own_ids(tmp_path: Path, setup: Setup) -> None:
    texts = small_sets.questions(tmp_path / "set")
    chosen = recognise(tmp_path / "set")
    (made,) = chosen.corpora()
    assert dict(made.texts) == texts
    outcome = run(chosen, setup, quiet)
    assert outcome.chunks == len(texts)
    assert set(outcome.run["q1"]) <= set(texts)
    assert outcome.run["q1"][0] == "d2:0"


def test_spans_know_what_they_define_and_stand_in(tmp_path: Path) -> None:
    small_sets.questions(tmp_path / "set")
    (made,) = questions.load(tmp_path / "set").corpora()
    first = made.documents[0]
    assert first.path == "d1.py"
    assert first.context.startswith('set > """Brightness of a lamp."""'), "the licence is no place"
    chunks = made.chunker(first)
    assert "".join(one.text for one in chunks) == first.text
    assert [one.symbols for one in chunks] == [("Dimmer",), ("fade_out", "Dimmer.fade_out"), ()]
    assert chunks[2].context.startswith(f"{first.context} > Dimmer > fade_out\n")
    assert "brightness" in chunks[1].context + chunks[2].text
    assert chunks[2].line == first.text.count("\n", 0, chunks[2].start) + 1


def test_spans_that_are_the_usual_cuts_give_the_usual_chunks(tmp_path: Path) -> None:
    small_sets.issues(tmp_path / "set")
    code = (Path(chunk.__code__.co_filename).parent / "symbols.py").read_text("utf-8")
    small_sets.questions(tmp_path / "questions")
    (made,) = questions.load(tmp_path / "questions").corpora()
    document = made.documents[0]
    document = type(document)(**{name: getattr(document, name) for name in document.__slots__} | {"text": code})
    usual = chunk(document)
    assert len(usual) > 3
    assert chunks_of(document, [(one.start, one.end) for one in usual]) == usual


def test_the_language_is_told_by_the_grammar_that_reads_it() -> None:
    assert ending_of(small_sets.DIMMER) == ".py"
    assert ending_of("fn main() -> Result<(), E> {\n    let x = y?;\n    Ok(())\n}\n") == ".rs"
    assert (
        ending_of("package a;\n\npublic class B<T> extends C {\n  @Override public int d() { return 1; }\n}\n")
        == ".java"
    )
    assert ending_of("package a\n\nfunc (b *B) C() (int, error) {\n\treturn 1, nil\n}\n") == ".go"
    assert ending_of("namespace a {\ntemplate <class T> T b(const T& c) { return c; }\n}\n") == ".cpp"
    assert ending_of("<?php\nfunction a($b) { return $b->c; }\n") == ".php"
    assert ending_of("Dear all, what a (long & sad) story; it's >> 50%! \\o/ {{[ no end :: ]") == ""


# Everything in one index


def test_code_and_documentation_are_found_in_one_index(tmp_path: Path, setup: Setup) -> None:
    fetch = small_sets.mixed(tmp_path / "set")
    chosen = recognise(tmp_path / "set", fetch)
    (made,) = chosen.corpora()
    assert fetch.asked == [("lamp==1.0", True)]
    assert {d.kind for d in made.documents} == {"code", "file", "commit"}
    assert "commit:bbbb00000001" in made.names.values()
    assert measured(chosen, setup)["code-and-doc hit@10"] == 1


# Reporting


def test_a_result_is_json_and_a_table(tmp_path: Path, setup: Setup) -> None:
    small_sets.corpus(tmp_path / "set")
    chosen = recognise(tmp_path / "set")
    messages: list[dict] = []
    result = result_of(chosen, run(chosen, setup, messages.append))
    assert [row.metric for row in result.rows][:2] == ["nDCG@10", "recall@50"]
    assert result.rows[0].measured == 1
    assert json.loads(json.dumps(result.to_json()))["answered"] == 2
    assert table_of(result).row_count == sum(len(row.others) for row in result.rows)
    assert {message["step"] for message in messages} == {"set: indexing", "set: searching"}
    assert messages[-1] == {"step": "set: searching", "done": 2, "total": 2}
