"""Results as plain JSON: what the database keeps, the loopback API answers and `--json` prints."""

from collections.abc import Iterable
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from core.types import Evidence, Freshness, Locator, Trace
from review.types import Cited, Finding, Review, Searched, Unknown
from state.types import JobSummary, JobView, PostView

if TYPE_CHECKING:  # the models' packages take longer to import than all else together
    from review.answer import Answered

MOST_CANDIDATES = 60
"""Of a search that a person asked to have explained."""
_KEPT_SEARCHES = 12  # of a job
_KEPT_CANDIDATES = 10  # of each of them
LONGEST = 200
"""Characters of a question or a title."""


def locator_record(locator: Locator) -> dict[str, Any]:
    return {"title": locator.label, "url": locator.url, "document": locator.document_id}


def finding_record(finding: Finding) -> dict[str, Any]:
    return {
        "rule": finding.rule,
        "category": finding.category,
        "priority": finding.priority.name,
        "statement": finding.statement,
        "why": finding.why,
        "question": finding.question,
        "evidence": [cited_record(cited) for cited in finding.evidence],
        "fingerprint": finding.fingerprint,
    }


def review_record(review: Review) -> dict[str, Any]:
    return {
        "key": review.key,
        "title": review.title,
        "url": review.locator.url,
        "findings": [finding_record(finding) for finding in review.findings],
        "unknowns": [unknown_record(unknown) for unknown in review.unknowns],
        "settled": [
            {
                "what": one.what,
                "fingerprint": one.fingerprint,
                "sources": [locator_record(cited.locator) for cited in one.evidence],
            }
            for one in review.settled
        ],
        "pulls": [
            {**locator_record(pull.locator), "head": pull.head, "says": list(pull.says)} for pull in review.pulls
        ],
        "since": {"at": review.since.at.isoformat(), "new": sorted(review.since.new), "gone": list(review.since.gone)}
        if review.since
        else None,
        "language": review.language,
        "degraded": list(review.degraded),
        "made_by": review.made_by,
        "audience": sorted(review.audience.labels),
        "at": review.at.isoformat(),
        "numbers": dict(review.numbers),
    }


def review_result(review: Review) -> dict[str, Any]:
    """What a job keeps of its review: what it says, how it was found, and what models were shown."""
    return {
        "review": review_record(review),
        "searches": searches_record(review.searches),
        "audit": list(review.audit),
    }


def answer_record(answer: "Answered", *, texts: bool = False) -> dict[str, Any]:
    """With the `texts` that it cites and their access labels, or without."""
    return {
        "question": answer.question,
        "statements": [{"text": one.text, "sources": list(one.sources)} for one in answer.statements],
        "sources": [
            {
                "number": one.number,
                "kind": one.kind,
                "updated": one.updated.isoformat() if one.updated else None,
                "stale": one.stale,
                **locator_record(one.cited.locator),
                **({"texts": list(one.texts), "labels": sorted(one.cited.labels)} if texts else {}),
            }
            for one in answer.references
        ],
        "nearest": [locator_record(one.cited.locator) for one in answer.nearest],
        "searched": answer.searched,
        "unknowns": [unknown_record(one) for one in answer.unknowns],
        "degraded": list(answer.degraded),
        "made_by": answer.made_by,
        "audience": sorted(answer.audience.labels),
        "at": answer.at.isoformat(),
        "numbers": dict(answer.numbers),
    }


def evidence_record(evidence: Evidence) -> dict[str, Any]:
    return {
        "source": evidence.source,
        "kind": evidence.kind,
        "context": evidence.context,
        "text": evidence.text,
        "score": round(evidence.score, 6),
        "route": evidence.route,
        "updated": evidence.updated.isoformat(),
        "unread": list(evidence.unread),
        **locator_record(evidence.locator),
    }


def trace_record(trace: Trace, most: int = MOST_CANDIDATES) -> dict[str, Any]:
    """How a search came to its answer: all results, and the best of what is none, `most` in all or the results."""
    results = [one for one in trace.candidates if one.fate.startswith("result ")]
    others = [one for one in trace.candidates if not one.fate.startswith("result ")][: max(0, most - len(results))]
    kept = {one.id for one in (*results, *others)}
    candidates = [
        {**asdict(one), "title": one.title[:LONGEST], "ranks": dict(one.ranks)}
        for one in trace.candidates
        if one.id in kept
    ]
    return {
        "route": trace.route,
        "keys": list(trace.keys),
        "arms": [asdict(arm) for arm in trace.arms],
        "candidates": candidates,
        "left_out": len(trace.candidates) - len(candidates),
        "reranker": trace.reranker,
        "steps": dict(trace.steps),
    }


def searches_record(searches: Iterable[Searched]) -> list[dict[str, Any]]:
    """What a job keeps of its searches: the first of them, and of each what it showed and a few that it did not."""
    return [
        {"text": searched.text[:LONGEST], "trace": trace_record(searched.trace, most=_KEPT_CANDIDATES)}
        for searched in list(searches)[:_KEPT_SEARCHES]
    ]


def freshness_record(source: Freshness) -> dict[str, Any]:
    return {
        "source": source.source,
        "documents": source.documents,
        "last_success": source.last_success.isoformat() if source.last_success else None,
        "stale": source.stale,
        "partly": source.partly,
        "masked": source.masked,
        "last_error": source.last_error,
    }


def summary_record(job: JobSummary) -> dict[str, Any]:
    return {
        "id": job.id,
        "key": job.key,
        "kind": job.kind,
        "subject": job.subject,
        "state": job.state,
        "attempts": job.attempts,
        "retries": job.retries,
        "error": job.error,
        "created_at": job.created_at.isoformat(),
        "finished_at": job.finished_at.isoformat() if job.finished_at else None,
        "due": job.due.isoformat() if job.due else None,
    }


def job_record(view: JobView) -> dict[str, Any]:
    return {
        **summary_record(view.job),
        "result": dict(view.result) if view.result is not None else None,
        "events": [{"at": e.at.isoformat(), "what": e.what, "detail": e.detail} for e in view.events],
        "posts": [_post(post) for post in view.posts],
    }


def listed_record(view: JobView) -> dict[str, Any]:
    """One of many: without how its evidence was found, which is most of it."""
    record = job_record(view)
    if record["result"] is not None:
        record["result"].pop("searches", None)
    return record


def _post(post: PostView) -> dict[str, Any]:
    return {
        "round": post.round,
        "part": post.part,
        "parts": post.parts,
        "delivery_key": post.delivery_key,
        "state": post.state,
        "attempts": post.attempts,
        "adopted": post.adopted,
        "begun": post.begun,
        "error": post.error,
        "remote_id": post.remote_id,
        "url": post.url,
    }


def unknown_record(unknown: Unknown) -> dict[str, Any]:
    return {"what": unknown.what, "settled_by": unknown.settled_by}


def cited_record(cited: Cited) -> dict[str, Any]:
    return {"quote": cited.quote, "looked_for": cited.looked_for, **locator_record(cited.locator)}
