"""Jira's attachments over REST, as Cloud's v3 has them, and the address that people open them by."""

from urllib.parse import quote

from starlette.datastructures import FormData
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from sandbox.files import media_type
from sandbox.issues import File, Issue
from sandbox.jira import Jira
from sandbox.jira_door import Door, errors
from sandbox.pages import not_there, shown
from sandbox.uploads import uploads
from sandbox.wire import Call, Refused, Reply

MOST_FILES = 60


class AttachmentsApi:
    """Cloud's, unless a subclass says otherwise."""

    def __init__(self, jira: Jira, door: Door) -> None:
        self._jira = jira
        self._door = door

    def routes(self) -> list[Route]:
        api = self._door.api
        return [
            *self.content_routes(),
            self._door.route("POST", f"{api}/issue/{{issue}}/attachments", self.create),
            self._door.route("GET", f"{api}/attachment/{{file}}", self.meta),
            self._door.route("DELETE", f"{api}/attachment/{{file}}", self.delete),
        ]

    def content_routes(self) -> list[Route]:
        return [
            self._door.route("GET", f"{self._door.api}/attachment/content/{{file}}", self.content),
            shown("/secure/attachment/{file}/{name}", self.open),
        ]

    def create(self, call: Call) -> Reply:
        """Files of a form's parts called `file`. A request that a browser's form could have sent is refused."""
        if call.headers.get("x-atlassian-token") not in {"no-check", "nocheck"}:
            return Reply(b"XSRF check failed", 403, {"content-type": "text/plain;charset=UTF-8"})
        issue = self._door.visible(call)
        if not self._may_write(call, issue, "CREATE_ATTACHMENTS"):
            raise Refused(403, errors("You do not have permission to create attachments for this issue."))
        try:
            files = uploads(call, "file")
        except ValueError as e:
            raise Refused(415, errors("The request is no multipart/form-data.")) from e
        if len(files) > MOST_FILES:
            raise Refused(413, errors(f"More than {MOST_FILES} files cannot be attached at once."))
        made = [self._jira.attach(issue.key, call.account.id, file.name, file.content) for file in files]
        return Reply([self._door.view(call).file(issue.files[number]) for number in made])

    def content(self, call: Call) -> Reply:
        """The file itself, or where it is, unless the caller follows no redirects."""
        _, file = self._visible(call)
        if call.query.get("redirect", "true") != "false":
            return Reply(None, 303, {"location": f"{call.base}/secure/attachment/{file.id}/{quote(file.name)}"})
        return Reply(file.content, 200, {"content-type": media_type(file.name)})

    def meta(self, call: Call) -> Reply:
        _, file = self._visible(call)
        return Reply(self._door.view(call).file(file) | {"id": int(file.id)})

    def delete(self, call: Call) -> Reply:
        issue, file = self._visible(call)
        if file.author != call.account.id or not self._may_write(call, issue, "DELETE_OWN_ATTACHMENTS"):
            raise Refused(403, errors(f"You do not have permission to delete attachment with id: {file.id}"))
        self._jira.detach(issue.key, file.id)
        return Reply(status=204)

    def open(self, request: Request, _form: FormData | None) -> Response:
        with self._jira.lock:
            found = self._jira.file(request.path_params["file"])
        if found is None:
            return not_there()
        headers = {"content-disposition": "attachment", "x-content-type-options": "nosniff"}
        return Response(found[1].content, media_type=media_type(found[1].name), headers=headers)

    def _may_write(self, call: Call, issue: Issue, permission: str) -> bool:
        return self._jira.permissions.write(call.account, issue, permission) and not self._jira.archived(issue)

    def _visible(self, call: Call) -> tuple[Issue, File]:
        found = self._jira.file(call.path["file"])
        if found is None or not self._jira.permissions.issue(call.account, found[0]):
            raise Refused(404, errors("The attachment with id '" + call.path["file"] + "' does not exist"))
        return found
