"""What people can ask for, each made for one audience and told as an Outline, whatever surface it was asked on."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import TYPE_CHECKING, Any, Protocol

from bots.outline import Outline, words
from core.spans import step, tell
from core.types import Audience, Freshness, Metrics
from crosscheck import outlines
from crosscheck.answer_outline import answer_outline
from crosscheck.assured import LabelsNow, M, assured
from crosscheck.posts import NOBODY
from crosscheck.records import answer_record, review_result, searches_record
from crosscheck.test_case_files import FORMS, File, Form, exported, title_of
from crosscheck.test_case_files.record import draft_from, draft_record
from crosscheck.test_case_outline import draft_outline, unchanged_outline
from review.discussion import Discussion, Remark, Say
from review.errors import NothingToReview
from review.previous import told_records
from review.test_cases.types import Draft
from review.types import Review
from state.types import Dismissed, DraftView, NewDraft, NewReview

if TYPE_CHECKING:  # the models' packages take longer to import than all else together
    from review.answer import Answered


class Reviews(Protocol):
    def review(
        self,
        key: str,
        audience: Audience,
        *,
        trigger: str | None = None,
        closed: frozenset[str] = frozenset(),
        say: Say = ...,
        focus: str = "",
    ) -> Review: ...


class Answers(Protocol):
    def answer(
        self,
        question: str,
        audience: Audience,
        *,
        closed: frozenset[str] = frozenset(),
        discussion: Discussion | None = None,
        say: Say = ...,
    ) -> "Answered": ...


class Drafts(Protocol):
    def draft(self, key: str, audience: Audience, *, closed: frozenset[str] = frozenset(), say: Say = ...) -> Draft: ...
    def draft_of(
        self, discussion: Discussion, audience: Audience, *, closed: frozenset[str] = frozenset(), say: Say = ...
    ) -> Draft: ...
    def refine(
        self,
        draft: Draft,
        *,
        add: str,
        drop: tuple[int, ...],
        wish: Remark,
        discussion: Discussion,
        audience: Audience,
        closed: frozenset[str] = frozenset(),
        say: Say = ...,
    ) -> Draft: ...


NO_DRAFT = "There is no draft of test cases in this thread yet. Ask for one: “test cases for KEY-1”."


@dataclass(frozen=True, slots=True)
class Change:
    """What is to be different in the next version of a draft."""

    wish: Remark
    """The message that asks for it."""
    add: str
    drop: tuple[int, ...]
    form: Form | None


@dataclass(frozen=True, slots=True)
class Asked:
    """Who asks, and around what."""

    audience: Audience
    at: datetime
    say: Say
    comment: str | None = None
    """The id of the comment that asks, where it is one of what it asks about: it is no evidence."""
    focus: str = ""
    """The marked text that the comment is about."""
    apart: frozenset[str] = frozenset()
    """Ids of documents that are no evidence for an answer: the question itself."""
    files: bool = True
    """Whether a file can be given there."""
    remembered: str = ""
    """What the database calls what is reviewed; empty: the review is not remembered."""
    discussion: Discussion | None = None
    thread: "Thread | None" = None
    """Where drafts are kept to be refined; None where they are not."""


@dataclass(frozen=True, slots=True)
class Thread:
    """A conversation in which drafts are kept."""

    name: str
    """Unique among all surfaces."""
    draft: DraftView | None
    """The one that was shown last."""
    version: int
    """Of the next one."""


@dataclass(frozen=True, slots=True)
class Titled:
    """A file with the title that it is told from others by."""

    file: File
    title: str


@dataclass(frozen=True, slots=True)
class Reply:
    """What is told, and what must be known to tell it to the right people only."""

    outline: Outline
    result: Mapping[str, Any]
    """For the job's record."""
    made_for: Audience = NOBODY
    rests_on: frozenset[str] = frozenset()
    file: Titled | None = None
    replaced: tuple[str, ...] = ()
    """Titles of earlier versions of the file."""
    draft: NewDraft | None = None
    review: NewReview | None = None
    dismissals: tuple[Dismissed, ...] = ()
    rated: bool = True
    """Whether people are asked what they think of it."""
    publicly: bool = False
    """It says no more than that customers can read it."""
    there: bool = True
    """Whether what was asked about is there, for all that its readers may know."""


class Replies:
    """Makes replies. Holds nothing of any one question, so threads may share it."""

    def __init__(
        self,
        *,
        reviewer: Callable[[], Reviews],
        answerer: Callable[[], Answers],
        drafter: Callable[[], Drafts],
        freshness: Callable[[Audience], Sequence[Freshness]],
        labels_now: LabelsNow,
        metrics: Metrics,
    ) -> None:
        """The three makers are asked for when they are first needed."""
        self._reviewer = reviewer
        self._answerer = answerer
        self._drafter = drafter
        self._freshness = freshness
        self._labels_now = labels_now
        self._metrics = metrics

    def review(self, key: str, asked: Asked) -> Reply:
        """What is missing, undecided or in conflict in a ticket or page. Raises CoreError."""

        def make(closed: frozenset[str]) -> Review:
            return self._reviewer().review(
                key, asked.audience, trigger=asked.comment, closed=closed, say=asked.say, focus=asked.focus
            )

        try:
            review = self._made("review", make)
        except NothingToReview as refused:
            return replace(refusal(str(refused)), there=False)
        outline = outlines.review_outline(review, self._freshness(asked.audience), asked=asked.at)
        told = _told(review, asked) if asked.remembered else None
        return Reply(outline, review_result(review), asked.audience, review.rests_on, review=told)

    def answer(self, question: str, asked: Asked) -> Reply:
        """An answer with its sources. Raises CoreError."""

        def make(closed: frozenset[str]) -> "Answered":
            return self._answerer().answer(
                question, asked.audience, closed=closed | asked.apart, discussion=asked.discussion, say=asked.say
            )

        answer = self._made("answer", make)
        result = {
            "answer": answer_record(answer),
            "searches": searches_record(answer.searches),
            "audit": list(answer.audit),
        }
        return Reply(answer_outline(answer), result, asked.audience, answer.rests_on)

    def test_cases(self, key: str | None, form: Form, asked: Asked) -> Reply:
        """A draft for a ticket, or where no key is given for the discussion. Raises CoreError."""

        def make(closed: frozenset[str]) -> Draft:
            if key is None and asked.discussion is not None:
                return self._drafter().draft_of(asked.discussion, asked.audience, closed=closed, say=asked.say)
            return self._drafter().draft(key or "", asked.audience, closed=closed, say=asked.say)

        if key is None and not (asked.discussion and asked.discussion.by_people):
            return refusal(
                "There is nothing to draft test cases from: name a ticket (“test cases for KEY-1”), or ask in the "
                "thread of a discussion."
            )
        try:
            draft = self._made("test cases", make)
        except NothingToReview as refused:
            return replace(refusal(str(refused)), there=False)
        thread = asked.thread
        before = draft_from(thread.draft.record) if thread and thread.draft else None
        replaced = before if before and before.key == draft.key else None
        return _drafted(replace(draft, version=thread.version if thread else 1), form, asked, replaced)

    def refine(self, thread: Thread, change: Change, discussion: Discussion, form: Form, asked: Asked) -> Reply:
        """The next version of a thread's draft. Raises CoreError."""
        if thread.draft is None:
            return refusal(NO_DRAFT)
        before = draft_from(thread.draft.record)
        deleted = _deleted(before, discussion, change.wish)

        def make(closed: frozenset[str]) -> Draft:
            return self._drafter().refine(
                before,
                add=change.add,
                drop=change.drop,
                wish=change.wish,
                discussion=discussion,
                audience=asked.audience,
                closed=closed | deleted,
                say=asked.say,
            )

        try:
            draft = self._made("test cases", make)
        except NothingToReview as refused:
            return replace(refusal(str(refused)), there=False)
        changed = draft.version > before.version
        if changed:
            return _drafted(replace(draft, version=thread.version), change.form or form, asked, before)
        made = replace(_drafted(draft, change.form or form, asked, None), outline=unchanged_outline(draft), draft=None)
        if change.form is None or made.file is None:
            return replace(made, file=None)
        return replace(made, outline=(*made.outline, words(f"The file: {made.file.title}.")))

    def _made(self, kind: str, make: Callable[[frozenset[str]], M]) -> M:
        """What is made, resting on nothing that its audience may not read now. Raises CoreError."""
        with step(kind):
            made = assured(make, self._labels_now, self._metrics)
            tell(degraded=len(made.degraded))
        self._metrics.count("crosscheck_replies_total", kind=kind, outcome="degraded" if made.degraded else "complete")
        return made


def _told(review: Review, asked: Asked) -> NewReview:
    return NewReview(
        subject=asked.remembered,
        trigger_id=asked.comment or "",
        made_for=asked.audience.labels,
        findings=told_records(review.findings),
        at=review.at,
    )


def _drafted(draft: Draft, form: Form, asked: Asked, before: Draft | None) -> Reply:
    """The draft, its file, and the files of the version `before` that it takes the place of."""
    record = draft_record(draft)
    thread = asked.thread
    file = Titled(exported(draft, form), title_of(draft, form)) if draft.cases and thread and asked.files else None
    kept = (
        None
        if thread is None
        else NewDraft(
            subject=thread.name,
            version=draft.version,
            record=record,
            made_for=asked.audience.labels,
            rests_on=draft.rests_on,
            at=draft.at,
        )
    )
    return Reply(
        draft_outline(draft),
        {"test_cases": record, "searches": searches_record(draft.searches), "audit": list(draft.audit)},
        asked.audience,
        draft.rests_on,
        file=file,
        replaced=tuple(title_of(before, one) for one in FORMS) if before and file else (),
        draft=kept,
    )


def _deleted(draft: Draft, discussion: Discussion, wish: Remark) -> frozenset[str]:
    """The addresses of messages of the thread that the draft quotes and that are not there any more."""
    there = {remark.locator.url for remark in (*discussion.remarks, wish)}
    quoted = {source.locator for one in draft.cases for source in one.sources}
    thread = discussion.locator.document_id
    return frozenset(one.url for one in quoted if one.document_id == thread and one.url not in there)


def refusal(reason: str) -> Reply:
    """Why there is no answer, and what to do."""
    return Reply(outlines.refusal(reason), {"refused": reason}, rated=False)
