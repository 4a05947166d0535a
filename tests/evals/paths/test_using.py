"""Rounds of uses by a scripted clock, with a model that is counted as the sandbox's is."""

import itertools
from collections.abc import Callable, Iterator

from evals.harness.types import Failure
from evals.paths.paths import Done, Path
from evals.paths.using import Times, used
from sandbox.model import Model, Span


class World:
    """A clock that goes on only as things are done, and a model that answers in a second."""

    def __init__(self) -> None:
        self.now = 100.0
        self.model = Model()
        self.did: list[str] = []
        self.references = itertools.cycle((30.0, 40.0))

    def clock(self) -> float:
        return self.now

    def passes(self, seconds: float) -> None:
        self.now += seconds

    def asks(self, *, answered: bool = True) -> None:
        self.model.requests.append({})
        began = self.now
        self.passes(1.0)
        if answered:
            self.model.spans.append(Span(began, self.now, 1000, 20))

    def reference(self) -> float:
        self.did.append("reference")
        return next(self.references)

    def use(self, name: str, seconds: float, *further: Callable[[], None]) -> Callable[[], Done]:
        def once() -> Done:
            self.did.append(name)
            self.passes(seconds)
            for one in further:
                one()
            return Done(self.now)

        return once

    def times(self, *paths: Path, rounds: int = 3) -> tuple[Times, ...]:
        return used(paths, self.model, lambda _: None, self.reference, lambda _: None, rounds=rounds, clock=self.clock)


def test_a_case_takes_the_median_of_its_rounds_and_each_use_stands_between_two_references() -> None:
    world = World()
    took = iter([9.0, 0.2, 0.5, 0.3])  # the first opens what is opened once

    def slow() -> Done:
        world.passes(next(took))
        world.did.append("slow")
        return Done(world.now)

    (times,) = world.times(Path("search", {"one": slow}))
    assert times.each(lambda one: round(one.use.whole)) == {"one": 300}
    assert len(times.timed["one"]) == 3
    assert world.did == ["reference", "slow", "reference"] * 4
    assert {one.reference for one in times.timed["one"]} == {35.0}


def test_all_paths_go_through_a_round_before_the_next_one_begins() -> None:
    world = World()
    world.times(
        Path("a", {"1": world.use("a1", 1), "2": world.use("a2", 1)}), Path("b", {"1": world.use("b1", 1)}), rounds=2
    )
    assert [one for one in world.did if one != "reference"] == ["a1", "b1", *["a1", "a2", "b1"] * 2]


def test_the_model_is_counted_anew_for_each_use() -> None:
    world = World()
    (times,) = world.times(Path("ask", {"one": world.use("one", 0.25, world.asks, world.asks)}, asks=True))
    assert {(one.use.calls, one.use.in_a_row, one.use.tokens_in, one.use.tokens_out) for one in times.timed["one"]} == {
        (2, 2, 2000, 40)
    }
    assert times.each(lambda one: round(one.use.own)) == {"one": 250}


def test_a_case_whose_model_fails_is_a_failure_and_the_others_are_measured() -> None:
    world = World()
    good, bad = world.use("good", 0.1, world.asks), world.use("bad", 0.1, lambda: world.asks(answered=False))
    (times,) = world.times(Path("ask", {"good": good, "bad": bad}, asks=True))
    assert times.timed.keys() == {"good"}
    assert times.failures == (Failure("bad", "task", "Unanswered: The model's server answered 0 of 1 calls."),)
    assert world.did.count("bad") == 1


def test_a_path_with_a_model_that_asks_none_is_a_failure() -> None:
    world = World()
    (times,) = world.times(Path("ask", {"one": world.use("one", 0.1)}, asks=True))
    assert [one.reason for one in times.failures] == ["Unanswered: No model was asked."]


def test_a_case_that_fails_in_a_later_round_has_no_numbers() -> None:
    world = World()

    def ends() -> Iterator[bool]:
        yield from (True, True, False)

    fine = ends()

    def once() -> Done:
        if not next(fine):
            raise ValueError("gone")
        return Done(world.now)

    (times,) = world.times(Path("search", {"one": once}))
    assert times.timed == {}
    assert [one.case for one in times.failures] == ["one"]
