"""Files of questions: the example is one, and what is wrong with another is said in a sentence that says where."""

from pathlib import Path

import pytest
from typer.testing import CliRunner

from evals.cli import eval_app
from evals.questions import own
from evals.questions.load import QuestionsError
from evals.questions.measure import cases

GOOD = """\
[[question]]
id = "first"
text = "How long?"
wanted = [["ticket:SHOP-1", "file:shop/src/a.py"]]

[[question]]
id = "second"
text = "How much?"
"""


def given(*arguments: object) -> str:
    answer = CliRunner().invoke(eval_app, ["answers", *map(str, arguments)], catch_exceptions=False)
    assert answer.exit_code == 0
    return answer.stdout


def written(folder: Path, text: str) -> Path:
    path = folder / "ours.toml"
    path.write_text(text, "utf-8")
    return path


def test_the_example_is_a_file_of_questions_and_shows_each_kind(tmp_path: Path) -> None:
    asked = own.questions(written(tmp_path, given("--example")))
    assert {one.category for one in asked} == {"single", "cross", "restricted", "unanswerable"}
    assert {one.part for one in asked} == {"open", "held"}
    assert any(one.holds for one in asked)
    assert any(one.old for one in asked)
    assert any(one.facts for one in asked)


def test_part_and_category_may_be_left_out(tmp_path: Path) -> None:
    first, second = own.questions(written(tmp_path, GOOD))
    assert (first.part, first.category, second.category) == ("open", "single", "unanswerable")


def test_the_held_part_is_told_by_numbers(tmp_path: Path) -> None:
    asked = own.questions(written(tmp_path, GOOD.replace('id = "second"', 'id = "second"\npart = "held"')))
    assert list(cases(asked, "held")) == ["held 01"]
    assert list(cases(asked, "open")) == ["first"]


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        (GOOD, "", r"ours.toml must have \[\[question\]\] tables and nothing else"),
        (GOOD, "question = 5", r"ours.toml must have \[\[question\]\] tables and nothing else"),
        (GOOD, GOOD + "[more]\n", r"ours.toml must have \[\[question\]\] tables and nothing else"),
        (GOOD, "[[question]", "ours.toml is no TOML"),
        ('text = "How much?"', "", "question 2 lacks 'text'"),
        ('text = "How much?"', "text = 7", "question 2 lacks 'text'"),
        ('id = "second"', 'id = "first"', "ours.toml has 'first' twice"),
        ('text = "How much?"', 'text = "How much?"\nneeded = []', "question 2 has 'needed', which means nothing"),
        ('text = "How much?"', f'text = "{"x" * 2001}"', "second is longer than 2000 characters"),
        ('text = "How much?"', 'text = "How much?"\npart = "shut"', "second has no part that is known; .* open, held"),
        ('text = "How much?"', 'text = "How much?"\ncategory = "x"', "second has no category that is known"),
        ('text = "How much?"', 'text = "How much?"\ncategory = ["single"]', "second has no category that is known"),
        ('text = "How much?"', 'text = "How much?"\ncategory = "single"', "second wants documents although"),
        ('text = "How long?"', 'text = "How long?"\ncategory = "restricted"', "first wants documents although"),
        ('[["ticket:SHOP-1", "file:shop/src/a.py"]]', '["ticket:SHOP-1"]', "first: 'wanted' is a list of lists"),
        ('[["ticket:SHOP-1", "file:shop/src/a.py"]]', "[[]]", "first: 'wanted' is a list of lists"),
        ('[["ticket:SHOP-1", "file:shop/src/a.py"]]', "[[5]]", "first: 'wanted' holds something that is no text"),
        ('text = "How much?"', 'text = "How much?"\nholds = "org"', "second: 'holds' holds something that is no text"),
        ("ticket:SHOP-1", "ticket:shop", "first names 'ticket:shop'. Write ticket:KEY"),
        ("ticket:SHOP-1", "SHOP-1", "first names 'SHOP-1'. Write ticket:KEY"),
        ("file:shop/src/a.py", "file:a.py", "first names 'file:a.py'"),
        ("file:shop/src/a.py", "commit:shop@HEAD", "first names 'commit:shop@HEAD'"),
        ("file:shop/src/a.py", "page:", "first names 'page:'"),
    ],
)
def test_what_is_wrong_with_a_file_is_said(tmp_path: Path, old: str, new: str, says: str) -> None:
    assert old in GOOD
    with pytest.raises(QuestionsError, match=says):
        own.questions(written(tmp_path, GOOD.replace(old, new, 1)))


def test_a_file_that_is_not_there_or_too_large_is_refused(tmp_path: Path) -> None:
    with pytest.raises(QuestionsError, match=r"none\.toml is no file.*--example"):
        own.questions(tmp_path / "none.toml")
    with pytest.raises(QuestionsError, match="larger than 5 MB"):
        own.questions(written(tmp_path, "#" * 5_000_001))
    (tmp_path / "bytes.toml").write_bytes(b"\xff\xfe")
    with pytest.raises(QuestionsError, match="no TOML"):
        own.questions(tmp_path / "bytes.toml")


def test_options_that_do_not_go_together_are_refused(tmp_path: Path) -> None:
    with pytest.raises(QuestionsError, match="does not go with --model"):
        given("--questions", written(tmp_path, GOOD), "--model")
