"""The ticket is done, or said to be live, while its pull request is not merged or not deployed."""

from collections.abc import Iterator, Mapping, Sequence

from core.probes.standing import whereabouts
from core.pulls.types import PullRef, Snapshot
from review.case import Case, Checked
from review.checks.places import comment_place, said, shown
from review.checks.pulls import cited, name_of
from review.checks.replies import is_question
from review.environments import arrived, named_in
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
    told = {one.ref: _deployed(one, claimed) for one in case.snapshots}
    known = [snapshot for snapshot in case.snapshots if not snapshot.pull.base_assumed]
    behind = _behind(known, told)
    if behind and (ticket.done or len(behind) == len(case.snapshots)):
        return Checked(findings=tuple(_finding(case, snapshot, claimed) for snapshot in behind))
    merged = [snapshot for snapshot in known if snapshot.pull.state == "merged"]
    if behind or not merged:
        return Checked()
    untold = [snapshot for snapshot in merged if told[snapshot.ref] is None]
    if untold:
        return Checked(unknowns=tuple(_unknown(untold[0])))
    return Checked(
        settled=tuple(_settled(one) for one in merged),
        sources=frozenset(cited.locator.document_id for one in merged for cited in _where(one)),
    )


def _deployed(snapshot: Snapshot, claimed: Cited | None) -> bool | None:
    """By the environments that the claim names, or where people use what is built; where no environment is known, by
    what counts as released.
    """
    if not snapshot.standings:
        return snapshot.deployed
    meant = named_in(claimed.quote, snapshot.standings) if claimed else ()
    if meant:
        states = {one.contained for one in meant}
        return False if states & {"no", "partly"} else None if "unknown" in states else True
    return arrived(snapshot.standings)


def _unknown(snapshot: Snapshot) -> Iterator[Unknown]:
    """Of an environment that could not be read, what is not known of the pull request tells already."""
    if not snapshot.standings:
        what = f"Whether the {name_of(snapshot)} is deployed is not known, though the ticket is done."
        yield Unknown(what, "Naming the environments, or what is released, in the settings.")


def _settled(snapshot: Snapshot) -> Settled:
    where = _places(snapshot)
    return Settled(f"The {name_of(snapshot)} is merged and {where or 'deployed'}.", evidence=_where(snapshot))


def _places(snapshot: Snapshot) -> str:
    """`on staging since ..., not on production yet`; empty where no environment is known."""
    return whereabouts([one for one in snapshot.standings if one.contained != "unknown"])


def _where(snapshot: Snapshot) -> tuple[Cited, ...]:
    """The pull request, and what tells where it runs."""
    told = (one for one in snapshot.standings if one.contained != "unknown")
    return (cited(snapshot), *(Cited(one.locator, one.labels, quote=one.claim) for one in told))


def _was_dropped(case: Case) -> bool:
    """Closed without the work being done, so that nothing of it is expected anywhere."""
    ticket = case.ticket
    verdicts = {(ticket.resolution or "").strip().lower(), ticket.status.strip().lower()}
    return bool(verdicts & {*case.words.rejected, *case.words.unfixed})


def _behind(snapshots: Sequence[Snapshot], told: Mapping[PullRef, bool | None]) -> list[Snapshot]:
    """The pull requests that do not stand where a finished ticket says. One closed without a merge was given up for
    another, if there is another in the repository.
    """
    served = {s.ref.repo for s in snapshots if s.pull.state != "closed"}
    return [
        snapshot
        for snapshot in snapshots
        if (snapshot.pull.state == "merged" and told[snapshot.ref] is False)
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
        "merged": f"the {name} is merged but {_places(snapshot) or 'not in what is deployed'}",
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
        evidence=(says, *_where(snapshot)) if snapshot.pull.state == "merged" else (says, cited(snapshot)),
    )
