"""Moving an index: nothing is lost on the way to a server and back, and a copy that is not whole is said."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from core.errors import IndexMismatch
from core.store.base import COLLECTIONS, Arm, Point, Scope, Store
from core.store.moving import copy
from tests.core.parts import EARLY, EVERYBODY
from tests.core.points import NO_INDEXES, NO_TERMS, STORES, opened, point, terms

pytestmark = pytest.mark.filterwarnings(NO_INDEXES)


@pytest.fixture(params=STORES[1:])
def there(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Store]:
    with opened(request.param, tmp_path / "there") as store:
        yield store


@pytest.fixture
def here(tmp_path: Path) -> Iterator[Store]:
    with opened("edge", tmp_path / "here") as store:
        yield store


def varied(count: int) -> list[Point]:
    """As an index holds them: every field set or not, vectors that no short decimal writes exactly."""
    numbers = np.random.default_rng(7)
    made = []
    for n in range(count):
        vector = tuple(numbers.normal(size=4).tolist())
        one = point(
            f"d{n // 3}",
            n % 3,
            kind="code" if n % 2 else "page",
            vector=vector,
            updated=EARLY.replace(microsecond=n),
            labels=frozenset({"org", f"jira:{n % 4}"}) if n % 3 else frozenset({"org"}),
            repo="r" if n % 2 else None,
            path=f"src/{n}.py" if n % 2 else None,
            symbols=("a", "b") if n % 5 == 0 else (),
            attributes={"status": "Done"} if n % 7 == 0 else {},
            language="python" if n % 2 else None,
        )
        weights = SPARSE[n % 3]
        made.append(replace(one, content_terms=weights, context_terms=weights if n % 2 else NO_TERMS))
    return made


SPARSE = (terms(t9=1 / 3, t2=0.1), terms(t4294967295=2.0), NO_TERMS)


def held(store: Store) -> dict[str, tuple[object, ...]]:
    """All that a store holds, with its numbers bit by bit."""
    return {
        p.id: (
            p.passage,
            p.content.tobytes(),
            p.context.tobytes(),
            *(
                sorted(zip(vector.indices, np.array(vector.values, dtype=np.float32).tolist(), strict=True))
                for vector in (p.content_terms, p.context_terms)
            ),
        )
        for name in COLLECTIONS
        for page in store.points(name)
        for p in page
    }


def test_to_a_server_and_back_nothing_is_lost(here: Store, there: Store, tmp_path: Path) -> None:
    here.upsert(varied(600))
    told: list[tuple[int, int | None]] = []
    assert copy(here, there, lambda done, total: told.append((done, total))) == 600
    assert told[0] == (0, 600)
    assert told[-1] == (600, 600)
    assert [done for done, _ in told] == sorted({done for done, _ in told})
    with opened("edge", tmp_path / "back") as back:
        assert copy(there, back, lambda *_: None) == 600
        assert held(back) == held(there) == held(here)


def test_a_copy_that_was_stopped_is_begun_again(here: Store, there: Store) -> None:
    here.upsert(varied(600))

    def stop(done: int, total: int | None) -> None:
        if done > 0:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        copy(here, there, stop)
    assert 0 < there.count() < 600
    assert copy(here, there, lambda *_: None) == 600
    assert held(there) == held(here)


def test_a_target_that_holds_others_is_no_copy(here: Store, there: Store) -> None:
    here.upsert([point("d")])
    there.upsert([point("stranger")])
    with pytest.raises(IndexMismatch, match="1 of 1 points were copied, and the target holds 2"):
        copy(here, there, lambda *_: None)


def test_both_stores_give_the_same_words_the_same_scores(here: Store, there: Store) -> None:
    """As long as nothing was deleted and the server has one shard: how rare a word is, is counted a shard at a time,
    and an engine counts what was deleted until its next optimization.
    """
    written = varied(200)
    arms = [
        Arm("content", terms(t9=1.0, t2=1.0)),
        Arm("content", terms(t4294967295=1.0, t2=0.5)),
        Arm("context", terms(t9=1.0, t2=1.0)),
        Arm("context", written[0].context),
    ]
    for store in (here, there):
        store.upsert(written)
    for collection in COLLECTIONS:
        for mine, others in zip(
            *(store.rank(collection, arms, Scope(EVERYBODY), 100) for store in (here, there)), strict=True
        ):
            assert {hit.id: pytest.approx(hit.score, rel=1e-5) for hit in mine} == {h.id: h.score for h in others}
