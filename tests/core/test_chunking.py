"""Law 9: chunks cover their document, and offsets point back into it."""

import time
from dataclasses import replace
from itertools import pairwise

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from core.chunking import chunk
from core.types import Chunk, Document, Place
from tests.core.parts import document

LINES = (
    *("# Title", "## Part", "### Deep ###", "", "   ", "some words " * 60, "- item", "| a | b |", "|---|---|"),
    *("```", "~~~py", "# not a heading in code", "def lock():", "    return 1", "class A:", "\tx = 1"),
    *("z" * 7_000, "ü€🙂 " * 40, "\r", "\x0b", "\u2028"),
)

OVERLAP = 600  # characters

texts = st.lists(st.sampled_from(LINES) | st.text(max_size=30), max_size=60).map("\n".join)


def check_law(made: Document) -> list[Chunk]:
    chunks = chunk(made)
    assert chunks
    assert [c.ordinal for c in chunks] == list(range(len(chunks)))
    assert chunks[0].start == 0
    assert chunks[-1].end == len(made.text)
    for before, after in pairwise(chunks):
        assert before.start < after.start <= before.end < after.end
        assert before.end - after.start <= (0 if made.kind == "code" else OVERLAP)
    for one in chunks:
        assert made.text[one.start : one.end] == one.text
        assert one.text or not made.text
        assert one.document_id == made.id
    return chunks


@settings(deadline=None)
@given(texts, st.sampled_from(["page", "ticket", "code"]))
@example("", "page")
@example("", "code")
@example("\n" * 5_000, "page")
@example("\n" * 500, "code")
@example("x" * 20_000, "code")
@example("x" * 20_000, "page")
def test_chunks_cover_their_document_and_point_back(text: str, kind: str) -> None:
    check_law(document(text, kind=kind))


@given(texts)
@settings(deadline=None)
def test_code_chunks_know_their_line(text: str) -> None:
    lines = text.split("\n")
    for one in chunk(document(text, kind="code")):
        assert one.line is not None
        assert one.text.split("\n")[0] in lines[one.line - 1]
        assert one.text.count("\n") <= 60 or one.text.endswith("\n")
        assert len(one.text) <= 6_000


@pytest.mark.parametrize("kind", ["comment", "commit", "ticket", "page"])
def test_a_short_document_is_one_chunk(kind: str) -> None:
    assert len(check_law(document("# A\n\nfew words\n\n# B\n\nmore words", kind=kind))) == 1


def test_each_chunk_says_under_which_headings_it_stands() -> None:
    text = (
        "# Guide\n\nintro\n\n## Lock #\n\n"
        + "A lock holds. " * 300
        + "\n\n```sh\n# comment\n```\n\n### After five\n\n"
        + "Wait. " * 500
    )
    chunks = check_law(document(text, title="Guide", context="HELP > Guide"))
    assert chunks[0].heading == "Guide"
    assert chunks[0].context == "HELP > Guide"  # the title is not said twice
    assert {c.heading for c in chunks[1:]} == {"Lock", "After five"}
    assert chunks[-1].context == "HELP > Guide > Lock > After five"


def test_a_heading_stays_with_its_text() -> None:
    text = "\n".join(f"## Part {n}\n\n" + f"Sentence {n}. " * 400 for n in range(5))
    chunks = check_law(document(text))
    assert not [c for c in chunks if len(c.text.strip()) < 200]
    assert [c.heading for c in chunks if c.text.lstrip().startswith("## ")] == [f"Part {n}" for n in range(5)]


def test_a_table_is_not_cut_through_a_row() -> None:
    rows = "".join(f"| row {n} | {'value ' * 8}|\n" for n in range(300))
    chunks = check_law(document("| a | b |\n|---|---|\n" + rows))
    assert len(chunks) > 3
    assert all(c.text.startswith("|") and c.text.endswith("|\n") for c in chunks)


def test_rows_in_the_middle_of_a_table_say_its_columns() -> None:
    rows = "".join(f"| row {n} | {'value ' * 8}|\n" for n in range(300))
    chunks = check_law(document("Limits:\n\n| Role | Limit |\n|---|---|\n" + rows + "\nAfter it.", context="HELP"))
    assert len(chunks) > 3
    assert chunks[0].context == "HELP"
    assert {c.context for c in chunks[1:]} == {"HELP > Role | Limit"}


def test_a_section_that_is_cut_repeats_the_end_of_the_piece_before() -> None:
    sentences = [f"Sentence number {n} says something of its own." for n in range(200)]
    chunks = check_law(document("## One\n\n" + " ".join(sentences) + "\n\n## Two\n\n" + "Short. " * 420))
    first, second = chunks[:2]
    assert 300 < first.end - second.start <= OVERLAP
    assert second.text.startswith("Sentence number")
    two = next(n for n, c in enumerate(chunks) if c.text.lstrip().startswith("## Two"))
    assert chunks[two - 1].end == chunks[two].start  # a new section repeats nothing


def test_a_piece_begins_at_its_place_and_opens_there() -> None:
    pages = ["Page one. " * 50, "Page two. " * 500, "tiny", "Page four. " * 50]
    starts = [sum(map(len, pages[:n])) for n in range(len(pages))]
    places = tuple(Place(at, f"page {n}", f"#page={n}") for n, at in enumerate(starts, 1))
    chunks = check_law(replace(document("".join(pages), context="HELP"), places=places))
    assert [c.heading for c in chunks] == ["page 1", "page 2", "page 2", "page 3"]  # page 4 goes on after a tiny page 3
    assert [c.fragment for c in chunks] == ["#page=1", "#page=2", "#page=2", "#page=3"]
    assert chunks[1].context == "HELP > page 2"
    assert chunks[1].text.startswith("Page two.")


def test_code_is_cut_before_definitions_with_what_belongs_to_them() -> None:
    function = "# why\n@cached\ndef step_{n}(user):\n    a = user\n" + "    a += 1\n" * 12 + "    return a\n\n\n"
    text = "".join(function.replace("{n}", str(n)) for n in range(30))
    chunks = check_law(document(text, kind="code"))
    assert all(c.text.startswith("# why\n@cached\ndef ") for c in chunks)
    assert [name for c in chunks for name in c.symbols] == [f"step_{n}" for n in range(30)]


def test_code_says_what_encloses_it() -> None:
    methods = "".join(f"    def m{n}(self):\n" + "        pass\n" * 25 + "\n" for n in range(8))
    chunks = check_law(
        document("class Lock:\n" + methods + "\ndef free():\n    pass\n", kind="code", context="shop > a.py")
    )
    assert chunks[0].context == "shop > a.py"
    assert {c.context for c in chunks[1:]} == {"shop > a.py > Lock"}


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
def test_definitions(line: str, name: str) -> None:
    assert chunk(document(line + "\n", kind="code"))[0].symbols == (name,)


@pytest.mark.parametrize("line", ["return lock(user)", "# def no", "x = 1", "if MAX == 3:", "classify(x)", "defer f()"])
def test_lines_that_define_nothing(line: str) -> None:
    assert chunk(document(line + "\n", kind="code"))[0].symbols == ()


def test_a_large_file_is_cut_in_time() -> None:
    text = "class A:\n" + "    def m(self):\n        return 1\n\n" * 50_000
    assert len(chunk(document(text, kind="code"))) > 2_000


@pytest.mark.parametrize(
    "text",
    ["x = 1\n" + "\n" * 1_000_000 + "y = 2\n", "}\n" * 400_000, "    def a\n" * 100_000, "\t\n" * 400_000],
    ids=["blank lines", "short lines", "indented definitions", "lines of space"],
)
def test_time_grows_with_the_length_alone(text: str) -> None:
    began = time.process_time()
    chunk(document(text, kind="code"))
    assert time.process_time() - began < 3  # a quarter of a second on an idle core; minutes when it was quadratic


def test_what_encloses_a_line_is_less_indented_than_it() -> None:
    lines = ["class A:", "    class B:", "        def c():", *["            pass"] * 60]
    lines += ["    def d():", *["        pass"] * 60, "", "", "def e():", *["    pass"] * 60]
    contexts = {c.line: c.context for c in check_law(document("\n".join(lines), kind="code", context="a"))}
    within = {line: "a > A > B > c" for line in contexts if 4 <= line < 64}
    within |= {line: "a > A > d" for line in contexts if 65 <= line < 127}
    assert within.items() <= contexts.items()
    assert {contexts[line] for line in contexts if line > 128} <= {"a", "a > e"}
    assert len(set(contexts.values())) >= 3
