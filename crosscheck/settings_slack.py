"""Settings of Slack: where people ask in messages."""

from collections.abc import Mapping
from typing import Annotated, Literal

from pydantic import Field, StringConstraints, field_validator

from crosscheck.settings_finding import Section

ChannelId = Annotated[str, StringConstraints(pattern=r"^[CDG][A-Z0-9]{2,20}$")]
PlaceId = Annotated[str, StringConstraints(pattern=r"^[CDGUW][A-Z0-9]{2,20}$")]


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
        return value.rstrip("/")
