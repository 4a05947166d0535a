"""What people did about the findings of one ticket or page. The rule stands in the package's docstring; no I/O here."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from core.tickets import Change, Comment, Ticket
from core.types import Audience, SearchResult
from evals.outcomes.types import YOUNG, Outcome, Shown, Sign, Story, Telling
from review.case import Case
from review.checks import changed_after_agreement, flipped_value
from review.checks.places import TEXTS
from review.merge import MODEL
from review.previous import Previous
from review.register import normal, ticket_text
from review.settled import settle
from review.types import Finding
from review.words import Words

_OF_THE_PAST = frozenset({changed_after_agreement.ID, flipped_value.ID})
"""Rules that quote what a text said before: that it does not say so now is no sign."""
_CONFLICT = "conflict"
_NEEDED = ("comments", "history", "versions")
"""Words in what is unread of a ticket or page without which nothing can be said of it."""
_LONG = 5
"""Letters of a name of acceptance criteria that stands in the names of other fields, too."""

Rerun = Callable[[Previous], Sequence[Finding] | None]
"""What the rules alone tell now to the readers of a review; None if they cannot be run."""


@dataclass(frozen=True, slots=True)
class Now:
    """What is read now."""

    at: datetime
    ticket: Ticket
    cited: Callable[[str], Ticket | None]
    """Another ticket or page by the id of its document; None for what is none, or cannot be read."""
    rerun: Rerun | None
    words: Words


@dataclass(frozen=True, slots=True)
class _Acted:
    sign: Sign
    at: datetime | None = None


def tellings(reviews: Iterable[Shown]) -> tuple[Telling, ...]:
    """Each fingerprint once, in the order in which they were first told."""
    found: dict[str, Telling] = {}
    for shown in reviews:
        for finding in shown.review.findings:
            before = found.get(finding.fingerprint)
            first = before.first if before else shown.review.told_at
            found[finding.fingerprint] = Telling(finding, first, shown.review)
    return tuple(found.values())


def outcomes(story: Story, now: Now, since: datetime | None = None) -> tuple[Outcome, ...]:
    """What came of each finding that was told (for the first time since then)."""
    told = [one for one in tellings(story.reviews) if since is None or one.first >= since]
    old = [one for one in told if not _young(one, now.at)]
    said = _Said(story, now, old)
    return tuple(outcome(one, said.on(one) if one in old else _Acted(Sign.YOUNG)) for one in told)


def unread(story: Story, at: datetime, since: datetime | None = None) -> tuple[Outcome, ...]:
    """The outcomes of what cannot be read."""
    told = [one for one in tellings(story.reviews) if since is None or one.first >= since]
    return tuple(outcome(one, _Acted(Sign.YOUNG if _young(one, at) else Sign.UNKNOWN)) for one in told)


def outcome(telling: Telling, acted: _Acted) -> Outcome:
    one = telling.finding
    return Outcome(one.fingerprint, one.rule, one.category, one.priority.name, telling.first, acted.sign, acted.at)


def _young(telling: Telling, at: datetime) -> bool:
    return telling.first > at - YOUNG


class _Said:
    """What was done to one subject since its reviews."""

    def __init__(self, story: Story, now: Now, told: Sequence[Telling]) -> None:
        self._story = story
        self._now = now
        self._comments = {one.locator.document_id: one for one in now.ticket.comments}
        self._settled = self._answers(told)
        self._aside = _set_aside(story, now.ticket.comments)
        self._unsure = any(word in part.casefold() for part in now.ticket.unread for word in _NEEDED)

    def on(self, telling: Telling) -> _Acted:
        if self._unsure:  # else the good news of it alone would count
            return _Acted(Sign.UNKNOWN)
        fingerprint = telling.finding.fingerprint
        if aside := self._aside.get(fingerprint):
            return _Acted(Sign.DISMISSED, aside)
        where = self._settled.get(fingerprint, ())
        answered = [one.created for name in where if (one := self._comments.get(name)) and one.created > telling.first]
        if answered:
            return _Acted(Sign.REPLY, max(answered))
        edited = self._edited(telling, stated=self._now.ticket.document_id in where)
        if edited:
            return _Acted(Sign.EDIT, edited)
        return _Acted(Sign.NONE)

    def _answers(self, told: Sequence[Telling]) -> Mapping[str, Sequence[str]]:
        """By fingerprint: ids of the documents in which the product itself finds the answer, comments among them."""
        previous = [shown.review for shown in self._story.reviews]
        case = _case(self._now, previous)
        settled = settle([one.finding for one in told], case, previous, ()).settled
        return {one.fingerprint: [cited.locator.document_id for cited in one.evidence] for one in settled}

    def _edited(self, telling: Telling, *, stated: bool) -> datetime | None:
        """When a text was edited so that the finding fell away; None if none was. `stated`: the ticket's or page's own
        text holds the answer by now.
        """
        later = next((one.review for one in self._story.reviews if _compares(one, telling)), None)
        edits = [one for one in self._edits(telling) if later is None or one.at < later.told_at]
        if not edits:
            return None
        gone = stated or self._gone(telling, later)
        return _first(edits, telling.finding).at if gone else None

    def _gone(self, telling: Telling, later: Previous | None) -> bool:
        finding = telling.finding
        if later is not None:
            return not _told_again(finding, telling.last, later.findings)
        if self._now.rerun and finding.rule != MODEL:
            present = self._now.rerun(telling.last)
            if present is not None:
                return not _told_again(finding, telling.last, present)
        return finding.rule not in _OF_THE_PAST and self._passage_lost(finding)

    def _edits(self, telling: Telling) -> Iterator[Change]:
        """What people changed in the texts since the finding was told last."""
        for ticket in self._texts(telling.finding):
            programs = {comment.author.id for comment in ticket.comments if comment.by_bot}
            for change in ticket.history:
                by_person = change.author.id not in programs
                if change.at > telling.last.told_at and by_person and _is_text(change, self._now.words):
                    yield change

    def _texts(self, finding: Finding) -> Iterator[Ticket]:
        """The subject, and the other tickets and pages that the finding cites."""
        yield self._now.ticket
        for name in dict.fromkeys(cited.locator.document_id for cited in finding.evidence):
            other = self._now.cited(name) if name != self._now.ticket.document_id else None
            if other is not None:
                yield other

    def _passage_lost(self, finding: Finding) -> bool:
        """Whether a side of a conflict is not there any more, or of another finding all its quotes of the subject."""
        texts = {one.document_id: normal(ticket_text(one)) for one in self._texts(finding)}
        quotes = [(cited.locator.document_id, quote) for cited in finding.evidence if (quote := normal(cited.quote))]
        if finding.category == _CONFLICT:
            return any(quote not in texts.get(document, quote) for document, quote in quotes)
        own = self._now.ticket.document_id
        mine = [quote for document, quote in quotes if document == own]
        return bool(mine) and not any(quote in texts[own] for quote in mine)


def _case(now: Now, previous: Iterable[Previous]) -> Case:
    """For readers who may read all of it; nothing else is looked up."""
    labels = now.ticket.labels.union(
        *(comment.labels for comment in now.ticket.comments), *(one.made_for.labels for one in previous)
    )
    return Case(
        ticket=now.ticket,
        audience=Audience(labels),
        search=lambda _query: SearchResult(()),
        open_ticket=lambda _key: None,
        words=now.words,
        now=now.at,
    )


def _set_aside(story: Story, comments: Iterable[Comment]) -> dict[str, datetime]:
    """When each fingerprint was set aside by a comment that still stands."""
    standing = {one.id for one in comments if not one.by_bot and "dismiss" in one.text.casefold()}
    return {one.fingerprint: one.at for one in story.dismissals if one.comment_id in standing}


def _compares(shown: Shown, telling: Telling) -> bool:
    """Whether a review would have told the finding if it still stood."""
    later = shown.review.told_at > telling.last.told_at
    enough = shown.review.made_for.covers(telling.last.made_for)
    return later and enough and shown.whole and (shown.by_model or telling.finding.rule != MODEL)


def _told_again(finding: Finding, before: Previous, findings: Iterable[Finding]) -> bool:
    """Whether it is among the findings, as it was or as what the same rule says anew of the same documents: a passage
    that was only reworded has another fingerprint.
    """
    old = {one.fingerprint for one in before.findings}
    return any(
        one.fingerprint == finding.fingerprint or (one.fingerprint not in old and _about(one) == _about(finding))
        for one in findings
    )


def _about(finding: Finding) -> tuple[str, str, frozenset[str]]:
    return finding.rule, finding.category, frozenset(cited.locator.document_id for cited in finding.evidence)


def _is_text(change: Change, words: Words) -> bool:
    """Whether a field is the ticket's or page's own words."""
    name = change.field.strip().casefold()
    return name in TEXTS or any(one in name for one in words.acceptance if len(one) > _LONG)


def _first(edits: Iterable[Change], finding: Finding) -> Change:
    """The first edit that took a quoted passage away, or else the first."""
    ordered = sorted(edits, key=lambda change: change.at)
    quotes = [quote for cited in finding.evidence if (quote := normal(cited.quote))]
    taking = (
        change
        for change in ordered
        if any(quote in normal(change.before) and quote not in normal(change.after) for quote in quotes)
    )
    return next(taking, ordered[0])
