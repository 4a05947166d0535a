"""What the worker does with a message to the bot: it is read, understood, answered in its thread."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

import structlog

from bots.errors import Gone
from bots.plain import plain
from bots.slack import bodies
from bots.slack.render import render
from bots.types import Trigger
from bots.wishes import Cases, Check, Help, Question, Refine, Unclear, parse
from core.spans import step
from core.types import Audience
from crosscheck import outlines
from crosscheck.drafts import thread
from crosscheck.posts import NOBODY, posts
from crosscheck.replies import Asked, Change, Reply, refusal
from crosscheck.slack.desk import AGAIN, NOT_ANSWERED, OUTSIDERS, Desk
from crosscheck.slack.helping import help_text
from crosscheck.slack.ports import Shows
from crosscheck.slack.threads import discussion, wish_of
from crosscheck.slack.waiting import Waiting
from review.discussion import Discussion
from state.drafts import Drafts
from state.types import Claim

log = structlog.get_logger(__name__)

ONLY_FILES = "I can read no files here. Write the question as text; a file belongs to a ticket or a page."
REMARKS, ALL_REMARKS = 50, 1_000
"""Messages of a thread that are read around a question; around a draft all are, to see which were deleted."""


class MessageHandler:
    """Handles jobs of kind `message`."""

    def __init__(self, desk: Desk, client: Shows, drafts: Drafts, ignored: Callable[[Trigger], str | None]) -> None:
        self._desk = desk
        self._client = client
        self._drafts = drafts
        self._ignored = ignored

    def handle(self, claim: Claim) -> None:
        """One attempt.

        Raises:
            BotError, CoreError, ReviewError, StateError: each carries `advice` for the worker.

        """
        with step("job.read"):
            trigger = self._client.trigger(claim.payload["place_id"], claim.payload["message_id"])
        ignored = self._ignored(trigger) or self._not_meant(claim, trigger)
        if ignored:
            self._ignore(claim, ignored)
            return
        too_much = self._desk.too_much(claim, trigger.author_id, tells=claim.payload["mentioned"])
        if too_much and too_much.told:
            self._ignore(claim, f"asked too much, which was told before. {too_much.sentence}")
            return
        if too_much:
            self._finish(claim, refusal(too_much.sentence), _by_key(claim) if claim.attempt > 1 else {})
            return
        if self._desk.is_closed(trigger.place):
            # A first answer may have been made, and its sign of life be there, before people from outside came.
            self._finish(claim, refusal(OUTSIDERS), _by_key(claim) if claim.attempt > 1 else {})
            return
        addressed, panel = claim.payload["mentioned"], claim.payload["panel"]
        shown = self._desk.posting and addressed
        waiting = Waiting(self._client, trigger.place, claim.key, panel=panel, shown=shown)
        waiting.begin(None if claim.attempt == 1 and not claim.retries else trigger.created, trigger.text)
        try:
            reply = self._reply(trigger, waiting, self._desk.audiences.of(trigger))
        except Gone:
            waiting.end()
            raise
        if not addressed and _says_nothing(reply):
            self._ignore(claim, "not addressed, and nothing was found to say")
            return
        self._finish(claim, reply, {**_by_key(claim), "becomes": waiting.message})

    def _ignore(self, claim: Claim, reason: str) -> None:
        self._desk.jobs.finish(claim, "done", {"ignored": reason})
        log.info("message ignored", reason=reason)

    def give_up(self, claim: Claim, reason: str, told: str, attempts: int) -> None:
        """End the job as failed; the person is told once, in the thread, if the bot was addressed at all. Nothing is
        read here: it may be what fails.
        """
        outline = outlines.failure(told, attempts, what=NOT_ANSWERED, again=AGAIN)
        parts = posts(
            claim,
            render(outline) if claim.payload["mentioned"] else [],
            answer=f"notice {claim.retries}",
            made_for=NOBODY,
            rests_on=(),
            held=not self._desk.posting,
            first=_by_key(claim),
        )
        self._desk.jobs.finish(claim, "failed", {"failed": reason, "reply": plain(outline)}, parts, error=reason)
        log.info("notice stored", parts=len(parts))

    def _not_meant(self, claim: Claim, trigger: Trigger) -> str | None:
        """A message without a mention is meant for the bot only where it has spoken before."""
        if claim.payload["mentioned"]:
            return None
        earlier = self._client.thread(trigger.place.id, trigger.place.thread, before=trigger.comment_id)
        return None if any(one.own for one in earlier) else "not addressed, and nothing was answered in this thread"

    def _reply(self, trigger: Trigger, waiting: Waiting, audience: Audience) -> Reply:
        if trigger.with_files and not trigger.text.strip():
            return refusal(ONLY_FILES)
        asked = Asked(audience, trigger.created, waiting.say)
        wish = parse(trigger.text, self._desk.jira_site)
        if isinstance(wish, Help):
            return help_text()
        if isinstance(wish, Check):
            return self._desk.replies.review(wish.key, asked)
        if isinstance(wish, Unclear):
            return refusal(wish.told)
        if isinstance(wish, Question):
            return self._desk.replies.answer(wish.text, replace(asked, discussion=self._around(trigger, REMARKS)))
        return self._drafting(wish, trigger, asked)

    def _drafting(self, wish: Cases | Refine, trigger: Trigger, asked: Asked) -> Reply:
        """A draft of test cases, or its next version. Raises Overtaken while the one before is not shown."""
        place = trigger.place
        kept = thread(self._drafts, f"slack|{place.container}|{place.id}|{place.thread}")
        around = self._around(trigger, ALL_REMARKS)
        asked = replace(asked, discussion=around, thread=kept)
        if isinstance(wish, Cases):
            return self._desk.replies.test_cases(wish.key, wish.form or self._desk.form, asked)
        if kept.draft is None and not (wish.drop or wish.form):
            return self._desk.replies.answer(trigger.text, asked)
        change = Change(wish_of(trigger), wish.add, wish.drop, wish.form)
        return self._desk.replies.refine(kept, change, around, self._desk.form, asked)

    def _around(self, trigger: Trigger, limit: int) -> Discussion:
        """What was said in the thread before the question."""
        place, asked = trigger.place, trigger.comment_id
        if place.thread == asked:  # it begins its thread
            return discussion(place, (), asked)
        return discussion(place, self._client.thread(place.id, place.thread, before=asked, limit=limit), asked)

    def _finish(self, claim: Claim, reply: Reply, first: Mapping[str, Any]) -> None:
        with step("job.render"):
            messages: list[Mapping[str, Any]] = list(render(reply.outline, claim.id if reply.rated else None))
        if reply.file is not None:
            messages.append(bodies.file(reply.file.file.name, reply.file.title, reply.file.file.content))
        if reply.replaced:
            messages.append(bodies.removal(reply.replaced))
        parts = posts(
            claim,
            messages,
            answer="answer",
            made_for=reply.made_for,
            rests_on=reply.rests_on,
            held=not self._desk.posting,
            first=first,
        )
        result = {**reply.result, "reply": plain(reply.outline)}
        with step("job.store", parts=len(parts)):
            self._desk.jobs.finish(claim, "done", result, parts, draft=reply.draft)
        log.info("reply stored", parts=len(parts), held=not self._desk.posting)


def _by_key(claim: Claim) -> dict[str, str]:
    """The message that said that the bot is at work is looked for by its key, since its id is not known."""
    return {} if claim.payload["panel"] or not claim.payload["mentioned"] else {"working": claim.key}


def _says_nothing(reply: Reply) -> bool:
    """Whether it would only disturb people who did not ask the bot."""
    answer = reply.result.get("answer")
    return "help" in reply.result or (answer is not None and not answer["statements"])
