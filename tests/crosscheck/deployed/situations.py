"""Situations of what runs where, and in each whether the work is there. The words of the answers are in the page.

It is asked at noon of 30 November 2026 for pull request 19 of booking-api, if nothing else is said.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from tests.crosscheck.deployed import making
from tests.crosscheck.deployed.making import ASKED, HIDDEN, with_
from tests.crosscheck.deployed.stage import Stage

HTTP, PODS, ARGO, GITHUB, GITLAB = EVERY = ("http", "kubernetes", "argocd", "github", "gitlab")
YES, NO, PARTLY, UNKNOWN = "yes", "no", "partly", "unknown"


@dataclass(frozen=True, slots=True)
class Situation:
    """`put` sets the environments of a stage up and does to them what the name says."""

    name: str
    put: Callable[[Stage], object]
    there: tuple[str, ...]
    """Of each environment whether the work is there."""
    kinds: tuple[str, ...] = (HTTP,)
    """Ways of reading, each of which is tried."""
    asked: Mapping[str, Any] = field(default_factory=lambda: ASKED)
    unread: bool = False
    """No environment could be read, and that is said."""


def _pull(number: int) -> Mapping[str, object]:
    return {"repository": "booking-api", "pull": number}


_WORK = (
    Situation("Released everywhere", making.everywhere, (YES, YES), asked=_pull(12)),
    Situation("Merged by a squash, and released", making.everywhere, (YES, YES), asked=_pull(17)),
    Situation("On staging only", making.everywhere, (YES, NO), EVERY),
    Situation("Merged, and nowhere yet", making.everywhere, (NO, NO), asked=_pull(23)),
    Situation("Cherry-picked to the branch of a release", making.picked, (YES,), asked={"ticket": "BKG-147"}),
    Situation("A pull request that is open", with_(), (NO,), asked=_pull(26)),
    Situation("A pull request that is not there", making.everywhere, (), asked=_pull(99)),
    Situation(
        "A ticket with work in two repositories", making.both, (YES, NO, YES, NO), (PODS,), asked={"ticket": "GATE-49"}
    ),
    Situation("A ticket whose work is not merged", making.gates, (NO,), asked={"ticket": "GATE-54"}),
    Situation("A ticket that no commit names", making.everywhere, (), asked={"ticket": "BKG-153"}),
    Situation("A commit that is not there", making.everywhere, (), asked={"commit": "deadbeef1"}),
    Situation("Asked for an environment alone", making.everywhere, (NO,), asked={"environment": "Staging"}),
    Situation("An environment that is not there", making.everywhere, (), asked={**ASKED, "environment": "qa"}),
)

_ENVIRONMENTS = (
    Situation(
        "A version that Git does not know", making.running(None, "release-of-monday"), (UNKNOWN,), (HTTP, PODS, ARGO)
    ),
    Situation("A commit that Git does not know", making.running("e" * 40, "7.0.0"), (UNKNOWN,), EVERY),
    Situation("An image tag that says nothing", making.running(None, "latest"), (UNKNOWN,), (PODS,)),
    Situation(
        "A build of more than a commit (dirty)",
        making.running("v1.6.0", "1.6.0", dirty=True),
        (YES,),
        (HTTP, PODS),
        asked=_pull(12),
    ),
    Situation("Set back to an older version", making.set_back, (NO,), EVERY),
    Situation("Instances that differ during a rollout", making.differing, (PARTLY,), (PODS, ARGO)),
    Situation("An instance that is not ready", making.unwell, (NO,), (PODS, ARGO)),
    Situation("A newer deployment that failed", making.rolling_out("failed"), (NO,), (PODS, GITHUB, GITLAB)),
    Situation("A newer deployment under way", making.rolling_out("running"), (NO,), (GITHUB, GITLAB)),
    Situation("Nothing runs there", making.running("v1.6.0", instances=0), (UNKNOWN,), (PODS,)),
    Situation(
        "Kubernetes and a version endpoint for one environment, which differ", making.two_ways, (NO, YES), (PODS,)
    ),
    Situation("Asked again within a minute: answered from the same reading", making.asked_again, (YES,)),
)

_FAULTS = (
    Situation("Nobody answers", making.down, (UNKNOWN,), unread=True),
    Situation("It fails, and was read before", making.down_now, (UNKNOWN,), unread=True),
    Situation("It never answers", making.answering("hang"), (UNKNOWN,), unread=True),
    Situation("It answers 200 with a page to log in", making.answering("html"), (UNKNOWN,), unread=True),
    Situation(
        "It answers without what is looked for",
        making.answering("status", status=200, body="{}"),
        (UNKNOWN,),
        unread=True,
    ),
    Situation("It answers with 10 MB", making.large, (UNKNOWN,), unread=True),
    Situation("It hangs up without an answer", making.answering("drop_after"), (UNKNOWN,), unread=True),
    Situation("It redirects to another host, which is not asked", making.redirected, (UNKNOWN,), unread=True),
    Situation("A wrong token", with_(token="wrong"), (UNKNOWN,), EVERY, unread=True),
    Situation(
        "A namespace that the token may not read", with_(namespace="elsewhere"), (UNKNOWN,), (PODS,), unread=True
    ),
    Situation(
        "An environment that has another name there",
        with_(known_as="elsewhere"),
        (UNKNOWN,),
        (GITHUB, GITLAB),
        unread=True,
    ),
    Situation(
        "It demands a client certificate, and none is set",
        lambda stage: stage.demanding(known=False),
        (UNKNOWN,),
        unread=True,
    ),
    Situation(
        "It demands a client certificate, and has it",
        lambda stage: stage.demanding(known=True),
        (YES,),
    ),
    Situation(
        "A link-local address in the settings, which is not called",
        with_(url="http://169.254.169.254/latest/meta-data"),
        (UNKNOWN,),
        unread=True,
    ),
)

_READERS = (
    Situation("Readers who may know of no environment", with_(labels=HIDDEN), ()),
    Situation("Readers who may know of staging alone", making.one_hidden, (YES,)),
    Situation(
        "Readers who may not read the repository", making.everywhere, (), asked={**ASKED, "audience": "repo:gate-app"}
    ),
)

GROUPS = {
    "Where the work is": _WORK,
    "What an environment runs": _ENVIRONMENTS,
    "What goes wrong": _FAULTS,
    "Who asks": _READERS,
}
SITUATIONS = tuple(one for group in GROUPS.values() for one in group)
