"""How a search came to its answer, for a terminal of a hundred columns."""

from collections.abc import Iterable, Mapping
from typing import Any

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from bots.text import one_line

_TITLE = 40  # characters
_FATE = 24
_QUESTION = 70


def explained(trace: Mapping[str, Any]) -> Group:
    """Route and times, then the arms, then what became of each candidate: results first, as they stand."""
    parts: list[RenderableType] = [_route(trace)]
    if trace["arms"]:
        parts += [Text(), _arms(trace["arms"])]
    if trace["candidates"]:
        parts += [Text(), _candidates(trace)]
    if trace["left_out"]:
        parts.append(Text(f"and {trace['left_out']} more candidates that are no result"))
    return Group(*parts)


def searches_text(searches: Iterable[Mapping[str, Any]]) -> str:
    """A line for each search of a review: how it went, and by what its best results were found."""
    lines: list[str] = []
    for searched in searches:
        trace = searched["trace"]
        results = _results(trace)
        lines.append(
            f'"{one_line(searched["text"], _QUESTION)}": {trace["route"]}, {len(results)} results'
            f"{_by(trace)}, {sum(trace['steps'].values()):.0f} ms"
        )
        lines += [
            f"  {one['fate'].removeprefix('result ')}. {one_line(one['title'], _TITLE)}: {_found_by(one)}"
            for one in results[:3]
        ]
    return "\n".join(lines)


def _route(trace: Mapping[str, Any]) -> Text:
    keys = ", ".join(one_line(key, _TITLE) for key in trace["keys"]) or "none"
    steps = ", ".join(f"{step} {milliseconds:.1f} ms" for step, milliseconds in trace["steps"].items())
    return Text(f"Route: {trace['route']}{_by(trace)}. Names looked up: {keys}.\nTime: {steps or 'not measured'}.")


def _by(trace: Mapping[str, Any]) -> str:
    return f", reranked by {one_line(trace['reranker'], _TITLE)}" if trace["reranker"] else ""


def _arms(arms: Iterable[Mapping[str, Any]]) -> Table:
    table = Table("arm", "name", "collection", box=None)
    for title in ("weight", "hits"):
        table.add_column(title, justify="right")
    numbers = _numbers(arms)
    for arm in arms:
        table.add_row(
            numbers[arm["name"]],
            Text(one_line(arm["name"], _TITLE)),
            Text(arm["collection"]),
            f"{arm['weight']:.3f}",
            str(arm["hits"]),
        )
    return table


def _candidates(trace: Mapping[str, Any]) -> Table:
    """Ranks are `arm:rank`, the best first."""
    numbers = _numbers(trace["arms"])
    table = Table("fate", "candidate", "kind", "rank in arm", box=None)
    for title in ("fused", "rerank"):
        table.add_column(title, justify="right")
    results = _results(trace)
    others = [one for one in trace["candidates"] if not one["fate"].startswith("result ")]
    for one in [*results, *others]:
        ranks = sorted(one["ranks"].items(), key=lambda ranked: (ranked[1], ranked[0]))
        table.add_row(
            Text(one_line(one["fate"], _FATE)),
            Text(one_line(one["title"], _TITLE)),
            Text(one["kind"]),
            " ".join(f"{numbers.get(arm, '?')}:{rank}" for arm, rank in ranks) or "-",
            "-" if one["fused"] is None else str(one["fused"]),
            "-" if one["reranked"] is None else f"{one['reranked']:.2f}",
        )
    return table


def _results(trace: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    results = [one for one in trace["candidates"] if one["fate"].startswith("result ")]
    return sorted(results, key=lambda one: int(one["fate"].removeprefix("result ")))


def _found_by(one: Mapping[str, Any]) -> str:
    """The arms that place it best."""
    if one["fused"] is None:
        return "looked up by its name"
    ranks = sorted(one["ranks"].items(), key=lambda ranked: (ranked[1], ranked[0]))[:3]
    return ", ".join(f"{arm} {rank}" for arm, rank in ranks) or "no arm"


def _numbers(arms: Iterable[Mapping[str, Any]]) -> dict[str, str]:
    """An arm of both collections has one number."""
    return {name: str(number) for number, name in enumerate(dict.fromkeys(arm["name"] for arm in arms), 1)}
