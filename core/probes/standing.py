"""Whether work is in what an environment runs, and what stands between. All are frozen; none does I/O."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from core.types import Evidence, Locator

Contained = Literal["yes", "no", "partly", "unknown"]

SOURCE, KIND = "deployed", "deployment"
"""Of the evidence that a standing is."""
_DOCUMENT = f"{SOURCE}:"
_CHANGING = re.compile(r"[:;] | since |\.$")


@dataclass(frozen=True, slots=True)
class Missing:
    """A commit that is not in what runs."""

    id: str
    title: str
    """Its subject as people are shown it."""
    tickets: tuple[str, ...]
    """Keys that its message names."""
    url: str
    """Its page; empty: none."""


@dataclass(frozen=True, slots=True)
class Between:
    """The commits that have to come to an environment for the work to be there, without merges where others are."""

    count: int
    commits: tuple[Missing, ...]
    """The newest of them, newest first."""
    more: bool = False
    """There are more than were counted."""


@dataclass(frozen=True, slots=True)
class Standing:
    """How a piece of work stands in one environment, by one probe's reading."""

    probe: str
    environment: str
    repo: str
    contained: Contained
    """`partly`: of several commits, or in several instances, some."""
    says: tuple[str, ...]
    """Sentences for product owners, the answer first; each names what it speaks of."""
    remarks: tuple[str, ...]
    """Those of `says` that tell what is out of the ordinary: a version that was set back, instances that differ."""
    labels: frozenset[str]
    """The probe's and the repository's. Who may not read them is answered as if there were no such environment."""
    locator: Locator
    read_at: datetime
    version: str = ""
    """What runs, as it was told; several, joined by commas."""
    commit: str = ""
    """Its whole id where Git knows it, as it was told otherwise; several, joined by commas."""
    since: datetime | None = None
    """Since when the work is there; where it is not, since when that runs which does."""
    first_seen: bool = False
    """`since` is when it was first seen there, and not the environment's own word."""
    left: datetime | None = None
    """When work that is not there any more was last seen there."""
    between: Between | None = None
    """Of work that is not there, or not wholly."""
    unread: str = ""
    """Why the environment could not be read, as a sentence's end."""
    settled_by: str = ""
    """What would settle it, as a sentence; empty where `contained` is not `unknown`."""

    @property
    def claim(self) -> str:
        """The answer without what changes by the day, as it stands in `says`: `Commit 4f2a91c is on staging`."""
        return _CHANGING.split(self.says[0], maxsplit=1)[0]

    @property
    def url(self) -> str:
        return self.locator.url

    @property
    def evidence(self) -> Evidence:
        """To be cited: every sentence stands in its text."""
        return Evidence(
            id=f"{self.locator.document_id}#{self.claim}",
            document_id=self.locator.document_id,
            source=SOURCE,
            kind=KIND,
            text=" ".join(self.says),
            context=self.locator.title,
            locator=self.locator,
            labels=self.labels,
            updated=self.read_at,
            score=1.0,
            route="read",
            attributes={"environment": self.environment, "contained": self.contained},
        )


@dataclass(frozen=True, slots=True)
class DeployedState:
    """What was asked of the environments that an audience may know of."""

    standings: tuple[Standing, ...] = ()
    notes: tuple[str, ...] = ()
    """What the asker should know of the question: that no commit names the ticket."""


def document_of(probe: str) -> str:
    """The id under which what a probe reads is cited."""
    return f"{_DOCUMENT}{probe}"


def probe_of(document_id: str) -> str | None:
    """The probe whose reading has this id; None for any other document."""
    return document_id.removeprefix(_DOCUMENT) if document_id.startswith(_DOCUMENT) else None


def moment(at: datetime) -> str:
    return f"{at:%Y-%m-%d %H:%M} UTC"


def whereabouts(standings: Sequence[Standing]) -> str:
    """`on staging since 2026-03-02 09:10 UTC, not on production yet`; empty if nothing is known of any environment."""
    return ", ".join(_whereabouts(standings))


def _whereabouts(standings: Sequence[Standing]) -> Iterator[str]:
    names = Counter(one.environment for one in standings)
    for one in standings:
        name = one.environment if names[one.environment] == 1 else f"{one.environment} ({one.probe})"
        match one.contained:
            case "yes":
                yield f"on {name}{_since(one)}"
            case "partly":
                yield f"partly on {name}"
            case "no":
                yield f"not on {name} any more" if one.left else f"not on {name} yet"
            case "unknown":
                yield f"not known whether on {name}"


def _since(one: Standing) -> str:
    if one.since is None:
        return ""
    return f" (first seen there on {moment(one.since)})" if one.first_seen else f" since {moment(one.since)}"
