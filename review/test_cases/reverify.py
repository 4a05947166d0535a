"""A fixed bug is verified again: under its own conditions, by what the fix says it does, and around it."""

from collections.abc import Iterator
from dataclasses import dataclass, replace

from review.case import Case
from review.checks.places import Place, comment_place, said, written
from review.reading import Reading
from review.test_cases.fix import Fix, fix_of
from review.test_cases.material import bare, raised
from review.test_cases.reproduction import KEYED, Reproduction, condition_of, reproduction
from review.test_cases.running import under_test, where_cited
from review.test_cases.types import DraftedCase, Plan, Step
from review.text import phrases
from review.types import Cited, Unknown
from review.wording import cut

INTENT = 4
NEIGHBOURS = 8
"""Cases of what the fix says it does, and of what may have suffered."""
QUOTED = 3
"""Sources of a case that are cited beside what tells where the fix runs."""
_TRIED = (
    "reproduce",
    "reproduced",
    "reproducible",
    "happens",
    "happened",
    "still",
    "nachstellen",
    "passiert",
    "tritt auf",
)
"""What a comment says that tells when a bug happens."""


@dataclass(frozen=True, slots=True)
class Reverified:
    """The plan, its cases in the order in which they are tried, and what is not known."""

    plan: Plan
    cases: tuple[DraftedCase, ...]
    unknowns: tuple[Unknown, ...]


def reverify(case: Case, reading: Reading) -> Reverified:
    """For a fixed bug. Never raises for what a source does."""
    told = reproduction(_places(case), case.words)
    fix = fix_of(case, reading)
    drafted = (_again(case, told), *_meant(fix), *_around(case, told, fix))
    holds, where = under_test(case.snapshots), where_cited(case.snapshots)
    cases = tuple(
        replace(
            one,
            preconditions=(*one.preconditions, holds),
            sources=(*one.sources[:QUOTED], *where) if where else one.sources,
        )
        for one in drafted
    )
    unknowns = [*fix.unknowns]
    if not told.steps:
        what = "How the bug was brought about is not written down in steps: its title has to do."
        unknowns.insert(0, Unknown(what, "Asking whoever reported it."))
    return Reverified(Plan(told.cited, fix.intent, fix.neighbours), cases, tuple(unknowns))


def _places(case: Case) -> Iterator[Place]:
    """The bug's texts, and the comments that say when it happens."""
    yield from (place for place in written(case.ticket) if place.part != "title")
    for comment in said(case):
        if comment.text in phrases(_TRIED):
            yield comment_place(comment)


def _again(case: Case, told: Reproduction) -> DraftedCase:
    ticket = case.ticket
    summary = bare(ticket.summary)
    actions = told.actions or (f"Bring this about: {condition_of(ticket.summary)}",)
    if told.expected:
        expected = ". ".join(one.text for one in told.expected[:3])
    else:
        seen = told.actual[0].text if told.actual else summary
        expected = f"What was reported does not happen any more: “{seen}”"
    own = Cited(ticket.locator, ticket.labels, quote=ticket.summary)
    return DraftedCase(
        kind="regression",
        title=f"{ticket.key} does not happen any more: {cut(summary, 140)}",
        preconditions=tuple(f"{one.text}." for one in told.before),
        steps=tuple(Step(f"{action}.") for action in actions),
        expected=f"{cut(expected, 480)}.",
        urgency="high",
        reason="A fix is shown only under the conditions in which the bug was found.",
        sources=told.cited or (own,),
        condition=f"again {ticket.key}",
    )


def _meant(fix: Fix) -> Iterator[DraftedCase]:
    for cited in fix.intent[:INTENT]:
        text = raised(bare(KEYED.sub("", cited.quote)))
        if text:
            yield DraftedCase(
                kind="regression",
                title=f"The fix does what it says: {cut(text, 140)}",
                preconditions=(),
                steps=(Step(f"Use what the fix is about, as it is described: “{text}”."),),
                expected=f"It is so: “{text}”.",
                urgency="medium",
                reason="What the fix was meant to do may be more, or less, than what was reported.",
                sources=(cited,),
                condition=f"intent {text.lower()}",
            )


def _around(case: Case, told: Reproduction, fix: Fix) -> Iterator[DraftedCase]:
    condition = told.actions[0] if len(told.actions) == 1 else condition_of(case.ticket.summary)
    for neighbour in fix.neighbours[:NEIGHBOURS]:
        yield DraftedCase(
            kind="regression",
            title=f"Beside the fix: {cut(neighbour.what, 140)} still works",
            preconditions=(),
            steps=(
                Step(f"Try {cut(neighbour.what, 200)} as it is used every day."),
                Step(f"Try it once more under the bug's condition: {cut(condition, 200)}."),
            ),
            expected="It works as it did before the fix.",
            urgency="low",
            reason=neighbour.why,
            sources=(neighbour.source,),
            condition=f"beside {neighbour.what.lower()}",
        )
