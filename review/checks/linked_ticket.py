"""A ticket that must be done first is still open, or a ticket that this one builds on was rejected."""

from core.tickets import Ticket, TicketLink
from review.case import Case, Checked
from review.checks.places import comment_place, said, shown, written
from review.text import Phrases, phrases, sentences
from review.types import Cited, Finding, Priority, Settled
from review.words import Words

ID = "linked-ticket"


def check(case: Case) -> Checked:
    words = case.words
    findings: list[Finding] = []
    fine: list[Settled] = []
    for link in {(link.relation.lower(), link.key): link for link in case.ticket.links}.values():
        relation = link.relation.strip().lower()
        blocks = relation in words.blocked_by
        if not (blocks or relation in words.related):
            continue
        if is_rejected(link, words):
            if not _is_known(case, link):
                findings.append(_rejected(link, blocks=blocks))
        elif blocks and not link.done:
            findings.append(_open(link, done=case.ticket.done))
        elif blocks:
            fine.append(Settled(f"{link.key}, on which this depends, is done ({link.status})."))
    return Checked(findings=tuple(findings), settled=tuple(fine))


def is_rejected(link: TicketLink | Ticket, words: Words) -> bool:
    """By its status, or by its resolution once it is closed: a reopened ticket may keep an old resolution."""
    status, resolution = link.status.strip().lower(), (link.resolution or "").strip().lower()
    straight = resolution.replace("’", "'")  # noqa: RUF001 - the typographic apostrophe
    return status in words.rejected or (link.done and straight in words.rejected)


def _is_known(case: Case, link: TicketLink) -> bool:
    """Whether the ticket says itself that the other one was rejected: its key and a word of rejection in a sentence."""
    key, rejected = Phrases((link.key,)), phrases(case.words.rejected + case.words.superseded)
    places = [*written(case.ticket), *(comment_place(comment) for comment in said(case))]
    return any(
        sentence.prose in key and sentence.prose in rejected
        for place in places
        if link.key in place.text
        for sentence in sentences(place.text)
    )


def _cited(link: TicketLink, quote: str) -> Cited:
    return Cited(link.locator, link.labels, quote=quote)


def _open(link: TicketLink, *, done: bool) -> Finding:
    return Finding(
        rule=ID,
        category="conflict",
        priority=Priority.P2 if done else Priority.P1,
        statement=f"This depends on {link.key} “{shown(link.summary)}”, which is not done (status “{link.status}”).",
        why="Work that starts before what it depends on may rest on something that still changes or never comes.",
        question=f"Will {link.key} be done in time, or can this go ahead without it?",
        evidence=(_cited(link, link.status.strip() or link.key),),
    )


def _rejected(link: TicketLink, *, blocks: bool) -> Finding:
    verdict = link.resolution if link.done and link.resolution else link.status
    builds = blocks or link.relation.strip().lower() not in {"relates to", "is related to", "related to"}
    return Finding(
        rule=ID,
        category="conflict",
        priority=Priority.P1 if builds else Priority.P2,
        statement=f"{link.key} “{shown(link.summary)}”, which is linked here as “{link.relation}”, will not be done: "
        f"“{verdict}”.",
        why="What was turned down there may be taken for granted here.",
        question=f"Does this still make sense without {link.key}, and what takes its place?",
        evidence=(_cited(link, verdict),),
    )
