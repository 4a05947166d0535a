"""What Jira's three surfaces have in common: comments on tickets, in the sandbox's own state."""

from collections.abc import Mapping
from typing import Any, ClassVar

from crosscheck.web import receive
from crosscheck.web_parts import hooks
from crosscheck.wiring import Program
from sandbox.adf import paragraphs
from sandbox.issues import Issue, Note
from tests.surfaces.company import DEVELOPER, ROLE
from tests.surfaces.contract import Asked, Kind, Reply, Surface
from tests.surfaces.receiver import Delivery

WORDS: Mapping[Kind, str] = {"review": "#qa-check", "ask": "#ask", "test cases": "#test-cases"}


def comment_text(kind: Kind, text: str) -> str:
    """What is written in a comment."""
    return f"#ask {text}" if kind == "ask" else WORDS[kind]


def pushed(surface: str, program: Program, delivery: Delivery) -> int:
    """The status with which a delivery about a comment is answered."""
    hook = dict(hooks(program))[surface]
    return receive(hook, delivery.headers, delivery.body, program.metrics).status_code


class JiraSurface(Surface):
    project: ClassVar[str] = "SHOP"
    data_center: ClassVar[bool] = False
    limit = 32_767
    writes = (
        ("POST", r"/issue/[^/]+/comment$"),
        ("DELETE", r"/comment/[^/]+$"),
        ("POST", r"/issue/[^/]+/attachments$"),
        ("DELETE", r"/attachment/[^/]+$"),
    )
    can_widen = True

    def start(self) -> None:
        self.few: set[str] = set()
        self.box.deliver_to(self.receiver.url, data_center=self.data_center)

    @property
    def jira(self) -> Any:
        return self.box.jira

    def poll(self, program: Program) -> None:
        program.pollers["jira"].poller.poll_once()

    def push(self, program: Program, delivery: Delivery) -> int:
        return pushed("jira", program, delivery)

    def sent(self) -> list[Delivery]:
        assert self.box.webhooks.wait()
        return self.receiver.take()

    def open(self, *said: str, few: bool = False, shape: str = "", title: str = "") -> str:
        key = self.jira.clone_issue(f"{self.project}-1")
        if few:
            self.few.add(key)
        if title:
            self.jira.set_fields(key, {"summary": title})
        for text in said:
            self.said(key, text)
        return str(key)

    def said(self, key: str, text: str, **shown: Any) -> str:
        """A comment of these very characters."""
        return self._written(key, text, **shown)

    def _written(self, key: str, text: str, *, role: str | None = None, internal: bool = False) -> str:
        body = {
            "type": "doc",
            "version": 1,
            "content": [{"type": "paragraph", "content": [{"type": "text", "text": text}]}],
        }
        return str(self.jira.add_comment(key, DEVELOPER.id, role=role, internal=internal, adf=body))

    def shown(self, *, few: bool) -> dict[str, Any]:
        """Who sees a comment for the few, and one for everybody."""
        return {"role": ROLE} if few else {}

    def spelled(self, place: str, kind: Kind, text: str) -> str:
        return comment_text(kind, text)

    def say(self, place: str, text: str) -> str:
        return self.said(place, text, **self.shown(few=place in self.few))

    def hide(self, place: str, text: str) -> tuple[str, ...]:
        self.said(place, text, **self.shown(few=True))
        return ()

    def widen(self, asked: Asked, opening: str) -> None:
        self.jira.set_visibility(asked.place, asked.id, **self.shown(few=False))

    def narrow(self, asked: Asked) -> None:
        self.jira.set_visibility(asked.place, asked.id, **self.shown(few=True))

    def mute(self, asked: Asked) -> None:
        self.jira.forbid(self.box.accounts.bot.id, self.project, "ADD_COMMENTS")

    def calm(self) -> None:
        super().calm()
        self.jira.permit(self.box.accounts.bot.id, self.project, "ADD_COMMENTS")

    def delete(self, asked: Asked) -> None:
        self.jira.delete_comment(asked.place, asked.id)

    def rewrite(self, asked: Asked, text: str) -> None:
        self.jira.edit_comment(asked.place, asked.id, adf=paragraphs(text))

    def end(self, asked: Asked) -> str:
        self.jira.archive_issue(asked.place)
        return "archived"

    def issue(self, place: str) -> Issue:
        found: Issue = self.jira.issue(place)
        return found

    def replies(self, place: str) -> list[Reply]:
        bot = self.box.accounts.bot.id
        return [self.reply(note) for note in self.issue(place).notes.values() if note.author == bot]

    def reply(self, note: Note) -> Reply:
        raise NotImplementedError

    def files(self, place: str) -> list[str]:
        bot = self.box.accounts.bot.id
        return [file.name for file in self.issue(place).files.values() if file.author == bot]

    def readers(self, asked: Asked, message: str) -> frozenset[str]:
        issue = self.issue(asked.place)
        note, see = issue.notes[message], self.jira.permissions
        people = self.box.accounts.people.values()
        return frozenset(one.id for one in people if see.issue(one, issue) and see.note(one, issue, note))

    def where(self, asked: Asked, message: str) -> Any:
        note = self.issue(asked.place).notes[message]
        return asked.place, note.role, note.group, note.internal
