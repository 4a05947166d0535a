"""What a file's path says."""

import pytest

from core.paths import file_id, group_of


@pytest.mark.parametrize(
    ("path", "group"),
    [
        ("src/auth/lock.py", "code"),
        ("tests/test_lock.py", "test"),
        ("src/test_lock.py", "test"),
        ("src/lock_test.go", "test"),
        ("web/Lock.spec.ts", "test"),
        ("web/__tests__/lock.ts", "test"),
        ("conftest.py", "test"),
        ("src/contest.py", "code"),
        ("src/latest/lock.py", "code"),
        ("src/attestation.py", "code"),
        ("vendor/lib/lock.go", "generated"),
        ("web/node_modules/a/tests/b.js", "generated"),  # before the tests
        ("api/lock_pb2.py", "generated"),
        ("web/app.min.js", "generated"),
        ("src/distance.py", "code"),
        ("src/changelog.py", "code"),  # release notes are prose
    ],
)
def test_code_is_told_by_its_path(path: str, group: str) -> None:
    assert group_of("code", path) == group_of("code", path.upper()) == group


@pytest.mark.parametrize(
    ("path", "group"),
    [
        ("CHANGELOG.md", "news"),
        ("docs/release-notes/1.2.md", "news"),
        ("docs/whatsnew/v3.rst", "news"),
        ("NEWS", "news"),
        ("package-lock.json", "generated"),
        ("docs/history-of-locks.md", "document"),
        ("tests/README.md", "document"),  # only code is a test
        ("docs/newsletter.md", "document"),
    ],
)
def test_prose_is_told_by_its_path(path: str, group: str) -> None:
    assert group_of("file", path) == group


@pytest.mark.parametrize(
    ("kind", "group"),
    [
        ("ticket", "ticket"),
        ("comment", "ticket"),
        ("history", "ticket"),
        ("page", "document"),
        ("attachment", "document"),
        ("commit", "commit"),
        ("qa", "qa"),
    ],
)
def test_what_is_no_file_is_told_by_its_kind_alone(kind: str, group: str) -> None:
    assert group_of(kind, None) == group_of(kind, "tests/test_lock.py") == group


def test_a_file_has_another_id_on_a_branch() -> None:
    assert file_id("shop", "src/a.py") == "git:shop:src/a.py"
    assert file_id("shop", "src/a.py", "next") == "git:shop@next:src/a.py"
