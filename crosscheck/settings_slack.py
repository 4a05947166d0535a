"""Settings of Slack: where people ask in messages."""

import re
from collections.abc import Mapping
from typing import Annotated, Literal
from urllib.parse import urlsplit

from pydantic import AfterValidator, Field, field_validator

from bots.text import one_line
from bots.web_address import web_address
from crosscheck.settings_finding import Section

_FOUND = "the id (C0123...) is at the end of the channel's About tab"


def _id(value: str, first: str) -> str:
    """An id of Slack's that begins with one of the letters of `first`."""
    if re.fullmatch(rf"[{first}][A-Z0-9]{{2,20}}", value):
        return value
    shown = one_line(value, 80)
    if re.fullmatch(r"[UW][A-Z0-9]{2,20}", value):
        raise ValueError(f"{shown} is a person; {_FOUND}")
    raise ValueError(f"{shown} is a name; {_FOUND}" if shown else f"it is empty; {_FOUND}")


ChannelId = Annotated[str, AfterValidator(lambda value: _id(value, "CDG"))]
PlaceId = Annotated[str, AfterValidator(lambda value: _id(value, "CDGUW"))]


class Slack(Section):
    mode: Literal["socket", "http"] = Field(
        "socket",
        description="socket: the service connects to Slack, no inbound port; http: Slack calls /webhooks/slack.",
    )
    site: str = Field("https://slack.com", description="Where Slack is; another address only behind a proxy.")
    channels: Mapping[PlaceId, tuple[str, ...]] = Field(
        default_factory=dict,
        description="Id of a private channel, or of a person for direct messages -> labels that all its readers hold, "
        "beside org.",
    )
    outside: tuple[ChannelId, ...] = Field(
        (),
        description="Channels with guests or another company in which to answer nevertheless, "
        "with audience.outsiders alone.",
    )
    follow_ups: tuple[ChannelId, ...] = Field(
        (), description="Channels in whose threads messages after an answer count as questions without a mention."
    )
    form: Literal["xlsx", "csv", "gherkin", "testrail", "xray", "zephyr"] = Field(
        "xlsx", description="Kind of the file of test cases, where the question names none."
    )
    silence_seconds: float = Field(
        300, gt=0, description="Seconds without a word from Slack after which the connection is made anew."
    )

    @field_validator("site")
    @classmethod
    def _bare(cls, value: str) -> str:
        address = web_address(value.strip().rstrip("/"))
        if address is None or urlsplit(address)[2:] != ("", "", ""):
            raise ValueError("must be an address without a path, such as https://slack.com")
        return address
