"""How good checks of plans are, beside plain search for the same text."""

from collections import Counter
from collections.abc import Iterable, Sequence
from statistics import median

from evals.harness.intervals import difference
from evals.harness.types import Counted
from evals.plans.types import Judged, Scores, Share


def scores(rows: Sequence[Judged]) -> Scores:
    needing = [row for row in rows if row.plan.wanted]
    others = [row for row in rows if not row.plan.needs]
    resting = [row for row in rows if row.plan.standing]
    ours = {row.plan.id: Counted(row.hits(row.named)) for row in needing}
    searched = {row.plan.id: Counted(row.hits(row.searched)) for row in needing}
    unnamed = {row.plan.id: Counted(row.hits(row.unnamed)) for row in needing}
    named = [(name, row) for row in needing for name in row.named]
    groups = [(group, row) for row in needing for group in row.plan.wanted]
    return Scores(
        plans=len(rows),
        hit=_share(one.part for one in ours.values()),
        hit_search=_share(one.part for one in searched.values()),
        hit_search_unnamed=_share(one.part for one in unnamed.values()),
        to_search=difference(ours, searched),
        to_search_unnamed=difference(ours, unnamed),
        groups=_share(bool(group & set(row.named)) for group, row in groups),
        right=_share(any(name in group for group in row.plan.wanted) for name, row in named),
        silent=_share(row.nothing_new for row in needing),
        nothing_new=_share(row.nothing_new for row in others),
        standing=_share(row.stands for row in resting),
        standing_elsewhere=_share(bool(row.standings) for row in rows if not row.plan.standing),
        degraded=sum(bool(row.degraded) for row in rows),
        seconds=round(median(row.seconds for row in rows), 3) if rows else 0.0,
        longest=round(max((row.seconds for row in rows), default=0.0), 3),
        checks=dict(Counter(category for row in rows for category in row.categories)),
    )


def _share(values: Iterable[float]) -> Share:
    every = list(values)
    return Share(int(sum(every)), len(every))
