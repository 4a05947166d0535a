"""Jira Data Center: REST v2, texts in wiki markup, people by key and name, groups and roles by name."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any
from urllib.parse import quote

from bots.errors import Gone
from bots.exchange import Exchange
from bots.jira import answers, wiki
from bots.jira.answers import Comment, Found, read
from bots.jira.flavour import Identity, level_by
from bots.jira.paging import pages
from bots.outline import Outline

_PAGE = 100


class DataCenter:
    """See `Flavour`."""

    api = "/rest/api/2"

    def __init__(self, jira: Exchange) -> None:
        self._jira = jira

    def render(self, outline: Outline) -> list[Mapping[str, Any]]:
        return [{"type": "wiki", "text": text} for text in wiki.render(outline)]

    def text_of(self, body: Mapping[str, Any]) -> Any:
        return body.get("text")

    def level(self, restriction: Mapping[str, Any]) -> dict[str, Any]:
        return level_by(restriction, ("value",))

    def with_properties(self, comments: Sequence[Comment], *keys: str) -> Iterator[Comment]:
        """Asked for one by one: no list of comments is described to give them."""
        for comment in comments:
            found = [value for key in keys if (value := self._property(comment.id, key)) is not None]
            yield comment.model_copy(update={"properties": tuple(found)})

    def search(self, jql: str) -> Iterator[Found]:
        """In an order in which what changes meanwhile moves to the end."""

        def page(start: int) -> tuple[Sequence[Found], int]:
            body = {"jql": jql, "fields": ["updated"], "maxResults": _PAGE, "startAt": start}
            payload = self._jira.ask(
                "POST", f"{self.api}/search", what="search tickets", needs="Browse projects", body=body
            )
            found = read(answers.SearchPage, payload, "a search")
            return found.issues, found.total

        return pages(page, "tickets found")

    def permissions_query(self, project: str, names: Sequence[str]) -> Mapping[str, str]:  # noqa: ARG002  all are told
        return {"projectKey": project}

    def identity(self, person_id: str) -> Identity:
        payload = self._jira.ask(
            "GET",
            f"{self.api}/user",
            what="tell the groups of somebody",
            needs="Browse Users",
            query={"key": person_id, "expand": "groups"},
        )
        person = read(answers.Member, payload, "a person")
        groups = frozenset(group.name.casefold() for group in person.groups.items)
        return Identity(frozenset(name.casefold() for name in (person.key, person.name) if name), groups)

    def _property(self, comment_id: str, key: str) -> answers.Property | None:
        path = f"{self.api}/comment/{quote(comment_id, safe='')}/properties/{quote(key, safe='')}"
        try:
            payload = self._jira.ask("GET", path, what=f"show comment {comment_id}", needs="Browse projects")
        except Gone:
            return None
        return read(answers.Property, payload, "a property of a comment")
