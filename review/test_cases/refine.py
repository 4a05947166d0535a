"""The next version of a draft: cases dropped and added as people ask for it, all others as they were."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any, TypeVar

from review.errors import NothingToReview
from review.reading import Reading
from review.test_cases.proving import distinct, proven, same
from review.test_cases.types import Change, Draft, DraftedCase
from review.wording import cut

T = TypeVar("T")

MOST = 80
"""Cases of a draft, whatever is added."""
SAID = 400
"""Characters of one sentence of what is said."""
LOST = "What it rests on is not there any more for everybody here."
_TITLE = 120


@dataclass(frozen=True, slots=True)
class Additions:
    """Cases that were drafted for a wish, and how."""

    cases: tuple[DraftedCase, ...] = ()
    made_by: str = ""
    """As `Draft.made_by`; empty if none were asked for."""
    dropped: int = 0
    said: tuple[str, ...] = ()
    numbers: Mapping[str, float] = field(default_factory=dict)
    audit: tuple[Mapping[str, Any], ...] = ()


def refusal(draft: Draft, reading: Reading, closed: frozenset[str]) -> NothingToReview | None:
    """Why a draft cannot be gone on with for these readers, if it cannot."""
    if draft.is_for(reading.audience) and draft.locator.document_id not in closed:
        return None
    return NothingToReview("What this draft was made from cannot be read by everybody here any more; ask for it anew.")


def next_version(
    draft: Draft, added: Additions, drop: Iterable[int], *, closed: frozenset[str], reading: Reading, at: datetime
) -> Draft:
    """First what is lost (it rests on one of the `closed` documents) and what is dropped goes, then what is added comes
    after all others. Without any change it is the same version, with what is to be said.
    """
    base = _without(draft, closed)
    wanted = dict.fromkeys(drop)
    known = dict(base.numbered)
    said = [*_not_there(base, wanted), *added.said]
    kept = {number: one for number, one in known.items() if number not in wanted}
    fresh, repeated = _fresh(distinct(proven(added.cases, reading.register)), kept)
    if repeated:
        said.append(f"Already there: {_cases(repeated)}.")
    room = max(0, MOST - len(kept))
    if len(fresh) > room:
        said.append(f"Not all was added: a draft has at most {MOST} cases. Dropping some makes room.")
        fresh = fresh[:room]
    first = len(known) + len(base.gone) + 1
    changes = (
        *base.changes,
        *(Change("dropped", number, cut(known[number].title, _TITLE)) for number in wanted if number in known),
        *(Change("added", number, cut(one.title, _TITLE)) for number, one in enumerate(fresh, first)),
    )
    return replace(
        base,
        cases=(*kept.values(), *fresh),
        gone=base.gone | (wanted.keys() & known.keys()),
        version=draft.version + bool(changes),
        changes=changes or draft.changes,
        said=tuple(cut(one, SAID) for one in said),
        unknowns=_once((*base.unknowns, *reading.unknowns)),
        degraded=_once((*base.degraded, *reading.degraded)),
        made_by=_made_by(draft.made_by, added.made_by),
        audience=reading.audience,
        at=at,
        dropped=draft.dropped + added.dropped,
        rests_on=base.rests_on | reading.register.documents(),
        read_live=reading.live,
        numbers=added.numbers,
        searches=reading.searches,
        audit=added.audit,
    )


def _without(draft: Draft, closed: frozenset[str]) -> Draft:
    """The draft without anything that a document that is not to be read any more may have said, nor a message that is
    not there any more, which is named by its address. A model's cases may hold words of any document that it was shown.
    """
    gone = draft.rests_on & closed
    lost = {
        number
        for number, one in draft.numbered
        if (gone and one.by_model)
        or any({source.locator.document_id, source.locator.url} & closed for source in one.sources)
    }
    if not gone and not lost:
        return replace(draft, changes=())
    return replace(
        draft,
        cases=tuple(one for number, one in draft.numbered if number not in lost),
        gone=draft.gone | lost,
        plan=None,
        unknowns=(),
        changes=tuple(Change("dropped", number, LOST) for number in sorted(lost)),
        rests_on=draft.rests_on - closed,
    )


def _not_there(draft: Draft, numbers: Iterable[int]) -> list[str]:
    known = {number for number, _ in draft.numbered}
    before = sorted(number for number in numbers if number in draft.gone)
    never = sorted(number for number in numbers if number not in known | draft.gone)
    said = []
    if before:
        said.append(f"Dropped already: {_cases(before)}.")
    if never:
        has = f"the draft has {_cases(sorted(known))}" if known else "the draft has none"
        said.append(f"There {'is' if len(never) == 1 else 'are'} no {_cases(never)}; {has}.")
    return said


def _fresh(cases: Iterable[DraftedCase], kept: Mapping[int, DraftedCase]) -> tuple[list[DraftedCase], list[int]]:
    """What is new, and the numbers of the cases that try the rest already."""
    fresh, repeated = [], []
    for one in cases:
        number = next((number for number, other in kept.items() if same(one, other)), None)
        if number is None:
            fresh.append(one)
        else:
            repeated.append(number)
    return fresh, sorted(set(repeated))


def _cases(numbers: Sequence[int]) -> str:
    """`case 3`, `cases 1 to 4, 6, 7`."""
    runs: list[list[int]] = []
    for number in numbers:
        if runs and number == runs[-1][-1] + 1:
            runs[-1].append(number)
        else:
            runs.append([number])
    named = (f"{run[0]} to {run[-1]}" if len(run) > 2 else ", ".join(map(str, run)) for run in runs)
    return f"case{'s' if len(numbers) > 1 else ''} {', '.join(named)}"


def _made_by(before: str, now: str) -> str:
    return before if not now or now in before else f"{before}; then {now}"


def _once(every: Iterable[T]) -> tuple[T, ...]:
    return tuple(dict.fromkeys(every))
