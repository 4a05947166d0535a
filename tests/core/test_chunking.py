"""Law 9: chunks cover their document, and offsets point back into it."""

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
