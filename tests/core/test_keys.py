"""Which identifiers a question holds."""

import time

import pytest
from hypothesis import given, settings
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


PATHS = [
    ("a/b.py:120", "a/b.py", 120, None),
    ("a/b.py#L120", "a/b.py", 120, None),
    ("a/b.py#L10C2-L20C7", "a/b.py", 10, 20),
    ("a/b.py:120-140", "a/b.py", 120, 140),
    ("a/b.py:120\u2013140", "a/b.py", 120, 140),
    ("src/main.rs:12:5", "src/main.rs", 12, None),
    ("src/a.ts(12,5)", "src/a.ts", 12, None),
    ('File "a/b.py", line 120', "a/b.py", 120, None),
    ('File "C:\\app\\a b.py", line 3', "C:/app/a b.py", 3, None),
    ("(/srv/app/src/a.js:10:5)", "/srv/app/src/a.js", 10, None),
    ("a.py, line 7", "a.py", 7, None),
    ("a.py lines 7 to 9", "a.py", 7, 9),
    ("`a/b.py` line 7", "a/b.py", 7, None),
    ("src\\auth\\lock.py:3", "src/auth/lock.py", 3, None),
    ("Dockerfile:12", "Dockerfile", 12, None),
    (".github/workflows/ci.yml", ".github/workflows/ci.yml", None, None),
    (".gitignore", ".gitignore", None, None),
    (
        "docs/правила.md",
        "docs/правила.md",
        None,
        None,
    ),
    ("`src/auth`", "src/auth", None, None),
]


@pytest.mark.parametrize(("text", "path", "line", "last"), PATHS)
def test_paths_with_their_lines(text: str, path: str, line: int | None, last: int | None) -> None:
    assert parse(text).found == (Key("path", path, line, last),)
    words = {"a.py", "`a/b.py`"} & set(text.split())  # "line 7" is no word beside the path
    assert parse(text).alone or words


ADDRESSES = [
    ("https://acme.atlassian.net/browse/PAY-731?focusedCommentId=10", Key("ticket", "PAY-731")),
    ("https://acme.atlassian.net/jira/software/projects/PAY/boards/1?selectedIssue=PAY-7", Key("ticket", "PAY-7")),
    ("https://jira.x/projects/PAY/issues/PAY-7", Key("ticket", "PAY-7")),
    ("https://acme.atlassian.net/servicedesk/customer/portal/3/HELP-12", Key("ticket", "HELP-12")),
    ("https://acme.atlassian.net/wiki/spaces/SP/pages/98312/Login+rules", Key("page", "98312")),
    ("https://wiki.x/pages/viewpage.action?spaceKey=SP&pageId=98312", Key("page", "98312")),
    ("https://wiki.x/display/SP/Login+rules", Key("page", "Login rules")),
    ("https://acme.atlassian.net/wiki/x/CIAB", Key("page", "98312")),
    ("https://github.com/acme/shop/blob/main/src/a.py#L10-L20", Key("path", "src/a.py", 10, 20, "acme/shop")),
    ("https://github.com/acme/shop/blob/main/a%20b.py", Key("path", "a b.py", repo="acme/shop")),
    ("https://github.com/acme/shop/commit/9f8e7d6c", Key("commit", "9f8e7d6c", repo="acme/shop")),
    ("https://github.com/acme/shop/pull/12/files#r1", Key("pull", "12", repo="acme/shop")),
    ("https://github.com/acme/shop/pull/12/commits/9f8e7d6", Key("commit", "9f8e7d6", repo="acme/shop")),
    ("https://gitlab.x/g/sub/shop/-/blob/main/src/a.py#L10-20", Key("path", "src/a.py", 10, 20, "g/sub/shop")),
    ("https://gitlab.x/g/sub/shop/-/merge_requests/7/diffs", Key("pull", "7", repo="g/sub/shop")),
    ("https://gitlab.x/g/shop/-/commit/9f8e7d6", Key("commit", "9f8e7d6", repo="g/shop")),
    ("https://bitbucket.org/ws/shop/src/main/a/b.py#lines-12:20", Key("path", "a/b.py", 12, 20, "ws/shop")),
    ("https://bitbucket.org/ws/shop/pull-requests/12", Key("pull", "12", repo="ws/shop")),
    ("https://bb.x/projects/P/repos/shop/browse/a/b.py?at=main#12-20", Key("path", "a/b.py", 12, 20, "P/shop")),
    ("https://bb.x/projects/P/repos/shop/commits/9f8e7d6", Key("commit", "9f8e7d6", repo="P/shop")),
    ("https://x.example/elsewhere", Key("phrase", "https://x.example/elsewhere")),
]


@pytest.mark.parametrize(("address", "key"), ADDRESSES)
@pytest.mark.parametrize("around", ["{}", "({}).", "<{}>", "[see|{}]", "\u300c{}\u300d"])
def test_what_addresses_point_to(address: str, key: Key, around: str) -> None:
    assert parse(around.format(address)).found == (key,)


def test_an_address_that_is_none_is_a_phrase() -> None:
    assert parse("http://[::1").found == (Key("phrase", "http://[::1"),)


@pytest.mark.parametrize(
    ("text", "number", "repo"),
    [
        ("PR 12", "12", None),
        ("PR #12", "12", None),
        ("pull request #12", "12", None),
        ("merge request !12", "12", None),
        ("MR!12", "12", None),
        ("#12", "12", None),
        ("(!12)", "12", None),
        ("shop#12", "12", "shop"),
        ("acme/shop!12", "12", "acme/shop"),
    ],
)
def test_pull_requests(text: str, number: str, repo: str | None) -> None:
    assert parse(text) == Keys((Key("pull", number, repo=repo),))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("PR-12", [("ticket", "PR-12")]),
        ("pay-731", [("ticket", "pay-731")]),
        ("PAY\u200b-731", [("ticket", "PAY-731")]),
        ("PAY\u2013731", [("ticket", "PAY-731")]),
        ("\u202aPAY-731\u202c", [("ticket", "PAY-731")]),
        ("feature/PAY-731_", []),
        ("module.func()", [("path", "module.func")]),
        ("LockService.check_user_lock()", [("identifier", "LockService.check_user_lock")]),
        ("pay::Lock", [("identifier", "pay::Lock")]),
        ("obj->check", [("identifier", "obj->check")]),
        ("Lock#check", [("identifier", "Lock#check")]),
        ("#check", [("identifier", "check")]),
        ("lock()", [("identifier", "lock")]),
        ("payment.retry.max-attempts", [("identifier", "payment.retry.max-attempts")]),
        ("${PAYMENT_RETRY_MAX}", [("identifier", "PAYMENT_RETRY_MAX")]),
        ("--max-attempts", [("identifier", "--max-attempts")]),
        ("POST /v1/users/{id}", [("route", "/v1/users/{id}")]),
        ("GET /v1/users?page=2", [("route", "/v1/users")]),
        ("/v1/users/:id/cards", [("route", "/v1/users/:id/cards")]),
        ("'no such user'", [("phrase", "no such user")]),
        ("\u2018no such user\u2019", [("phrase", "no such user")]),
        ("\u300cロック\u300d", [("phrase", "ロック")]),
        ('"PAY-731"', [("ticket", "PAY-731")]),
        ("550e8400-e29b-41d4-a716-446655440000", [("identifier", "550e8400-e29b-41d4-a716-446655440000")]),
        ("9f8e7d6..1a2b3c4", [("commit", "9f8e7d6"), ("commit", "1a2b3c4")]),
    ],
)
def test_other_forms(text: str, expected: list[tuple[str, str]]) -> None:
    assert kinds(text) == expected


def test_the_message_after_an_errors_name_is_a_phrase() -> None:
    keys = parse("why ValueError: cannot reshape array of size 3\nand more")
    assert Key("phrase", "cannot reshape array of size 3") in keys.found
    assert keys.words


@pytest.mark.parametrize(
    "text", ["the users' data and the admins' data", "C#", "C#12", "and/or", "#1abc", "a & b", "//"]
)
def test_what_is_no_identifier(text: str) -> None:
    assert parse(text).found == ()


UNITS = [
    "a/",
    "@",
    "a.",
    "`",
    '"',
    "_",
    "aB",
    "A-",
    "0a",
    "a.b/",
    "'",
    "'a",
    "http://",
    "https://x/",
    ")",
    "#",
    "#1",
    "!",
    "a#",
    "a->",
    "a::",
    "--",
    "--a",
    "\\",
    "a\\",
    "A:\\",
    "~/",
    "{",
    "/{a}",
    "/a",
    "/:a",
    "\xab",
    "\u201ea",
    "GET /",
    "Error: ",
    "\u0301\u0316",
    "\u3042",
    "\u3042a",
    "\xe9",
    "\u202e",
    "\x00",
    "\ud800",
    "a-",
    "-1",
    "A1-",
    "(",
    ":1",
    "a.py:",
    "f0-",
    "PR ",
    "`a\n",
    "'a\n",
    "]",
    "...",
    "${",
]


@settings(max_examples=300, deadline=None)
@given(st.text(st.characters(), max_size=200) | st.lists(st.sampled_from(UNITS), max_size=20).map("".join))
def test_any_text_can_be_read(text: str) -> None:
    keys = parse(text)
    assert not (keys.alone and keys.words)
    for key in keys.found:
        assert key.text.strip()
        key.text.encode()
        assert (key.line is None) or key.kind == "path"


@pytest.mark.parametrize("unit", UNITS)
@pytest.mark.parametrize("after", ["", " ", "x"])
def test_a_long_text_takes_no_time(unit: str, after: str) -> None:
    """Time is that of this process, and what grows as the square of the length takes minutes here."""
    started = time.process_time()
    parse(((unit + after) * 100_000)[:100_000])
    assert time.process_time() - started < 5


@settings(max_examples=40, deadline=None)
@given(st.lists(st.sampled_from(UNITS), min_size=1, max_size=5))
def test_no_mixture_takes_long(units: list[str]) -> None:
    started = time.process_time()
    parse(("".join(units) * 100_000)[:100_000])
    assert time.process_time() - started < 5
