"""A grown set as files: for their owner alone, read as they were written, and wrong ones named in a sentence."""

import json
import os
import stat
from pathlib import Path

import pytest

from evals.grown.files import Grown, GrownQuestion, check, is_grown, read, write
from evals.retrieval.errors import BadSet
from evals.retrieval.types import Judgement

RIGHT = {
    "jira:1": {"git:shop:src/a.py": Judgement(1, "code"), "confluence:5": Judgement(1, "doc")},
    "job:7": {"confluence:5": Judgement(1, "doc")},
    "job:8": {"jira:2": Judgement(1, "ticket")},
}
GROWN = Grown(
    name="own",
    audience="org,slack:C1",
    made="2026-11-30T12:00:00+00:00",
    questions=(
        GrownQuestion("jira:1", "Lock\n\nÄ “five”\u2028tries.", "tickets", "2026-01-01T00:59:00+00:00", ("jira:1",)),
        GrownQuestion("job:7", "When?", "liked", None, ()),
        GrownQuestion("job:8", "Who?", "disliked", None, ()),
    ),
    right=RIGHT,
    left_out={"tickets have no words": 2},
)  # fmt: skip


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    write(GROWN, tmp_path / "own")
    return tmp_path / "own"


def modes(folder: Path) -> set[int]:
    return {stat.S_IMODE(path.stat().st_mode) for path in folder.rglob("*") if path.is_file()}


def test_a_set_is_read_as_it_was_written(folder: Path) -> None:
    assert is_grown(folder)
    assert read(folder) == GROWN
    beir = (folder / "qrels" / "test.tsv").read_text().splitlines()
    assert beir[0] == "query-id\tcorpus-id\tscore\tsource"
    assert len(beir) == 4
    assert not any("job:8" in line for line in beir), "what was refuted is not right"


def test_only_its_owner_may_read_it_whatever_the_usual_is(tmp_path: Path) -> None:
    before = os.umask(0)
    try:
        write(GROWN, tmp_path / "own")
    finally:
        os.umask(before)
    assert modes(tmp_path / "own") == {0o600}
    assert {stat.S_IMODE(path.stat().st_mode) for path in (tmp_path / "own", tmp_path / "own" / "qrels")} == {0o700}


def test_a_set_takes_the_place_of_an_earlier_one_and_of_nothing_else(folder: Path, tmp_path: Path) -> None:
    write(Grown("own", "org", "", GROWN.questions[:1], RIGHT, {}), folder)
    assert [one.id for one in read(folder).questions] == ["jira:1"]
    other = tmp_path / "other"
    other.mkdir()
    check(other)
    (other / "notes.txt").write_text("mine")
    (tmp_path / "file").write_text("mine")
    for place in (other, tmp_path / "file"):
        with pytest.raises(BadSet, match="holds something else"):
            write(GROWN, place)
    assert (other / "notes.txt").read_text() == "mine"


def test_what_a_person_changed_is_asked_and_never_written_over(folder: Path) -> None:
    write(GROWN, folder)
    _, _, kept = (folder / "queries.jsonl").read_text("utf-8").partition("\n")
    (folder / "queries.jsonl").write_text(kept, "utf-8")
    assert [one.id for one in read(folder).questions] == ["job:7", "job:8"]
    for again in (lambda: check(folder), lambda: write(GROWN, folder)):
        with pytest.raises(BadSet, match="was changed by hand"):
            again()
    assert len(read(folder).questions) == 2


def test_a_set_that_was_half_written_is_not_asked(folder: Path) -> None:
    (folder / "refuted.tsv.next").mkdir()
    with pytest.raises(OSError, match="refuted"):
        write(Grown("own", "org", "", GROWN.questions[:1], RIGHT, {}), folder)
    assert not is_grown(folder)


def test_no_link_is_followed(folder: Path, tmp_path: Path) -> None:
    target = tmp_path / "target"
    target.write_text("theirs")
    for name in ("queries.jsonl", "set.json"):
        (folder / name).unlink()
        (folder / name).symlink_to(target)
    (folder / "set.json").unlink()
    (folder / "set.json").write_text("{}")
    (folder / "refuted.tsv.next").symlink_to(target)
    write(GROWN, folder)
    assert target.read_text() == "theirs"
    assert not (folder / "queries.jsonl").is_symlink()
    assert read(folder) == GROWN
    qrels = folder / "qrels"
    (qrels / "test.tsv").unlink()
    qrels.rmdir()
    qrels.symlink_to(tmp_path)
    with pytest.raises(BadSet, match="is a link"):
        write(GROWN, folder)


def test_a_document_that_would_break_a_table_is_left_out(tmp_path: Path) -> None:
    odd = {"jira:1": {"git:shop:a\tb.py": Judgement(1, "code"), "git:shop:c\nd.py": Judgement(1, "code")}}
    write(Grown("own", "org", "", GROWN.questions[:1], odd, {}), tmp_path / "own")
    assert read(tmp_path / "own").right == {}


def changed(folder: Path, **more: object) -> None:
    first, *rest = (folder / "queries.jsonl").read_text("utf-8").split("\n")
    (folder / "queries.jsonl").write_text("\n".join([json.dumps(json.loads(first) | more), *rest]), "utf-8")


@pytest.mark.parametrize(
    ("more", "says"),
    [
        ({"slice": "other"}, "jira:1 is of no slice"),
        ({"as_of": "yesterday"}, "`as_of` of jira:1 is no date"),
        ({"as_of": "2026-01-01T00:59:00"}, "`as_of` of jira:1 is no date with a time zone"),
        ({"as_of": 7}, "`as_of` of jira:1 is no date"),
        ({"without": "jira:1"}, "`without` of jira:1 is no list"),
        ({"without": [1]}, "`without` of jira:1 is no list"),
        ({"text": None}, "jira:1 has no text in 'text'"),
    ],
)
def test_a_question_that_is_wrong_is_named(folder: Path, more: dict[str, object], says: str) -> None:
    changed(folder, **more)
    with pytest.raises(BadSet, match=says) as caught:
        read(folder)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("name", ["queries.jsonl", "qrels/test.tsv", "refuted.tsv"])
def test_a_file_that_is_missing_or_torn_is_named(folder: Path, name: str) -> None:
    path = folder / name
    whole = path.read_bytes()
    path.write_bytes(whole[: len(whole) - 9])
    if name == "queries.jsonl":
        with pytest.raises(BadSet, match="this is not JSON"):
            read(folder)
    path.write_bytes(b"\xff\xfe\n\xff")
    with pytest.raises(BadSet, match="cannot be read"):
        read(folder)
    path.unlink()
    with pytest.raises(BadSet, match=f"has no {name}"):
        read(folder)


@pytest.mark.parametrize("content", ["", "[]", "{", "[" * 100_000, '{"shape": "other"}', '{"shape": "grown"}'])
def test_a_card_that_is_none_is_named(folder: Path, content: str) -> None:
    (folder / "set.json").write_text(content)
    with pytest.raises(BadSet, match=r"set\.json"):
        read(folder)


def test_a_grade_of_many_digits_and_a_line_without_end_are_refused(folder: Path) -> None:
    table = folder / "qrels" / "test.tsv"
    table.write_text(f"head\njira:1\tconfluence:5\t{'9' * 5000}\tdoc\n")
    with pytest.raises(BadSet, match="line 2: this is not a question"):
        read(folder)
    table.write_text("head\n" + "x" * 20_000_001)
    with pytest.raises(BadSet, match=r"line 2 is longer than 20,000,000 characters"):
        read(folder)
