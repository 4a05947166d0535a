"""Globs over paths, and that a search narrowed by one misses nothing."""

import re
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.store.glob import glob_pattern
from core.types import Document, Filters, Query
from tests.core.parts import EVERYBODY, Bench, document


@pytest.mark.parametrize(
    ("glob", "matches", "others"),
    [
        ("*.py", ["a.py", "x/y/a.py"], ["a.pyc", "a.py.txt"]),
        ("src/*.py", ["src/a.py"], ["src/x/a.py", "a.py", "lib/src/a.py"]),
        ("src/**/*.py", ["src/a.py", "src/x/y/a.py"], ["lib/a.py"]),
        ("src", ["src/a.py", "x/src/b.py", "src"], ["srcs/a.py"]),
        ("src/auth/", ["src/auth/a.py", "src/auth/x/b.py"], ["src/author.py"]),
        ("**/test_?.py", ["test_a.py", "x/test_b.py"], ["test_ab.py"]),
        ("/docs/[a-c]*.md", ["docs/a.md", "docs/bee.md"], ["docs/d.md"]),
        ("docs/[!a]*.md", ["docs/b.md"], ["docs/a.md"]),
        ("src/a*b*c.py", ["src/aXbbXbc.py", "src/abc.py"], ["src/a/bc.py", "src/acb.py"]),
        ("src/**b*/c*d.py", ["src/b/cd.py", "src/x/b/yb1/ccd.py"], ["src/b/x/cd.py", "src/a/cd.py"]),
        ("a**/b", ["a/b", "ax/y/b"], ["ab", "b"]),
        ("a[+-9]b", ["a1b"], ["a/b"]),
        ("a+b(c).py", ["a+b(c).py"], ["aab(c).py"]),
    ],
)
def test_globs(glob: str, matches: list[str], others: list[str]) -> None:
    pattern = glob_pattern(glob)
    assert [path for path in matches + others if pattern.fullmatch(path)] == matches


@given(st.text(alphabet="ab/*?[]!-^\\.", max_size=12))
def test_any_glob_can_be_asked(glob: str) -> None:
    glob_pattern(glob).fullmatch("a/b.py")


@given(
    st.lists(st.sampled_from(["a", "b", "/", "*", "**", "/**/", "?", "[!a]"]), min_size=1, max_size=8).map("".join),
    st.text(alphabet="ab/", min_size=1, max_size=10),
)
def test_a_match_is_never_missed_for_an_earlier_one_that_leads_nowhere(glob: str, path: str) -> None:
    """Against every way to divide the path among the wildcards."""
    parts = re.split(r"((?<![^/])\*\*/|\*\*+|\*|\?|\[!a\])", glob.strip("/"))
    meant = "".join(
        {"**/": "(?:.*/)?", "*": "[^/]*", "?": "[^/]", "[!a]": "[^/a]"}.get(part) or (".*" if "**" in part else part)
        for part in parts
    )
    anywhere = "" if "/" in glob else "(?:.*/)?"
    expected = re.fullmatch(f"{anywhere}{meant}(?:/.*)?", path)
    assert bool(glob_pattern(glob).fullmatch(path)) == bool(expected)


@pytest.mark.parametrize(
    "glob",
    ["*a" * 12 + "b", "**/" * 20 + "b", "**" + "*a**" * 20 + "b", "?*" * 20 + "b", "**/*a" * 8 + "b", "[" * 4_096],
)
def test_no_glob_takes_long(glob: str) -> None:
    path = "a" * 100 + "/" + "a" * 100 + "c"
    started = time.perf_counter()
    assert not glob_pattern(glob).fullmatch(path)
    assert not glob_pattern("[" * 1_000_000).fullmatch(path)
    assert time.perf_counter() - started < 0.5


@given(st.text(alphabet="ab/.", min_size=1, max_size=8).filter(lambda path: path.strip("/")))
def test_a_path_matches_itself(path: str) -> None:
    assert glob_pattern(path).fullmatch(path.strip("/"))


def test_a_glob_is_not_a_filter_on_what_was_found(bench: Bench) -> None:
    """One matching file is found though hundreds of better ones lie outside the glob."""

    def file(path: str, text: str) -> Document:
        return document(text, id=f"git:r:{path}", kind="code", path=path, repo="r", source="r")

    bench.index(
        *(file(f"lib/m{n}.py", "lock lock account") for n in range(200)), file("src/deep/x.py", "account " + "z " * 300)
    )
    found = bench.searcher.search(Query("lock account", filters=Filters(path="src/**")), EVERYBODY).evidence
    assert [evidence.document_id for evidence in found] == ["git:r:src/deep/x.py"]
