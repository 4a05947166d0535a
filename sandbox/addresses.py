"""Addresses of pages on each Git host: a pull request, and a file at a commit."""

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Addresses:
    """Templates below the host's own address, and what a line's anchor starts with."""

    pull: str
    file: str
    at: str
    """What comes behind a file's address, with its revision."""
    anchor: str
    upper: bool = False
    """The owner is a project's key, in capitals."""

    def owner(self, organisation: str) -> str:
        return organisation.upper() if self.upper else organisation

    def of_pull(self, web: str, organisation: str, repo: str, number: int) -> str:
        return web + self.pull.format(owner=self.owner(organisation), repo=repo, number=number)


ADDRESSES: Mapping[str, Addresses] = {
    "github": Addresses("/{owner}/{repo}/pull/{number}", "/{owner}/{repo}/blob/{at}", "", "L"),
    "gitlab": Addresses("/{owner}/{repo}/-/merge_requests/{number}", "/{owner}/{repo}/-/blob/{at}", "", "L"),
    "bitbucket-cloud": Addresses("/{owner}/{repo}/pull-requests/{number}", "/{owner}/{repo}/src/{at}", "", "lines-"),
    "bitbucket-data-center": Addresses(
        "/projects/{owner}/repos/{repo}/pull-requests/{number}",
        "/projects/{owner}/repos/{repo}/browse",
        "?at={at}",
        "",
        upper=True,
    ),
}
"""By kind of host."""
