"""Every result as an Outline, once: a review, a refusal, a failure. Written for people who are not engineers."""

from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime, timedelta

from bots.errors import BotError, NotAllowed
from bots.outline import Block, Bullets, Heading, Link, Outline, Paragraph, Span, Words, words
from core.errors import CoreError, SourceError, SourceForbidden
from core.types import Freshness
from review.checks import RULES
from review.types import Cited, Finding, Priority, PullSeen, Review, Since
from state.errors import Overtaken, StateError

TITLES = {rule.id: rule.title for rule in RULES}

LATE = timedelta(minutes=30)  # an answer later than this says so

MEANING = {
    Priority.P0: "stops the work",
    Priority.P1: "answer before work starts",
    Priority.P2: "answer before it ships",
    Priority.P3: "worth a look",
}


def review_outline(review: Review, sources: Sequence[Freshness], *, asked: datetime) -> Outline:
    """A one-line verdict, findings by priority, what could not be checked, what needs no answer, how it was made."""
    blocks: list[Block] = [Paragraph((Words(verdict(review), strong=True),))]
    if review.since:
        blocks.extend(_since(review, review.since))
    for number, finding in enumerate(review.findings, 1):
        blocks.extend(_finding(number, finding))
    if review.unknowns:
        blocks.append(Heading("Could not be checked"))
        items = tuple(
            (Words(f"{unknown.what} What would settle it: {unknown.settled_by}"),) for unknown in review.unknowns
        )
        blocks.append(Bullets(items))
    answered = [one for one in review.settled if one.evidence]
    fine = [one for one in review.settled if not one.evidence]
    if answered:
        blocks.append(Heading("Already settled"))
        blocks.append(Bullets(tuple((Words(f"{one.what} "), *_places(one.evidence)) for one in answered)))
    if fine:
        blocks.append(Heading("Looked at and in order"))
        blocks.append(Bullets(tuple((Words(one.what),) for one in fine)))
    if review.pulls:
        blocks.append(Heading("Pull requests that were read"))
        blocks.append(Bullets(tuple(_pull(pull) for pull in review.pulls)))
    blocks.append(Heading("How this was made"))
    blocks.append(Bullets(tuple((Words(line),) for line in _provenance(review, sources, asked))))
    return tuple(blocks)


def verdict(review: Review) -> str:
    """The reply's first line."""
    if not review.findings:
        tail = " Some things could not be checked; they are listed below." if review.unknowns else ""
        return f"{review.called}: nothing found that is missing, undecided or in conflict.{tail}"
    counts = [
        f"{count} {priority.name} ({MEANING[priority]})"
        for priority in Priority
        if (count := sum(finding.priority is priority for finding in review.findings))
    ]
    total = len(review.findings)
    points = "1 point" if total == 1 else f"{total} points"
    return f"{review.called}: {points} to settle: {', '.join(counts)}."


def refusal(reason: str) -> Outline:
    """Why there is no review, and what to do."""
    return (words(reason),)


def plain_reason(error: Exception) -> str:
    """Why something failed, by its kind. The error's own words may name what people here must not know of."""
    match error:
        case SourceForbidden() | NotAllowed():
            return "Crosscheck's own account may not read what it needs here. An administrator has to allow it."
        case SourceError() | BotError():
            return "A system that Crosscheck works with did not answer as it should."
        case CoreError():
            return "Crosscheck's index could not be used."
        case Overtaken():
            return "Another change to the same draft was still on its way."
        case StateError():
            return "Crosscheck's database could not be used."
    return "An unexpected error inside Crosscheck."


CUT_SHORT = "Crosscheck was stopped each time while it worked on this."
NO_END = "None of the attempts came to an end that could be posted here."


def failure(
    reason: str,
    attempts: int,
    *,
    what: str = "This could not be answered.",
    again: str = "Write the command in a new comment to ask again",
) -> Outline:
    """Said once, after the last attempt: what could not be done, and how it is asked for again."""
    return (
        Paragraph((Words(what, strong=True),)),
        words(f"Reason: {reason}"),
        words(f"It was tried {attempts} times. {again}; an administrator can see the details in the list of jobs."),
    )


def _since(review: Review, since: Since) -> Iterator[Block]:
    """What changed since the last review of the ticket."""
    new = [str(number) for number, one in enumerate(review.findings, 1) if one.fingerprint in since.new]
    same = len(review.findings) - len(new)
    parts = [
        f"new: {', '.join(new)}" if new else "nothing new",
        f"as before: {same}" if same else "",
        f"no longer standing: {len(since.gone)}" if since.gone else "",
    ]
    yield words(f"Since the last review ({_moment(since.at)}): {'; '.join(part for part in parts if part)}.")
    if since.gone:
        yield Bullets(tuple((Words(f"No longer standing: {statement}"),) for statement in since.gone))


def _places(evidence: Iterable[Cited]) -> Iterator[Span]:
    """Links to where an answer stands."""
    for number, cited in enumerate({cited.locator: cited for cited in evidence}.values()):
        if number:
            yield Words(", ")
        yield Link(cited.locator.label, cited.locator) if cited.locator.url else Words(cited.locator.label)


def _pull(pull: PullSeen) -> tuple[Span, ...]:
    place = Link(pull.locator.label, pull.locator) if pull.locator.url else Words(pull.locator.label)
    return (place, Words(f" at {pull.head[:12]}: {' '.join(pull.says)}"))


def _finding(number: int, finding: Finding) -> list[Block]:
    return [
        Heading(f"{number}. {finding.priority.name}: {TITLES.get(finding.rule) or finding.category}", level=4),
        words(finding.statement),
        Paragraph((Words("Why it matters:", strong=True), Words(f" {finding.why}"))),
        Paragraph((Words("Question:", strong=True), Words(f" {finding.question}"))),
        Bullets(tuple(_sources(finding.evidence))),
    ]


def _sources(evidence: Iterable[Cited]) -> Iterator[tuple[Span, ...]]:
    """Each source once, in the order in which they are cited, with everything that is quoted from it."""
    by_place: dict[tuple[str, str], list[Cited]] = {}
    for cited in evidence:
        by_place.setdefault((cited.locator.label, cited.locator.url), []).append(cited)
    for (label, url), found in by_place.items():
        said = [f"“{one.quote}”" if one.quote else f"looked for {one.looked_for}, found none" for one in found]
        place = Link(label, found[0].locator) if url else Words(label)
        yield (place, Words(f": {'; '.join(dict.fromkeys(said))}"))


def _provenance(review: Review, sources: Sequence[Freshness], asked: datetime) -> list[str]:
    lines = [f"Made by {review.made_by}. Written on {_moment(review.at)}."]
    if review.at - asked > LATE:
        late = _span(review.at - asked)
        lines.append(f"This answer is late by {late}: the service was not able to read or to answer before.")
    ages: dict[str, list[str]] = {}
    for source in sources:
        if source.last_success is None:
            lines.append(f"{source.source}: never read completely.")
            continue
        stale = " (stale: should have been read again since)" if source.stale else ""
        ages.setdefault(f"Read {_span(review.at - source.last_success)} ago{stale}", []).append(source.source)
    lines.extend(f"{age}: {', '.join(names)}." for age, names in ages.items())
    lines.extend(review.degraded)
    return lines


def _moment(at: datetime) -> str:
    return at.strftime("%Y-%m-%d %H:%M UTC")


def _span(span: timedelta) -> str:
    seconds = max(0, int(span.total_seconds()))
    for size, unit in ((86_400, "day"), (3_600, "hour"), (60, "minute")):
        if seconds >= size:
            count = seconds // size
            return f"{count} {unit}" if count == 1 else f"{count} {unit}s"
    return "less than a minute"
