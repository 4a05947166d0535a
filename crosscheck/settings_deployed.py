"""Settings of what tells where software runs and how its databases changed: probes of environments, and databases."""

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Literal, Self

from pydantic import Field, field_validator, model_validator

from bots.web_address import web_address
from core import visibility
from crosscheck.settings_finding import Section
from crosscheck.settings_sources import HostName

ProbeKind = Literal["http", "kubernetes", "argocd", "github", "gitlab"]
DatabaseTool = Literal["flyway", "liquibase", "alembic", "django", "rails", "prisma", "golang-migrate"]

_OF_KINDS: Mapping[ProbeKind, frozenset[str]] = {
    "http": frozenset({"version", "commit", "since", "dirty", "user"}),
    "kubernetes": frozenset({"namespace", "deployment", "selector", "container", "version_label", "commit_label"}),
    "argocd": frozenset({"application", "image"}),
    "github": frozenset({"project", "known_as"}),
    "gitlab": frozenset({"project", "known_as"}),
}
"""What means something for which kind."""


class Probe(Section):
    name: HostName = Field(description="What the probe is called. Its token: CROSSCHECK_PROBE_TOKEN_<NAME>.")
    environment: str = Field(min_length=1, max_length=60, description="What people call the environment: `staging`.")
    repo: str = Field(description="Name of the [[git]] table of the repository that runs there.")
    kind: ProbeKind = Field(description="What is asked: http (a version endpoint), kubernetes, argocd, github, gitlab.")
    url: str = Field(
        description="http: the address that tells the version; kubernetes, argocd: the address of the API; github, "
        "gitlab: the address of the pages. No other host is ever asked."
    )
    version: str = Field("", description="http: where the JSON answer has the version, e.g. `build.version`.")
    commit: str = Field("", description="http: where it has the commit, e.g. `git.commit.id`.")
    since: str = Field("", description="http: where it has the time of the deployment.")
    dirty: str = Field("", description="http: where it says whether more was built than the commit holds.")
    namespace: str = Field("", description="kubernetes: the namespace.")
    deployment: str = Field("", description="kubernetes: the deployment's name; or a selector instead.")
    selector: str = Field("", description="kubernetes: labels of the pods, e.g. `app.kubernetes.io/name=booking-api`.")
    container: str = Field("", description="kubernetes: the container; empty: the only one.")
    version_label: str = Field("", description="kubernetes: label or annotation with the version; empty: the tag.")
    commit_label: str = Field("", description="kubernetes: label or annotation with the commit.")
    application: str = Field("", description="argocd: the application's name.")
    image: str = Field("", description="argocd: the end of the image's name, where there are several.")
    project: str = Field("", description="github, gitlab: the repository there, e.g. acme/booking-api.")
    known_as: str = Field("", description="github, gitlab: the environment's name there; empty: the same.")
    user: str = Field("", description="http: account of the token, where the address wants a password.")
    ca: Path | None = Field(None, description="File of the certificates to trust, for a CA of one's own.")
    client_certificate: Path | None = Field(None, description="File of the certificate that the address wants to see.")
    client_key: Path | None = Field(None, description="File of that certificate's key.")
    link: str = Field("", description="Address of a page where people see what runs; empty: none.")
    labels: tuple[str, ...] = Field(
        (), description="Labels that are needed to know of it, beside that of the repository, whose commits are told."
    )

    @property
    def readers(self) -> frozenset[str]:
        """The labels of what it reads."""
        return frozenset(self.labels) | {visibility.repository(self.repo)}

    @field_validator("url", "link")
    @classmethod
    def _address(cls, value: str) -> str:
        """What is no address is not repeated: it may hold a password."""
        if value and (web_address(value) is None):
            raise ValueError("must be an address, e.g. https://booking.example.com/version")
        return value

    @model_validator(mode="after")
    def _fitting(self) -> Self:
        every = frozenset[str]().union(*_OF_KINDS.values())
        if odd := sorted(name for name in every - _OF_KINDS[self.kind] if getattr(self, name)):
            raise ValueError(f"probe {self.name}: {odd[0]} means nothing for kind {self.kind}; leave it out")
        if bool(self.client_certificate) != bool(self.client_key):
            raise ValueError(f"probe {self.name}: client_certificate and client_key go together; set both or none")
        return self


class Database(Section):
    name: HostName = Field(
        description="What the database is called. Its password: CROSSCHECK_DATABASE_PASSWORD_<NAME>."
    )
    environment: str = Field(min_length=1, max_length=60, description="The environment that it belongs to: `staging`.")
    repo: str = Field(description="Name of the [[git]] table of the repository that holds its migrations.")
    tool: DatabaseTool = Field(
        description="What migrates it: flyway, liquibase, alembic, django, rails, prisma or golang-migrate."
    )
    path: str = Field(description="Folder of the migrations in the repository, e.g. `db/migration`.")
    url: str = Field(
        description="SQLAlchemy's address without the password, e.g. postgresql://reader@db.example.com/booking; an "
        "account that can only read the tool's table."
    )
    table_schema: str = Field("", description="Schema of the tool's table; empty: the account's own.")
    labels: tuple[str, ...] = Field(
        (), description="Labels that are needed to know of it, beside that of the repository, whose files are told."
    )

    @property
    def readers(self) -> frozenset[str]:
        """The labels of its history."""
        return frozenset(self.labels) | {visibility.repository(self.repo)}


class Token(Section):
    """Of a program that asks over MCP or HTTP."""

    name: HostName = Field(description="Who uses the token, e.g. `build_agents`; logs call it by this name.")
    sha256: str = Field(
        description="SHA-256 of the token, which `crosscheck token NAME` makes. `crosscheck token NAME --revoke` "
        "revokes it at once.",
    )
    labels: tuple[str, ...] = Field(
        description="Labels of what this token may read, each of them: what their holders also hold by "
        "[audience.holders] is not added. `crosscheck token NAME --as org` writes them out.",
    )

    @field_validator("sha256")
    @classmethod
    def _hash(cls, value: str) -> str:
        """What is none is not repeated: it may be the token itself."""
        if not re.fullmatch(r"[0-9a-f]{64}", value):
            raise ValueError("must be the 64 digits that `crosscheck token` prints, and not the token itself")
        return value

    @field_validator("labels")
    @classmethod
    def _one_each(cls, value: tuple[str, ...]) -> tuple[str, ...]:
        if not value:
            raise ValueError("must name one label at least")
        if odd := [one for one in value if not one.strip() or "," in one]:
            raise ValueError(f"{odd[0]!r} is no label; write one each")
        return value
