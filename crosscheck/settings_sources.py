"""Settings of the sources: where tickets, pages, code, files and test records are read."""

import re
from collections.abc import Mapping
from typing import Annotated, Literal, Self
from urllib.parse import urlsplit

from pydantic import AfterValidator, Field, StringConstraints, field_validator, model_validator

from bots.text import one_line
from bots.web_address import web_address
from core.connectors.qa_records import ROLES
from crosscheck.settings_finding import Name, Section

HostName = Annotated[str, StringConstraints(pattern=r"^[a-z][a-z0-9_]*$")]
_EXAMPLE = "https://NAME.atlassian.net"
_KEY = re.compile(r"[A-Z][A-Z0-9_]+")


def _key(given: str) -> str:
    """A project's key. Raises ValueError that says what may be meant."""
    if _KEY.fullmatch(given):
        return given
    meant = [one.upper() for one in re.split(r"[,;\s]+", given) if one]
    shown = f"{one_line(given, 40)!r} cannot be one"
    if not meant or not all(map(_KEY.fullmatch, meant)):
        raise ValueError(f"{shown}; a key is capital letters and digits, as in PAY-12")
    if len(meant) > 1:
        several = one_line(", ".join(f'"{one}"' for one in meant), 80)
        raise ValueError(f"{shown}; one key each: [{several}]")
    raise ValueError(f"{shown}; did you mean {one_line(meant[0], 40)}?")


ProjectKey = Annotated[str, AfterValidator(_key)]


def _site(given: str) -> str:
    """A site's address without a slash at its end. What is no address is not repeated: it may hold a password."""
    bare = given.strip().rstrip("/")
    if not bare.lower().startswith(("https://", "http://")):
        raise ValueError(f"must begin with https://, e.g. {_EXAMPLE}")
    address = web_address(bare)
    if address is None or urlsplit(address).query or urlsplit(address).fragment:
        raise ValueError(f"must be an address of a site alone, e.g. {_EXAMPLE}")
    return address


def _is_cloud(site: str) -> bool:
    """Whether the name tells that a site is Atlassian's own; it may have another name."""
    host = urlsplit(site).hostname or ""
    return host == "atlassian.net" or host.endswith(".atlassian.net")


def _signed_in(site: str, **users: str) -> None:
    """Atlassian's cloud wants an account beside its token. Raises ValueError that names the setting."""
    for name, user in users.items():
        if _is_cloud(site) and not user:
            host = urlsplit(site).hostname
            raise ValueError(f"{name} must be set: {host} is Cloud, where a token needs its account's address")


class Jira(Section):
    site: str = Field(
        description="Base URL of the site, e.g. https://example.atlassian.net; of a Data Center with its context path."
    )
    read_user: str = Field(
        "",
        description="Account that reads and indexes (Cloud); empty for a Data Center, where the token says who. "
        "Its token: CROSSCHECK_JIRA_READ_TOKEN.",
    )
    post_user: str = Field(
        "",
        description="Account that answers (Cloud); empty for a Data Center. Its token: CROSSCHECK_JIRA_POST_TOKEN.",
    )
    projects: tuple[ProjectKey, ...] = Field(
        min_length=1, description="Keys of the projects to index and to answer in."
    )
    agreed_statuses: tuple[str, ...] = Field(
        ("Approved", "Ready for development", "Ready"), description="Statuses that mean: the ticket's text is agreed."
    )
    poll_seconds: float = Field(30, gt=0, description="Seconds between two looks for new comments.")
    test_types: tuple[str, ...] = Field(("Test",), description="Types of issues that are test cases.")
    attachment_mb: float = Field(20, ge=0, description="Largest attachment that is read, in MB; 0: none is.")
    sync_minutes: float = Field(15, gt=0, description="Minutes between two updates of the index from Jira.")

    @field_validator("site")
    @classmethod
    def _address(cls, value: str) -> str:
        return _site(value)

    @model_validator(mode="after")
    def _accounts(self) -> Self:
        _signed_in(self.site, read_user=self.read_user, post_user=self.post_user)
        return self


class Confluence(Section):
    site: str = Field(
        description="Base URL of the site: of a Cloud site without /wiki, of a Data Center with its context path."
    )
    user: str = Field(
        "",
        description="Account that reads and indexes (Cloud); empty for a Data Center, where the token says who. "
        "Its token: CROSSCHECK_CONFLUENCE_TOKEN.",
    )
    spaces: tuple[str, ...] = Field(min_length=1, description="Keys of the spaces to index and to answer in.")
    answers: bool = Field(
        False,
        description="Whether comments on pages are answered. Takes an account that may comment, and its token in "
        "CROSSCHECK_CONFLUENCE_POST_TOKEN.",
    )
    post_user: str = Field("", description="Account that answers (Cloud); empty for a Data Center.")
    poll_seconds: float = Field(60, gt=0, description="Seconds between two looks for new comments.")
    attachment_mb: float = Field(20, ge=0, description="Largest attachment that is read, in MB; 0: none is.")
    sync_minutes: float = Field(30, gt=0, description="Minutes between two updates of the index from Confluence.")

    @field_validator("site")
    @classmethod
    def _address(cls, value: str) -> str:
        address = _site(value)
        return address.removesuffix("/wiki") if _is_cloud(address) else address

    @model_validator(mode="after")
    def _accounts(self) -> Self:
        _signed_in(self.site, user=self.user)
        if self.user and self.site.endswith("/wiki"):
            raise ValueError("leave /wiki off site: with user it is taken for Cloud, where /wiki is added")
        if self.answers:
            _signed_in(self.site, post_user=self.post_user)
            self._of_one_kind()
        return self

    def _of_one_kind(self) -> None:
        """Whether the site is Cloud is told by the accounts, so they have to say the same."""
        if self.user and not self.post_user:
            raise ValueError("post_user must be set, or answers be false: with user the site is taken for Cloud")
        if self.post_user and not self.user:
            raise ValueError("user must be set, or post_user left out: with post_user the site is taken for Cloud")


class Git(Section):
    name: Name = Field(description="What the repository is called in answers and labels.")
    location: str = Field(description="Path or URL to fetch from (read-only).")
    branch: str = Field("", description="The baseline branch; empty: the one that the repository names its own.")
    link: str = Field(
        "", description="Address of a file's page with {branch}, {path} and {line}; empty: no links into the code."
    )
    commit_link: str = Field("", description="Address of a commit's page with {sha}; empty: no links to commits.")
    branches: tuple[str, ...] = Field(
        (),
        description='Branches in development to index too, as globs, e.g. ["feature/*"]: what differs from the '
        "baseline. They are searched only when asked for by name.",
    )
    commits: int = Field(5000, ge=0, description="How many of the latest commits are indexed.")
    host: str = Field("", description="Name of the [[hosts]] table of its host; empty: pull requests from Git alone.")
    project: str = Field("", description="What the host calls it, e.g. acme/booking-api; Bitbucket: PROJECT/repo.")
    released: str = Field(
        "",
        description="Branch, or glob of tags (`v*`), that holds what is deployed; empty: reviews do not ask whether "
        "something merged is deployed.",
    )
    sync_minutes: float = Field(15, gt=0, description="Minutes between two fetches.")


class CodeHost(Section):
    name: HostName = Field(description="What the host is called in [[git]]. Its token: CROSSCHECK_HOST_TOKEN_<NAME>.")
    kind: Literal["github", "gitlab", "bitbucket-cloud", "bitbucket-data-center"] = Field(description="What it speaks.")
    url: str = Field(description="Address of its pages, e.g. https://github.com or https://git.example.com")
    api: str = Field("", description="Address of its API; empty: as the vendor makes it from `url`.")
    user: str = Field("", description="Account of the token, where the host wants one beside it (Bitbucket Cloud).")

    @field_validator("url", "api")
    @classmethod
    def _bare(cls, value: str) -> str:
        return value.rstrip("/")


class Files(Section):
    name: Name = Field(description="What the folder is called in answers and labels.")
    location: str = Field(description="Path of the folder; all below it is read, but for what is hidden.")
    link: str = Field("", description="Address of a file with {path}; empty: no links to the files.")
    sync_minutes: float = Field(30, gt=0, description="Minutes between two looks at the folder.")


class Qa(Section):
    name: Name = Field(description="What these test records are called in answers and labels.")
    location: str = Field(description="Path of a folder of exports: CSV, XLSX, JUnit XML.")
    link: str = Field("", description="Address of a file with {path}; empty: no links to the files.")
    columns: Mapping[str, str] = Field(
        default_factory=dict,
        description='Which column holds what, e.g. { id = "Case ID", result = "Outcome" }; see docs/sources.md.',
    )
    sync_minutes: float = Field(60, gt=0, description="Minutes between two looks at the folder.")

    @field_validator("columns")
    @classmethod
    def _roles(cls, value: Mapping[str, str]) -> Mapping[str, str]:
        if unknown := sorted(value.keys() - ROLES):
            raise ValueError(f"a column cannot be {unknown[0]!r}; it can be {', '.join(sorted(ROLES))}")
        return value
