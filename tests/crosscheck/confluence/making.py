"""What happens in each situation: people write comments, and the world changes before or after the bot looks."""

import re
from base64 import b64encode
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import timedelta
from itertools import count

from sandbox.confluence_talk import Note
from sandbox.exchange import Exchange
from sandbox.records import Page, PageVersion
from sandbox.storage_adf import to_adf
from state.types import JobView
from tests.crosscheck.confluence.stage import AUTHOR, WRITTEN, Wiki
from tests.crosscheck.confluence.texts import BICYCLES
from tests.crosscheck.live import text_of, until

TITLE = "Bicycles on board"
REVIEW = "#qa-check"
_PAGES = count(9001)
_NUMBERED = re.compile(r"\b(comment|page) [0-9]+")

Act = Callable[["Stage"], object]


@dataclass
class Stage:
    """One page on which something happens, and the comment that was written there last."""

    wiki: Wiki
    page: str = ""
    comment: str = ""
    author: str = AUTHOR
    began: str = "0"
    """Comments with a larger number came after the beginning."""
    asked: list[str] = field(default_factory=list)

    @property
    def confluence(self):
        return self.wiki.box.confluence

    @property
    def notes(self):
        return self.confluence.notes

    @property
    def cloud(self) -> bool:
        return self.wiki.flavour == "cloud"

    # Pages

    def open(
        self,
        *texts: str,
        title: str = TITLE,
        parent: str | None = None,
        groups: tuple[str, ...] = (),
        storage: str | None = None,
    ) -> "Stage":
        """A page of these versions, the last one shown."""
        author = self.wiki.person(AUTHOR)
        versions = [
            PageVersion(WRITTEN + timedelta(days=day), author, text, storage=storage)
            for day, text in enumerate(texts or (BICYCLES,))
        ]
        self.page = str(next(_PAGES))
        self.confluence.add_page(Page(self.page, "PRD", title, tuple(versions), parent, groups=groups))
        return self.enter(self.page)

    def enter(self, page: str) -> "Stage":
        """What was said there before does not count."""
        self.page = page
        self.began = max((note.id for note in self.notes), key=int, default="0")
        return self

    # Comments

    def write(self, text: str = REVIEW, **how: str | None) -> "Stage":
        """A comment, and nobody waits."""
        by = self.wiki.person(how.pop("by", None) or self.author)
        self.comment = self.notes.add(self.page, text, by, **how)
        self.asked.append(self.comment)
        return self

    def markup(self, storage: str) -> "Stage":
        """A comment in storage format."""
        return self.write("", storage=storage)

    def ask(self, text: str = REVIEW, **how: str | None) -> "Stage":
        """A comment, and wait for the end of it."""
        return self.write(text, **how).over()

    def over(self) -> "Stage":
        self.wiki.settled(self.comment)
        return self

    # What comes in between

    def before_it_is_read(self, act: Act) -> "Stage":
        """When the comment has been noticed, and the bot comes back to it."""
        return self._at(2, rf"/(footer-comments|content)/(?!{self.page}$)\d+$", act)

    def before_it_is_posted(self, act: Act) -> "Stage":
        """When the answer is made, and nothing of it is posted yet."""

        def happens() -> None:
            with self.confluence.lock:
                act(self)

        self.wiki.watched.made = happens
        return self

    def _at(self, number: int, path: str, act: Act) -> "Stage":
        """At this one of the bot's own requests to read a path."""
        calls = count(1)

        def happens(exchange: Exchange) -> None:
            if self._of_bot(exchange) and next(calls) == number:
                with self.confluence.lock:
                    act(self)

        self.wiki.box.faults.on("GET", path, happens)
        return self

    def _of_bot(self, exchange: Exchange) -> bool:
        box = self.wiki.box
        basic = b64encode(f"{box.post_user}:{box.post_token}".encode()).decode()
        return exchange.headers.get("authorization", "") in {f"Basic {basic}", f"Bearer {box.post_token}"}

    # What is there afterwards

    def replies(self) -> list[Note]:
        """The bot's comments since the beginning."""
        mine = [note for note in self.notes if note.page == self.page and note.author == self.wiki.bot]
        return [note for note in mine if int(note.id) > int(self.began) and note.id not in self.asked]

    def sent(self) -> str:
        """Every comment that went to Confluence, as one text."""
        return "\n".join(
            one.body.decode() for one in self.wiki.box.exchanges.all("confluence") if one.method in {"POST", "PUT"}
        )

    def addresses(self) -> tuple[str, str]:
        """Where links may lead."""
        return self.wiki.box.confluence_url, self.wiki.box.jira_url

    def seen(self) -> list[str]:
        self.wiki.idle()
        return [shown(note) for note in self.replies()]

    def job(self) -> JobView | None:
        return self.wiki.job(self.comment)

    def waits(self, after: int) -> bool:
        """For the next attempt, after so many."""
        view = self.job()
        return view is not None and view.job.state == "queued" and view.job.attempts >= after

    def record(self) -> str:
        """Why nothing was answered, as the list of jobs shows it; empty where something was, or nobody asked."""
        view = self.job()
        if view is None or any(one.state == "sent" for one in view.posts):
            return ""
        if any(one.state == "held" for one in view.posts):
            return "held"
        told = [view.result.get("ignored") if view.result else None, view.job.error, *(one.error for one in view.posts)]
        return _NUMBERED.sub(r"\1 NUMBER", next(filter(None, told), ""))


def shown(note: Note) -> str:
    """What a reader sees of a comment."""
    last = note.versions[-1]
    lines = text_of(to_adf(last.storage or "")).splitlines()
    return "\n".join(line for line in lines if line.strip())


# Questions


def asks(text: str = REVIEW, *pages: str, **how: str | None) -> Act:
    return lambda at: at.open(*pages).ask(text, **how)


def asks_and_waits(text: str = REVIEW) -> Act:
    """Nothing comes of it, as far as one can tell after a while."""

    def put(at: Stage) -> None:
        at.open().write(text)
        at.wiki.idle()

    return put


def asks_on(page: str, text: str = REVIEW) -> Act:
    return lambda at: at.enter(page).ask(text)


def asks_twice(first: str, second: str) -> Act:
    """In one thread."""

    def put(at: Stage) -> None:
        root = at.open().ask(first).comment
        at.ask(second, reply_to=root)

    return put


def asks_apart(first: str, second: str, *pages: str) -> Act:
    """In two threads of a page."""
    return lambda at: at.open(*pages).ask(first).ask(second)


def written(storage: str) -> Act:
    """A comment in storage format; `BOB` is somebody's id."""

    def put(at: Stage) -> None:
        attribute = "account-id" if at.cloud else "userkey"
        at.open().markup(storage.replace("USER", f'ri:{attribute}="{at.wiki.person(AUTHOR)}"'))
        at.wiki.idle()

    return put


def deep(at: Stage) -> None:
    """Under a reply to a reply to a comment."""
    at.open()
    number = at.notes.add(at.page, "What do we know of this?", at.wiki.person("Wen Zhao"))
    for text in ("Not much.", "Then let us look."):
        number = at.notes.add(at.page, text, at.wiki.person("Wen Zhao"), reply_to=number)
    at.ask(reply_to=number)


def by_bot(at: Stage) -> None:
    at.open()
    at.asked.append(at.notes.add(at.page, REVIEW, at.wiki.bot))
    at.wiki.idle()


def changed_between(*texts: str) -> Act:
    """A review, a new version of the page, and another review in the same thread."""

    def put(at: Stage) -> None:
        root = at.open(texts[0]).ask().comment
        at.confluence.edit(at.page, texts[1])
        at.ask(reply_to=root)

    return put


def remarked(remark: str, text: str) -> Act:
    """Somebody says something on a page, and another one asks for a review."""

    def put(at: Stage) -> None:
        at.open(text)
        at.notes.add(at.page, remark, at.wiki.person("Wen Zhao"), at=WRITTEN + timedelta(days=1))
        at.ask()

    return put


# What happens meanwhile


def before_reading(act: Act, **how: str | None) -> Act:
    return lambda at: at.open().before_it_is_read(act).ask(**how)


def before_posting(act: Act, text: str = REVIEW, **how: str | None) -> Act:
    return lambda at: at.open().before_it_is_posted(act).ask(text, **how)


def answering(first: str = "Look at this.", *, marked: str | None = None) -> Callable[[Act], Act]:
    """A question in somebody's thread, whose first comment `act` knows as the last but one."""

    def with_act(act: Act) -> Act:
        def put(at: Stage) -> None:
            root = at.open().write(first, by="Wen Zhao", marked=marked).comment
            at.before_it_is_posted(act).ask(reply_to=root)

        return put

    return with_act


def trigger_deleted(at: Stage) -> None:
    at.notes.remove(at.asked[-1])


def trigger_emptied(at: Stage) -> None:
    at.notes.edit(at.asked[-1], "Never mind.")


def root_deleted(at: Stage) -> None:
    at.notes.remove(at.asked[0])


def thread_deleted(at: Stage) -> None:
    at.notes.remove_thread(at.asked[0])


def settle(state: str) -> Act:
    """The thread of the last comment becomes this."""
    return lambda at: at.notes.resolve(at.asked[-1], state)


def moved(space: str) -> Act:
    return lambda at: at.confluence.move(at.page, parent=None, space=space)


def renamed(at: Stage) -> None:
    at.confluence.rename(at.page, "Bicycles and scooters")


def status(name: str) -> Act:
    return lambda at: at.confluence.set_status(at.page, name)


def space_archived(at: Stage) -> None:
    at.confluence.lock_space("PRD")


def settled_before(*states: str) -> Act:
    """A thread at a marked text that became this before somebody asks in it."""

    def put(at: Stage) -> None:
        root = at.open().write("Look at this.", marked="The fee for a bicycle is TBD.").comment
        for state in states:
            at.notes.resolve(root, state)
        at.ask(reply_to=root)

    return put


def brought_back(at: Stage) -> None:
    """Out of the trash, and out of the archive; then somebody asks."""
    at.open()
    for state in ("trashed", "archived", "current"):
        at.confluence.set_status(at.page, state)
    at.ask()


def in_trash(at: Stage) -> None:
    """When the bot comes to read it."""
    before_reading(status("trashed"))(at)


def edited_in(at: Stage) -> None:
    """The command comes by an edit."""
    at.open().write("Good morning.")
    at.wiki.idle()
    assert at.job() is None
    at.notes.edit(at.comment, REVIEW)
    until(at.job, "a job")
    at.over()


def edited_again(at: Stage) -> None:
    at.open().ask()
    at.notes.edit(at.comment, f"{REVIEW} Thanks!")
