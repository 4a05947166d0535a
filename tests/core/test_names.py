"""What is told of names that are not there."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.key import Key
from core.names import unfound, unknown
from core.types import ORG, Audience, Document, Filters
from tests.core.parts import EVERYBODY, Bench, document

INSIDERS = Audience(frozenset({ORG, "repo:payments-secret"}))


def file(repo: str, path: str = "src/auth/lock.py", **more: object) -> Document:
    values = {
        "id": f"git:{repo}:{path}",
        "source": repo,
        "kind": "code",
        "repo": repo,
        "path": path,
        "branch": "main",
        "title": path,
    }
    return document("def lock():\n    pass\n", **values | more)


def told(bench: Bench, audience: Audience = EVERYBODY, **filters: object) -> tuple[str, ...]:
    return unknown(Filters(**filters), bench.store, audience)


def indexed(bench: Bench) -> Bench:
    bench.index(
        file("payments-service"),
        file("payments-web", "web/lock.ts"),
        file("shop"),
        file("payments-secret", labels=frozenset({"repo:payments-secret"})),
        document("Users are blocked.", id="wiki:1"),
    )
    return bench


def test_what_is_there_is_not_told_of(bench: Bench) -> None:
    indexed(bench)
    there = {"repos": frozenset({"shop"}), "sources": frozenset({"shop", "wiki"}), "languages": frozenset({"python"})}
    assert told(bench) == told(bench, sources=frozenset({"shop", "wiki"}), languages=frozenset({"python"})) == ()
    assert told(bench, **there, branch="main", path="src/**") == ()


def test_the_nearest_names_are_told(bench: Bench) -> None:
    indexed(bench)
    assert told(bench, repos=frozenset({"payment-svc", "shop"})) == (
        'There is no repository "payment-svc" that you may read; the nearest are payments-service, payments-web.',
    )
    assert told(bench, repos=frozenset({"SHOP"})) == (
        'There is no repository "SHOP" that you may read; the nearest is shop.',
    )
    assert told(bench, sources=frozenset({"zzz"})) == ('There is no source "zzz" that you may read.',)
    assert told(bench, languages=frozenset({"pyton"})) == (
        'There is no language "pyton" that you may read; the nearest is python.',
    )
    assert told(bench, repos=frozenset({"shop"}), branch="mian") == (
        'There is no branch "mian" that you may read; the nearest is main.',
    )


def test_a_path_that_matches_nothing_is_told_of_with_files_of_its_name(bench: Bench) -> None:
    indexed(bench)
    assert told(bench, repos=frozenset({"shop"}), path="src/lock.py") == (
        'No file that you may read matches "src/lock.py"; the nearest is src/auth/lock.py.',
    )
    assert told(bench, path="lib/**/*.go") == ('No file that you may read matches "lib/**/*.go".',)


def test_what_is_hidden_is_told_of_as_what_is_not_there(bench: Bench) -> None:
    indexed(bench)
    hidden, missing = (told(bench, repos=frozenset({name})) for name in ("payments-secret", "payments-sekret"))
    assert hidden[0].replace("payments-secret", "payments-sekret") == missing[0]
    assert "secret" not in missing[0]
    assert told(bench, INSIDERS, repos=frozenset({"payments-secret"})) == ()
    assert "payments-secret" in told(bench, INSIDERS, repos=frozenset({"payments-sekret"}))[0]
    assert told(bench, Audience(frozenset()), repos=frozenset({"shop"})) == (
        'There is no repository "shop" that you may read.',
    )


@pytest.mark.parametrize("name", ["a\nb\x00\x1b[31m", "\u202egnp", '"; the nearest is x', "x" * 5_000, "\ud800"])
def test_a_strange_name_stays_one_short_line(bench: Bench, name: str) -> None:
    indexed(bench)
    for sentence in (*told(bench, repos=frozenset({name})), unfound([Key("phrase", name)])):
        assert len(sentence) < 160
        assert sentence.isprintable()
        assert sentence.count('"') in {0, 2}


def test_identifiers_that_bring_nothing_are_named() -> None:
    assert unfound([Key("ticket", "PAY-731")]) == "Nothing that you may read is called PAY-731."
    keys = [Key("path", "a/b.py", 3), Key("pull", "12", repo="acme/shop"), Key("pull", "7")]
    assert unfound(keys) == "Nothing that you may read is called a/b.py, acme/shop#12 or #7."
    assert unfound([Key("ticket", f"P-{n}") for n in range(20)]).endswith("P-7 or 12 more.")


@given(st.lists(st.text(min_size=1, max_size=300), min_size=1, max_size=30))
def test_any_identifiers_make_one_line(texts: list[str]) -> None:
    sentence = unfound([Key("phrase", text) for text in texts])
    assert len(sentence) < 900
    assert "\n" not in sentence
