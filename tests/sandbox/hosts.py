"""The whole company with its repositories, and clients of its Git hosts."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import requests

from sandbox.load import load_company
from sandbox.repos import build
from sandbox.server import Sandbox

ORG = "skerryline"


@contextmanager
def hosted(folder: Path) -> Iterator[Sandbox]:
    company = load_company()
    repos = build(company, folder)
    with Sandbox.start(company) as box:
        box.repos.update(repos)
        yield box


class HostClient:
    """A token at one host's API."""

    def __init__(self, root: str, token: str | None) -> None:
        self.root = root
        self.session = requests.Session()
        self.session.trust_env = False
        if token is not None:
            self.session.headers["Authorization"] = f"Bearer {token}"

    def get(self, path: str, **query: Any) -> requests.Response:
        return self.session.get(path if urlsplit(path).scheme else self.root + path, params=query, timeout=10)


def roots(box: Sandbox) -> dict[str, str]:
    """Of one repository, by kind of host."""
    data_center = f"{box.bitbucket_data_center_url}/rest/api/latest/projects"
    return {
        "github": f"{box.github_url}/api/v3/repos/{ORG}/booking-api",
        "gitlab": f"{box.gitlab_url}/api/v4/projects/{ORG}%2Fbooking-api",
        "bitbucket-cloud": f"{box.bitbucket_cloud_url}/2.0/repositories/{ORG}/booking-api",
        "bitbucket-data-center": f"{data_center}/SKERRYLINE/repos/booking-api",
    }


LISTS = {
    "github": "/pulls",
    "gitlab": "/merge_requests",
    "bitbucket-cloud": "/pullrequests",
    "bitbucket-data-center": "/pull-requests",
}
"""Where a repository's pull requests are."""
