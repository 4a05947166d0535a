"""Jira Cloud's attachments over REST v3, and the address that people open them by."""

from urllib.parse import quote

from starlette.datastructures import FormData
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from sandbox.files import media_type
from sandbox.issues import File
from sandbox.jira import Jira
from sandbox.jira_api import API, JiraApi, errors
from sandbox.pages import not_there, shown
from sandbox.wire import Call, Refused, Reply


class AttachmentsApi:
    def __init__(self, jira: Jira, api: JiraApi) -> None:
        self._jira = jira
        self._api = api

    def routes(self) -> list[Route]:
        return [
            self._api.route("GET", f"{API}/attachment/content/{{file}}", self.content),
            self._api.route("GET", f"{API}/attachment/{{file}}", self.meta),
            shown("/secure/attachment/{file}/{name}", self.open),
        ]

    def content(self, call: Call) -> Reply:
        """The file itself, or where it is, unless the caller follows no redirects."""
        file = self._visible(call)
        if call.query.get("redirect", "true") != "false":
            return Reply(None, 303, {"location": f"{call.base}/secure/attachment/{file.id}/{quote(file.name)}"})
        return Reply(file.content, 200, {"content-type": media_type(file.name)})

    def meta(self, call: Call) -> Reply:
        file = self._visible(call)
        return Reply(self._api.view(call).file(file) | {"id": int(file.id)})

    def open(self, request: Request, _form: FormData | None) -> Response:
        with self._jira.lock:
            found = self._jira.file(request.path_params["file"])
        if found is None:
            return not_there()
        headers = {"content-disposition": "attachment", "x-content-type-options": "nosniff"}
        return Response(found[1].content, media_type=media_type(found[1].name), headers=headers)

    def _visible(self, call: Call) -> File:
        found = self._jira.file(call.path["file"])
        if found is None or not self._jira.permissions.issue(call.account, found[0]):
            raise Refused(404, errors("The attachment with id '" + call.path["file"] + "' does not exist"))
        return found[1]
