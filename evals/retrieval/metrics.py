"""How good a run is, question by question. A document counts where it is first found, and never its own question."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from math import inf, log2

from evals.retrieval.types import Judgement, Relevant, Run, Values

_ACCURACY = (1, 3, 5, 10, 20)
_RECALL = (5, 10, 20, 50)


def accuracy(run: Run, relevant: Relevant) -> Values:
    """`Acc@k`: 1 if all files that are to be found are among the first k. `MRR`: of the first of them."""
    values: dict[str, dict[str, float]] = defaultdict(dict)
    for query, wanted in relevant.items():
        found = distinct(run.get(query, ()))
        ranks = [found.index(key) + 1 if key in found else inf for key in wanted]
        for k in _ACCURACY:
            values[f"Acc@{k}"][query] = float(max(ranks) <= k)
        values["MRR"][query] = 1 / min(ranks)
    return values


def ranked(run: Run, relevant: Relevant) -> Values:
    """`recall@k`, `nDCG@10` (Järvelin and Kekäläinen 2002, linear gains), `P@1`, `MRR@10`; where answers come from
    several sources also `recall@10 SOURCE`, and `code-and-doc hit@10`: 1 if one of each is among the first ten.
    """
    values: dict[str, dict[str, float]] = defaultdict(dict)
    for query, wanted in relevant.items():
        found = [key for key in distinct(run.get(query, ())) if key != query]
        values["nDCG@10"][query] = _ndcg(found[:10], wanted)
        for k in _RECALL:
            values[f"recall@{k}"][query] = _recall(found[:k], wanted)
        values["P@1"][query] = float(bool(found) and found[0] in wanted)
        values["MRR@10"][query] = next((1 / rank for rank, key in enumerate(found[:10], 1) if key in wanted), 0.0)
        for name, value in _by_source(found[:10], wanted).items():
            values[name][query] = value
    return values


def mean(values: Mapping[str, float]) -> float:
    """Over the questions that the metric is defined for; at least one."""
    return sum(values.values()) / len(values)


def distinct(found: Sequence[str]) -> list[str]:
    return list(dict.fromkeys(found))


def _ndcg(found: Sequence[str], wanted: Mapping[str, Judgement]) -> float:
    gains = [wanted[key].grade if key in wanted else 0 for key in found]
    best = sorted((judgement.grade for judgement in wanted.values()), reverse=True)[:10]
    return _discounted(gains) / _discounted(best)


def _discounted(gains: Sequence[int]) -> float:
    return sum(gain / log2(place + 1) for place, gain in enumerate(gains, 1))


def _recall(found: Sequence[str], wanted: Mapping[str, Judgement]) -> float:
    return sum(key in wanted for key in found) / len(wanted)


def _by_source(found: Sequence[str], wanted: Mapping[str, Judgement]) -> dict[str, float]:
    sources: dict[str, dict[str, Judgement]] = defaultdict(dict)
    for key, judgement in wanted.items():
        if judgement.source:
            sources[judgement.source][key] = judgement
    values = {f"recall@10 {source}": _recall(found, some) for source, some in sorted(sources.items())}
    if {"code", "doc"} <= sources.keys():
        both = all(any(key in sources[source] for key in found) for source in ("code", "doc"))
        values["code-and-doc hit@10"] = float(both)
    return values
