"""Outcomes as a measurement. Cases are tickets and pages, since what is found in one of them is not independent."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from datetime import datetime

from evals.harness.cases import Progress, Scored, score
from evals.harness.intervals import middle
from evals.harness.types import Counted, Failure, Measurement, Metric
from evals.outcomes.reading import Installation
from evals.outcomes.types import ACCEPTED, JUDGED, YOUNG, Outcome, Sign, Subject

PART, SET, WAY = "outcomes", "this installation", "what people did"
ALL, DAYS, LIKED, UNKNOWN = "accepted", "days to acceptance", "👍 of rated replies", "unknown"
_AT_ONCE = 4  # tickets that are read beside each other
_OF = "of the findings that are a week old and whose ticket or page can be read"
_REASONS = 3  # that are told

_METRICS = (
    Metric(ALL, f"Accepted by an edit or a reply, {_OF}"),
    Metric(Sign.EDIT, f"The text was edited, and the finding fell away, {_OF}", "neither"),
    Metric(Sign.REPLY, f"A person's comment answers it, {_OF}", "neither"),
    Metric(Sign.DISMISSED, f"Set aside with a reason, {_OF}", "less"),
    Metric(Sign.NONE, f"Nothing happened that can be seen, {_OF}", "less"),
    Metric(DAYS, "From the first telling to the acceptance, the mean", "less", "days"),
    Metric(LIKED, "People who liked a reply, of those who rated one; each reply is a case"),
    Metric(
        UNKNOWN, "Of the findings that are a week old: the ticket or page, or a needed part, cannot be read", "less"
    ),
)


def measure(
    installation: Installation, since: datetime | None, progress: Progress
) -> tuple[Measurement, list[Subject]]:
    """What came of the findings that were told (for the first time since then). Raises StateError."""
    names = {name: name for name in installation.subjects(since)}
    scored = score(names, lambda name: installation.subject(name, since), {"signs": signs}, progress, at_once=_AT_ONCE)
    subjects = [one for one in scored.outputs.values() if one.outcomes]
    rated = installation.rated(since)
    return measurement(scored, rated, since), subjects


def measurement(
    scored: Scored[Subject], rated: Mapping[int, Mapping[str, str]], since: datetime | None = None
) -> Measurement:
    """The subjects' metrics by their keys, beside the verdicts of people on replies."""
    keys = {name: subject.key for name, subject in scored.outputs.items()}
    values = {
        metric: {keys[name]: counted for name, counted in of_cases.items()}
        for metric, of_cases in scored.values.items()
    }
    if rated:
        values[LIKED] = {f"reply {job}": _liked(verdicts.values()) for job, verdicts in rated.items()}
    known = {metric.name for metric in _METRICS}
    further = [Metric(name, f"Accepted, {_OF}", "neither") for name in sorted(values.keys() - known)]
    metrics = [metric for metric in (*_METRICS, *further) if metric.name in values]
    failures = tuple(Failure(one.case.rpartition("|")[2], one.what, one.reason) for one in scored.failures)
    made_with = {"told since": f"{since:%Y-%m-%d}"} if since else {}
    subjects = list(scored.outputs.values())
    return Measurement(PART, SET, WAY, tuple(metrics), values, failures, tuple(_notes(subjects, rated)), made_with)


def of_category(category: str) -> str:
    """The metric's name."""
    return f"{ALL}: {category}"


def of_priority(priority: str) -> str:
    """The metric's name."""
    return f"{ALL}: {priority}"


def of_rule(rule: str) -> str:
    """The metric's name."""
    return f"{ALL}: by {rule}"


def signs(_name: str, subject: Subject) -> dict[str, Counted]:
    judged = [one for one in subject.outcomes if one.sign in JUDGED]
    unknown = sum(one.sign is Sign.UNKNOWN for one in subject.outcomes)
    found = {UNKNOWN: Counted(unknown, unknown + len(judged))} if unknown or judged else {}
    if not judged:
        return found
    counts = Counter(one.sign for one in judged)
    found |= {str(sign): Counted(counts[sign], len(judged)) for sign in sorted(JUDGED)}
    found |= {ALL: _accepted(judged)} | dict(_by_kind(judged))
    days = _days(subject)
    return found | ({DAYS: Counted(sum(days), len(days))} if days else {})


def _by_kind(judged: Iterable[Outcome]) -> Iterator[tuple[str, Counted]]:
    """The accepted share by category, by priority and by rule."""
    namings: tuple[Callable[[Outcome], str], ...] = (
        lambda one: of_category(one.category),
        lambda one: of_priority(one.priority),
        lambda one: of_rule(one.rule),
    )
    everything = list(judged)
    for named in namings:
        for name in dict.fromkeys(map(named, everything)):
            yield name, _accepted([one for one in everything if named(one) == name])


def _accepted(some: list[Outcome]) -> Counted:
    return Counted(sum(one.sign in ACCEPTED for one in some), len(some))


def _liked(verdicts: Iterable[str]) -> Counted:
    given = list(verdicts)
    return Counted(given.count("up"), len(given))


def _days(subject: Subject) -> list[float]:
    return [days for one in subject.outcomes if (days := one.days) is not None]


def _notes(subjects: list[Subject], rated: Mapping[int, object]) -> Iterator[str]:
    signs = Counter(one.sign for subject in subjects for one in subject.outcomes)
    told = sum(bool(subject.outcomes) for subject in subjects)
    yield (
        f"{signs.total()} findings of {told} tickets and pages were told. {signs[Sign.YOUNG]} of them are younger than "
        f"{YOUNG.days} days and in no share."
    )
    lost = [subject for subject in subjects if subject.unread and subject.outcomes]
    if signs[Sign.UNKNOWN]:
        yield (
            f"What came of {signs[Sign.UNKNOWN]} findings is not known: {len(lost)} tickets and pages are gone or "
            "cannot be read, and of others a part cannot."
        )
    for subject in lost[:_REASONS]:
        yield f"Not read: {subject.key}: {subject.unread}"
    median = middle({subject.key: _days(subject) for subject in subjects})
    if median:
        yield (
            f"Half of what was accepted was accepted within {median.value:.1f} days (95 %: {median.low:.1f} to "
            f"{median.high:.1f}, {median.n} tickets and pages)."
        )
    if not rated:
        yield "No reply to a review was rated. Replies can be rated in Slack alone."
    yield "It shows what was done after a finding, not because of it."
