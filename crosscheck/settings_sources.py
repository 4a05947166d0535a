"""Settings of the sources: where tickets, pages, code, files and test records are read."""

from collections.abc import Mapping
from typing import Annotated, Literal, Self
from urllib.parse import urlsplit

from pydantic import Field, StringConstraints, field_validator, model_validator

from core.connectors.qa_records import ROLES
from crosscheck.settings_finding import Name, Section

HostName = Annotated[str, StringConstraints(pattern=r"^[a-z][a-z0-9_]*$")]
ProjectKey = Annotated[str, StringConstraints(pattern=r"^[A-Z][A-Z0-9_]+$")]


def _signed_in(site: str, **users: str) -> None:
    """Atlassian's cloud wants an account beside its token. Raises ValueError that names the setting."""
    host = urlsplit(site).hostname or ""
    if host == "atlassian.net" or host.endswith(".atlassian.net"):
        for name, user in users.items():
            if not user:
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
    def _bare(cls, value: str) -> str:
        return value.rstrip("/")

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
    def _bare(cls, value: str) -> str:
        return value.rstrip("/")

    @model_validator(mode="after")
    def _accounts(self) -> Self:
        _signed_in(self.site, user=self.user)
        if self.answers:
            _signed_in(self.site, post_user=self.post_user)
        return self


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
