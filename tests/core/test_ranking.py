"""Lists made into one, and cut: the laws, and cases reckoned by hand."""

from collections import Counter
from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.ranking import (
    PAGE,
    VOTES,
    Arrangement,
    Candidate,
    Likeness,
    Ranking,
    Rankings,
    agreement,
    arranged,
    by_document,
    first_of_each,
    fuse,
    in_reading_order,
    share_known,
    standardised,
    telling,
    thinned,
    varied,
)
from core.store.base import Hit, document_of, point_id
from core.tuning import Tuning
from tests.core.points import passage

HOW = Tuning().arrangement
KINDS = (("ticket", None), ("page", None), ("code", "src/a.py"), ("code", "tests/test_a.py"), ("commit", None))
KINDS += (("code", "vendor/a.js"), ("file", "CHANGELOG.md"), ("qa", None))


def candidate(document: str, ordinal: int = 0, score: float = 1.0, **more: object) -> Candidate:
    made = passage(document, ordinal, title=document, **more)
    return Candidate(point_id(document, ordinal, "documents"), made, score)


@st.composite
def candidates(draw: st.DrawFn) -> list[Candidate]:
    """The best first; each document is of one kind."""
    drawn = draw(
        st.lists(st.tuples(st.integers(0, 2) | st.integers(0, 11), st.integers(0, 14)), unique=True, max_size=60)
    )
    kinds = [draw(st.sampled_from(KINDS)) for _ in range(12)]
    return [
        candidate(f"d{number}", ordinal, 1 / (1 + rank), kind=kinds[number][0], path=kinds[number][1])
        for rank, (number, ordinal) in enumerate(drawn)
    ]


def documents(some: Sequence[Candidate]) -> list[str]:
    return [one.passage.document_id for one in some]


# Fusion.


def test_fusion_adds_the_weighted_reciprocals_of_the_ranks() -> None:
    a0, a1, b0 = (point_id(name, ordinal, "code") for name, ordinal in (("a", 0), ("a", 1), ("b", 0)))
    chunks = [Ranking("content words", [a0, b0], 1.0), Ranking("content meaning", [b0, a1], 0.5)]
    of_documents = [Ranking("content words", [document_of(b0), document_of(a0)], 2.0)]
    scores = dict(fuse(chunks, of_documents, 10))
    assert scores == pytest.approx({a0: 1 / 11 + 2 / 12, b0: 1 / 12 + 0.5 / 11 + 2 / 11, a1: 0.5 / 12 + 2 / 12})


def test_a_document_alone_leads_to_no_chunk() -> None:
    assert fuse([], [Ranking("content words", [document_of(point_id("a", 0, "code"))], 1.0)], 10) == []


@given(st.lists(st.permutations("abcdefg").map(lambda ids: Ranking("content words", ids, 1.0)), max_size=4))
def test_fusion_is_in_order_and_ties_go_by_id(rankings: list[Ranking]) -> None:
    fused = fuse(rankings, [], 10)
    assert fused == sorted(fused, key=lambda scored: (-scored[1], scored[0]))
    assert sorted(fuse(rankings[::-1], [], 10)) == [(key, pytest.approx(score)) for key, score in sorted(fused)]


def test_a_document_goes_by_its_best_chunks() -> None:
    a0, a1, b0 = (point_id(name, ordinal, "code") for name, ordinal in (("a", 0), ("a", 1), ("b", 0)))
    hits = [Hit(b0, 3.0), Hit(a0, 2.0), Hit(a1, 1.5)]
    assert by_document(hits) == [document_of(b0), document_of(a0)]
    assert by_document(hits, best=2) == [document_of(a0), document_of(b0)]
    assert first_of_each([(a1, 3.0), (a0, 2.0), (b0, 1.0)], 1) == [(a1, 3.0), (b0, 1.0)]


# How far an arm is believed.


def test_an_arm_is_believed_as_far_as_it_agrees_with_one_that_knows() -> None:
    leading = [f"d{n}" for n in range(50)]
    strangers = [f"x{n}" for n in range(20)]
    assert agreement(leading[::-1], leading, 1.0) == 1.0
    assert agreement(strangers, leading, 1.0) == 0.0
    assert agreement(leading[:5] + strangers[:15], leading, 1.0) == pytest.approx(0.25)
    assert agreement(strangers, leading, 0.1) == pytest.approx(0.9)  # agreeing with who knows nothing proves nothing
    assert agreement(strangers, [], 0.0) == agreement([], [], 0.0) == 1.0


@given(st.lists(st.integers(0, 80), unique=True), st.lists(st.integers(0, 80), unique=True), st.floats(0, 1))
def test_belief_is_a_share_and_falls_with_what_the_leading_arm_knows(
    one: list[int], leading: list[int], known: float
) -> None:
    mine, theirs = [str(n) for n in one], [str(n) for n in leading]
    assert 0 <= agreement(mine, theirs, 1.0) <= agreement(mine, theirs, known) <= agreement(mine, theirs, 0.0) == 1


def test_a_match_by_one_word_of_many_is_believed_little() -> None:
    words = telling("why can people not authenticate after typing a wrong secret")
    one, none = passage(text="Secret santa"), passage(text="A gift")
    assert share_known(words, one) == pytest.approx(1 / 9)
    assert share_known(words, none) == 0.1
    assert share_known(words, passage(text="people authenticate", context="wrong")) == 1.0
    assert share_known(telling("secret"), one) == 1.0
    assert share_known(frozenset(), none) == 1.0


@pytest.mark.parametrize(
    ("text", "held"), [("is it a lock", {"lock"}), ("密码", {"密码"}), ("к нам", {"к", "нам"}), ("a b c", set())]
)
def test_short_words_tell_little_unless_they_are_of_another_script(text: str, held: set[str]) -> None:
    assert telling(text) == held


@given(st.lists(st.floats(-1e6, 1e6), max_size=20))
def test_standardised_scores_are_finite_and_in_the_same_order(scores: list[float]) -> None:
    made = standardised(scores)
    assert np.isfinite(made).all()
    order = np.argsort(scores, kind="stable")
    assert (np.diff(made[order]) >= 0).all()


# Repetition.


def thin(*some: Candidate) -> tuple[list[str], dict[str, str]]:
    made = thinned(some, Likeness())
    return documents(made.kept), {
        one.passage.document_id: made.dropped[one.id] for one in some if one.id in made.dropped
    }


WORDS = " ".join(f"word{n}" for n in range(40))


def test_what_says_almost_the_same_is_dropped_once() -> None:
    almost = WORDS.replace("word7", "other")
    half = " ".join(WORDS.split()[:20])
    for kind, path in (("page", None), ("code", "src/a.py")):
        first, *rest = (
            candidate(name, text=text, kind=kind, path=path)
            for name, text in (("first", WORDS), ("almost", almost), ("half", half), ("again", WORDS.upper()))
        )
        assert thin(first, *rest) == (["first", "half"], {"almost": "like first", "again": "like first"})


@pytest.mark.parametrize("kind", ["ticket", "comment", "history"])
def test_tickets_stay(kind: str) -> None:
    some = [candidate(f"t{n}", text=WORDS, kind=kind) for n in range(4)]
    assert thin(*some) == (["t0", "t1", "t2", "t3"], {})


def test_a_ticket_drops_nothing_and_is_not_dropped() -> None:
    """What a rule says counts, though a ticket repeats it."""
    ticket, page = candidate("ticket", text=WORDS, kind="ticket"), candidate("page", text=WORDS)
    assert thin(ticket, page) == (["ticket", "page"], {})
    assert thin(page, ticket) == (["page", "ticket"], {})


@given(st.lists(st.text(st.sampled_from("ab \n漢é"), max_size=12), max_size=7))
def test_likeness_is_the_share_of_common_words(texts: list[str]) -> None:
    some, alike = [candidate(f"c{n}", text=text) for n, text in enumerate(texts)], Likeness()
    for one, mine in zip(some, texts, strict=True):
        for other, theirs in zip(some, texts, strict=True):
            a, b = set(mine.casefold().split()), set(theirs.casefold().split())
            expected = len(a & b) / max(len(a | b), 1) if a and b else 0.0
            assert alike.between(one, other) == pytest.approx(expected)


# Diversity.


@settings(deadline=None)
@given(candidates(), st.floats(0, 1))
def test_what_is_varied_is_the_same_set_led_by_the_best(some: list[Candidate], novelty: float) -> None:
    made = varied(some, novelty, Likeness())
    assert sorted(one.id for one in made) == sorted(one.id for one in some)
    if some and novelty < 1:
        assert made[0] == some[0]


def test_what_repeats_comes_later() -> None:
    same = "def check lock user account now"
    some = [candidate("a", 0, 1.0, text=same), candidate("b", 0, 0.99, text=f"{same} again")]
    some += [candidate("c", 0, 0.95, text="class Gate opens for all"), candidate("d", 0, 0.0, text="else")]
    alike = Likeness()
    assert documents(varied(some, 0.0, alike)) == ["a", "b", "c", "d"]
    assert documents(varied(some, 0.1, alike)) == ["a", "c", "b", "d"]
    assert varied(some[:1], 0.5, alike) == some[:1]
    assert varied([], 0.5, alike) == []


def test_equal_scores_do_not_divide_by_nothing() -> None:
    some = [candidate(name, 0, 0.5, text=name) for name in "abc"]
    assert documents(varied(some, 0.3, Likeness())) == ["a", "b", "c"]


# Arrangement.


def pages(found: Sequence[Candidate], pinned: Sequence[Candidate] = ()) -> list[list[Candidate]]:
    """What stands on each page of ten. Only for as many pinned as fit on the first."""
    first = PAGE - len(pinned)
    return [list(found[:first]), *(list(found[at : at + PAGE]) for at in range(first, len(found), PAGE))]


@settings(max_examples=150, deadline=None)
@given(candidates(), st.integers(1, 45), st.integers(0, 5))
def test_no_document_has_more_than_its_share_of_a_page(some: list[Candidate], limit: int, names: int) -> None:
    pinned, waiting = some[:names], some[names:]
    limit = max(limit, 2 * names)
    found = arranged(waiting, HOW, limit, pinned)
    assert len(found) == min(len(waiting), limit - names)
    assert len({one.id for one in found}) == len(found)
    left = list(waiting)
    for number, page in enumerate(pages(found, pinned)):
        counted = Counter(documents([*(pinned if number == 0 else ()), *page]))
        others = [one for one in left if one not in page]
        if any(count > HOW.per_document for count in counted.values()):
            # nothing else was left that would have kept within it
            assert all(counted[one.passage.document_id] >= HOW.per_document for one in others)
        left = others


def test_one_document_gets_six_of_ten() -> None:
    long = [candidate("long", n) for n in range(12)]
    others = [candidate(f"p{n}") for n in range(20)]
    found = arranged([*long, *others], HOW, 20)
    assert [documents(page).count("long") for page in (found[:10], found[10:])] == [6, 6]
    assert documents(arranged([*long, *others], HOW, PAGE, [candidate("long", 99)])).count("long") == 5
    assert len(arranged(long, HOW, PAGE)) == PAGE  # more of it is better than an empty place


def test_reserved_places_are_for_different_documents() -> None:
    pages = [candidate(f"p{n}") for n in range(20)]
    long = [candidate("long", n, kind="code", path="src/long.py") for n in range(6)]
    files = [candidate(f"c{n}", kind="code", path=f"src/{n}.py") for n in range(6)]
    found = documents(arranged([*pages, *long, *files], HOW, PAGE))
    assert [key for key in found if not key.startswith("p")] == ["long", "c0", "c1", "c2", "c3"]


@settings(max_examples=150, deadline=None)
@given(candidates(), st.integers(1, 4))
def test_each_group_has_its_places_on_every_page(some: list[Candidate], count: int) -> None:
    """By as many documents as it has to offer; what is apart gets more only where nothing else is left."""
    left = some
    for page in pages(arranged(some, HOW, PAGE * count)):
        offered: dict[str, set[str]] = {}
        for one in left:
            offered.setdefault(one.group, set()).add(one.passage.document_id)
        wanted = {group: HOW.places[group] for group in offered if group in HOW.places}
        scale = min(1.0, PAGE / max(sum(wanted.values()), 1))
        for group, places in wanted.items():
            shown = {one.passage.document_id for one in page if one.group == group}
            least = max(1, int(places * scale)) if len(wanted) > 1 else 0
            assert len(shown) >= min(least, len(offered[group]))
        left = [one for one in left if one not in page]
        open_ones = [one for one in left if one.group not in HOW.apart]
        counted = Counter(documents(page))
        if any(counted[one.passage.document_id] < HOW.per_document for one in open_ones):
            for group in HOW.apart:
                assert sum(one.group == group for one in page) <= HOW.places.get(group, 0)


@settings(max_examples=100, deadline=None)
@given(candidates(), st.integers(PAGE, 60))
def test_the_first_ten_do_not_depend_on_how_many_are_asked_for(some: list[Candidate], limit: int) -> None:
    assert arranged(some, HOW, limit)[:PAGE] == arranged(some, HOW, PAGE)
    assert arranged(some, HOW, limit)[: 2 * PAGE] == arranged(some, HOW, max(limit, 2 * PAGE))[
        : min(limit, 2 * PAGE)
    ] or (limit < 2 * PAGE)


@given(candidates(), st.integers(-3, 0))
def test_nothing_is_asked_for_and_nothing_given(some: list[Candidate], limit: int) -> None:
    assert arranged(some, HOW, limit) == []


def test_on_a_small_page_the_best_stays() -> None:
    """Reserved places are for the others beside it, not instead of it."""
    code = [candidate(f"c{n}", kind="code", path=f"src/{n}.py") for n in range(3)]
    others = [candidate("ticket", kind="ticket"), candidate("page")]
    assert documents(arranged([*code, *others], HOW, 1)) == ["c0"]
    assert documents(arranged([*code, *others], HOW, 2)) == ["c0", "ticket"]
    assert documents(arranged([*others, *code], HOW, 2)) == ["ticket", "page"]


@pytest.mark.parametrize(("kind", "path"), [("code", "vendor/a.js"), ("file", "CHANGELOG.md"), ("commit", None)])
def test_what_is_held_apart_comes_after_all_else(kind: str, path: str | None) -> None:
    apart = [candidate(f"x{n}", kind=kind, path=path) for n in range(12)]
    plain = [candidate(f"p{n}") for n in range(12)]
    assert not any(one in apart for one in arranged([*apart, *plain], HOW, PAGE))
    assert len(arranged([*apart, *plain[:2]], HOW, PAGE)) == PAGE  # better than an empty place


def test_of_the_tests_one_is_shown() -> None:
    tests = [candidate(f"t{n}", kind="code", path=f"tests/test_{n}.py") for n in range(12)]
    plain = [candidate(f"c{n}", kind="code", path=f"src/{n}.py") for n in range(12)]
    assert sum(one in tests for one in arranged([*tests, *plain], HOW, PAGE)) == 1


def test_places_come_from_settings() -> None:
    how = Arrangement(places={"ticket": 8, "document": 2}, apart=frozenset(), per_document=1)
    mixed = [candidate(f"p{n}") for n in range(20)] + [candidate(f"t{n}", kind="ticket") for n in range(20)]
    assert Counter(one.group for one in arranged(mixed, how, PAGE)) == {"ticket": 8, "document": 2}


def test_neighbours_of_one_document_stand_in_its_order() -> None:
    a2, a0, b1, a1, b0 = (candidate(name, n) for name, n in (("a", 2), ("a", 0), ("b", 1), ("a", 1), ("b", 0)))
    assert in_reading_order([a2, a0, b1, a1, b0]) == [a0, a2, b1, a1, b0]
    assert in_reading_order([]) == []


def test_every_arm_has_its_weight() -> None:
    tuning = Tuning()
    names = ("content words", "context words", "content meaning", "context meaning")
    held = (tuning.content_words, tuning.context_words, tuning.content_meaning, tuning.context_meaning)
    believed = [Ranking(name, ["a"], 0.5) for name in (*names, "context meaning 2")]
    votes = Ranking(VOTES, ["a"], 0.5)
    weighed = tuning.weighed(Rankings([*believed, votes], [*believed, votes]))
    expected = [0.5 * weight for weight in (*held, held[-1])]
    assert all(expected)
    assert [one.weight for one in weighed.chunks] == [*expected, 0.5 * tuning.votes]
    assert [one.weight for one in weighed.documents] == pytest.approx(
        [*(tuning.document * weight for weight in expected), 0.5 * tuning.votes]
    )
    assert [one.name for one in weighed.documents] == [one.name for one in [*believed, votes]]
