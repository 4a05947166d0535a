"""Which passages a model is shown, and in which order."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import accumulate

from core.tickets import Ticket
from review.register import Passage, Register, normal
from review.types import Finding

COMMENTS = 40
CHANGES = 20
"""The newest of each that are shown; the rules read all."""

TELLING = 40
"""Characters from which a text that another one holds tells nothing more, whatever its title."""

_OWN, _CITED, _COMMENT, _FIRST, _EVIDENCE, _HISTORY, _LEFT_OUT = range(7)


@dataclass(frozen=True, slots=True)
class View:
    """What one agent is there for."""

    allowed: Callable[[Passage], bool]
    first: frozenset[str] = frozenset()
    """Kinds of passages that come before the others."""


def cited_by(findings: Sequence[Finding], register: Register) -> list[Passage]:
    """Where the citations of findings stand, each passage once."""
    standing = (register.standing(cited) for finding in findings for cited in finding.evidence)
    return list({passage.id: passage for passage in standing if passage is not None}.values())


def choose(
    ticket: Ticket, register: Register, findings: Sequence[Finding], view: View, *, characters: int, each: int
) -> list[Passage]:
    """What fits into `characters`, at most `each` of one passage, what matters most first; then as it stands in its
    documents, the ticket before the others.
    """
    ranked = _ranked(ticket, register, findings, view, characters // 2)
    chosen, left = [], characters
    for _, passage in _distinct(ranked):
        size = min(len(passage.text), each)
        if size <= left:
            chosen.append(passage)
            left -= size
    return _as_written(ticket, chosen)


def _ranked(
    ticket: Ticket, register: Register, findings: Sequence[Finding], view: View, own: int
) -> list[tuple[int, Passage]]:
    """The ticket, what findings cite, the newest comments, links, evidence, history. Of many comments and changes
    only the newest are there; of a ticket longer than `own` characters what is beyond comes after the evidence.
    """
    texts = [p for p in register.of(ticket.document_id) if p.kind == ticket.kind]
    ends = accumulate(len(passage.text) for passage in texts)
    beyond = {one.id for one, end in list(zip(texts, ends, strict=True))[1:] if end > own}
    comments = [comment.locator.document_id for comment in reversed(ticket.comments)]
    age = {document: place for place, document in enumerate(comments)}
    changes = [p for p in register.of(ticket.document_id) if p.kind == "history"]
    old = {passage.id for passage in changes[:-CHANGES]}
    cited = {passage.id for passage in cited_by(findings, register)}

    def rank(passage: Passage) -> tuple[int, int]:
        document = passage.locator.document_id
        if passage.kind == ticket.kind and document == ticket.document_id:
            return (_HISTORY if passage.id in beyond else _OWN), 0
        if passage.id in cited:
            return _CITED, 0
        if document in age:
            return (_COMMENT, age[document]) if age[document] < COMMENTS else (_LEFT_OUT, 0)
        if passage.kind == "history":
            return (_HISTORY, 0) if passage.locator == ticket.locator and passage.id not in old else (_LEFT_OUT, 0)
        return (_FIRST, 0) if passage.kind == "link" or passage.kind in view.first else (_EVIDENCE, 0)

    passages = [passage for passage in register if view.allowed(passage)]
    ranked = sorted((rank(passage), number, passage) for number, passage in enumerate(passages))
    return [(place, passage) for (place, _), _, passage in ranked if place != _LEFT_OUT]


def _distinct(ranked: Sequence[tuple[int, Passage]]) -> list[tuple[int, Passage]]:
    """Without evidence whose text is that of another passage, or stands within it."""
    held: list[tuple[str, str]] = []
    repeated = set()
    by_length = sorted(ranked, key=lambda one: (_is_evidence(*one), -len(one[1].text)))
    for place, passage in by_length:
        text, document = normal(passage.text), passage.locator.document_id
        if _is_evidence(place, passage) and any(
            text == other or (text in other and (len(text) >= TELLING or document == where)) for other, where in held
        ):
            repeated.add(passage.id)
        else:
            held.append((text, document))
    return [(place, passage) for place, passage in ranked if passage.id not in repeated]


def _is_evidence(place: int, passage: Passage) -> bool:
    return place in (_FIRST, _EVIDENCE) and passage.kind != "link"


def _as_written(ticket: Ticket, chosen: Sequence[Passage]) -> list[Passage]:
    """The ticket first, with its links and history, then its comments, then each document's passages together."""
    documents = [ticket.document_id, *(comment.locator.document_id for comment in ticket.comments)]
    documents += [passage.locator.document_id for passage in chosen]
    groups = {document: place for place, document in enumerate(dict.fromkeys(documents))}
    kinds = {"ticket": 0, "page": 0, "link": 1, "history": 2}

    def place(passage: Passage) -> tuple[int, int, tuple[int, str], int]:
        kind = kinds.get(passage.kind, 3)
        group = 0 if passage.kind == "link" else groups[passage.locator.document_id]
        return group, kind, passage.place, int(passage.id[1:])

    return sorted(chosen, key=place)
