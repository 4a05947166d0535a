"""Where what is to be tested runs: whoever tests elsewhere tries the old version."""

from collections.abc import Iterator, Sequence

from core.probes.standing import Standing, whereabouts
from core.pulls.types import Snapshot
from review.checks.pulls import name_of
from review.types import Cited


def where_to_test(snapshots: Sequence[Snapshot]) -> tuple[str, ...]:
    """`Where to test: pull request 7 of shop is merged, on staging since ..., not on test yet.`"""
    return tuple(f"Where to test: {one}." for one in _told(snapshots))


def under_test(snapshots: Sequence[Snapshot]) -> str:
    """What has to be so before a fix can be tested."""
    told = "; ".join(_told(snapshots))
    return f"The version under test holds the fix{f': {told}' if told else ''}."


def where_cited(snapshots: Sequence[Snapshot]) -> tuple[Cited, ...]:
    """What these sentences rest on."""
    return tuple(Cited(one.locator, one.labels, quote=one.claim) for snapshot in snapshots for one in _known(snapshot))


def _told(snapshots: Sequence[Snapshot]) -> Iterator[str]:
    for one in snapshots:
        if known := _known(one):
            state = "merged" if one.pull.state == "merged" else "not merged"
            yield f"{name_of(one)} is {state}, {whereabouts(known)}"


def _known(snapshot: Snapshot) -> list[Standing]:
    """Of an environment that could not be read, the unknowns tell."""
    return [one for one in snapshot.standings if one.contained != "unknown"]
