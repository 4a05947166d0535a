"""Jira Data Center's attachments: their content has an address outside the API, for the same login."""

from starlette.routing import Route

from sandbox.attachments_api import AttachmentsApi
from sandbox.files import media_type
from sandbox.jira_data_center_json import ROOT
from sandbox.wire import Call, Reply


class DataCenterFiles(AttachmentsApi):
    def content_routes(self) -> list[Route]:
        return [self._door.route("GET", f"{ROOT}/secure/attachment/{{file}}/{{name}}", self.content)]

    def content(self, call: Call) -> Reply:
        _, file = self._visible(call)
        return Reply(file.content, 200, {"content-type": media_type(file.name)})
