"""Clients of the sandbox's Jira Data Center, beside those of Cloud in `tests.sandbox_fixtures`."""

from typing import Any

import requests

from sandbox.records import Person
from sandbox.server import Sandbox

NO_CHECK = {"X-Atlassian-Token": "no-check"}


class DataCenter:
    """One account by its personal access token, over one keep-alive connection."""

    def __init__(self, sandbox: Sandbox, token: str) -> None:
        self.site = sandbox.jira_data_center_url
        self.session = requests.Session()
        self.session.trust_env = False
        self.session.headers["Authorization"] = f"Bearer {token}"

    def ask(self, method: str, path: str, **more: Any) -> requests.Response:
        return self.session.request(method, f"{self.site}/rest/api/2{path}", timeout=10, **more)

    def get(self, path: str, **query: Any) -> requests.Response:
        return self.ask("GET", path, params=query)

    def post(self, key: str, body: str, **more: Any) -> requests.Response:
        return self.ask("POST", f"/issue/{key}/comment", json={"body": body, **more})


def as_person(sandbox: Sandbox, person: Person) -> DataCenter:
    return DataCenter(sandbox, sandbox.accounts.token(person.id))
