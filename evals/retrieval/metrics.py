"""How good a run is, question by question. A document counts where it is first found, and never its own question."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from math import inf, log2

from evals.harness.types import Metric
from evals.retrieval.types import Judgement, Relevant, Run, Values

_ACCURACY = (1, 3, 5, 10, 20)
_RECALL = (5, 10, 20, 50)
_BOTH = ("code", "doc")
HIT = "code-and-doc hit@10"


def measured(run: Run, relevant: Relevant) -> Values:
    """Every metric of `described`; a question that nothing was found for scores 0.

    `recall@k`, `nDCG@10` (Järvelin and Kekäläinen 2002, linear gains), `MRR`, `MRR@10`, `Acc@k`, `P@1`; where answers
    come from several sources also `recall@10 SOURCE`, and `code-and-doc hit@10`.
    """
    values: dict[str, dict[str, float]] = defaultdict(dict)
    for query, wanted in relevant.items():
        found = [key for key in distinct(run.get(query, ())) if key != query]
        ranks = {key: rank for rank, key in enumerate(found, 1) if key in wanted}
        first, last = min(ranks.values(), default=inf), max(ranks.get(key, inf) for key in wanted)
        values["nDCG@10"][query] = _ndcg(found[:10], wanted)
        for k in _RECALL:
            values[f"recall@{k}"][query] = _recall(found[:k], wanted)
        values["MRR"][query] = 1 / first
        values["MRR@10"][query] = 1 / first if first <= 10 else 0.0
        values["P@1"][query] = float(first == 1)
        for k in _ACCURACY:
            values[f"Acc@{k}"][query] = float(last <= k)
        for name, value in _by_source(found[:10], wanted).items():
            values[name][query] = value
    return values


def described(name: str) -> Metric:
    """What a metric of `measured` says."""
    kind, _, rest = name.partition("@")
    k, _, source = rest.partition(" ")
    if name == HIT:
        return Metric(name, "Questions of which a right file and a right document are among the first ten")
    if kind == "recall":
        of = f" that are {source}" if source else ""
        return Metric(name, f"Right documents{of} that are among the first {k}, the mean over questions")
    if kind == "Acc":
        return Metric(name, f"Questions of which all right documents are among the first {k}")
    if kind == "MRR":
        within = f", 0 below the first {k}" if k else ""
        return Metric(name, f"1 / the place of the first right document, the mean over questions{within}", unit="score")
    if kind == "nDCG":
        return Metric(name, "Discounted gain of the first ten, as a share of the best that is possible", unit="score")
    return Metric(name, "Questions whose first document is a right one")


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
    if sources.keys() >= set(_BOTH):
        values[HIT] = float(all(any(key in sources[source] for key in found) for source in _BOTH))
    return values
