"""The ticket page: what a person sees of a ticket, and a form to write a comment as somebody."""

import secrets
from collections.abc import Iterable
from datetime import datetime
from typing import Any

from markupsafe import Markup
from starlette.datastructures import FormData
from starlette.requests import Request
from starlette.responses import HTMLResponse, PlainTextResponse, RedirectResponse, Response
from starlette.routing import Route

from sandbox.adf_html import safe_url, to_html
from sandbox.catalog import LINK_TYPES
from sandbox.issues import Issue, Note
from sandbox.jira import Jira
from sandbox.jira_data_center_json import ROOT
from sandbox.jira_json import is_adf
from sandbox.pages import not_there, page, rendered, shown
from sandbox.records import Company, Person

HOME = "Jira of the sandbox"
COMMAND = "#qa-check"
LONGEST = 32_000
"""Characters of a comment written on the page."""


class TicketPages:
    def __init__(self, jira: Jira, company: Company) -> None:
        self._jira = jira
        self._company = company
        self._token = secrets.token_urlsafe(18)

    def routes(self) -> list[Route]:
        return [
            shown("/", self.index),
            shown("/browse/{key}", self.ticket),
            shown(ROOT + "/browse/{key}", self.ticket),
            shown("/browse/{key}", self.write, write=True),
            shown("/browse/{key}/comments", self.comments),
        ]

    def index(self, _request: Request, _form: FormData | None) -> Response:
        with self._jira.lock:
            groups = [
                {"key": project.key, "name": project.name, "items": [_item(i) for i in self._issues(project.key)]}
                for project in self._jira.projects.values()
            ]
        return page("index.html", home=HOME, note="A make-believe company; nothing here is real.", groups=groups)

    def _issues(self, project: str) -> list[Issue]:
        issues = [i for i in self._jira.issues.values() if i.project.key == project and not i.deleted]
        return sorted(issues, key=lambda issue: int(issue.key.rpartition("-")[2]))

    def ticket(self, request: Request, _form: FormData | None) -> Response:
        with self._jira.lock:
            issue = self._jira.find(request.path_params["key"])
            if issue is None:
                return not_there()
            demo = self._company.demo
            here = demo is not None and demo.ticket == issue.key
            author = demo.person if here and demo else issue.reporter
            visibility = f"role:{demo.role}" if here and demo else ""
            after = request.query_params.get("after", "")
            focused = request.query_params.get("focusedCommentId", "")
            form = {"author": author, "visibility": visibility, "text": COMMAND, "error": ""}
            return self._page(issue, form, after=after, focused=focused)

    def comments(self, request: Request, _form: FormData | None) -> Response:
        """The comments alone, for the page to look for new ones."""
        with self._jira.lock:
            issue = self._jira.find(request.path_params["key"])
            if issue is None:
                return not_there()
            waiting = "yes" if self._waiting(issue, request.query_params.get("after", "")) else "no"
            html = rendered("comments.html", comments=self._comments(issue, ""))
        return HTMLResponse(html, headers={"x-waiting": waiting, "cache-control": "no-store"})

    def write(self, request: Request, form: FormData | None) -> Response:
        given = {name: value for name, value in (form or {}).items() if isinstance(value, str)}
        if not secrets.compare_digest(given.get("token", "").encode(), self._token.encode()):
            return PlainTextResponse("The form is out of date. Open the ticket again.", 403)
        with self._jira.lock:
            issue = self._jira.find(request.path_params["key"])
            if issue is None:
                return not_there()
            error = self._wrong(issue, given)
            if error:
                kept = {name: given.get(name, "") for name in ("author", "visibility", "text")}
                return self._page(issue, kept | {"error": error}, status=400)
            kind, _, name = given.get("visibility", "").partition(":")
            comment = self._jira.add_comment(
                issue.key,
                given["author"],
                given["text"].replace("\r\n", "\n"),
                role=name if kind == "role" else None,
                group=name if kind == "group" else None,
                internal=kind == "internal",
            )
        return RedirectResponse(f"/browse/{issue.key}?after={comment}#comment-{comment}", 303)

    def _wrong(self, issue: Issue, given: dict[str, str]) -> str:
        """Why the comment cannot be written, or nothing."""
        person = self._jira.accounts.people.get(given.get("author", ""))
        if person is None or person not in self._people(issue):
            return "This person cannot comment here."
        text = given.get("text", "")
        if not text.strip() or len(text) > LONGEST:
            return f"A comment has 1 to {LONGEST:,} characters."
        kind, _, name = given.get("visibility", "").partition(":")
        if given.get("visibility", "") not in {value for value, _ in self._choices(issue)}:
            return "There is no such visibility here."
        if kind == "role" and not self._jira.permissions.role(person, issue.project, name):
            return f"{person.name} is not a member of the project role: {name}."
        if kind == "group" and name not in person.groups:
            return f"{person.name} is not a member of the group: {name}."
        return "Customers cannot write internal notes." if kind == "internal" and person.customer else ""

    def _people(self, issue: Issue) -> list[Person]:
        """Who can comment: not the accounts of the bot and the reader, and nobody on what is archived."""
        if self._jira.archived(issue):
            return []
        accounts = self._jira.accounts
        everybody = [p for p in accounts.people.values() if not p.bot and p.id != accounts.reader.id]
        everybody = [person for person in everybody if accounts.active(person.id)]
        return [person for person in everybody if self._jira.permissions.comment(person, issue)]

    def _choices(self, issue: Issue) -> list[tuple[str, str]]:
        choices = [("", "Everybody who sees the ticket")]
        if issue.project.service_desk:
            choices.append(("internal", "Internal note (not the customer)"))
        choices += [(f"role:{role}", f"Role: {role}") for role in issue.project.roles]
        return choices + [(f"group:{group}", f"Group: {group}") for group in self._jira.accounts.groups]

    def _page(
        self, issue: Issue, form: dict[str, str], *, after: str = "", focused: str = "", status: int = 200
    ) -> Response:
        after = after if after.isdecimal() else ""
        return page(
            "ticket.html",
            status,
            home=HOME,
            key=issue.key,
            project=issue.project.name,
            summary=issue.summary,
            facts=self._facts(issue),
            links=self._links(issue),
            description=Markup(to_html(issue.description)),  # noqa: S704 - made of escaped parts by to_html
            texts=self._texts(issue),
            history=self._history(issue),
            comments=self._comments(issue, focused),
            waiting=self._waiting(issue, after),
            after=after,
            people=self._people(issue),
            choices=self._choices(issue),
            token=self._token,
            **form,
        )

    def _facts(self, issue: Issue) -> list[tuple[str, str]]:
        names = {field.id: field.name for field in self._jira.catalog.fields.values()}
        people = self._jira.accounts
        facts = [
            ("Type", issue.type),
            ("Status", issue.status),
            ("Resolution", issue.resolution or ""),
            ("Reporter", people.of(issue.reporter).name),
            ("Assignee", people.of(issue.assignee).name if issue.assignee else ""),
            ("Security level", issue.security or ""),
            ("Created", self._time(issue.created)),
            ("Updated", self._time(issue.updated)),
        ]
        for key, value in issue.fields.items():
            if not is_adf(value):
                facts.append((names.get(key, key.capitalize()), _as_text(value)))
        return [(name, value) for name, value in facts if value]

    def _texts(self, issue: Issue) -> list[tuple[str, Markup]]:
        names = {field.id: field.name for field in self._jira.catalog.fields.values()}
        rich = [(names.get(key, key.capitalize()), value) for key, value in issue.fields.items() if is_adf(value)]
        return [(name, Markup(to_html(value))) for name, value in rich]  # noqa: S704 - as above

    def _links(self, issue: Issue) -> list[tuple[str, list[dict[str, str]]]]:
        """Relation, as read from this ticket -> what it leads to."""
        found: dict[str, list[dict[str, str]]] = {}

        def add(relation: str, keys: Iterable[str]) -> None:
            others = [self._jira.issues[key] for key in keys]
            found.setdefault(relation, []).extend(_item(other) for other in others if not other.deleted)

        add("Parent", [issue.parent] if issue.parent else [])
        add("Sub-tasks", issue.children)
        for _, kind, key in issue.links:
            add(LINK_TYPES[kind][0].capitalize(), [key])
        for _, kind, key in issue.linked_from:
            add(LINK_TYPES[kind][1].capitalize(), [key])
        remote = [{"url": safe_url(url) or "", "key": title, "title": ""} for _, title, url in issue.remote_links]
        return [(name, entries) for name, entries in [*found.items(), ("Pages", remote)] if entries]

    def _history(self, issue: Issue) -> list[dict[str, str]]:
        changes = [change for _, entry in issue.history for change in entry]
        return [
            {
                "at": self._time(change.at),
                "author": self._jira.accounts.of(change.author).name,
                "field": change.field,
                "before": change.before,
                "after": change.after,
            }
            for change in changes
        ]

    def _comments(self, issue: Issue, focused: str) -> list[dict[str, Any]]:
        return [self._comment(issue, note, focused) for note in issue.notes.values()]

    def _comment(self, issue: Issue, note: Note, focused: str) -> dict[str, Any]:
        author = self._jira.accounts.of(note.author)
        locks = [f"Role: {note.role}"] if note.role else [f"Group: {note.group}"] if note.group else []
        if issue.project.service_desk and note.internal:
            locks.append("Internal note")
        return {
            "id": note.id,
            "author": author.name,
            "bot": author.bot,
            "locks": locks,
            "iso": note.created.isoformat(),
            "at": self._time(note.created),
            "edited": note.updated != note.created,
            "focused": note.id == focused,
            "html": Markup(to_html(note.body)),  # noqa: S704 - made of escaped parts by to_html
        }

    def _waiting(self, issue: Issue, after: str) -> bool:
        """Whether the bot has not commented since the comment `after`."""
        asked = issue.notes.get(after)
        bot = self._jira.accounts.bot.id
        if asked is None:
            return False
        return not any(note.author == bot and int(note.id) > int(after) for note in issue.notes.values())

    def _time(self, at: datetime) -> str:
        return f"{at.astimezone(self._jira.zone):%Y-%m-%d %H:%M}"


def _item(issue: Issue) -> dict[str, str]:
    return {"url": f"/browse/{issue.key}", "key": issue.key, "title": issue.summary, "state": issue.status}


def _as_text(value: Any) -> str:
    if isinstance(value, dict):
        return str(value.get("name", ""))
    return ", ".join(map(_as_text, value)) if isinstance(value, list) else str(value)
