"""Jira Cloud over REST v3: the only part of this surface that does I/O, and the only one that can write."""

import hashlib
import json
import time
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from itertools import takewhile
from typing import Any, TypeVar
from urllib.parse import quote

from pydantic import ValidationError

from bots.command import WORDS, find_command
from bots.errors import BotError, CameOutWider, Gone, NotAllowed, Unavailable, Uncertain
from bots.jira import answers
from bots.jira.connection import connection
from bots.jira.said import said
from bots.types import Place, Post, Posted, Trigger, Visibility
from bots.visibility import no_wider
from bots.web_address import web_address

A = TypeVar("A", bound=answers.Answer)

DELIVERY = "crosscheck.delivery"
"""The comment property that carries the delivery key."""
INTERNAL = "sd.public.comment"
"""The service desk's own property; `{"internal": true}` hides a comment from customers."""
PERMISSIONS = ("BROWSE_PROJECTS", "ADD_COMMENTS", "DELETE_OWN_COMMENTS")
"""What the bot needs in a project. The last one takes back what came out wider than asked."""

_API = "/rest/api/3"
_PAGE = 100  # Jira Cloud gives no more comments at once, nor tickets with any field
_OVERLAP = 5  # comments read twice, so that one deleted between two pages hides none
_LISTED = 50  # ids looked up at once
_SLACK = timedelta(minutes=1)  # between the clocks of Jira's nodes


class JiraClient:
    """The bot's account on one site. May be used by several threads.

    Every call raises the errors of `bots.errors`; none is repeated here.
    """

    def __init__(
        self, site: str, user: str, token: str, *, timeout: float = 10.0, words: Collection[str] = WORDS
    ) -> None:
        """`site` is the base URL, `timeout` the limit of a whole request in seconds."""
        if web_address(site) is None:
            raise ValueError(f"the site is to be an address such as https://name.atlassian.net, not {site!r}")
        self.site = site.rstrip("/")
        self.send_seconds = 2 * timeout
        """The longest that `post` can take: the write, and taking it back."""
        self._timeout = timeout
        self._words = tuple(words)
        self._jira = connection(self.site, user, token, timeout=timeout)
        self._account: str | None = None

    def whoami(self) -> str:
        """The bot's account id."""
        if self._account is None:
            payload = self._jira.ask("GET", f"{_API}/myself", what="tell who the bot is", needs="to log in")
            self._account = _read(answers.Myself, payload, "the bot's account").account_id
        return self._account

    def now(self) -> datetime | None:
        """Jira's own time; None when it does not say."""
        payload = self._jira.ask("GET", f"{_API}/serverInfo", what="tell the time", needs="to log in")
        return _read(answers.ServerInfo, payload, "the server").server_time

    def missing_permissions(self, project: str) -> list[str]:
        """Those of `PERMISSIONS` that the bot does not have in a project."""
        query = {"projectKey": project, "permissions": ",".join(PERMISSIONS)}
        what = f"tell the bot's permissions in {project}"
        payload = self._jira.ask("GET", f"{_API}/mypermissions", what=what, needs="Browse projects", query=query)
        held = _read(answers.Permissions, payload, "permissions").permissions
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
            visibility=comment.shown_to(customers=place.customers),
            by_bot=comment.author_id == self.whoami(),
            url=_url(place, comment.id),
            argument=command.argument if command else "",
            text=command.text if command else "",
        )

    def find(self, post: Post) -> list[Posted]:
        """The bot's comments in the ticket that carry the post's delivery key, oldest first."""
        me, since = self.whoami(), post.since - _SLACK
        recent = takewhile(lambda comment: comment.created >= since, self.comments(post.place.id))
        mine = [comment.id for comment in recent if comment.author_id == me]
        found = [one for one in self._listed(mine) if one.value_of(DELIVERY).get("key") == post.delivery_key]
        found.sort(key=lambda comment: (comment.created, int(comment.id)))
        text = _digest(post)
        return [
            replace(_posted(post.place, comment), same_text=comment.value_of(DELIVERY).get("text") == text)
            for comment in found
        ]

    def post(self, post: Post, *, until: float | None = None) -> Posted:
        """Write one comment, once, shown to nobody beyond `post.visibility`.

        After `until`, a moment of the monotonic clock, not a byte is sent.

        Raises NotAllowed when Jira refuses the visibility; Unavailable when surely nothing was written; Uncertain when
        it may have been; CameOutWider when Jira showed it to more people, with the comment deleted again.
        """
        what = f"write a comment in {post.place.key}"
        payload = self._jira.ask(
            "POST",
            _comments(post.place.id),
            what=what,
            needs="Add comments",
            body=_written(post),
            writes=True,
            until=until,
        )
        comment = _read(answers.Comment, payload, "the comment just written", Uncertain)
        posted = _posted(post.place, comment)
        if not no_wider(posted.visibility, post.visibility):
            raise self._took_back(posted, post)
        return posted

    def withdraw(self, place: Place, remote_id: str) -> None:
        """Delete one of the bot's own comments; one that is not there any more is fine."""
        try:
            if self._comment(place.id, remote_id).author_id != self.whoami():
                raise NotAllowed(f"Comment {remote_id} in {place.key} is not the bot's own; it stays")
            self._delete(place, remote_id)
        except Gone:
            return

    def visibility_of(self, place: Place, remote_id: str) -> Visibility:
        """Who may see a comment now."""
        return self._comment(place.id, remote_id).shown_to(customers=place.customers)

    def comments(self, issue_id: str) -> Iterator[answers.Comment]:
        """All comments of a ticket that the bot may see, newest first, read page by page as they are asked for."""
        seen: set[str] = set()
        start = 0
        while True:
            query: dict[str, str | int] = {"startAt": start, "maxResults": _PAGE, "orderBy": "-created"}
            what = f"list the comments of ticket {issue_id}"
            payload = self._jira.ask("GET", _comments(issue_id), what=what, needs="Browse projects", query=query)
            page = _read(answers.Comments, payload, "comments")
            if start and (not page.comments or page.comments[0].id not in seen):
                raise Unavailable(f"The comments of ticket {issue_id} changed while Jira listed them")
            fresh = [comment for comment in page.comments if comment.id not in seen]
            seen.update(comment.id for comment in fresh)
            yield from fresh
            end = start + len(page.comments)
            if not page.comments or end >= page.total:
                return
            start = max(start + 1, end - _OVERLAP)

    def search(self, jql: str) -> Iterator[answers.Found]:
        """The tickets that a query finds. The search index may be minutes behind."""
        query: dict[str, Any] = {"jql": jql, "fields": ["key"], "maxResults": _PAGE}
        while True:
            payload = self._jira.ask(
                "POST", f"{_API}/search/jql", what="search tickets", needs="Browse projects", body=query
            )
            page = _read(answers.SearchPage, payload, "a search")
            yield from page.issues
            if page.next_page_token is None:
                return
            if page.next_page_token == query.get("nextPageToken"):
                raise Unavailable("Jira's search gives the same page again and again")
            query["nextPageToken"] = page.next_page_token

    def close(self) -> None:
        """Close the connections."""
        self._jira.close()

    def _place(self, issue_id: str) -> Place:
        what = f"show ticket {issue_id}"
        path = f"{_API}/issue/{quote(issue_id, safe='')}"
        query = {"fields": "project,security,summary"}
        payload = self._jira.ask("GET", path, what=what, needs="Browse projects", query=query)
        ticket = _read(answers.Ticket, payload, "a ticket")
        return Place(
            surface="jira",
            site=self.site,
            id=ticket.id,
            key=ticket.key,
            url=f"{self.site}/browse/{ticket.key}",
            container=ticket.fields.project.key,
            security=ticket.fields.security.id if ticket.fields.security else None,
            customers=ticket.customers,
        )

    def _comment(self, issue_id: str, comment_id: str) -> answers.Comment:
        what = f"show comment {comment_id} of ticket {issue_id}"
        path = f"{_comments(issue_id)}/{quote(comment_id, safe='')}"
        return _read(answers.Comment, self._jira.ask("GET", path, what=what, needs="Browse projects"), "a comment")

    def _listed(self, ids: Sequence[str]) -> Iterable[answers.Comment]:
        """Comments with their properties."""
        for start in range(0, len(ids), _LISTED):
            body = {"ids": [int(number) for number in ids[start : start + _LISTED]]}
            payload = self._jira.ask(
                "POST",
                f"{_API}/comment/list",
                what="show the bot's own comments",
                needs="Browse projects",
                query={"expand": "properties"},
                body=body,
            )
            page = _read(answers.ListedComments, payload, "comments")
            if not page.is_last:
                raise Unavailable("Jira gave only some of the bot's own comments")
            yield from page.values

    def _took_back(self, posted: Posted, post: Post) -> CameOutWider:
        """The comment was shown to more people than asked: it is deleted at once, whatever else."""
        message = f"Jira showed a comment in {post.place.key} to more people than asked."
        until = time.monotonic() + self._timeout
        try:
            try:
                self._delete(post.place, posted.remote_id, until)
            except (Unavailable, Uncertain):
                self._delete(post.place, posted.remote_id, until)
        except Gone:
            pass
        except BotError as e:
            return CameOutWider(
                f"{message} It could not be deleted and still stands at {posted.url}: {e}", withdrawn=False
            )
        return CameOutWider(f"{message} It was deleted.")

    def _delete(self, place: Place, comment_id: str, until: float | None = None) -> None:
        what = f"delete comment {comment_id} in {place.key}"
        path = f"{_comments(place.id)}/{quote(comment_id, safe='')}"
        self._jira.ask("DELETE", path, what=what, needs="Delete own comments", writes=True, until=until)


def _comments(issue_id: str) -> str:
    return f"{_API}/issue/{quote(issue_id, safe='')}/comment"


def _url(place: Place, comment_id: str) -> str:
    return f"{place.url}?focusedCommentId={comment_id}"


def _posted(place: Place, comment: answers.Comment) -> Posted:
    return Posted(comment.id, _url(place, comment.id), comment.shown_to(customers=place.customers))


def _written(post: Post) -> dict[str, Any]:
    """The body of the request that writes a comment."""
    properties = [
        {"key": DELIVERY, "value": {"key": post.delivery_key, "trigger": post.trigger_id, "text": _digest(post)}}
    ]
    if post.visibility.internal:
        properties.append({"key": INTERNAL, "value": {"internal": True}})
    written = {"body": post.body, "properties": properties}
    if post.visibility.restriction is not None:
        written["visibility"] = _level(post.visibility.restriction)
    return written


def _digest(post: Post) -> str:
    """Tells one body from another; what Jira gives back of a body need not equal what was sent."""
    return hashlib.sha256(json.dumps(post.body, sort_keys=True).encode()).hexdigest()[:16]


def _level(restriction: Mapping[str, Any]) -> dict[str, Any]:
    """A name can pass to another group, so it is sent only where there is no identifier."""
    kind, by = restriction.get("type"), "identifier" if restriction.get("identifier") else "value"
    if kind not in {"role", "group"} or not restriction.get(by):
        raise NotAllowed(f"The comment is limited in a way that the bot cannot repeat ({kind}); it says nothing wider")
    return {"type": kind, by: restriction[by]}


def _read(model: type[A], payload: Any, what: str, error: type[BotError] = Unavailable) -> A:
    try:
        return model.model_validate(payload)
    except ValidationError as e:
        fields = ", ".join(sorted({".".join(map(str, found["loc"])) or "all of it" for found in e.errors()}))
        raise error(f"Jira's answer about {what} is not as it is described: {fields[:200]}") from e
