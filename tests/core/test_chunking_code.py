"""Law 9 for code, and what chunks of it say: the names they define and use, and what encloses them."""

import random
import time
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from core.chunking import chunk
from core.types import Chunk, Document
from tests.core.code_samples import CUT, SAMPLES, Cut, Sample
from tests.core.parts import document

EXTENSIONS = [*SAMPLES, "mjs", "jsx", "txt"]
TOKENS = (
    *("class A", "def f(x):", "function g() {", "fn h(", "if (a)", "x = 1", "return", "CREATE TABLE t (", "<?php", ";"),
    *(
        "{",
        "}",
        "(",
        ")",
        "[",
        "]",
        "<",
        ">",
        '"',
        "'",
        "`",
        "//",
        "/*",
        "*/",
        "#",
        "--",
        "'''",
        "@a",
        "\\",
        "\n",
        "\n\n",
    ),
    *("    ", "\t", "ü", "€", "🙂", "\u2028", "\x0b", "\x00", "\r", "\ufeff", "\ud800", "z" * 3_100, "a, " * 200),
)
texts = st.lists(st.sampled_from(TOKENS) | st.text(max_size=20), max_size=80).map(" ".join)
extensions = st.sampled_from(EXTENSIONS)


def code(text: str, path: str = "src/a.py", **values: object) -> Document:
    return document(text, kind="code", path=path, context=f"shop > {path}", **values)


def check_law(made: Document) -> list[Chunk]:
    chunks = chunk(made)
    assert [c.ordinal for c in chunks] == list(range(len(chunks)))
    assert (chunks[0].start, chunks[-1].end) == (0, len(made.text))
    assert all(before.end == after.start for before, after in pairwise(chunks))
    lines = made.text.split("\n")
    for one in chunks:
        assert made.text[one.start : one.end] == one.text
        assert one.text or not made.text
        assert one.line is not None
        assert one.text.split("\n")[0] in lines[one.line - 1]
        assert len(one.text) <= 3_000
        assert one.text.count("\n") <= 60
        assert one.context.startswith(made.context)
        for names in (one.symbols, one.references):
            assert len(names) <= 100
            assert len(set(names)) == len(names)
            assert all(name and len(name) <= 250 and not any(c.isspace() for c in name) for name in names)
    return chunks


def by_path(text: str, path: str) -> list[Chunk]:
    return check_law(code(text, path))


# The law, on anything


@settings(deadline=None, max_examples=100)
@given(texts, extensions)
@example("", "py")
@example("\n" * 500, "ts")
@example("x" * 20_000, "c")
@example("\ufeff# ü\ndef f():\n    pass\n", "py")
@example("é" * 2_999 + "\n" + "🙂" * 3_000, "go")
@example("def f():\n" + "    x = '€€€€€€€€'\n" * 300, "py")
def test_chunks_cover_code_of_any_kind_and_point_back(text: str, extension: str) -> None:
    by_path(text, f"a.{extension}")


@settings(deadline=None, max_examples=100)
@given(st.sampled_from(list(SAMPLES)), st.data())
def test_chunks_cover_broken_code(extension: str, data: st.DataObject) -> None:
    """Real code with a stretch cut out, put in, or said many times."""
    text = SAMPLES[extension].text
    at = data.draw(st.integers(0, len(text)))
    to = data.draw(st.integers(at, min(len(text), at + 40)))
    broken = text[:at] + data.draw(texts) + text[to:]
    by_path(broken * data.draw(st.integers(1, 8)), f"a.{extension}")


@settings(deadline=None)
@given(st.sampled_from(list(SAMPLES)))
def test_the_same_code_gives_the_same_chunks_in_every_thread(extension: str) -> None:
    text = SAMPLES[extension].text * 5
    with ThreadPoolExecutor(4) as pool:
        results = list(pool.map(lambda _: by_path(text, f"a.{extension}"), range(8)))
    assert all(result == results[0] for result in results)


# Each language


@pytest.mark.parametrize(("extension", "sample"), SAMPLES.items(), ids=SAMPLES)
def test_what_code_defines_and_uses(extension: str, sample: Sample) -> None:
    chunks = by_path(sample.text, f"src/a.{extension}")
    defined = [name for c in chunks for name in c.symbols]
    used = [name for c in chunks for name in c.references]
    assert [name for name in sample.defines.split() if name not in defined] == []
    assert [name for name in sample.uses.split() if name not in used] == []
    assert set(sample.not_defined.split()).isdisjoint(defined)
    assert set(sample.not_used.split()).isdisjoint(used)


@pytest.mark.parametrize(("extension", "cut"), CUT.items(), ids=CUT)
def test_what_is_too_large_is_cut_between_its_parts(extension: str, cut: Cut) -> None:
    """Each part is whole, and says what it stands in: the names, and the lines that begin them."""
    parts = [cut.part.replace("{n}", str(n)) for n in range(60)]
    chunks = by_path(cut.head + "".join(parts) + cut.tail, f"src/a.{extension}")
    assert len(chunks) > 2
    assert chunks[-1].text.endswith(cut.tail)
    for one in chunks[1:]:
        assert one.context == f"shop > src/a.{extension} > {cut.within}"
        assert one.text.startswith(cut.part.split("{n}")[0])
        assert one is chunks[-1] or one.text.endswith(cut.part.rsplit("{n}", 1)[-1])
    assert chunks[0].context == f"shop > src/a.{extension}"
    defined = [name for c in chunks for name in c.symbols]
    assert [
        name for n in range(60) for name in [cut.name.replace("{n}", str(n))] if cut.name and name not in defined
    ] == []


def test_a_definition_that_fits_is_kept_whole_with_what_stands_above_it() -> None:
    function = "# Why.\n@cached\ndef step_{n}(user):\n" + "    user = audit(user, {n})\n" * 50 + "    return user\n\n\n"
    parts = [function.replace("{n}", str(n)) for n in range(20)]
    assert [c.text for c in by_path("".join(parts), "a.py")] == parts


def test_small_neighbours_share_a_chunk_of_about_a_kilobyte() -> None:
    line = "    user.find_in_the_repository_that_holds_all_accounts_of_shop({n})\n"
    function = "def step_{n}(user):\n" + line * 3 + "\n\n"
    chunks = by_path("".join(function.replace("{n}", str(n)) for n in range(200)), "a.py")
    assert all(1_000 < len(c.text) <= 1_500 for c in chunks[:-1])
    assert all(c.text.startswith("def step_") for c in chunks)


def test_a_small_class_is_not_torn_apart_for_its_neighbours() -> None:
    def lines(prefix: str, count: int) -> str:
        return "".join(f"{prefix}value_{n} = find_it({n})\n" for n in range(count))

    small = "class Small:\n" + lines("    ", 40) + "\n\n"
    chunks = by_path(lines("", 30) + "\n\n" + small + lines("", 30), "a.py")
    assert [c.text.startswith(small) for c in chunks if "class Small" in c.text] == [True]


@pytest.mark.parametrize("lines", range(76, 92))
def test_what_is_left_of_a_large_function_stays_with_it(lines: int) -> None:
    large = "def large(user):\n" + "".join(f"    user = find_it_somewhere(user, {n})\n" for n in range(lines)) + "\n\n"
    after = "def after(user):\n" + "    return user.find({n})\n" * 20
    *chunks, last = by_path(large + after, "a.py")
    assert last.text == after
    assert min(len(c.text) for c in chunks) >= 200


def test_a_comment_belongs_to_what_stands_right_below_it() -> None:
    filler = "    value = find_it_somewhere(value)\n"
    body = f"{{\n{filler * 40}}}"
    text = f"void a() {body}\n\n// A licence.\n\n// What b does.\nvoid b() {body} // b\n\nint c;\n"
    chunks = by_path(text, "a.c")
    (with_b,) = [c for c in chunks if "void b()" in c.text]
    assert with_b.text.startswith(("// A licence.", "// What b does.\nvoid b()"))
    assert "// b\n" in with_b.text


def test_a_long_string_is_cut_by_lines_within_its_definition() -> None:
    text = 'USAGE = """\n' + "How to lock an account, and what happens then.\n" * 200 + '"""\n'
    chunks = by_path(text, "a.py")
    assert len(chunks) > 3
    assert [c.symbols for c in chunks] == [("USAGE",), *[()] * (len(chunks) - 1)]
    assert {c.context.splitlines()[0] for c in chunks[1:]} == {"shop > a.py > USAGE"}
    assert min(len(c.text) for c in chunks) >= 200


def test_names_are_found_throughout_a_long_file() -> None:
    text = "class All:\n" + "".join(f"    def é{n}(self):\n        return use_{n}('🙂')\n\n" for n in range(4_000))
    chunks = by_path(text, "a.py")
    assert [name for c in chunks for name in c.symbols if "." in name] == [f"All.é{n}" for n in range(4_000)]
    assert [name for c in chunks for name in c.references] == [f"use_{n}" for n in range(4_000)]
    for one in chunks:
        assert all(f"def {name}(" in one.text for name in one.symbols if name.startswith("é"))


def test_names_of_one_chunk_are_bounded() -> None:
    (one,) = by_path("a = [" + ", ".join(f"f{n}()" for n in range(300)) + "]\n", "a.py")
    assert one.references == tuple(f"f{n}" for n in range(100))


@pytest.mark.parametrize(
    ("path", "text", "symbols"),
    [
        ("bin/run", "#!/usr/bin/env python3\nclass A:\n    x = 1\n", ("A", "x", "A.x")),
        ("bin/run", "#!/usr/local/bin/node --flag\nclass A { m() {} }\n", ("A", "m", "A.m")),
        ("bin/run", "#!/bin/sh\nclass A { m() {} }\n", ("A",)),
        ("Rakefile", "class A\n  def m; end\nend\n", ("A", "m", "A.m")),
        ("A.PY", "class A:\n    x = 1\n", ("A", "x", "A.x")),
        ("a.h", "class A { void m() {} };\n", ("A", "m", "A.m")),
        ("a.h", "struct a { int m; };\n", ("a", "m", "a.m")),
        ("a.inc", "<?php class A { const B = 1; }\n", ("A", "B", "A.B")),
        ("a.inc", "def a\n", ("a",)),
        ("a.lua", "function a()\nend\n", ("a",)),
    ],
)
def test_the_language_is_told_by_name_or_first_line(path: str, text: str, symbols: tuple[str, ...]) -> None:
    assert by_path(text, path)[0].symbols == symbols


def test_what_the_grammar_cannot_read_still_defines_names() -> None:
    text = (
        "CREATE TABLE [dbo].[Orders] (\n    [OrderID] INT IDENTITY(1,1) NOT NULL\n)\nGO\n"
        "CREATE PROCEDURE dbo.GetOrders @Id INT AS\nBEGIN\n  SELECT o.Total FROM Orders o\nEND\nGO\n"
        "CREATE TABLE `items` (\n  `id` int(11) NOT NULL AUTO_INCREMENT,\n  KEY `idx_name` (`name`)\n) ENGINE=InnoDB;\n"
    )
    symbols = [name for c in by_path(text, "a.sql") for name in c.symbols]
    assert {"Orders", "Orders.OrderID", "GetOrders", "items"} <= set(symbols)
    assert "Orders.items" not in symbols


# By lines


def by_lines(text: str) -> list[Chunk]:
    return by_path(text, "notes.lua")


def test_lines_are_cut_before_definitions_with_what_belongs_to_them() -> None:
    function = "-- why\n@cached\nfunction step_{n}(user)\n    a = user\n" + "    a = b(a)\n" * 12 + "end\n\n\n"
    chunks = by_lines("".join(function.replace("{n}", str(n)) for n in range(30)))
    assert all(c.text.startswith("-- why\n@cached\nfunction ") for c in chunks)
    assert [name for c in chunks for name in c.symbols] == [f"step_{n}" for n in range(30)]


def test_lines_say_what_encloses_them() -> None:
    methods = "".join(f"    def m{n}(self)\n" + "        pass\n" * 25 + "\n" for n in range(8))
    chunks = by_lines("class Lock {\n" + methods + "\ndef free()\n    pass\n")
    assert chunks[0].context == "shop > notes.lua"
    assert {c.context for c in chunks[1:]} == {"shop > notes.lua > Lock\nclass Lock"}


def test_what_encloses_a_line_is_less_indented_than_it() -> None:
    lines = ["class A:", "    class B:", "        def c():", *["            pass"] * 60]
    lines += ["    def d():", *["        pass"] * 60, "", "", "def e():", *["    pass"] * 60]
    contexts = {c.line: c.context.splitlines()[0].removeprefix("shop > notes.lua") for c in by_lines("\n".join(lines))}
    assert {context for line, context in contexts.items() if 4 <= line < 64} == {" > A > B > c"}
    assert {context for line, context in contexts.items() if 65 <= line < 127} == {" > A > d"}
    assert {context for line, context in contexts.items() if line > 128} <= {"", " > e"}


def test_lines_leave_no_mere_rest() -> None:
    sizes = [c.text.count("\n") for c in by_lines("some text\n" * 82)]
    assert min(sizes) >= 14


@pytest.mark.parametrize(
    ("line", "name"),
    [
        ("def check(user):", "check"),
        ("    async def check(self):", "check"),
        ("class LockService(Base):", "LockService"),
        ("export default async function lockUser(a) {", "lockUser"),
        ("export class Lock extends Base {", "Lock"),
        ("func (s *Server) Lock(ctx context.Context) error {", "Lock"),
        ("func Lock() {", "Lock"),
        ("pub(crate) fn lock_user(u: &User) -> bool {", "lock_user"),
        ("public interface Locker {", "Locker"),
        ("data class User(val id: Int)", "User"),
        ("type Config struct {", "Config"),
        ("trait Lockable {", "Lockable"),
        ("CREATE TABLE IF NOT EXISTS public.user_lock (", "user_lock"),
        ("create or replace view `locks` as", "locks"),
        ("MAX_RETRY_COUNT = 5", "MAX_RETRY_COUNT"),
        ("export const LOCK_LIMIT: number = 5", "LOCK_LIMIT"),
    ],
)
def test_lines_that_define(line: str, name: str) -> None:
    assert by_lines(line + "\n")[0].symbols == (name,)


@pytest.mark.parametrize("line", ["return lock(user)", "# def no", "x = 1", "if MAX == 3:", "classify(x)", "defer f()"])
def test_lines_that_define_nothing(line: str) -> None:
    assert by_lines(line + "\n")[0].symbols == ()


# What is no ordinary code


def varied(count: int) -> str:
    tokens = ["class", "def", "function", "if", "foo", "/*", "//", "\n", *"(){}[]<>=,;1'\"#\n"]
    return " ".join(random.Random(1).choices(tokens, k=count))


ODD = {
    "blank lines": "x = 1\n" + "\n" * 1_000_000 + "y = 2\n",
    "short lines": "}\n" * 400_000,
    "indented definitions": "    def a\n" * 40_000,
    "lines of space": "\t\n" * 400_000,
    "400,000 lines": "class A:\n" + "    def m(self):\n        return 1\n\n" * 133_333,
    "one line": "x=[" + "1," * 2_500_000 + "]",
    "brackets": "(" * 100_000 + ")" * 100_000,
    "open brackets": "(\n" * 200_000,
    "half as many brackets": "(\n" * 50_000 + ")\n" * 50_000,
    "nested statements": "if (a)\n" * 140_000,
    "nested types": "List<\n" * 20_000,
    "open types": "a<b<c> " * 5_000,
    "comments": "// said again\n" * 70_000 + "function f() {}\n",
    "quotes": "'\n" * 100_000,
    "a table": "x = [\n" + "  1, 2, 3, 4,\n" * 30_000 + "]\n",
    "tokens": varied(60_000),
    "deep": "".join(f"{' ' * n}if a{n}:\n" for n in range(900)),
}


@pytest.mark.parametrize("extension", ["py", "java", "txt"])
@pytest.mark.parametrize("odd", ODD)
def test_nothing_takes_for_ever(odd: str, extension: str) -> None:
    """Four seconds is what the limits allow; the worst of these take two on an idle core."""
    began = time.process_time()
    assert chunk(code(ODD[odd], f"a.{extension}"))
    assert time.process_time() - began < 8


def test_code_that_repeats_itself_is_read_by_syntax_where_that_is_safe() -> None:
    text = "class A {\n" + "    void m() {\n        run();\n    }\n\n" * 1_000 + "}\n"
    assert {name for c in by_path(text, "a.java") for name in c.references} == {"run"}


def test_a_file_of_thousands_of_functions_is_cut_between_them() -> None:
    text = "\n\n".join(
        f"def step_{n}(user, *, value=None):\n    found = user.find({n})\n    audit(found, value)\n    return found"
        for n in range(9_000)
    )
    chunks = chunk(code(text))
    assert 700 < len(text) / len(chunks) < 1_500
