"""What happens in each situation: people write, and the world changes before or after the bot looks."""

from collections.abc import Callable
from dataclasses import dataclass
from threading import Lock

from sandbox.exchange import Exchange
from sandbox.slack.state import Message
from state.types import JobView
from tests.crosscheck.live import until
from tests.crosscheck.slack.stage import CARE, DEVELOPER, GUEST, LEAD, Office, shown

LOCKED = "How long is an account locked after failed sign-ins?"
SECRET = "What is the Zephyrine surcharge?"
"""Only the leadership's pages say it."""
NOWHERE = "What is the Quibberish surcharge?"
TICKET = "BKG-148"
HIDDEN = "GATE-66"
UNKNOWN = "GATE-9999"
STATEMENT = "The vehicle deck is closed 7 minutes before departure, and nobody may stay there."
MENDED_AFTER = 11
"""Minutes after which what an administrator must mend is tried again."""


@dataclass
class Stage:
    """One conversation in which something happens, looked at from its beginning."""

    office: Office
    channel: str = ""
    person: str = DEVELOPER
    since: str = ""
    ts: str = ""
    """Of the last question."""

    @property
    def slack(self):
        return self.office.box.slack

    def enter(self, channel: str, person: str = DEVELOPER) -> "Stage":
        """What was said there before does not count."""
        self.channel, self.person = self.slack.channel(channel).id, person
        self.since = self.slack.workspace.ts()
        return self

    def open(self, **kind: object) -> "Stage":
        return self.enter(self.office.channel(**kind))

    def ask(self, text: str = LOCKED, thread: str | None = None) -> "Stage":
        """With a mention, and wait for the end of it."""
        self.put(text, thread)
        self.office.over(self.ts)
        return self

    def put(self, text: str, thread: str | None = None) -> str:
        with self.slack.workspace.lock:
            self.ts = self.office.say(text, by=self.person, channel=self.channel, thread=thread)
        return self.ts

    def write(self, text: str, thread: str | None = None, by: str | None = None) -> str:
        """Without a mention."""
        return self.office.write(text, by=by or self.person, channel=self.channel, thread=thread)

    def command(self, text: str) -> "Stage":
        told = self.slack.command(self.office.person(self.person), self.channel, text)
        assert told == "Looking into it. The answer comes here, for you alone."
        self.office.idle()
        return self

    def edit(self, text: str, **how: bool) -> "Stage":
        self.slack.edit(self.channel, self.ts, text, **how)
        return self

    def first(self, path: str, act: Callable[["Stage"], object], stage: str = "arrived") -> "Stage":
        """Once, when the first request to this path comes."""
        once = Lock()

        def happens(_exchange: Exchange) -> None:
            if once.acquire(blocking=False):
                with self.slack.workspace.lock:
                    act(self)

        self.office.box.faults.on("POST", f"/api/{path}$", happens, stage=stage)
        return self

    def before_it_is_read(self, act: Callable[["Stage"], object]) -> "Stage":
        return self.first("conversations.replies", act)

    def while_it_is_answered(self, act: Callable[["Stage"], object]) -> "Stage":
        """When the bot has looked at the question and its readers, and shows that it is at work."""
        return self.first("chat.postMessage", act, stage="answered")

    def said(self) -> list[Message]:
        """The bot's messages since the beginning."""
        found = [
            one for one in self.slack.messages(self.channel) if one.user == self.office.bot and one.ts > self.since
        ]
        return [one for one in found if one.subtype != "assistant_app_thread" and (one.text or one.blocks)]

    def everybody(self) -> list[str]:
        self.office.idle()
        return list(map(shown, self.said()))

    def alone(self) -> list[str]:
        self.office.idle()
        return self.office.alone(self.person, self.channel, self.since)

    def files(self) -> list[str]:
        """Titles."""
        return [one.title for one in self.slack.files(self.channel) if one.user == self.office.bot]

    def job(self) -> JobView | None:
        return self.office.of(self.ts)

    def waits(self, after: int) -> bool:
        """For the next attempt, after so many."""
        view = self.job()
        return view is not None and view.job.state == "queued" and view.job.attempts >= after

    def record(self) -> str:
        """Why nothing was answered, as the list of jobs shows it; empty where something was, or nobody asked."""
        view = self.job()
        if view is None or any(one.state == "sent" for one in view.posts):
            return ""
        told = [view.result.get("ignored") if view.result else None, view.job.error, *(one.error for one in view.posts)]
        return next(filter(None, told), "")


# Questions


def asks(text: str, **kind: object) -> Callable[[Stage], object]:
    return lambda at: at.open(**kind).ask(text)


def asks_in(channel: str, text: str = LOCKED, by: str = DEVELOPER) -> Callable[[Stage], object]:
    return lambda at: at.enter(channel, by).ask(text)


def asks_directly(text: str, *people: str) -> Callable[[Stage], object]:
    def put(at: Stage) -> None:
        at.enter(at.office.direct(*people), people[0])
        at.ts = at.write(text) if len(people) == 1 else at.put(text)
        at.office.over(at.ts)

    return put


def file_only(at: Stage) -> None:
    at.open()
    at.ts = at.slack.say(at.office.person(DEVELOPER), at.channel, at.slack.mention, files={"notes.txt": b"hello"})
    at.office.over(at.ts)


def long_text(at: Stage) -> None:
    """As long as Slack takes."""
    at.open().ask((f"{LOCKED} " * 800)[: 40_000 - 20])


def other_mention(at: Stage) -> None:
    at.open()
    at.write(f"<@{at.slack.user('release-bot').id}> {LOCKED}")


def other_bot(at: Stage) -> None:
    at.open()
    at.slack.add_member(at.channel, "release-bot")
    at.slack.say("release-bot", at.channel, f"{at.slack.mention} {LOCKED}")


def pasted(at: Stage) -> None:
    at.open().ask(f"<{at.office.box.jira_url}/browse/{TICKET}>")


# Edits


def edited_after(text: str, **how: bool) -> Callable[[Stage], object]:
    """`{}` is where the bot is mentioned."""
    return lambda at: at.open().ask().edit(text.format(at.slack.mention), **how)


def mention_added(at: Stage) -> None:
    at.open()
    at.ts = at.write("Good morning.")
    at.office.idle()
    at.edit(f"{at.slack.mention} help")
    at.office.over(at.ts)


def edited_before(at: Stage) -> None:
    at.open().before_it_is_read(lambda at: at.edit(f"{at.slack.mention} help")).ask()


def mention_removed(at: Stage) -> None:
    at.open().while_it_is_answered(lambda at: at.edit("Never mind.")).ask()


# What happens meanwhile


def deleted(at: Stage) -> None:
    at.slack.delete(at.channel, at.ts)


def removed(at: Stage) -> None:
    at.slack.remove_bot(at.channel)


def archived(at: Stage) -> None:
    at.slack.archive(at.channel)


def shared(at: Stage) -> None:
    at.slack.share(at.channel, "Quayline")


def guest_joins(at: Stage) -> None:
    at.slack.add_member(at.channel, at.office.person(GUEST))


def before_reading(act: Callable[[Stage], object], **kind: object) -> Callable[[Stage], object]:
    return lambda at: at.open(**kind).before_it_is_read(act).ask()


def while_answering(act: Callable[[Stage], object], **kind: object) -> Callable[[Stage], object]:
    return lambda at: at.open(**kind).while_it_is_answered(act).ask()


def asked_to_wait(at: Stage) -> None:
    """For a second, when the answer is to be posted."""
    more = {"status": 429, "headers": {"Retry-After": "1"}, "body": '{"ok":false,"error":"ratelimited"}'}
    at.office.box.faults.add("POST", "/api/chat.update$", "status", 1, **more)
    at.open().ask()


def refused(at: Stage) -> None:
    """The first message that holds blocks."""
    body = '{"ok":false,"error":"invalid_blocks"}'
    at.office.box.faults.add("POST", "/api/chat.update$", "status", 1, status=200, body=body)
    at.open().ask()


# Threads


def followed_up(*, mention: bool, channel: str = "") -> Callable[[Stage], object]:
    """A question, its answer, and a second question in the thread."""

    def put(at: Stage) -> None:
        at.enter(channel) if channel else at.open()
        root = at.ask(LOCKED).ts
        at.ts = at.put("And for how long?", root) if mention else at.write("And for how long?", root)
        at.office.idle()

    return put


def spoken_to_nobody(at: Stage) -> None:
    at.enter("follow")
    at.ts = at.write("And for how long?", at.write("Somebody was locked out again."))
    at.office.idle()


def quoted_thread(at: Stage) -> None:
    at.open()
    root = at.write(STATEMENT, by=LEAD)
    at.ask("how many minutes before departure is the vehicle deck closed?", root)


# Test cases


def cases(text: str = f"test cases for {TICKET}", *more: str) -> Callable[[Stage], object]:
    def put(at: Stage) -> None:
        root = at.open().ask(text).ts
        at.since = at.slack.workspace.ts() if more else at.since
        for one in more:
            at.ask(one, root)

    return put


def cases_of_thread(at: Stage) -> None:
    at.open()
    root = at.write("An account is locked after 5 failed sign-ins, for 30 minutes.", by=LEAD)
    at.write("And an e-mail goes to the passenger.", root, by=LEAD)
    at.ask("test cases for this thread", root)


# For one person


def commands(text: str, channel: str = "", by: str = DEVELOPER, **kind: object) -> Callable[[Stage], object]:
    def put(at: Stage) -> None:
        at.enter(channel, by) if channel else at.open(**kind)
        at.command(text)

    return put


def commands_directly(at: Stage) -> None:
    at.enter(at.office.direct(DEVELOPER)).command(LOCKED)


def shortcut(at: Stage) -> None:
    at.open()
    ts = at.write(LOCKED, by=CARE)
    assert at.slack.shortcut(at.office.person(DEVELOPER), at.channel, ts)
    at.office.idle()


def panel(at: Stage) -> None:
    person = at.office.person(LEAD)
    at.enter(at.office.direct(LEAD), LEAD)
    thread = at.slack.open_assistant(person)
    until(lambda: at.slack.assistant(at.channel, thread).prompts, "the prompts")
    at.ts = at.write(LOCKED, thread)
    at.office.over(at.ts)


# When something else is broken


def model_down(at: Stage) -> None:
    at.open().ask()


def stale(at: Stage) -> None:
    at.office.clock.forward(hours=3)
    at.open().ask()


def jira_down(at: Stage) -> None:
    at.office.box.faults.add("*", "/rest/api/", "status", 999, status=500)
    at.open().put(f"check {TICKET}")
    until(lambda: at.waits(after=1), "an attempt that failed")
    at.office.box.faults.clear()
    at.office.over(at.ts)


def jira_forbids(at: Stage) -> None:
    """What an administrator must mend is tried again after ten minutes, five times in all."""
    at.office.box.faults.add("*", "/rest/api/", "status", 999, status=403)
    at.open().put(f"check {TICKET}")
    for attempt in range(1, 5):
        until(lambda: at.waits(after=attempt), "an attempt that failed")  # noqa: B023  called at once
        at.office.clock.forward(minutes=MENDED_AFTER)
    at.office.over(at.ts)
