"""One ticket in which something happens: people write in it, and what the bot said there is looked at."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from threading import Lock
from typing import Any

from sandbox.adf import paragraphs
from sandbox.exchange import Exchange
from sandbox.issues import Issue, Note
from sandbox.jira import Jira
from state.types import JobView
from tests.bots.jira.wiki_reader import read
from tests.crosscheck.jira.firm import BOT, OWNER
from tests.crosscheck.jira.stage import DATA_CENTER, House
from tests.crosscheck.live import nodes, text_of

LATEST = 20
"""Jobs; more than one situation makes."""

Act = Callable[["Stage"], object]


@dataclass
class Stage:
    """One ticket in which something happens."""

    house: House
    undo: ExitStack
    key: str = ""
    """As it was when it was asked in."""
    number: str = ""
    """The ticket's id, which stays."""
    id: str = ""
    """Of the last question."""
    before: int = 0
    """The bot's comments that do not count."""
    twin: str = ""
    """Key of another ticket that plays a part."""

    @property
    def jira(self) -> Jira:
        return self.house.town.box.jira

    @property
    def wiki(self) -> bool:
        return self.house.town.flavour == DATA_CENTER

    @property
    def issue(self) -> Issue:
        return next(one for one in self.jira.issues.values() if one.id == self.number)

    def open(self, project: str = "PAY") -> "Stage":
        """A ticket of its own."""
        self.key = self.jira.clone_issue(f"{project}-1")
        self.number = self.jira.issue(self.key).id
        return self

    def body(self, text: str) -> dict[str, Any]:
        """A text without markup, as a comment's arguments."""
        return {"wiki": text} if self.wiki else {"adf": paragraphs(text)}

    def say(self, text: str, by: str = OWNER.id, **shown: Any) -> str:
        """A comment that Jira tells nobody of."""
        written = self.jira.add_comment(self.key, by, **self.body(text), **shown)
        self.house.town.told()
        return written

    def put(self, text: str = "#qa-check", by: str = OWNER.id, **shown: Any) -> "Stage":
        """A question, of which the bot is told, and has not read yet."""
        self.id = self.jira.add_comment(self.key, by, **self.body(text), **shown)
        self.house.hear(self.house.town.told())
        return self

    def ask(self, text: str = "#qa-check", by: str = OWNER.id, **shown: Any) -> "Stage":
        """A question, and all that comes of it."""
        self.put(text, by, **shown).house.work()
        return self

    def edit(self, text: str) -> None:
        self.jira.edit_comment(self.key, self.id, **self.body(text))

    def fault(self, method: str, path: str, kind: Any, times: int = 1, **how: Any) -> None:
        self.house.town.box.faults.add(method, path, kind, times, **how)

    def first(self, method: str, path: str, act: Act) -> "Stage":
        """Once, when the first such request comes, before anything is done."""
        once = Lock()

        def happens(_exchange: Exchange) -> None:
            if once.acquire(blocking=False):
                act(self)

        self.house.town.box.faults.on(method, path, happens)
        return self

    # What came of it

    @property
    def replies(self) -> list[Note]:
        """The bot's comments, in order."""
        return [note for note in self.issue.notes.values() if note.author == BOT.id][self.before :]

    def shown(self, note: Note) -> str:
        """What a reader sees of a comment."""
        return read(note.wiki).text if note.wiki is not None else text_of(note.body)

    def more_than_text(self, note: Note) -> Iterator[str]:
        """What in a comment does something: kinds, and where links lead."""
        if note.wiki is not None:
            yield from (what if kind in {"link", "autolink"} else kind for kind, what in read(note.wiki).made)
        else:
            for node in nodes(note.body):
                yield node["attrs"]["href"] if node["type"] == "link" else node["type"]

    @staticmethod
    def audience(note: Note) -> str:
        """Who sees a comment, beyond who sees the ticket."""
        named = [f"{kind} {name}" for kind, name in (("role", note.role), ("group", note.group)) if name]
        return ", ".join([*named, *(["internal"] if note.internal else [])])

    def files(self) -> list[str]:
        """The bot's files in the ticket, without the marks that its posts are found again by."""
        names = [file.name for file in self.issue.files.values() if file.author == BOT.id]
        return [f"{name.rpartition(' ')[0]}.{name.rpartition('.')[2]}" for name in names]

    def job(self, comment: str = "") -> JobView | None:
        """Of a comment; of the question, where none is named."""
        jobs = self.house.program.jobs
        found = [one.id for one in jobs.list(limit=LATEST) if one.key.split("|")[-2] == (comment or self.id)]
        return jobs.show(found[0]) if found else None

    def record(self, comment: str = "") -> str:
        """Why something was not answered or not posted, as the list of jobs shows it; empty where all went well."""
        view = self.job(comment)
        if view is None:
            return ""
        ignored = view.result.get("ignored") if view.result else None
        last = max((one.round for one in view.posts), default=0)
        missing = [one for one in view.posts if one.round == last and one.state != "sent"]
        return next(filter(None, [ignored, view.job.error, *(one.error or one.state for one in missing)]), "")
