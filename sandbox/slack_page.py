"""Slack's pages: what stands in the company's conversations, and forms to write, click and answer as anybody."""

import re
import secrets
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from html import escape
from urllib.parse import quote, urlencode

from starlette.datastructures import FormData
from starlette.requests import Request
from starlette.responses import PlainTextResponse, RedirectResponse, Response
from starlette.routing import Route

from sandbox.pages import View, not_there, page, shown
from sandbox.records import Company
from sandbox.slack.limits import LONGEST_TEXT
from sandbox.slack.slack import Slack
from sandbox.slack.state import Conversation, User
from sandbox.slack_screen import Screen, mark_of, moment_of

HOME = "Slack of the sandbox"
COMMAND = "/crosscheck"
_ADDRESS = re.compile(r"https?://[^\s<>|]+")


class Wrong(Exception):
    """What a form asks for cannot be done; the message says why."""


@dataclass(frozen=True, slots=True)
class Filled:
    """A form that was sent from a conversation, or from one of its threads."""

    conversation: Conversation
    thread: str | None
    given: Mapping[str, str]
    about: str
    """The message (its ts) or the window (its id) that it is about."""


class SlackPages:
    def __init__(self, slack: Slack, company: Company) -> None:
        self._slack = slack
        self._workspace = slack.workspace
        self._asker = company.demo and company.demo.slack.person
        self._screen = Screen(slack)
        self._token = secrets.token_urlsafe(18)

    def routes(self) -> list[Route]:
        one = "/archives/{channel}"
        message = one + "/p{mark}"
        return [
            shown("/", self.index),
            shown("/direct/{user}", self.direct),
            shown(one, self.conversation),
            shown(message, self.conversation),
            shown("/files/{user}/{file}/{name}", self.file),
            *(
                shown(path, self._doing(do), write=True)
                for path, do in (
                    (one, self._write),
                    (message + "/press", self._press),
                    (message + "/ask", self._ask),
                    (one + "/views/{view}", self._submit),
                )
            ),
        ]

    # Looking

    def index(self, _request: Request, _form: FormData | None) -> Response:
        with self._workspace.lock:
            channels = [c for c in self._workspace.conversations.values() if c.kind in {"channel", "group"}]
            people = [u for u in self._workspace.users.values() if not u.bot and u.team == self._workspace.team]
            groups = [
                {"key": "", "name": "Channels", "items": [self._item(channel) for channel in channels]},
                {
                    "key": "",
                    "name": f"Direct messages with {self._slack.bot.real_name}",
                    "items": [_person(user) for user in people],
                },
            ]
        return page("index.html", home=HOME, note="A make-believe company; nothing here is real.", groups=groups)

    def _item(self, channel: Conversation) -> dict[str, str]:
        state = ", ".join([*self._screen.kinds(channel), f"{len(channel.members)} members"])
        return {"url": f"/archives/{channel.id}", "key": f"#{channel.name}", "title": channel.purpose, "state": state}

    def direct(self, request: Request, _form: FormData | None) -> Response:
        """A person's conversation with the bot, which is there from the first look on."""
        user = self._workspace.users.get(request.path_params["user"])
        if user is None or user.bot:
            return not_there()
        return RedirectResponse(f"/archives/{self._slack.direct(user.id)}", 303)

    def conversation(self, request: Request, _form: FormData | None) -> Response:
        """All of it, or one thread."""
        found = self._found(request)
        if found is None:
            return not_there()
        author = request.query_params.get("as", "")
        return self._page(*found, {"author": author, "text": "", "mention": "on", "error": ""})

    def file(self, request: Request, _form: FormData | None) -> Response:
        file = self._workspace.files.get(request.path_params["file"])
        if file is None or file.deleted:
            return not_there()
        headers = {
            "content-disposition": f"attachment; filename*=UTF-8''{quote(file.name, safe='', errors='replace')}",
            "x-content-type-options": "nosniff",
        }
        return Response(file.content, headers=headers, media_type="application/octet-stream")

    def _found(self, request: Request) -> tuple[Conversation, str | None] | None:
        """The conversation, and the message at the root of the thread that is looked at."""
        conversation = self._workspace.conversations.get(request.path_params["channel"])
        if conversation is None:
            return None
        if "mark" not in request.path_params:
            return conversation, None
        message = conversation.messages.get(moment_of(request.path_params["mark"]))
        return (conversation, message.thread or message.ts) if message else None

    def _page(
        self, conversation: Conversation, thread: str | None, form: dict[str, str], status: int = 200
    ) -> Response:
        with self._workspace.lock:
            people = self._people(conversation)
            asker = next((user.id for user in people if user.person == self._asker), "")
            author = form["author"] if any(user.id == form["author"] for user in people) else asker
            return page(
                "slack.html",
                status,
                home=HOME,
                token=self._token,
                path=_path(conversation, None),
                here=_path(conversation, thread),
                thread=thread and mark_of(thread),
                title=self._screen.title(conversation),
                purpose=conversation.purpose,
                kinds=self._screen.kinds(conversation),
                members=[self._screen.name(member) for member in conversation.members],
                talks=self._screen.talks(conversation, thread),
                windows=self._screen.windows(),
                people=people,
                bot=self._slack.bot.real_name,
                direct=conversation.kind == "im",
                command=COMMAND,
                longest=LONGEST_TEXT,
                **{**form, "author": author},
            )

    def _people(self, conversation: Conversation) -> list[User]:
        """Who can write there."""
        users = [self._workspace.users[member] for member in conversation.members]
        return [user for user in users if not user.bot]

    # Doing

    def _doing(self, do: Callable[[Filled], None]) -> View:
        """Does what a form asks for, and leads back to where it was asked, or says there why not."""

        def view(request: Request, form: FormData | None) -> Response:
            fields = [(name, value) for name, value in (form or {}).items() if isinstance(value, str)]
            given = {name: value.replace("\r\n", "\n") for name, value in fields}
            if not secrets.compare_digest(given.get("token", "").encode(), self._token.encode()):
                return PlainTextResponse("The form is out of date. Open the conversation again.", 403)
            path = request.path_params
            conversation = self._workspace.conversations.get(path["channel"])
            thread = moment_of(given["thread"]) if given.get("thread") else None
            if conversation is None or (thread is not None and thread not in conversation.messages):
                return not_there()
            about = moment_of(path["mark"]) if "mark" in path else path.get("view", "")
            try:
                do(Filled(conversation, thread, given, about))
            except (Wrong, ValueError) as wrong:
                kept = {name: given.get(name, "") for name in ("author", "text", "mention")}
                return self._page(conversation, thread, kept | {"error": str(wrong)}, 400)
            chosen = urlencode({"as": given.get("author", "")})
            return RedirectResponse(f"{_path(conversation, thread)}?{chosen}#end", 303)

        return view

    def _write(self, form: Filled) -> None:
        text, author = form.given.get("text", "").strip(), self._author(form)
        if not text or len(text) > LONGEST_TEXT:
            raise Wrong(f"A message has 1 to {LONGEST_TEXT:,} characters.")
        if text.split()[0] == COMMAND or "private" in form.given:
            self._command(form, author, text.removeprefix(COMMAND).strip())
        else:
            written = self._written(text, mention="mention" in form.given)
            self._slack.say(author.id, form.conversation.id, written, form.thread)

    def _command(self, form: Filled, author: User, text: str) -> None:
        """What comes at once is shown to the person, as clients do."""
        if form.thread is not None:
            raise Wrong("Slack takes no slash commands in threads.")
        said = self._slack.command(author.id, form.conversation.id, text)
        self._screen.whisper(form.conversation, author, said)

    def _written(self, text: str, *, mention: bool) -> str:
        """As a client sends it: signs escaped, addresses and the bot's name made links."""
        bot, called = self._slack.bot, self._slack.mention
        name = re.compile(rf"@(?:{re.escape(bot.real_name)}|{re.escape(bot.name)})\b", re.IGNORECASE)
        out = name.sub(called, _ADDRESS.sub(lambda m: f"<{m[0]}>", escape(text, quote=False)))
        return f"{called} {out}" if mention and called not in out else out

    def _press(self, form: Filled) -> None:
        """A button of a message. One that only one person sees is pressed by that person."""
        own = next((m.seen_by for m in form.conversation.ephemeral if m.ts == form.about), None)
        author = self._workspace.users[own] if own else self._author(form)
        action = form.given.get("action", "")
        if own is None:
            self._sees(form, author)
        if not self._slack.click(author.id, form.conversation.id, form.about, action):
            raise Wrong("Nobody took the click within three seconds.")
        self._screen.pressed(form.conversation, form.about, author, action)

    def _ask(self, form: Filled) -> None:
        """The shortcut in a message's menu."""
        author = self._author(form)
        self._sees(form, author)
        if not self._slack.shortcut(author.id, form.conversation.id, form.about):
            raise Wrong("Nobody took the shortcut within three seconds.")

    def _submit(self, form: Filled) -> None:
        """A window, with what was written into its fields."""
        window = self._screen.window(form.about)
        if window is None:
            raise Wrong("The window is not open any more.")
        fields = {name: value for name, value in form.given.items() if name.startswith("field:") and value}
        values = {name.removeprefix("field:"): value for name, value in fields.items() if "skip" not in form.given}
        try:
            self._slack.submit(window, values)
        except TimeoutError:
            raise Wrong("Nobody took what was written within three seconds.") from None

    def _author(self, form: Filled) -> User:
        user = self._workspace.users.get(form.given.get("author", ""))
        if user is None or user.bot:
            raise Wrong("Nobody is called so.")
        return user

    def _sees(self, form: Filled, user: User) -> None:
        """Raises Wrong: the message is not there, for this person."""
        if user.id not in form.conversation.members or form.about not in form.conversation.messages:
            raise Wrong("This person does not see the message.")


def _person(user: User) -> dict[str, str]:
    return {"url": f"/direct/{user.id}", "key": user.real_name, "title": "", "state": "guest" if user.guest else ""}


def _path(conversation: Conversation, thread: str | None) -> str:
    path = f"/archives/{conversation.id}"
    return f"{path}/p{mark_of(thread)}" if thread else path
