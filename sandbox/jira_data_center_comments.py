"""Jira Data Center's comments: wiki markup that is kept as it was sent, and audiences by name."""

from typing import Any

from starlette.routing import Route

from sandbox.adf import paragraphs
from sandbox.comment_visibility import Audience, asked_for
from sandbox.comments_api import LONGEST, TOO_LONG, CommentsApi, Written
from sandbox.issues import Issue, Note
from sandbox.jira_door import errors
from sandbox.records import Person
from sandbox.wire import Call, Refused


class DataCenterComments(CommentsApi):
    page = 50

    def routes(self) -> list[Route]:
        return [route for route in super().routes() if not route.path.endswith("/comment/list")]

    def _json(self, call: Call, issue: Issue, note: Note, *, properties: bool = False) -> dict[str, Any]:
        return super()._json(call, issue, note, properties=properties or "properties" in call.listed("expand"))

    def _audience(self, person: Person, issue: Issue, asked: Any) -> Audience:
        for name in asked if isinstance(asked, dict) else ():
            if name not in {"type", "value"}:
                raise Refused(
                    400, errors(f'Unrecognized field "{name}" (Class VisibilityJsonBean), not marked as ignorable')
                )
        return asked_for(self._jira, person, issue, asked, ("value",))

    def _written(self, asked: dict[str, Any]) -> Written:
        text = asked.get("body")
        if not isinstance(text, str) or not text.strip():
            raise Refused(400, errors(comment="Comment body can not be empty!"))
        if len(text) > LONGEST:
            raise Refused(400, errors(comment=TOO_LONG))
        if any("\ud800" <= character <= "\udfff" for character in text):  # half a character, which UTF-8 cannot hold
            raise Refused(400, errors(comment="Comment body is not valid!"))
        return Written(paragraphs(text), text)
