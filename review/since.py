"""What changed since the last review of the same ticket."""

from collections.abc import Collection, Sequence

from core.types import Audience
from review.previous import Previous
from review.types import Finding, Settled, Since


def compare(
    previous: Previous | None,
    findings: Sequence[Finding],
    settled: Sequence[Settled],
    *,
    audience: Audience,
    closed: Collection[str] = (),
    unchecked: Collection[str] = (),
) -> Since | None:
    """What is new, and what was told then and does not stand any more.

    `findings` are all that stand now, those that are not told included; what is `settled` is listed as such, and not
    as gone. `unchecked` are rules (`model` among them) that could not look this time: what they told may still stand.
    A review that was made for more than this audience may read was not told to it, so there was none (None). Nothing
    is said of what rests on documents that are `closed` to the audience by now.
    """
    if previous is None or not audience.covers(previous.made_for):
        return None
    told = {finding.fingerprint for finding in previous.findings}
    now = {finding.fingerprint for finding in findings}
    lost = gone(previous, findings, settled, audience=audience, closed=closed, unchecked=unchecked)
    return Since(previous.told_at, frozenset(now - told), tuple(finding.statement for finding in lost))


def gone(
    previous: Previous,
    findings: Sequence[Finding],
    settled: Sequence[Settled],
    *,
    audience: Audience,
    closed: Collection[str] = (),
    unchecked: Collection[str] = (),
) -> tuple[Finding, ...]:
    """The findings whose statements `compare` gives as gone: a reply that tells them rests on what they cite."""
    accounted = {one.fingerprint for one in findings} | {one.fingerprint for one in settled}
    return tuple(
        finding
        for finding in previous.findings
        if finding.fingerprint not in accounted
        and finding.rule not in unchecked
        and audience.covers(previous.made_for)
        and all(
            audience.may_read(cited.labels) and cited.locator.document_id not in closed for cited in finding.evidence
        )
    )
