"""Builders for how work stands in environments."""

from dataclasses import replace

from core.probes.standing import Contained, Standing, document_of
from core.pulls.types import Snapshot
from core.types import Locator
from tests.review.cases import LABELS, START

_SAYS = {
    "yes": "{} is on {} since 2026-03-02 09:10 UTC.",
    "no": "{} is not on {} yet: 2 commits stand between (“One”, “Two”).",
    "partly": "{} is partly on {}: 1 of 2 instances has it.",
    "unknown": "Whether {} is on {} is not known: it could not be read (no answer within 5 s).",
}


def standing(
    environment: str, contained: Contained, name: str = "Pull request 7 of shop", *, remarks: tuple[str, ...] = ()
) -> Standing:
    name = name if contained != "unknown" else f"{name[:1].lower()}{name[1:]}"
    return Standing(
        probe=environment,
        environment=environment,
        repo="shop",
        contained=contained,
        says=(_SAYS[contained].format(name, environment), *remarks),
        remarks=remarks,
        labels=LABELS,
        locator=Locator(document_of(environment), f"{environment} of shop", f"https://deploy.example/{environment}"),
        read_at=START,
        since=START if contained == "yes" else None,
        unread="no answer within 5 s" if contained == "unknown" else "",
        settled_by="Asking again later." if contained == "unknown" else "",
    )


def on(snapshot: Snapshot, **states: Contained) -> Snapshot:
    """The pull request as it stands in environments."""
    name = f"Pull request {snapshot.ref.number} of {snapshot.ref.repo}"
    return replace(snapshot, standings=tuple(standing(at, state, name) for at, state in states.items()))
