"""The bot's account on one Confluence site: the only part of this surface that does I/O, and that can write."""

import time
from collections.abc import Collection, Iterator, Mapping
from datetime import datetime, timedelta

from bots.command import WORDS, find_command
from bots.confluence import render
from bots.confluence.cloud import Cloud
from bots.confluence.data_center import DataCenter
from bots.confluence.marker import found_in, marker_of, with_marker
from bots.confluence.records import Account, Comment, Flavour, Found, Page
from bots.confluence.said import said
from bots.errors import Gone, Misplaced, NotAllowed
from bots.outline import Outline
from bots.taking_back import taken_back
from bots.types import Place, Post, Posted, Trigger, Visibility
from bots.web_address import web_address

_DEEPEST = 100  # comments above each other, as far as a thread is climbed
_SLACK = timedelta(minutes=1)  # between the clocks of Confluence's nodes
_EVERYBODY = Visibility()


class ConfluenceClient:
    """Cloud and Data Center alike. May be used by several threads.

    Every call raises the errors of `bots.errors`; none is repeated here.
    """

    def __init__(
        self, site: str, user: str, token: str, *, timeout: float = 10.0, words: Collection[str] = WORDS
    ) -> None:
        """With a user the site is Cloud's, without `/wiki`. Without one it is a Data Center's, with its context path,
        and the token a personal access token. `timeout` is the limit of a whole request in seconds.
        """
        if web_address(site) is None:
            raise ValueError(f"the site is to be an address such as https://name.atlassian.net, not {site!r}")
        self.site = site.rstrip("/")
        self.send_seconds = 2 * timeout
        """The longest that `post` can take: the write, and taking it back."""
        self._timeout = timeout
        self._words = tuple(words)
        self._wiki: Flavour = (
            Cloud(self.site, user, token, timeout=timeout) if user else DataCenter(self.site, token, timeout=timeout)
        )
        self._account: Account | None = None

    def whoami(self) -> str:
        """The bot's account id; on Data Center its user key."""
        return self._me().id

    def name(self) -> str:
        """The bot's display name, or its id."""
        return self._me().name or self._me().id

    def missing_permissions(self, space: str) -> list[str] | None:
        """What the bot needs in a space and does not have, in Confluence's words; None when this cannot be told."""
        return self._wiki.missing_permissions(space)

    def unknown_groups(self, names: Collection[str]) -> list[str]:
        """Those that are no group's name or id. Raises NotAllowed when the bot may not look."""
        return [name for name in names if not self._wiki.has_group(name)]

    def wrote(self, comment: Comment) -> bool:
        """Whether a comment is the bot's own."""
        return comment.author_id in self._me().names

    def _me(self) -> Account:
        if self._account is None:
            self._account = self._wiki.account()
        return self._account

    def now(self) -> datetime | None:
        """None: Confluence does not tell its time. Searches take spans, so nothing depends on it."""
        return None

    def trigger(self, page_id: str, comment_id: str) -> Trigger:
        """A comment and its place, as they are now. The page is the comment's own, whatever `page_id` says.

        Raises Gone when either is deleted, in the trash, or not for the bot to see, and for what is on no page.
        """
        comment = self._wiki.comment(comment_id)
        first = self._first(comment)
        own = comment.page_id or first.page_id  # an answer need not tell
        if not own:
            raise Gone(f"Comment {comment_id} is not on a page, neither {page_id} nor another")
        page = self._wiki.page(own)
        command = find_command(said(comment.storage), self._words)
        return Trigger(
            place=self._place(page, comment, first),
            comment_id=comment.id,
            author=self._wiki.author_of(comment),
            author_id=comment.author_id,
            created=comment.created,
            command=command.word if command else None,
            visibility=_EVERYBODY,
            by_bot=self.wrote(comment),
            url=comment.url,
            argument=command.argument if command else "",
            text=command.text if command else "",
            marked=comment.marked or first.marked,
        )

    def _place(self, page: Page, comment: Comment, first: Comment) -> Place:
        return Place(
            surface="confluence",
            site=self.site,
            id=page.id,
            key=page.title,
            url=page.url,
            container=page.space,
            thread=first.id,
            inline=comment.inline,
            ended=page.ended or first.settled or comment.settled,
        )

    def _first(self, comment: Comment) -> Comment:
        """The comment that the thread begins with; one above it that is gone does not count any more."""
        for _ in range(_DEEPEST):
            if not comment.above:
                break
            try:
                comment = self._wiki.comment(comment.above, inline=comment.inline)
            except Gone:
                break
        return comment

    def comment(self, comment_id: str) -> Comment:
        """A comment as it is now. Raises Gone."""
        return self._wiki.comment(comment_id)

    def search(self, cql: str) -> Iterator[Found]:
        """The comments that a query finds. The search index may be minutes behind."""
        return self._wiki.search(cql)

    def find(self, post: Post) -> list[Posted]:
        """The bot's answers in the thread that carry the post's delivery key, oldest first."""
        wanted, since = marker_of(post), post.since - _SLACK
        found: list[tuple[Comment, bool]] = []
        for reply in self._wiki.replies(post.place.thread, inline=post.place.inline):
            marker = found_in(reply.storage)
            if marker is None or marker.key != wanted.key:
                continue
            try:
                first = self._wiki.comment(reply.id, inline=reply.inline)  # who wrote it, whoever changed it since
            except Gone:
                continue
            if self.wrote(first) and first.created >= since:
                found.append((first, marker.text == wanted.text))
        found.sort(key=lambda one: (one[0].created, int(one[0].id)))
        return [Posted(comment.id, comment.url, _EVERYBODY, same_text=same) for comment, same in found]

    def post(self, post: Post, *, until: float | None = None) -> Posted:
        """Answer in the thread, once: inline where it hangs at a marked text, in the footer otherwise.

        After `until`, a moment of the monotonic clock, not a byte is sent.

        Raises NotAllowed when the comment is to be limited, which Confluence cannot do; Unavailable when surely
        nothing was written; Uncertain when it may have been; Misplaced when it came out in another place, with the
        comment deleted again.
        """
        if post.visibility != _EVERYBODY:
            raise NotAllowed(
                "A comment in Confluence is seen by whoever sees its page; it says nothing wider than asked"
            )
        place, what = post.place, f"answer on page {post.place.id}"
        written = self._wiki.write(
            place.id, place.thread, with_marker(post), inline=place.inline, what=what, until=until
        )
        if (written.inline, written.above) != (place.inline, place.thread):
            raise self._took_back(written, place)
        return Posted(written.id, written.url, _EVERYBODY)

    def withdraw(self, place: Place, remote_id: str) -> None:
        """Delete one of the bot's own comments; one that is not there any more is fine."""
        try:
            comment = self._wiki.comment(remote_id)
            if not self.wrote(comment):
                raise NotAllowed(f"Comment {remote_id} on page {place.id} is not the bot's own; it stays")
            self._delete(comment, place)
        except Gone:
            return

    def _took_back(self, written: Comment, place: Place) -> Misplaced:
        """The comment came out elsewhere: it is deleted at once, whatever else."""
        message = f"Confluence put an answer on page {place.id} outside the thread that was answered."
        until = time.monotonic() + self._timeout
        return taken_back(Misplaced, message, written.url, lambda: self._delete(written, place, until))

    def _delete(self, comment: Comment, place: Place, until: float | None = None) -> None:
        what = f"delete comment {comment.id} on page {place.id}"
        self._wiki.delete(comment.id, inline=comment.inline, what=what, until=until)

    def render(self, outline: Outline) -> list[Mapping[str, str]]:
        """The bodies of the comments that tell it, in order."""
        return [{"type": "storage", "value": value} for value in render.render(outline)]

    def file(self, name: str, content: bytes) -> None:
        """None: a page's files are its authors' business, and the bot attaches none."""

    def belongs(self, place: Place, person_id: str, groups: Collection[str], roles: Collection[str]) -> bool:
        """Whether a person is in one of these groups, by name or id. Confluence has no roles in a space."""
        del place, roles
        if not groups or not person_id:
            return False
        held = {group.casefold() for group in self._wiki.groups(person_id)}
        return not held.isdisjoint(group.casefold() for group in groups)

    def close(self) -> None:
        """Close the connections."""
        self._wiki.close()
