"""Jira, Cloud and Data Center: the only part of this surface that does I/O, and the only one that can write."""

import threading
import time
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from itertools import pairwise, takewhile
from typing import Any
from urllib.parse import quote

from bots.always_there import always_there
from bots.command import WORDS, find_command
from bots.errors import BotError, CameOutWider, Gone, NotAllowed, Unavailable, Uncertain
from bots.jira import answers, files
from bots.jira.answers import INTERNAL, Comment, Found, read
from bots.jira.cloud import Cloud
from bots.jira.connection import checked, connection
from bots.jira.data_center import DataCenter
from bots.jira.files import Files
from bots.jira.flavour import Flavour
from bots.jira.paging import pages
from bots.jira.people import People
from bots.jira.said import said
from bots.outline import Outline
from bots.taking_back import taken_back
from bots.types import Place, Post, Posted, Trigger, Visibility
from bots.visibility import no_wider
from bots.web_address import web_address

DELIVERY = "crosscheck.delivery"
"""The comment property that carries the delivery key."""
PERMISSIONS = (
    "BROWSE_PROJECTS", "ADD_COMMENTS", "DELETE_OWN_COMMENTS", "CREATE_ATTACHMENTS", "DELETE_OWN_ATTACHMENTS",
)  # fmt: skip
"""What the bot needs in a project. The two to delete take back what came out wider than asked, or twice."""

_PAGE = 100  # Jira Cloud gives no more comments at once
_SLACK = timedelta(minutes=1)  # between the clocks of Jira's nodes


class JiraClient:
    """The bot's account on one site. May be used by several threads.

    Every call raises the errors of `bots.errors`; none is repeated here. Whether the site is Cloud or Data Center is
    asked of it, once.
    """

    def __init__(
        self, site: str, user: str, token: str, *, timeout: float = 10.0, words: Collection[str] = WORDS
    ) -> None:
        """`site` is the base URL, with the context path where there is one; `timeout` the limit of a whole request in
        seconds. Without a user the token is a personal access token.
        """
        if web_address(site) is None:
            raise ValueError(f"the site is to be an address such as https://name.atlassian.net, not {site!r}")
        self.site = site.rstrip("/")
        self.send_seconds = 3 * timeout
        """The longest that `post` can take: the write, asking who sees it, and taking it back."""
        self._timeout = timeout
        self._words = tuple(words)
        self._jira = connection(self.site, user, token, timeout=timeout)
        self._account: str | None = None
        self._known: Flavour | None = None
        self._finding_out = threading.Lock()

    def whoami(self) -> str:
        """The bot's account id; on Data Center its key."""
        if self._account is None:
            payload = self._always_there(f"{self._flavour.api}/myself", "tell who the bot is")
            self._account = read(answers.Person, payload, "the bot's account").id
        if not self._account:
            raise Unavailable("Jira does not tell the bot's account")
        return self._account

    def now(self) -> datetime | None:
        """Jira's own time; None when it does not say."""
        return self._server().server_time

    def missing_permissions(self, project: str) -> list[str]:
        """Those of `PERMISSIONS` that the bot does not have in a project."""
        query = self._flavour.permissions_query(project, PERMISSIONS)
        path, what = f"{self._flavour.api}/mypermissions", f"tell the bot's permissions in {project}"
        payload = self._jira.ask("GET", path, what=what, needs="Browse projects", query=query)
        held = read(answers.Permissions, payload, "permissions").permissions
        return [name for name in PERMISSIONS if name not in held or not held[name].have_permission]

    def trigger(self, issue_id: str, comment_id: str) -> Trigger:
        """A comment and its place, as they are now.

        Raises Gone when either is deleted, or not for the bot to see: Jira does not tell these apart.
        """
        place = self._place(issue_id)
        comment = self._comment(place.id, comment_id)
        command = find_command(said(comment.body), self._words)
        return Trigger(
            place=place,
            comment_id=comment.id,
            author=comment.author.display_name if comment.author else "",
            author_id=comment.author_id,
            created=comment.created,
            command=command.word if command else None,
            visibility=self._shown(place, comment),
            by_bot=comment.author_id == self.whoami(),
            url=_url(place, comment.id),
            argument=command.argument if command else "",
            text=command.text if command else "",
        )

    def render(self, outline: Outline) -> list[Mapping[str, Any]]:
        """The bodies of the comments that tell it."""
        return self._flavour.render(outline)

    def file(self, name: str, content: bytes) -> Mapping[str, Any]:
        """The body of a post that attaches a file to the ticket."""
        return files.body(name, content)

    def belongs(self, place: Place, person_id: str, groups: Collection[str], roles: Collection[str]) -> bool:
        """Whether a person is in one of these groups, or has one of these roles in the place's project; names as Jira
        compares them, without case. Raises NotAllowed, with the permission it takes, when the bot may not look.
        """
        return People(self._jira, self._flavour).belongs(place, person_id, groups, roles)

    def find(self, post: Post) -> list[Posted]:
        """What the bot wrote or attached in the ticket with the post's delivery key, oldest first."""
        me, since = self.whoami(), post.since - _SLACK
        if files.is_file(post.body):
            return self._files.find(post, me, since)
        recent = takewhile(lambda comment: comment.created >= since, self.comments(post.place.id))
        mine = [comment for comment in recent if comment.author_id == me]
        with_key = self._flavour.with_properties(mine, DELIVERY, INTERNAL)
        found = [one for one in with_key if one.value_of(DELIVERY).get("key") == post.delivery_key]
        found.sort(key=_age)
        text = files.digest(post.body)
        return [
            replace(self._posted(post.place, comment), same_text=comment.value_of(DELIVERY).get("text") == text)
            for comment in found
        ]

    def post(self, post: Post, *, until: float | None = None) -> Posted:
        """Write one comment or attach one file, once, shown to nobody beyond `post.visibility`.

        After `until`, a moment of the monotonic clock, not a byte is sent.

        Raises NotAllowed when Jira refuses the visibility, or the ticket shows a file to more people; Unavailable when
        surely nothing was written; Uncertain when it may have been; CameOutWider when Jira showed it to more people,
        with the comment deleted again.
        """
        if files.is_file(post.body):
            return self._files.attach(post, until)
        payload = self._jira.ask(
            "POST",
            self._comments(post.place.id),
            what=f"write a comment in {post.place.key}",
            needs=_needs(post),
            body=self._written(post),
            writes=True,
            until=until,
        )
        posted = self._as_written(post, read(Comment, payload, "the comment just written", Uncertain))
        if not no_wider(posted.visibility, post.visibility):
            raise self._took_back(posted, post)
        return posted

    def withdraw(self, place: Place, remote_id: str) -> None:
        """Delete one of the bot's own comments or files; one that is not there any more is fine."""
        number = files.number_of(remote_id)
        if number is not None:
            self._files.withdraw(place, number, self.whoami())
            return
        try:
            if self._comment(place.id, remote_id).author_id != self.whoami():
                raise NotAllowed(f"Comment {remote_id} in {place.key} is not the bot's own; it stays")
            self._delete(place, remote_id)
        except Gone:
            return

    def visibility_of(self, place: Place, remote_id: str) -> Visibility:
        """Who may see a comment now."""
        return self._shown(place, self._comment(place.id, remote_id))

    def comments(self, issue_id: str) -> Iterator[Comment]:
        """All comments of a ticket that the bot may see, newest first, read page by page as they are asked for. Where
        Jira lists them in another order, as some versions of Data Center do, all are read first.
        """

        def page(start: int) -> tuple[Sequence[Comment], int]:
            query: dict[str, str | int] = {"startAt": start, "maxResults": _PAGE, "orderBy": "-created"}
            what = f"list the comments of ticket {issue_id}"
            payload = self._jira.ask("GET", self._comments(issue_id), what=what, needs="Browse projects", query=query)
            found = read(answers.Comments, payload, "comments")
            return found.comments, found.total

        first, total = page(0)
        listed = pages(lambda start: page(start) if start else (first, total), f"comments of ticket {issue_id}")
        if all(newer.created >= older.created for newer, older in pairwise(first)):
            return listed
        return iter(sorted(listed, key=_age, reverse=True))

    def search(self, jql: str) -> Iterator[Found]:
        """The tickets that a query finds."""
        return self._flavour.search(jql)

    def close(self) -> None:
        """Close the connections."""
        self._jira.close()

    @property
    def _flavour(self) -> Flavour:
        with self._finding_out:
            if self._known is None:
                kind = self._server().deployment_type
                if not kind:
                    raise Unavailable(
                        "Jira does not say whether it is Cloud or Data Center; is the site's address right?"
                    )
                self._known = Cloud(self._jira) if kind == "Cloud" else DataCenter(self._jira)
            return self._known

    @property
    def _files(self) -> Files:
        return Files(self._jira, self.site, self._flavour.api)

    def _server(self) -> answers.ServerInfo:
        """Told by every kind of Jira at this address."""
        return read(answers.ServerInfo, self._always_there("/rest/api/2/serverInfo", "tell what it is"), "the server")

    def _always_there(self, path: str, what: str) -> Any:
        with always_there("Jira", what):
            return self._jira.ask("GET", path, what=what, needs="to log in")

    def _place(self, issue_id: str) -> Place:
        path, what = f"{self._flavour.api}/issue/{checked(issue_id)}", f"show ticket {issue_id}"
        query = {"fields": "project,security,issuerestriction,summary,archiveddate"}
        payload = self._jira.ask("GET", path, what=what, needs="Browse projects", query=query)
        ticket = read(answers.Ticket, payload, "a ticket")
        return Place(
            surface="jira",
            site=self.site,
            id=ticket.id,
            key=ticket.key,
            url=f"{self.site}/browse/{ticket.key}",
            container=ticket.fields.project.key,
            security=ticket.fields.security.id if ticket.fields.security else None,
            roles=ticket.roles,
            customers=ticket.customers,
            ended=self._ended(ticket),
        )

    def _ended(self, ticket: answers.Ticket) -> str:
        if ticket.fields.archived:
            return f"{ticket.key} is archived"
        key = ticket.fields.project.key
        path = f"{self._flavour.api}/project/{quote(key, safe='')}"
        payload = self._jira.ask("GET", path, what=f"show project {key}", needs="Browse projects")
        return f"the project {key} is archived" if read(answers.Project, payload, "a project").archived else ""

    def _comment(self, issue_id: str, comment_id: str) -> Comment:
        what = f"show comment {comment_id} of ticket {issue_id}"
        path = f"{self._comments(issue_id)}/{checked(comment_id)}"
        return read(Comment, self._jira.ask("GET", path, what=what, needs="Browse projects"), "a comment")

    def _comments(self, issue_id: str) -> str:
        return f"{self._flavour.api}/issue/{checked(issue_id)}/comment"

    def _shown(self, place: Place, comment: Comment) -> Visibility:
        """Who sees a comment. Where the comment itself does not tell whether customers do, its property does."""
        if place.customers and comment.jsd_public is None and not comment.properties:
            comment = next(iter(self._flavour.with_properties([comment], INTERNAL)), comment)
        return comment.shown_to(customers=place.customers)

    def _posted(self, place: Place, comment: Comment) -> Posted:
        return Posted(comment.id, _url(place, comment.id), self._shown(place, comment))

    def _as_written(self, post: Post, comment: Comment) -> Posted:
        """What Jira made of a post. Where it does not tell whether customers see it, they may."""
        try:
            return self._posted(post.place, comment)
        except BotError:
            seen = comment.shown_to(customers=post.place.customers)
            return Posted(comment.id, _url(post.place, comment.id), seen)

    def _written(self, post: Post) -> dict[str, Any]:
        """The body of the request that writes a comment."""
        kept = {"key": post.delivery_key, "trigger": post.trigger_id, "text": files.digest(post.body)}
        properties: list[dict[str, Any]] = [{"key": DELIVERY, "value": kept}]
        if post.visibility.internal:
            properties.append({"key": INTERNAL, "value": {"internal": True}})
        written = {"body": self._flavour.text_of(post.body), "properties": properties}
        if post.visibility.restriction is not None:
            written["visibility"] = self._flavour.level(post.visibility.restriction)
        return written

    def _took_back(self, posted: Posted, post: Post) -> CameOutWider:
        """The comment was shown to more people than asked: it is deleted at once, whatever else."""
        message = f"Jira showed a comment in {post.place.key} to more people than asked."
        until = time.monotonic() + self._timeout
        return taken_back(CameOutWider, message, posted.url, lambda: self._delete(post.place, posted.remote_id, until))

    def _delete(self, place: Place, comment_id: str, until: float | None = None) -> None:
        what = f"delete comment {comment_id} in {place.key}"
        path = f"{self._comments(place.id)}/{checked(comment_id)}"
        self._jira.ask("DELETE", path, what=what, needs="Delete own comments", writes=True, until=until)


def _url(place: Place, comment_id: str) -> str:
    return f"{place.url}?focusedCommentId={comment_id}"


def _age(comment: Comment) -> tuple[datetime, int]:
    return comment.created, int(comment.id)


def _needs(post: Post) -> str:
    restriction = post.visibility.restriction
    if restriction is None:
        return "Add comments"
    return f"Add comments, and the bot in the {restriction.get('type')} {restriction.get('value')}"
