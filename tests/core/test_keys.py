"""Which identifiers a question holds."""

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.keys import Key, Keys, parse


def kinds(text: str) -> list[tuple[str, str]]:
    return [(key.kind, key.text) for key in parse(text).found]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("PAY-731", [("ticket", "PAY-731")]),
        ("A1_B-22?", [("ticket", "A1_B-22")]),
        ("PAY\u2011731", [("ticket", "PAY-731")]),  # a hyphen that does not break
        ("ＰＡＹ－７３１", [("ticket", "PAY-731")]),  # noqa: RUF001 - full width
        ("9f8e7d6", [("commit", "9f8e7d6")]),
        ("src/a/b.py:120", [("path", "src/a/b.py")]),
        ("./b.py", [("path", "b.py")]),
        ('"Login  rules"', [("phrase", "Login  rules")]),
        ("«Правила входа»", [("phrase", "Правила входа")]),
        ("`lock`", [("identifier", "lock")]),
        ("`src/a.py:3`", [("path", "src/a.py")]),
        (
            "check_user_lock checkUserLock LockService HTTPServer __init__",
            [
                ("identifier", name)
                for name in ("check_user_lock", "checkUserLock", "LockService", "HTTPServer", "__init__")
            ],
        ),
    ],
)
def test_identifiers_alone(text: str, expected: list[tuple[str, str]]) -> None:
    assert kinds(text) == expected
    assert parse(text).alone


@pytest.mark.parametrize(
    "text",
    [
        "pay 731",
        "éPAY-73",
        "xPAY1-7x",
        "deadbeef",
        "1234567",
        "a word",
        "Word",
        "ABC",
        "f00",
        "x",
        "9f8e7d6z",
        "2026-11-29",
    ],
)
def test_words_that_only_look_like_it(text: str) -> None:
    assert not any(kind in {"ticket", "commit"} for kind, _ in kinds(text))
    assert not parse(text).alone or kinds(text)[0][0] == "identifier"


def test_what_is_left_beside_keys() -> None:
    assert parse("日本PAY-12を") == Keys((Key("ticket", "PAY-12"),), words=True)
    assert parse("PAY-1, PAY-2 and?") == Keys((Key("ticket", "PAY-1"), Key("ticket", "PAY-2")), words=True)
    assert parse("(PAY-1), PAY-2; PAY-1!") == Keys((Key("ticket", "PAY-1"), Key("ticket", "PAY-2")), words=False)
    assert parse("see src/a.py:3").found == (Key("path", "src/a.py", 3),)
    assert parse("") == parse(" ?!") == Keys()


def test_only_some_kinds_cannot_be_words() -> None:
    certain = [key.text for key in parse('PAY-1 9f8e7d6 src/a.py a.py e.g "the end" lockUser').found if key.certain]
    assert certain == ["PAY-1", "9f8e7d6", "src/a.py"]


@given(st.text(max_size=200))
def test_any_text_can_be_read(text: str) -> None:
    keys = parse(text)
    assert not (keys.alone and keys.words)
    assert all(key.text for key in keys.found)


@pytest.mark.parametrize("unit", ["a/", "@", "a.", "`", '"', "_", "aB", "A-", "0a", "a.b/"])
def test_a_long_text_takes_no_time(unit: str) -> None:
    started = time.perf_counter()
    parse(unit * (8_000 // len(unit)))
    assert time.perf_counter() - started < 2
