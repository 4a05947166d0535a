"""What the worker does with a comment that may hold a command: it is read, understood, answered in its place."""

import hashlib
import re
from collections.abc import Mapping
from dataclasses import replace

import structlog

from bots.outline import words
from bots.plain import plain
from bots.types import Trigger, Visibility
from bots.wishes import Cases, Check, Help, Question, Refine, Unclear, Wish, parse
from core.errors import SourceForbidden, SourceGone
from core.spans import step
from core.types import Locator
from crosscheck import outlines
from crosscheck.audience import Audiences
from crosscheck.comments.gate import Gate
from crosscheck.comments.helping import help_text
from crosscheck.comments.surface import Surface
from crosscheck.delivery import PUBLICLY
from crosscheck.dismissing import set_aside
from crosscheck.drafts import thread
from crosscheck.memory import Memory
from crosscheck.posts import NOBODY, posts
from crosscheck.replies import Asked, Change, Replies, Reply, refusal
from crosscheck.settings_commands import Commands
from crosscheck.types import Kind, Request
from review.discussion import Discussion, Remark, discussion_of, silent
from review.dismissal import Malformed, parse_dismissal
from review.reading import TicketSource
from state.drafts import Drafts
from state.jobs import Jobs
from state.types import Claim, Outcome

log = structlog.get_logger(__name__)

ASK_INTERNALLY = (
    "Customers can read this comment, and nothing that Crosscheck may show them says more than the ticket itself. "
    "Ask again in an internal comment."
)
UNREADABLE = (
    "The account that Crosscheck reads with does not see this {kind}, so it cannot be read for an answer. An "
    "administrator has to allow that account to view it."
)
NO_FILE = (
    "The file is not attached: everybody who sees the ticket sees its files, and this comment is for fewer people. Ask "
    "in a comment without a restriction."
)
NO_FILES = "Files are not attached to pages. Ask for one in a ticket or in Slack."
NO_DRAFT = "There is no draft of test cases here yet that everybody who reads this comment was shown."
NOT_UNDERSTOOD = "I do not understand what to do with the test cases."
_THIS = re.compile(r"(?:for |of )?(?:this|the|our) (?:ticket|issue|story|bug|page|document)[.!]?", re.IGNORECASE)


class CommentHandler:
    """Handles jobs of kind `comment`."""

    def __init__(
        self,
        surfaces: Mapping[str, Surface],
        *,
        commands: Commands,
        gate: Gate,
        replies: Replies,
        audiences: Audiences,
        subjects: TicketSource,
        memory: Memory,
        jobs: Jobs,
        drafts: Drafts,
        jira_site: str,
        posting: bool,
    ) -> None:
        """`surfaces` by their names; `subjects` reads the tickets and pages that are commented on."""
        self._surfaces = surfaces
        self._commands = commands
        self._kinds: dict[str, Kind] = {
            **dict.fromkeys(commands.review, "review"),
            **dict.fromkeys(commands.ask, "ask"),
            **dict.fromkeys(commands.test_cases, "test cases"),
        }
        self._gate = gate
        self._replies = replies
        self._audiences = audiences
        self._subjects = subjects
        self._memory = memory
        self._jobs = jobs
        self._drafts = drafts
        self._jira_site = jira_site
        self._posting = posting

    def handle(self, claim: Claim) -> None:
        """One attempt: read the comment, judge whether it asks, make the reply and store it.

        Raises:
            BotError, CoreError, ReviewError, StateError: each carries `advice` for the worker.

        """
        surface = self._surfaces.get(claim.payload["surface"])
        if surface is None:
            self._jobs.finish(claim, "done", {"ignored": "nobody is answered there any more, by the settings"})
            return
        with step("job.read"):
            trigger = surface.client.trigger(claim.payload["place_id"], claim.payload["message_id"])
        ignored = surface.why_ignored(trigger)
        if ignored:
            self._jobs.finish(claim, "done", {"ignored": ignored}, passed_over=trigger.command is None)
            log.info("comment ignored", reason=ignored)
            return
        too_much = self._gate.too_much(claim, trigger)
        if too_much and too_much.told:
            self._jobs.finish(claim, "done", {"ignored": f"asked too much, which was told before. {too_much.sentence}"})
            return
        publicly = trigger.place.customers and not trigger.visibility.internal
        refused = replace(refusal(too_much.sentence), publicly=publicly) if too_much else None
        self._finish(claim, surface, refused or self._reply(surface, trigger))

    def give_up(self, claim: Claim, reason: str, told: str, attempts: int) -> None:
        """End the job as failed; the person is told once, in the same place. `reason` is for the record, `told` for
        people: it names nothing that they may not know of.

        Nothing is read here, for that may be what failed: the delivery reads the comment, with attempts of its own.
        """
        surface = self._surfaces[claim.payload["surface"]]
        reply = Reply(outlines.failure(told, attempts), {"failed": reason}, rated=False)
        self._finish(claim, surface, reply, state="failed", answer=f"notice {claim.retries}")

    def _reply(self, surface: Surface, trigger: Trigger) -> Reply:
        try:
            audience = self._audiences.of(trigger)
        except SourceGone:
            return refusal(UNREADABLE.format(kind=surface.kind))
        place = trigger.place
        kind = self._kinds[trigger.command or ""]
        request = Request(kind, surface.subject(place), surface.document_id(place), trigger, audience)
        reply = self._gate.stranger(surface, request) or self._answered(surface, request)
        if trigger.place.customers and not trigger.visibility.internal and _says_nothing(reply):
            return replace(refusal(ASK_INTERNALLY), publicly=True)
        return reply

    def _answered(self, surface: Surface, request: Request) -> Reply:
        trigger = request.trigger
        asked = Asked(
            request.audience,
            trigger.created,
            silent,
            comment=trigger.comment_id,
            focus=trigger.marked,
            files=surface.attaches and _seen_by_all(trigger),
            remembered=self._memory.subject(request.document_id),
        )
        try:
            reply = self._made(surface, request, asked)
            if not reply.there and self._is_unreadable(request):
                return refusal(UNREADABLE.format(kind=surface.kind))
        except SourceForbidden as refused:
            needs = surface.needs.format(container=trigger.place.container)
            raise SourceForbidden(f"{str(refused).rstrip('.')}. {needs}") from refused
        return reply

    def _made(self, surface: Surface, request: Request, asked: Asked) -> Reply:
        if request.kind == "review":
            return self._review(request, asked)
        if request.kind == "ask":
            return self._question(request, asked)
        return self._drafting(surface, request, asked)

    def _is_unreadable(self, request: Request) -> bool:
        """Whether not even our own account sees what the comment stands in: its readers do."""
        try:
            self._subjects.ticket(request.subject)
        except SourceGone:
            return True
        return False

    def _review(self, request: Request, asked: Asked) -> Reply:
        wish = parse_dismissal(request.trigger.argument)
        if isinstance(wish, Malformed):
            return refusal(wish.told)
        if wish is None:
            return self._gate.too_soon(request) or self._replies.review(request.subject, asked)
        aside = set_aside(wish, request, self._memory)
        return Reply(
            aside.outline,
            {"dismissed": [one.fingerprint for one in aside.dismissed], "reason": wish.reason},
            made_for=request.audience if aside.rests_on else NOBODY,
            rests_on=aside.rests_on,
            dismissals=aside.dismissed,
        )

    def _question(self, request: Request, asked: Asked) -> Reply:
        question = request.trigger.text
        if not any(char.isalnum() for char in question):
            return help_text(self._commands)
        asked = replace(asked, discussion=self._around(request), apart=frozenset({_document(request)}))
        return self._replies.answer(question, asked)

    def _drafting(self, surface: Surface, request: Request, asked: Asked) -> Reply:
        """A draft of test cases, or its next version. Drafts are kept apart by who can read them: one that was made
        for a few is not gone on with before many. Raises Overtaken while the one before is not shown.
        """
        kept = thread(self._drafts, f"{surface.client.site}|{request.document_id}|{_readers(request)}")
        wish = self._wish(request.trigger.argument, drafted=kept.draft is not None)
        if isinstance(wish, Help):
            return help_text(self._commands)
        if isinstance(wish, Cases):
            key, form = wish.key or request.subject, wish.form or self._commands.form
            drafted = self._replies.test_cases(key, form, replace(asked, thread=kept))
            return _without_file(drafted, surface, asked, wanted=wish.form is not None)
        if not isinstance(wish, Refine):
            return refusal(self._told(wish.told if isinstance(wish, Unclear) else NOT_UNDERSTOOD))
        around = self._around(request)
        if kept.draft is None or around is None:
            return refusal(self._told(NO_DRAFT))
        change = Change(_remark(request), wish.add, wish.drop, wish.form)
        asked = replace(asked, discussion=around, thread=kept)
        drafted = self._replies.refine(kept, change, around, self._commands.form, asked)
        return _without_file(drafted, surface, asked, wanted=wish.form is not None)

    def _wish(self, argument: str, *, drafted: bool) -> Wish:
        """What is said after the command, as it would be said of test cases elsewhere."""
        if not argument or _THIS.fullmatch(argument):
            return Cases(None, None)
        wish = parse(argument, self._jira_site)
        if isinstance(wish, Check):
            return Cases(wish.key, None)
        if isinstance(wish, Question):
            named = parse(f"test cases for {argument}", self._jira_site)
            return named if isinstance(named, Cases) else parse(f"test cases {argument}", self._jira_site)
        if isinstance(wish, Refine) and not (drafted or wish.add or wish.drop):
            return Cases(None, wish.form)
        return wish

    def _told(self, reason: str) -> str:
        word = self._commands.test_cases[0]
        return (
            f"{reason} Write #{word} alone for a draft; then #{word} add …, #{word} drop 4 or #{word} as csv to go on "
            "with it."
        )

    def _around(self, request: Request) -> Discussion | None:
        """The ticket or page, and what was said there before, as far as everybody may read it who reads the reply."""
        try:
            whole = self._subjects.ticket(request.subject)
        except SourceGone:
            return None
        seen = whole.seen_by(request.audience)
        if seen is None:
            return None
        asking = request.trigger.comment_id
        seen = replace(seen, comments=tuple(one for one in seen.comments if one.id != asking))
        found = discussion_of(seen, before=request.trigger.created)
        marked = request.trigger.marked
        if not marked:
            return found
        where, labels = found.locator, found.labels
        remark = Remark(request.place.key, marked, request.trigger.created, where, labels=labels, kind="page")
        return replace(found, remarks=(*found.remarks, remark))

    def _finish(
        self, claim: Claim, surface: Surface, reply: Reply, *, state: Outcome = "done", answer: str = "answer"
    ) -> None:
        with step("job.render"):
            bodies = list(surface.client.render(reply.outline))
        if reply.file:
            attached = surface.client.file(reply.file.file.name, reply.file.file.content)
            bodies += [attached] if attached else []
        parts = posts(
            claim,
            bodies,
            answer=answer,
            made_for=reply.made_for,
            rests_on=reply.rests_on,
            held=not self._posting,
            first={PUBLICLY: True} if reply.publicly else None,
        )
        with step("job.store", parts=len(parts)):
            self._jobs.finish(
                claim,
                state,
                {**reply.result, "reply": plain(reply.outline)},
                parts,
                error=reply.result.get("failed"),
                review=reply.review,
                dismissals=reply.dismissals,
                draft=reply.draft,
            )
        log.info("reply stored", state=state, parts=len(parts), held=not self._posting)


def _seen_by_all(trigger: Trigger) -> bool:
    """Whether everybody who sees the place sees the comment: so it is with a file."""
    return trigger.visibility == Visibility() and not trigger.place.customers


def _without_file(reply: Reply, surface: Surface, asked: Asked, *, wanted: bool) -> Reply:
    """Why there is no file: where there is one otherwise, and where one was asked for."""
    if asked.files or "test_cases" not in reply.result or not (surface.attaches or wanted):
        return reply
    return replace(reply, outline=(*reply.outline, words(NO_FILE if surface.attaches else NO_FILES)))


def _says_nothing(reply: Reply) -> bool:
    answer = reply.result.get("answer")
    return "refused" in reply.result or (answer is not None and not answer["statements"])


def _readers(request: Request) -> str:
    return hashlib.sha256("\n".join(sorted(request.audience.labels)).encode()).hexdigest()[:16]


def _document(request: Request) -> str:
    """The comment that asks."""
    return f"{request.document_id}:comment:{request.trigger.comment_id}"


def _remark(request: Request) -> Remark:
    """The comment that asks, as a source of what it asks for, for its own readers."""
    trigger = request.trigger
    locator = Locator(_document(request), f"{trigger.author} in {trigger.place.key}", trigger.url)
    labels = request.audience.labels
    return Remark(trigger.author, trigger.argument, trigger.created, locator, labels=labels, kind="comment")
