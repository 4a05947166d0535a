"""Runs that show all that a report can: metrics that got worse, better, other, new and lost, failures, figures."""

import random
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path

from core.types import Query
from crosscheck.map_data import asked
from evals.harness.intervals import Interval
from evals.harness.types import Counted, Failure, Figure, Measurement, Metric, Run, Values
from evals.paths.figure import Bar, figure
from evals.planted.load import company
from evals.planted.setup import audience, playground
from evals.report.figures import flow_figure, map_figure

QUESTION = "How long are refunds held back?"
HOSTILE = (
    "<script>document.title = 'x'</script> \u202etxt.exe\u202c | `a` **b** $c$ [d](javascript:e) &lt; " + "W" * 10_000
)
NOW, THEN = "2026-11-30T10:00:00+00:00", "2026-11-20T09:30:00+00:00"

_RECALLS = ("recall@5", "recall@10", "recall@20", "recall@50")


def run(measurements: Sequence[Measurement], commit: str = "5b1f3c20a9e7", at: str = NOW) -> Run:
    return Run(commit, at, "2 cores", tuple(measurements))


def spread(mean: float, n: int, seed: int) -> Values:
    """Cases around a mean, the same for the same seed."""
    random_ = random.Random(seed)
    return {f"Q-{at:02}": Counted(min(1.0, max(0.0, random_.gauss(mean, 0.2)))) for at in range(n)}


def moved(values: Values, by: float) -> Values:
    return {
        case: Counted(min(1.0, max(0.0, it.part + by + (0.02 if at % 3 else -0.02))))
        for at, (case, it) in enumerate(values.items())
    }


def runs(figures: Sequence[Figure]) -> tuple[Run, Run]:
    """One with all there is, and the stored one that it is compared with."""
    now, then = zip(_retrieval(figures), _reviews(), _accuracy(), _latency(), strict=True)
    gone = Measurement("answers", "sandbox", "scripted reader", (_share("refused"),), {"refused": spread(0.9, 12, 1)})
    return run(now), run([*then, gone], "28d0c47be911", THEN)


def _share(name: str, about: str = "Share of cases in which it is so", **more) -> Metric:
    return Metric(name, about, **more)


def _pair(one: Measurement, values: Mapping[str, Values], before: Mapping[str, Values]) -> tuple[Measurement, ...]:
    given = asdict(one) | {"metrics": one.metrics, "failures": one.failures, "figures": one.figures}
    return tuple(Measurement(**given | {"values": each}) for each in (values, before))


def _retrieval(figures: Sequence[Figure]) -> tuple[Measurement, ...]:
    metrics = [_share(name, f"Right documents that are among the first {name[7:]}") for name in _RECALLS]
    metrics += [_share("recall@10 code", "Right files that are among the first 10")]
    metrics += [Metric("nDCG@10", "Discounted gain of the first ten", unit="score"), _share("Acc@10"), _share("Acc@20")]
    means = (0.62, 0.74, 0.83, 0.91, 0.58, 0.7, 0.66, 0.8)
    before = {it.name: spread(mean, 48, at) for at, (it, mean) in enumerate(zip(metrics, means, strict=True))}
    moves = (-0.09, -0.01, 0.0, 0.0, 0.08, -0.06, 0.0)
    values = {it.name: moved(before[it.name], by) for it, by in zip(metrics, moves, strict=False)}
    values["Acc@20"] = spread(0.8, 48, 7)
    values["recall@50"] = before["recall@50"]
    one = Measurement(
        "retrieval",
        "sandbox questions, open",
        "search",
        tuple(metrics),
        {},
        notes=("Right is one document of each group that a question names; a ticket counts with its comments.",),
        made_with={"documents by": "wordllama-l2-supercat-256", "code by": "wordllama-l2-supercat-256"},
        figures=tuple(figures),
    )
    return _pair(one, values, {name: each for name, each in before.items() if name != "Acc@20"})


def _reviews() -> tuple[Measurement, ...]:
    metrics = (
        _share("recall", "Share of the planted gaps that were told"),
        _share("false findings", "Share of what was told that is no gap", better="less"),
        Metric("findings", "Told for a ticket", better="neither", unit="count"),
        _share("stability", "Share of findings that every run told"),
    )
    yes = {f"T-{at:02}": Counted(float(at % 5 > 0)) for at in range(30)}
    many = {case: Counted(3 + at % 2) for at, case in enumerate(yes)}
    values = {"recall": yes, "false findings": moved(spread(0.12, 30, 3), 0.1), "findings": many}
    before = {
        "recall": yes,
        "false findings": spread(0.12, 30, 3),
        "findings": {case: Counted(it.part - 1) for case, it in many.items()},
        "stability": yes,
    }
    failures = [Failure(f"T-{at}", "stability", "ZeroDivisionError: float division by zero") for at in range(31, 55)]
    failures += [Failure("T-55", "task", "ModelTimeout: no answer within 120 s")]
    return _pair(
        Measurement("reviews", "sandbox, open", "rules alone", metrics, {}, tuple(failures)),
        values,
        before,
    )


def _accuracy() -> tuple[Measurement, ...]:
    random_ = random.Random(5)
    tickets = [
        {
            "ticket": f"booking-api-BKG-{80 + at}",
            "title": f"Refunds are held for {at} days",
            "baseline": base,
            "crosscheck": min(1.0, max(0.0, base + gain)),
        }
        for at, (base, gain) in enumerate((random_.random() * 0.6 + 0.1, random_.gauss(0.15, 0.2)) for _ in range(14))
    ]
    tickets.sort(key=lambda it: it["baseline"] - it["crosscheck"])
    gains = {it["ticket"]: Counted(it["crosscheck"] - it["baseline"]) for it in tickets}
    arms = [
        {
            "arm": arm,
            "score": _around(score, 0.08),
            "tokens_out": _around(tokens, 900),
            "requests": _around(tokens / 400, 3),
            "seconds": _around(tokens / 60, 20),
            "dollars": _around(tokens / 20_000, 0.05) if arm == "crosscheck" else None,
        }
        for arm, score, tokens in (("baseline", 0.41, 5_200), ("crosscheck", 0.56, 7_900))
    ]
    figures = (
        Figure("wins", "Score by ticket", {"tickets": tickets}),
        Figure(
            "judges",
            "Whether the judges agree",
            {
                "alpha": _around(0.71, 0.12),
                "pairs": [
                    {"judges": ["judge A", "judge B"], "same": _around(0.84, 0.06)},
                    {"judges": ["judge A", "judge C"], "same": _around(0.79, 0.07)},
                    {"judges": ["judge B", "judge C"], "same": None},
                ],
                "gains": [
                    {"judge": f"judge {it}", "gain": _around(0.1 + at / 20, 0.09)} for at, it in enumerate("ABC")
                ],
                "shown_first": _around(0.01, 0.03),
            },
        ),
        Figure(
            "arms",
            "What the gain costs",
            {
                "arms": arms,
                "gain": _around(0.15, 0.07),
                "price": [{"of": "output tokens", "extra": _around(2_700, 600), "per_point": _around(180, 90)}],
                "price_said": "A hundredth of score costs 180 output tokens a ticket.",
            },
        ),
    )
    one = Measurement(
        "accuracy",
        "booking-api",
        "scripted candidate",
        (Metric("gain", "Score with Crosscheck less the baseline's, a ticket", unit="score"),),
        {},
        figures=figures,
    )
    return _pair(one, {"gain": gains}, {})


def _around(value: float, by: float) -> dict[str, float]:
    return asdict(Interval(value, value - by, value + by, 14))


def _latency() -> tuple[Measurement, ...]:
    paths = (("search", 14, 0, 50), ("ask, model", 64.7, 2_301, 300), ("review, model", 420, 9_840, 400))
    bars = [Bar(name, 10, own + model, own, model, most) for name, own, model, most in paths]
    one = Measurement(
        "latency",
        "sandbox paths",
        "beside each other",
        (Metric("search over lookup", "Own time of a search, over that of a lookup", "less", "ratio"),),
        {},
        figures=(figure([*bars, Bar("lookup", 10, 2.1, 2.1, 0, None)], 0.5, 60),),
    )
    values = {f"case {at}": Counted(7 + at % 3) for at in range(10)}
    return _pair(one, {"search over lookup": values}, {"search over lookup": values})


def hostile() -> Run:
    """Every string that comes from outside is as bad as can be."""
    data = {"tickets": [{"ticket": HOSTILE, "title": HOSTILE, "baseline": 0.2, "crosscheck": 0.9}]}
    latency = {"first_s": 0.5, "per_second": 0, "paths": [asdict(Bar(HOSTILE, 1, 2, 1, 1, 3))]}
    trace = {
        "route": HOSTILE,
        "keys": [HOSTILE],
        "arms": [{"name": HOSTILE, "collection": "documents", "weight": 1.0, "hits": 1}],
        "candidates": [
            {
                "id": HOSTILE,
                "document_id": HOSTILE,
                "title": HOSTILE,
                "kind": HOSTILE,
                "ranks": {HOSTILE: 1},
                "fused": 1,
                "reranked": 0.5,
                "fate": "result 1",
            }
        ],
        "left_out": 0,
        "reranker": HOSTILE,
        "steps": {},
    }
    spots = {"x": 0.5, "y": 0.5}
    drawn = {
        "audience": HOSTILE[:160],
        "question": {"text": HOSTILE[:160], **spots},
        "sources": [{"name": HOSTILE, "drawn": 1, "total": 1}],
        "points": [{"source": 0, "kind": HOSTILE, "title": HOSTILE, "place": HOSTILE, "url": "", "hit": 1, **spots}],
        "total": 1,
    }
    one = Measurement(
        HOSTILE,
        HOSTILE,
        HOSTILE,
        (Metric(HOSTILE, HOSTILE),),
        {HOSTILE: {HOSTILE: Counted(1.0)}},
        (Failure(HOSTILE, HOSTILE, HOSTILE),),
        (HOSTILE,),
        {HOSTILE: HOSTILE},
        (
            Figure("wins", HOSTILE, data),
            Figure("latency", HOSTILE, latency),
            Figure("flow", HOSTILE, {"question": HOSTILE, "trace": trace}),
            Figure("map", HOSTILE, {"drawn": drawn}),
            Figure(HOSTILE, HOSTILE, {}),
        ),
    )
    return Run(HOSTILE, HOSTILE, HOSTILE, (one,))


@contextmanager
def searched(home: Path) -> Iterator[tuple[Figure, Figure]]:
    """A flow and a map of the make-believe company's index."""
    made = company(home / "company")
    readers = audience(made)
    with playground(made, home / "program") as program, program.index.searched() as generation:
        found = generation.searcher.search(Query(QUESTION), readers)
        question = asked(QUESTION, [one.id for one in found.evidence], generation.embedders)
        yield (
            flow_figure(generation.searcher, QUESTION, readers),
            map_figure(generation.store, readers, generation.embedders, question),
        )
