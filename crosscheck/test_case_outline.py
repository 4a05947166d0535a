"""A draft of test cases as an Outline: what is tried, from what, and how a fix is verified again."""

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import replace

from bots.outline import Block, Bullets, Heading, Link, Outline, Paragraph, Span, Words, words
from core.tickets import is_page
from review.test_cases.types import KINDS, URGENCIES, Change, Draft, DraftedCase, Plan
from review.types import Cited
from review.wording import cut

QUOTE = 160
"""Characters of a quote that are shown."""


def draft_outline(draft: Draft) -> Outline:
    """A line that says what there is, what was not done as asked, what this version changes, the plan of a fixed bug,
    the cases with their sources, what is not known.
    """
    blocks: list[Block] = [Paragraph((Words(summary(draft), strong=True),))]
    if draft.said or draft.changes:
        told = (*draft.said, *map(_change, draft.changes))
        blocks.append(Bullets(tuple((Words(text),) for text in told)))
    if draft.plan:
        blocks.extend(_plan(draft.plan))
    for number, one in draft.numbered:
        blocks.extend(_case(number, one))
    if draft.unknowns:
        blocks.append(Heading("Could not be looked at"))
        open_points = (f"{unknown.what} What would settle it: {unknown.settled_by}" for unknown in draft.unknowns)
        blocks.append(Bullets(tuple((Words(text),) for text in open_points)))
    blocks.append(Heading("How this was made"))
    blocks.append(Bullets(tuple((Words(line),) for line in _provenance(draft))))
    return tuple(blocks)


def unchanged_outline(draft: Draft) -> Outline:
    """Of a draft that stands above already: what was not done as it was asked for."""
    first = Paragraph((Words(summary(replace(draft, changes=())), strong=True),))
    said = Bullets(tuple((Words(text),) for text in draft.said))
    return (first, said) if draft.said else (first,)


def summary(draft: Draft) -> str:
    """The draft's first line."""
    if not draft.cases:
        left = "no test cases are left" if draft.gone else "no test cases could be drafted"
        listed = "; what is missing is listed below" if draft.unknowns else ""
        return f"{draft.called}{_version(draft)}: {left}{listed}."
    kinds = Counter(one.kind for one in draft.cases)
    urgencies = Counter(one.urgency for one in draft.cases)
    by_kind = ", ".join(f"{kinds[kind]} {kind}" for kind in KINDS if kinds[kind])
    by_urgency = ", ".join(f"{urgencies[one]} {one}" for one in URGENCIES if urgencies[one])
    count = "1 test case" if len(draft.cases) == 1 else f"{len(draft.cases)} test cases"
    kept = " Numbers stay: that of a dropped case is not given again." if draft.gone else ""
    return f"{draft.called}{_version(draft)}: {count} drafted ({by_kind}; priority: {by_urgency}).{kept}"


def _version(draft: Draft) -> str:
    """`, version 2 (1 added, 1 dropped)`, on pages, which have versions, `draft 2`; nothing of a first one."""
    if draft.version == 1:
        return ""
    counts = Counter(one.kind for one in draft.changes)
    changed = ", ".join(f"{counts[kind]} {kind}" for kind in ("added", "dropped") if counts[kind])
    word = "draft" if is_page(draft.locator.document_id) else "version"
    return f", {word} {draft.version}" + (f" ({changed})" if changed else "")


def _change(one: Change) -> str:
    return f"{one.kind.capitalize()}: {one.number}. {cut(one.title, QUOTE)}"


def _case(number: int, one: DraftedCase) -> Iterator[Block]:
    yield Heading(f"{number}. {one.title}", level=4)
    yield words(f"{one.kind.capitalize()}, priority {one.urgency}: {one.reason}")
    if one.preconditions:
        yield Paragraph((Words("Before:", strong=True), Words(f" {' '.join(one.preconditions)}")))
    steps = (f"{step.action} Expected: {step.expected}" if step.expected else step.action for step in one.steps)
    yield Bullets(tuple((Words(step),) for step in steps), ordered=True)
    yield Paragraph((Words("Expected:", strong=True), Words(f" {one.expected}")))
    yield Bullets(tuple(_sources(one.sources)))


def _plan(plan: Plan) -> Iterator[Block]:
    yield Heading("How to verify the fix again")
    parts = (("How it was brought about", plan.conditions), ("What the fix is meant to do", plan.intent))
    for title, cited in parts:
        if cited:
            yield Paragraph((Words(f"{title}:", strong=True),))
            yield Bullets(tuple(_sources(cited)))
    if plan.neighbours:
        yield Paragraph((Words("What could have suffered:", strong=True),))
        told = ((Words(f"{one.what}. {one.why} "), _place(one.source)) for one in plan.neighbours)
        yield Bullets(tuple(told))


def _sources(every: Iterable[Cited]) -> Iterator[tuple[Span, ...]]:
    """Each place once, with all that is quoted from it."""
    by_place: dict[tuple[str, str], list[Cited]] = {}
    for cited in every:
        by_place.setdefault((cited.locator.label, cited.locator.url), []).append(cited)
    for found in by_place.values():
        quotes = dict.fromkeys(f"“{cut(one.quote, QUOTE)}”" for one in found if one.quote)
        yield (_place(found[0]), Words(f": {'; '.join(quotes)}" if quotes else ""))


def _place(cited: Cited) -> Span:
    label = cited.locator.label
    return Link(label, cited.locator) if cited.locator.url else Words(label)


def _provenance(draft: Draft) -> Iterator[str]:
    yield f"Drafted by {draft.made_by}. Written on {draft.at:%Y-%m-%d %H:%M} UTC."
    if draft.more:
        yield f"{draft.more} further cases, not more urgent than these, are left out."
    if draft.dropped:
        yield f"{draft.dropped} cases that the model proposed were dropped: no source that was read says so."
    yield from draft.degraded
