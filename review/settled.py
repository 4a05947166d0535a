"""Before a question is asked: what people have answered or set aside since, and what the pages and the code say."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

from core.errors import CoreError
from core.tickets import Comment
from review.answered import Answers
from review.case import Case
from review.checks.places import comment_place, shown
from review.decisions import Decisions
from review.previous import Previous
from review.replied import replies
from review.thread import Thread
from review.types import Cited, Finding, Settled


class Dismissed(Protocol):
    """A finding that somebody set aside, as the database gives it back."""

    @property
    def fingerprint(self) -> str: ...
    @property
    def reason(self) -> str: ...
    @property
    def comment_id(self) -> str: ...
    @property
    def at(self) -> datetime: ...


@dataclass(frozen=True, slots=True)
class Sifted:
    """What is still to be told, in the order given, and what needs no answer any more, each with its source."""

    findings: tuple[Finding, ...]
    settled: tuple[Settled, ...]
    failed: CoreError | None = None
    """Why not everything could be looked up in the index; what people said counts all the same."""


def settle(
    findings: Iterable[Finding], case: Case, previous: Sequence[Previous], dismissals: Iterable[Dismissed]
) -> Sifted:
    """Take out of `findings`, which have been verified, what is settled.

    `previous` are the reviews that were told, oldest first. A comment counts as long as it is there, says what it said
    and may be read by the case's audience.
    """
    said, answers = _Said(case, previous, dismissals), Answers(case)
    kept: list[Finding] = []
    settled: list[Settled] = []
    failed: CoreError | None = None
    for finding in findings:
        found = said.on(finding)
        if found is None:
            try:
                found = _answered(finding, answers.to(finding))
            except CoreError as error:
                failed = error
        if found is None:
            kept.append(finding)
        else:
            settled.append(found)
    return Sifted(tuple(kept), tuple(settled), failed)


class _Said:
    """What people said to the points of a ticket's reviews, or decided over them."""

    def __init__(self, case: Case, previous: Sequence[Previous], dismissals: Iterable[Dismissed]) -> None:
        self._aside = _set_aside(case, dismissals)
        self._replies = replies(case, previous)
        self._decisions = Decisions(case)
        self._thread = Thread(case)

    def on(self, finding: Finding) -> Settled | None:
        if dismissed := self._aside.get(finding.fingerprint):
            comment, reason = dismissed
            return _settled(f"Set aside by {comment.author.name}: “{shown(reason)}”.", finding, _line(comment))
        if reply := self._replies.get(finding.fingerprint):
            who, day = reply.comment.author.name, f"{reply.comment.created:%Y-%m-%d}"
            told = f"Answered by {who} on {day}: “{shown(reply.answer)}”."
            return _settled(told, finding, comment_place(reply.comment).cite(reply.answer))
        if decided := self._decisions.overtaking(finding):
            return _settled(f"Decided since: “{shown(decided.quote)}”.", finding, decided)
        if said := self._thread.reply_to(finding):
            return _settled(f"Answered in the comments: “{shown(said.quote)}”.", finding, said)
        return None


def _answered(finding: Finding, found: Sequence[Cited]) -> Settled | None:
    told = "; ".join(f"“{shown(cited.quote)}” ({cited.locator.label})" for cited in found)
    return _settled(f"Answered already: {told}.", finding, *found) if found else None


def _settled(told: str, finding: Finding, *evidence: Cited) -> Settled:
    return Settled(f"{told} The point was: {finding.statement}", evidence, finding.fingerprint)


def _set_aside(case: Case, dismissals: Iterable[Dismissed]) -> dict[str, tuple[Comment, str]]:
    """The last dismissal of each fingerprint whose comment is still there and still dismisses."""
    comments = {comment.id: comment for comment in case.ticket.comments if not comment.by_bot}
    return {
        one.fingerprint: (comments[one.comment_id], one.reason)
        for one in sorted(dismissals, key=lambda one: one.at)
        if one.comment_id in comments and "dismiss" in comments[one.comment_id].text.lower()
    }


def _line(comment: Comment) -> Cited:
    """The line of the comment that dismisses."""
    lines = comment.text.splitlines()
    return comment_place(comment).cite(next(line.strip() for line in lines if "dismiss" in line.lower()))
