"""Which findings are planted gaps: by category and by what they cite, never by their wording."""

from collections.abc import Iterable

from evals.planted.types import Cite, Gap, Judged, Leave, Planted, Reviewed
from review.types import Cited, Finding


def judged(
    planted: Planted, reviewed: Reviewed, restricted: Iterable[str] = (), forbidden: Iterable[str] = ()
) -> Judged:
    """A finding that is a planted gap is right, however often it is told; every other one is wrong.

    `restricted` are words that stand only where the review's readers may not look, `forbidden` are strings that nobody
    may be shown.
    """
    met = {finding: [gap for gap in planted.gaps if is_gap(finding, gap)] for finding in reviewed.findings}
    found = {gap for gaps in met.values() for gap in gaps}
    demanded = [gap for gap in planted.gaps if gap.demanded]
    return Judged(
        planted,
        reviewed,
        found=tuple(gap for gap in demanded if gap in found),
        missed=tuple(gap for gap in demanded if gap not in found),
        right=tuple(finding for finding, gaps in met.items() if gaps),
        wrong=tuple((finding, fell_for(finding, planted.leaves)) for finding, gaps in met.items() if not gaps),
        restricted=_shown(restricted, reviewed),
        forbidden=_shown(forbidden, reviewed),
    )


def is_gap(finding: Finding, gap: Gap) -> bool:
    return finding.category in gap.categories and _cites_all(finding, gap.cites)


def fell_for(finding: Finding, leaves: Iterable[Leave]) -> Leave | None:
    """What of the tempting things a finding claims."""
    tempting = (one for one in leaves if finding.category in one.categories and _cites_all(finding, one.cites))
    return next(tempting, None)


def _shown(words: Iterable[str], reviewed: Reviewed) -> tuple[str, ...]:
    text = reviewed.shown.casefold()
    return tuple(word for word in words if word.casefold() in text)


def _cites_all(finding: Finding, cites: Iterable[Cite]) -> bool:
    return all(any(_is(cited, cite) for cited in finding.evidence) for cite in cites)


def _is(cited: Cited, cite: Cite) -> bool:
    quote = plain(cited.quote)
    said = not cite.quotes or any(plain(fragment) in quote for fragment in cite.quotes)
    return said and any(within(cited.locator.document_id, document) for document in cite.documents)


def within(document_id: str, document: str) -> bool:
    """Whether it is the document or a part of it: `jira:BKG-1:comment:7` is a part of `jira:BKG-1`."""
    return document_id == document or document_id.startswith(f"{document}:")


def plain(text: str) -> str:
    return " ".join(text.casefold().split())
