"""The ticket is done, or said to be live, while its pull request is not merged or not deployed."""

from collections.abc import Iterator, Sequence

from core.pulls.types import Snapshot
from review.case import Case, Checked
from review.checks.places import comment_place, said, shown
from review.checks.pulls import cited, name_of
from review.checks.replies import is_question
from review.text import phrases, sentences, without_quoted
from review.types import Cited, Finding, Priority, Settled, Unknown
from review.words import Words

ID = "not-deployed"
_NEAR = 40
"""Characters before words such as `is live` in which a hedge undoes them."""


def check(case: Case) -> Checked:
    ticket = case.ticket
    if not case.snapshots or _was_dropped(case):
        return Checked()
    claimed = _claimed_live(case)
    if not ticket.done and claimed is None:
        return Checked()
    known = [snapshot for snapshot in case.snapshots if not snapshot.pull.base_assumed]
    behind = _behind(known)
    if behind and (ticket.done or len(behind) == len(case.snapshots)):
        return Checked(findings=tuple(_finding(case, snapshot, claimed) for snapshot in behind))
    merged = [snapshot for snapshot in known if snapshot.pull.state == "merged"]
    if behind or not merged:
        return Checked()
    untold = [snapshot for snapshot in merged if snapshot.deployed is None]
    if untold:
        what = f"Whether the {name_of(untold[0])} is deployed is not known, though the ticket is done."
        return Checked(unknowns=(Unknown(what, "Naming the branch or tags of what is released in the settings."),))
    told = tuple(Settled(f"The {name_of(one)} is merged and deployed.", evidence=(cited(one),)) for one in merged)
    return Checked(settled=told, sources=frozenset(one.ref.document_id for one in merged))


def _was_dropped(case: Case) -> bool:
    """Closed without the work being done, so that nothing of it is expected anywhere."""
    ticket = case.ticket
    verdicts = {(ticket.resolution or "").strip().lower(), ticket.status.strip().lower()}
    return bool(verdicts & {*case.words.rejected, *case.words.unfixed})


def _behind(snapshots: Sequence[Snapshot]) -> list[Snapshot]:
    """The pull requests that do not stand where a finished ticket says. One closed without a merge was given up for
    another, if there is another in the repository.
    """
    served = {s.ref.repo for s in snapshots if s.pull.state != "closed"}
    return [
        snapshot
        for snapshot in snapshots
        if (snapshot.pull.state == "merged" and snapshot.deployed is False)
        or snapshot.pull.state in {"open", "draft"}
        or (snapshot.pull.state == "closed" and snapshot.ref.repo not in served)
    ]


def _claimed_live(case: Case) -> Cited | None:
    """The latest sentence of a comment that says that the work is in use; a description tells of older things, too."""
    places = [comment_place(comment) for comment in said(case)]
    found = [place.cite(text) for place in places if (text := next(_live(place.text, case.words), ""))]
    return found[-1] if found else None


def _live(text: str, words: Words) -> Iterator[str]:
    for sentence in sentences(text):
        prose = without_quoted(sentence.prose)
        if is_question(sentence, words):
            continue
        for found in phrases(words.live).finditer(prose):
            before = prose[max(0, found.start(1) - _NEAR) : found.start(1)]
            if before not in phrases(words.hedges) and prose not in phrases(words.must):
                yield sentence.text


def _finding(case: Case, snapshot: Snapshot, claimed: Cited | None) -> Finding:
    name, ticket = name_of(snapshot), case.ticket
    state = {
        "merged": f"the {name} is merged but not in what is deployed",
        "open": f"the {name} is still open",
        "draft": f"the {name} is still a draft",
        "closed": f"the {name} was closed without being merged",
    }[snapshot.pull.state]
    told = f"The ticket is done (“{ticket.status}”)" if ticket.done else "The ticket says that this is in use"
    quoted = f": “{shown(claimed.quote)}”" if claimed and not ticket.done else ""
    says = claimed if claimed and not ticket.done else Cited(ticket.locator, ticket.labels, quote=ticket.status.strip())
    return Finding(
        rule=ID,
        category="not verifiable",
        priority=Priority.P2 if snapshot.pull.state == "merged" and ticket.done else Priority.P1,
        statement=f"{told}{quoted}, but {state}.",
        why="Who tests or uses it now will not see the change, and may take the old behaviour for a new fault.",
        question="Is something still to be merged or deployed, or does the ticket's state have to be set back?",
        evidence=(says, cited(snapshot)),
    )
