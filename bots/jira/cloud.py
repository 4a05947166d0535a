"""Jira Cloud: REST v3, texts as documents (ADF), people by account id."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from bots.errors import Unavailable
from bots.exchange import Exchange
from bots.jira import adf, answers
from bots.jira.answers import Comment, Found, read
from bots.jira.flavour import Identity, level_by
from bots.outline import Outline

_PAGE = 100  # Jira Cloud gives no more tickets with any field at once
_LISTED = 50  # ids looked up at once


class Cloud:
    """See `Flavour`."""

    api = "/rest/api/3"

    def __init__(self, jira: Exchange) -> None:
        self._jira = jira

    def render(self, outline: Outline) -> list[Mapping[str, Any]]:
        return [*adf.render(outline)]

    def text_of(self, body: Mapping[str, Any]) -> Any:
        return body

    def level(self, restriction: Mapping[str, Any]) -> dict[str, Any]:
        """A name can pass to another group, so it is sent only where there is no identifier."""
        return level_by(restriction, ("identifier", "value"))

    def with_properties(self, comments: Sequence[Comment], *_keys: str) -> Iterator[Comment]:
        """With all of them."""
        ids = [int(comment.id) for comment in comments]
        for start in range(0, len(ids), _LISTED):
            payload = self._jira.ask(
                "POST",
                f"{self.api}/comment/list",
                what="show the bot's own comments",
                needs="Browse projects",
                query={"expand": "properties"},
                body={"ids": ids[start : start + _LISTED]},
            )
            page = read(answers.ListedComments, payload, "comments")
            if not page.is_last:
                raise Unavailable("Jira gave only some of the bot's own comments")
            yield from page.values

    def search(self, jql: str) -> Iterator[Found]:
        """The index may be minutes behind."""
        query: dict[str, Any] = {"jql": jql, "fields": ["updated"], "maxResults": _PAGE}
        while True:
            payload = self._jira.ask(
                "POST", f"{self.api}/search/jql", what="search tickets", needs="Browse projects", body=query
            )
            page = read(answers.SearchPage, payload, "a search")
            yield from page.issues
            if page.next_page_token is None:
                return
            if page.next_page_token == query.get("nextPageToken"):
                raise Unavailable("Jira's search gives the same page again and again")
            query["nextPageToken"] = page.next_page_token

    def permissions_query(self, project: str, names: Sequence[str]) -> Mapping[str, str]:
        return {"projectKey": project, "permissions": ",".join(names)}

    def identity(self, person_id: str) -> Identity:
        payload = self._jira.ask(
            "GET",
            f"{self.api}/user/groups",
            what="tell the groups of somebody",
            needs="Browse users and groups",
            query={"accountId": person_id},
        )
        groups = read(answers.Groups, {"items": payload}, "somebody's groups").items
        named = {name.casefold() for group in groups for name in (group.name, group.group_id) if name}
        return Identity(frozenset({person_id.casefold()}), frozenset(named))
