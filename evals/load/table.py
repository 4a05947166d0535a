"""The results as tables for people: what was asked, what was measured."""

from collections.abc import Iterable

from evals.load.measure import Load, Quantiles
from evals.load.soak import Soak

_Row = tuple[str, str, object]


def of_load(found: Load) -> str:
    verdict = found.verdict
    rows: list[_Row] = [
        ("questions", "", verdict.questions),
        ("answered or told why not", "all", verdict.answered),
        ("answered nobody, for a reason", "", verdict.told_nobody),
        ("lost", "0", verdict.lost),
        ("doubled", "0", verdict.doubled),
        ("sent and not there", "0", verdict.missing),
        ("there and not known", "0", verdict.unknown),
        ("answered unasked", "0", verdict.unasked),
        ("still at work", "0", verdict.working),
        ("wider than asked", "0", verdict.wider),
        ("stuck jobs and posts", "0", verdict.stuck),
        ("most attempts", "5 or less", verdict.attempts),
        ("taken out of order", "", verdict.out_of_order),
        ("settled in time", "yes", _yes(found.settled)),
        ("seconds of talk, then until done", "", f"{found.seconds:g}, {found.drained_s:g}"),
        ("database whole, index whole", "yes, yes", f"{_yes(found.database_ok)}, {_yes(found.index_ok)}"),
        ("processes ended", "", _listed(found.ended.items())),
        ("not stopped in time", "0", found.overdue),
        ("Slack acknowledged, ms", "", _spread(found.slack_ack_ms)),
        ("webhooks acknowledged, ms", "", _spread(found.webhook_ack_ms)),
        ("waited for a worker, s", "", _spread(found.queue_s)),
        ("memory in the first and last quarter, MB", "flat", f"{found.rss_mb[0]:g}, {found.rss_mb[1]:g}"),
        ("of that without a file, MB", "flat", f"{found.own_mb[0]:g}, {found.own_mb[1]:g}"),
        ("faults", "", _listed(found.faults.items())),
        ("disk", "", found.disk),
        ("errors", "", _listed(found.errors.items())),
    ]
    return _table([*rows, *_examples(verdict.examples.items())])


def of_soak(found: Soak) -> str:
    verdict = found.verdict
    rows: list[_Row] = [
        ("minutes", "", found.minutes),
        ("questions, answered", "all", f"{verdict.questions}, {verdict.answered}"),
        ("lost, doubled, stuck, still at work", "0", (verdict.lost, verdict.doubled, verdict.stuck, verdict.working)),
        ("crashes", "0", found.restarts),
        ("memory, MB an hour", "0 within its error", f"{found.rss.per_hour:g} ± {found.rss.error:g}"),
        ("of that without a file", "0 within its error", f"{found.own.per_hour:g} ± {found.own.error:g}"),
    ]
    rows += [(f"{name} an hour", "", f"{one.per_hour:g} ± {one.error:g}") for name, one in found.slopes.items()]
    rows += [(name, "", f"{value:g} to {found.last[name]:g}") for name, value in found.first.items()]
    return _table([*rows, ("errors", "", _listed(found.errors.items())), *_examples(verdict.examples.items())])


def _examples(found: Iterable[tuple[str, object]]) -> list[_Row]:
    return [(f"e.g. {kind}", "", examples) for kind, examples in found]


def _spread(found: Quantiles) -> str:
    return f"p50 {found.p50:g}, p95 {found.p95:g}, p99 {found.p99:g}, most {found.most:g}"


def _listed(found: Iterable[tuple[str, int]]) -> str:
    return "; ".join(f"{name} {count}" for name, count in found) or "none"


def _yes(value: bool) -> str:
    return "yes" if value else "NO"


def _table(rows: Iterable[_Row]) -> str:
    return "\n".join(f"{name:42} {asked:20} {value}" for name, asked, value in rows)
