"""The tables of a report, as words: what stands in its pages, and what its plots say to who cannot see them."""

from dataclasses import dataclass

from bots.text import one_line
from crosscheck.console.flow_chart import Chart
from evals.harness.intervals import Interval
from evals.harness.told import shown, shown_difference, shown_interval
from evals.harness.types import Unit
from evals.report.kinds import Arms, Judges, Latency, Map, Wins

NAME = 200
"""Characters of a name that are shown."""
LONGEST = 1_500
"""Characters of what is said of a drawing; the tables have all."""
NOTHING = "-"
_HITS = 10  # of a map


@dataclass(frozen=True, slots=True)
class Rows:
    """A table."""

    caption: str
    head: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]

    @property
    def alternative(self) -> str:
        """The same in a sentence, as far as one listens."""
        told = "; ".join(
            f"{first}: {', '.join(f'{head} {cell}' for head, cell in zip(self.head[1:], rest, strict=True))}"
            for first, *rest in self.rows
        )
        return one_line(f"{self.caption}. {told}", LONGEST)


def of_wins(wins: Wins) -> Rows:
    return Rows(
        "Score of each ticket in both arms",
        ("ticket", "title", "baseline", "crosscheck", "gain"),
        tuple(
            (
                one_line(it.ticket, NAME),
                one_line(it.title, NAME),
                shown(it.baseline, "score"),
                shown(it.crosscheck, "score"),
                f"{it.crosscheck - it.baseline:+.3f}",
            )
            for it in wins.tickets
        ),
    )


def of_arms(arms: Arms) -> tuple[Rows, ...]:
    took = Rows(
        "What each arm reached and took, a ticket",
        ("arm", "score", "output tokens", "requests", "seconds", "dollars", "n"),
        tuple(
            (
                one_line(it.arm, NAME),
                _cell(it.score, "score"),
                _cell(it.tokens_out, "tokens"),
                _cell(it.requests, "calls"),
                _cell(it.seconds, "seconds"),
                _cell(it.dollars, "dollars"),
                str(it.score.n) if it.score else NOTHING,
            )
            for it in arms.arms
        ),
    )
    if not arms.price:
        return (took,)
    units: dict[str, Unit] = {"US dollars": "dollars"}
    price = Rows(
        "What the gain costs more",
        ("of", "a ticket", "for 0.01 of score", "n"),
        tuple(
            (
                one_line(it.of, NAME),
                _cell(it.extra, units.get(it.of, "tokens")),
                _cell(it.per_point, units.get(it.of, "tokens")),
                str(it.extra.n) if it.extra else NOTHING,
            )
            for it in arms.price
        ),
    )
    return took, price


def of_judges(judges: Judges) -> tuple[Rows, ...]:
    agreement = [("Krippendorff's alpha", _cell(judges.alpha, "score"), _n(judges.alpha))]
    agreement += [
        (f"{one_line(it.judges[0], NAME)} and {one_line(it.judges[1], NAME)} say the same", _cell(it.same), _n(it.same))
        for it in judges.pairs
    ]
    gains = [(one_line(it.judge, NAME), _signed(it.gain), _n(it.gain)) for it in judges.gains]
    gains.append(("being shown first, all judges", _signed(judges.shown_first), _n(judges.shown_first)))
    return (
        Rows("How much the judges agree", ("judges", "value, 95 %", "n"), tuple(agreement)),
        Rows("The gain in score by each judge alone", ("judge", "gain, 95 %", "n"), tuple(gains)),
    )


def of_latency(latency: Latency) -> Rows:
    return Rows(
        "Where the time goes, medians over the cases",
        ("path", "own", "budget of own", "model", "whole", "n"),
        tuple(
            (
                one_line(it.path, NAME),
                shown(it.own_ms, "ms"),
                NOTHING if it.own_most_ms is None else shown(it.own_most_ms, "ms"),
                shown(it.model_ms, "ms"),
                shown(it.whole_ms, "ms"),
                str(it.n),
            )
            for it in latency.paths
        ),
    )


def of_map(drawn: Map) -> tuple[Rows, ...]:
    data = drawn.drawn
    sources = Rows(
        "Passages on the map, by source",
        ("source", "drawn", "of"),
        tuple((one_line(it["name"], NAME), str(it["drawn"]), str(it["total"])) for it in data["sources"]),
    )
    hits = sorted((it for it in data["points"] if it["hit"]), key=lambda it: int(it["hit"]))[:_HITS]
    if not hits:
        return (sources,)
    found = tuple((str(it["hit"]), one_line(it["title"], NAME), one_line(it["kind"], NAME)) for it in hits)
    return sources, Rows("Best hits", ("hit", "title", "kind"), found)


def of_flow(chart: Chart) -> Rows:
    """Results first, then what is none."""
    ranked = [at for at, column in enumerate(chart.columns) if column.stage not in ("lookup", "result")]
    names = {"fusion": "fusion", "reranker": "reranker"}
    heads = [names.get(chart.columns[at].stage, " ".join(chart.columns[at].head)) for at in ranked]
    return Rows(
        "The way of each candidate: its rank at each step",
        ("candidate", "kind", *heads, "what became of it"),
        tuple(
            (way.title, way.kind, *(str(way.ranks[at] or NOTHING) for at in ranked), way.fate)
            for way in (*chart.results, *chart.others)
        ),
    )


def _cell(found: Interval | None, unit: Unit = "share") -> str:
    return shown_interval(found, unit) if found else NOTHING


def _signed(found: Interval | None) -> str:
    return shown_difference(found, "score") if found else NOTHING


def _n(found: Interval | None) -> str:
    return str(found.n) if found else NOTHING
