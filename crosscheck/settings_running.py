"""Settings of running it: where it listens, how it works, what is kept, how much one may ask, who may look."""

import ipaddress
import re
from collections.abc import Mapping
from typing import Any, Self
from urllib.parse import urlsplit

from pydantic import Field, field_validator, model_validator

from bots.web_address import web_address
from crosscheck.settings_finding import Section

_HEADER = re.compile(r"[A-Za-z][A-Za-z0-9-]{0,60}")


class Serve(Section):
    host: str = Field("127.0.0.1", description="Address to listen on. Put a TLS proxy before anything but loopback.")
    port: int = Field(8765, ge=0, le=65535, description="Port to listen on.")
    names: tuple[str, ...] = Field(
        (),
        description="Names that /mcp and /console are reached by, besides loopback's, e.g. `qa.example.com` or "
        "`qa.example.com:8443`; requests for any other name are refused.",
    )

    @field_validator("names")
    @classmethod
    def _hosts(cls, value: tuple[str, ...]) -> tuple[str, ...]:
        if odd := [one for one in value if not re.fullmatch(r"[A-Za-z0-9.-]+(?::[0-9]{1,5})?", one)]:
            raise ValueError(f"{odd[0]!r} is no name of a host; write one as qa.example.com or qa.example.com:8443")
        return value


class Worker(Section):
    threads: int = Field(
        2, ge=1, le=64, description="Jobs worked on at once. More than the host has cores delays acknowledgements."
    )
    lease_seconds: float = Field(60, ge=1, description="How long a worker may be silent before another takes over.")
    job_minutes: float = Field(15, gt=0, description="How long one attempt may take before it is given up.")


class State(Section):
    url: str = Field(
        "",
        description="Database of jobs and posts; empty: a SQLite file in the data folder. For several processes "
        "PostgreSQL, as postgresql://USER@HOST:5432/DATABASE; the password is CROSSCHECK_STATE_PASSWORD.",
    )

    @field_validator("url")
    @classmethod
    def _known(cls, value: str) -> str:
        parts = urlsplit(value)
        if parts.password:
            raise ValueError("the password does not belong here: set CROSSCHECK_STATE_PASSWORD")
        if value and (parts.scheme != "postgresql" or not parts.hostname or not parts.path.strip("/")):
            raise ValueError("must be empty or like postgresql://USER@HOST:5432/DATABASE")
        return value


class Retention(Section):
    jobs_days: int = Field(
        365, ge=0, description="Days after their end for which jobs are kept with question and story; 0: for ever."
    )
    posts_days: int = Field(
        90, ge=0, description="Days for which the text of what was posted is kept beside its link; 0: for ever."
    )
    traces_days: int = Field(
        30, ge=0, description="Days for which a job's searches and model calls are kept; 0: for ever."
    )


class Limits(Section):
    person_hour: int = Field(30, ge=0, description="Requests of one person in an hour; 0: no limit.")
    place_hour: int = Field(200, ge=0, description="Requests in one project, space or channel in an hour; 0: no limit.")
    calls_minute: int = Field(120, ge=0, description="Calls of one program's token in a minute; 0: no limit.")


class Tracing(Section):
    endpoint: str = Field(
        "",
        description="Where OpenTelemetry traces go (OTLP over HTTP), e.g. http://collector:4318/v1/traces; empty: none "
        "are made. They name steps, counts and times, never what was asked or found.",
    )
    ratio: float = Field(1.0, gt=0, le=1, description="Share of requests that are traced.")

    @field_validator("endpoint")
    @classmethod
    def _address(cls, value: str) -> str:
        if value and web_address(value) is None:
            raise ValueError("must be an address such as http://collector:4318/v1/traces")
        return value


class Console(Section):
    enabled: bool = Field(True, description="Whether /console is there; it shows what the viewer's labels allow.")
    header: str = Field(
        "",
        description="Header in which a reverse proxy names the person it let in, e.g. X-Forwarded-User; empty: people "
        "log in with a token of [[tokens]].",
    )
    proxies: tuple[str, ...] = Field((), description="Addresses or networks whose header is believed.")
    labels: tuple[str, ...] = Field((), description="Labels that everybody holds whom the proxy lets in.")
    people: Mapping[str, tuple[str, ...]] = Field(
        default_factory=dict, description="Name that the proxy tells -> further labels that this person holds."
    )

    @field_validator("header")
    @classmethod
    def _header(cls, value: str) -> str:
        if value and not _HEADER.fullmatch(value):
            raise ValueError("must be the name of a header, such as X-Forwarded-User")
        return value

    @field_validator("labels", "people")
    @classmethod
    def _one_each(cls, value: Any) -> Any:
        several = value.values() if isinstance(value, Mapping) else (value,)
        if odd := [one for labels in several for one in labels if not one.strip() or "," in one]:
            raise ValueError(f"{odd[0]!r} is no label; write one each")
        return value

    @field_validator("proxies")
    @classmethod
    def _networks(cls, value: tuple[str, ...]) -> tuple[str, ...]:
        for one in value:
            ipaddress.ip_network(one)
        return value

    @model_validator(mode="after")
    def _together(self) -> Self:
        if bool(self.header) != bool(self.proxies):
            raise ValueError("header and proxies go together: a header is believed from named addresses alone")
        return self
