"""What is drawn of a measurement: plots of its metrics, and its figures. Each has tables that say the same."""

from collections.abc import Iterator
from dataclasses import dataclass

from bots.text import one_line
from crosscheck.console.flow_chart import Chart, chart
from evals.harness.compare import Compared
from evals.harness.errors import EvalError
from evals.harness.intervals import Interval
from evals.harness.told import shown_difference, shown_interval
from evals.harness.types import Figure
from evals.report import plots, rows
from evals.report.kinds import Arms, Flow, Held, Judges, Latency, Map, Wins, held
from evals.report.rows import Rows

_QUESTION = 160  # characters


@dataclass(frozen=True, slots=True)
class Drawing:
    """An image."""

    kind: str
    """Names its file."""
    image: bytes
    """SVG or PNG."""
    alternative: str
    """What it shows, in words."""

    @property
    def media(self) -> str:
        return "image/png" if self.image.startswith(b"\x89PNG") else "image/svg+xml"


@dataclass(frozen=True, slots=True)
class Picture:
    """Something to look at, or why it is not there."""

    title: str
    drawings: tuple[Drawing, ...] = ()
    tables: tuple[Rows, ...] = ()
    sentences: tuple[str, ...] = ()
    flow: Chart | None = None
    """Drawn as the console draws it."""


def of_metrics(compared: Compared) -> Iterator[Picture]:
    """The measurement's own table says the same."""
    if shares := plots.shares(compared.changes):
        told = "; ".join(
            f"{it.metric.name}: {shown_interval(it.now, 'share')}"
            + (f", before {shown_interval(it.before, 'share')}" if it.before else "")
            for it in shares
        )
        yield Picture("Shares", (Drawing("shares", plots.forest(shares), one_line(f"Shares. {told}", rows.LONGEST)),))
    if curves := plots.curves(compared.changes):
        told = "; ".join(
            f"{name or 'all sources'}: {', '.join(f'{k}: {shown_interval(it.now, it.metric.unit)}' for k, it in curve)}"
            for name, curve in curves.items()
        )
        alternative = one_line(f"Recall over the first k results. {told}", rows.LONGEST)
        yield Picture("Recall over the first k results", (Drawing("recall", plots.recall(curves), alternative),))


def of_figure(figure: Figure, *, draw: bool) -> Picture:
    """A figure that nobody can draw is a picture that says so."""
    title = one_line(figure.title, rows.NAME)
    try:
        return _pictured(title, held(figure), draw=draw)
    except EvalError as error:
        return Picture(title, sentences=(str(error),))


def _pictured(title: str, data: Held, *, draw: bool) -> Picture:
    match data:
        case Wins():
            return _wins(title, data, draw=draw)
        case Arms():
            return _arms(title, data, draw=draw)
        case Judges():
            return _judges(title, data, draw=draw)
        case Latency():
            return _latency(title, data, draw=draw)
        case Map():
            return _map(title, data, draw=draw)
        case Flow():
            return _flow(title, data)


def _wins(title: str, data: Wins, *, draw: bool) -> Picture:
    table, many = rows.of_wins(data), len(data.tickets)
    if not many:
        return Picture(title, sentences=("No ticket has a score in both arms.",))
    tickets = [(it.ticket, it.baseline, it.crosscheck) for it in data.tickets]
    drawings = (Drawing("wins", plots.wins(tickets), table.alternative),) if draw else ()
    left = f"Drawn are the {plots.MOST_TICKETS // 2} first and the {plots.MOST_TICKETS // 2} last of {many} tickets."
    return Picture(title, drawings, (table,), (left,) if draw and many > plots.MOST_TICKETS else ())


def _arms(title: str, data: Arms, *, draw: bool) -> Picture:
    tables = rows.of_arms(data)
    score = [plots.Dot(it.arm, it.score) for it in data.arms if it.score]
    tokens = [plots.Dot(it.arm, it.tokens_out) for it in data.arms if it.tokens_out]
    drawings = []
    if draw and score:
        drawings.append(Drawing("score", plots.dots(score, "score", "score, a ticket"), tables[0].alternative))
    if draw and tokens:
        drawn = plots.dots(tokens, "tokens", "output tokens, a ticket")
        drawings.append(Drawing("tokens", drawn, _told("Output tokens, a ticket", tokens)))
    gain = (
        f"The gain is {shown_difference(data.gain, 'score')} in score, over {data.gain.n} tickets." if data.gain else ""
    )
    return Picture(title, tuple(drawings), tables, tuple(said for said in (gain, data.price_said) if said))


def _judges(title: str, data: Judges, *, draw: bool) -> Picture:
    tables = rows.of_judges(data)
    pairs = [(f"{it.judges[0]}, {it.judges[1]}", it.same) for it in data.pairs]
    agreed = _dots([("Krippendorff's alpha", data.alpha), *pairs])
    gained = _dots([*((it.judge, it.gain) for it in data.gains), ("being shown first", data.shown_first)])
    drawings = []
    if draw and agreed:
        drawn = plots.dots(agreed, "score", "alpha, and the share of verdicts in which two say the same")
        drawings.append(Drawing("agreement", drawn, tables[0].alternative))
    if draw and gained:
        drawings.append(Drawing("gains", plots.gains(gained, "gain in score by each judge"), tables[1].alternative))
    return Picture(title, tuple(drawings), tables)


def _dots(named: list[tuple[str, Interval | None]]) -> list[plots.Dot]:
    return [plots.Dot(name, found) for name, found in named if found]


def _told(title: str, dots: list[plots.Dot]) -> str:
    told = "; ".join(f"{it.name}: {shown_interval(it.now, 'tokens')}" for it in dots)
    return one_line(f"{title}. {told}", rows.LONGEST)


def _latency(title: str, data: Latency, *, draw: bool) -> Picture:
    table = rows.of_latency(data)
    paths = [(it.path, it.own_ms, it.own_most_ms, it.model_ms) for it in data.paths]
    drawings = (Drawing("latency", plots.latency(paths), table.alternative),) if draw and paths else ()
    speed = f"{data.per_second:g} tokens a second" if data.per_second else "all tokens at once"
    return Picture(
        title, drawings, (table,), (f"The model's first token comes after {data.first_s:g} s, then {speed}.",)
    )


def _map(title: str, data: Map, *, draw: bool) -> Picture:
    from crosscheck.map_picture import picture
    from crosscheck.map_words import method, summary

    tables = rows.of_map(data)
    said = f"{summary(data.drawn)} {method(data.drawn)}"
    if not draw:
        return Picture(title, tables=tables, sentences=(said,))
    return Picture(title, (Drawing("map", picture(data.drawn), one_line(said, rows.LONGEST)),), tables)


def _flow(title: str, data: Flow) -> Picture:
    question = f"Asked: {one_line(data.question, _QUESTION)}"
    if not data.trace["candidates"]:
        return Picture(title, sentences=(question, "Nothing was found for it."))
    drawn = chart(data.trace)
    return Picture(title, tables=(rows.of_flow(drawn),), sentences=(question,), flow=drawn)
