"""Every metric there is. What a part reports and this table does not name is refused by `crosscheck.metrics`."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import product
from typing import Literal

Kind = Literal["counter", "histogram", "gauge"]

QUICK = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0)
"""Seconds of what a question waits for."""
SLOW = (0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 20.0, 40.0, 80.0, 160.0)
"""Seconds of what a model or a source takes."""
LONG = (1.0, 5.0, 15.0, 60.0, 300.0, 900.0, 3600.0, 4 * 3600.0)
"""Seconds of a synchronisation."""


@dataclass(frozen=True, slots=True)
class Metric:
    """One metric. Names end by Prometheus' conventions: `_total` for counters, the unit for what has one."""

    name: str
    kind: Kind
    help: str
    labels: tuple[str, ...] = ()
    buckets: tuple[float, ...] = ()
    born: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Label -> values whose series begin at 0, each with each: an alert that asks for an increase would miss the first
    of what begins at 1. All labels or none.
    """
    at_scrape: bool = False
    """Read from the state when Prometheus asks, not reported by a part."""

    @property
    def series(self) -> tuple[dict[str, str], ...]:
        """The labels of each series that begins at 0."""
        values = product(*(self.born[label] for label in self.labels)) if self.born else ()
        return tuple(dict(zip(self.labels, one, strict=True)) for one in values)


@dataclass(frozen=True, slots=True)
class Sample:
    """One value of a metric that is read at scrape time."""

    name: str
    value: float
    labels: Mapping[str, str] = field(default_factory=dict)


def _counter(name: str, told: str, *labels: str, **born: tuple[str, ...]) -> Metric:
    return Metric(name, "counter", told, labels, born=born)


def _histogram(name: str, told: str, buckets: tuple[float, ...], *labels: str, **born: tuple[str, ...]) -> Metric:
    return Metric(name, "histogram", told, labels, buckets, born)


def _gauge(name: str, told: str, *labels: str) -> Metric:
    return Metric(name, "gauge", told, labels)


def _read(name: str, told: str, *labels: str) -> Metric:
    return Metric(name, "gauge", told, labels, at_scrape=True)


_ROUTES, _STEPS = ("exact", "hybrid"), ("review", "posting")

SUCCESS = "crosscheck_scrape_collector_success"
"""Whether a part of the state could be read for this scrape."""

_FINDING = (
    _counter("crosscheck_search_total", "Searches, by route.", "route", route=_ROUTES),
    _histogram("crosscheck_search_seconds", "Seconds of a search.", QUICK, "route", route=_ROUTES),
    _histogram("crosscheck_search_step_seconds", "Seconds of each step of a search.", QUICK, "step", "route"),
    _counter("crosscheck_search_degraded_total", "Searches without a part of it.", "part", part=("embedder",)),
    _counter("crosscheck_search_empty_arms_total", "Arms that found nothing.", "collection", "arm"),
    _counter("crosscheck_rerank_fallbacks_total", "Rerankers that were passed over.", "reranker", "reason"),
    _counter(
        "crosscheck_leaked_labels_total",
        "What only the last guard kept from people who may not read it. Must stay 0.",
        "where",
        where=("search", "posting"),
    ),
    _histogram(
        "crosscheck_gpu_wait_seconds", "Waits for the graphics card's lock.", QUICK, "side", side=("query", "passage")
    ),
)
_SOURCES = (
    _counter("crosscheck_syncs_total", "Synchronisations, by how they ended.", "source", "outcome"),
    _histogram("crosscheck_sync_seconds", "Seconds of a synchronisation.", LONG, "source"),
    _gauge("crosscheck_sync_documents", "Documents read by the latest synchronisation so far.", "source"),
    _gauge("crosscheck_sync_expected_documents", "Documents that it expects to read; 0: not known.", "source"),
    _counter("crosscheck_sync_unread_total", "Documents that could not be indexed.", "source"),
    _counter("crosscheck_source_unread_total", "Pages that the source listed and could not be read.", "source"),
    _counter(
        "crosscheck_pictures_total", "Pictures, by what became of them.", "outcome", outcome=("described", "unread")
    ),
    _read("crosscheck_source_documents", "Documents in the index.", "source"),
    _read("crosscheck_source_partly_read_documents", "Documents of which something could not be read.", "source"),
    _read("crosscheck_source_last_success_timestamp_seconds", "Up to when the source is in the index.", "source"),
    _read("crosscheck_source_period_seconds", "Between two synchronisations.", "source"),
    _read("crosscheck_source_stale", "1: no synchronisation succeeded for too many periods.", "source"),
    _read("crosscheck_source_failed", "1: the latest synchronisation failed.", "source"),
    _read("crosscheck_index_chunks", "Chunks in the index that is searched, or filled beside it.", "role"),
    _read("crosscheck_index_disk_bytes", "Bytes of the index's folder; none for a server's.", "role"),
    _read("crosscheck_index_complete", "1: the searched index holds every source in full."),
)
_WORK = (
    _counter("crosscheck_triggers_total", "Requests noticed.", "surface", "via", "outcome"),
    _counter("crosscheck_webhooks_total", "Webhook deliveries.", "outcome"),
    _counter(
        "crosscheck_attempts_total",
        "Attempts, by how they ended.",
        "step",
        "outcome",
        step=_STEPS,
        outcome=("done", "retry", "wake", "tell", "bug"),
    ),
    _counter("crosscheck_exhausted_total", "Jobs and posts given up after their last attempt.", "step", step=_STEPS),
    _counter("crosscheck_refused_total", "Requests of who had asked too much.", "limit", limit=("person", "place")),
    _counter("crosscheck_pruned_total", "What was kept for long enough.", "what", what=("jobs", "posts", "traces")),
    _counter("crosscheck_errors_total", "Errors, by where and by their type.", "part", "kind"),
    _counter("crosscheck_posts_total", "Replies, by what became of them.", "outcome", outcome=("posted", "refused")),
    _counter(
        "crosscheck_visibility_refusals_total", "What was left out or made again for who reads it.", "step", step=_STEPS
    ),
    _gauge("crosscheck_worker_heartbeat_timestamp_seconds", "When the worker last renewed its leases."),
    _gauge("crosscheck_worker_busy", "Jobs and posts in hand."),
    _gauge("crosscheck_worker_threads", "Jobs and posts that can be in hand."),
    _read("crosscheck_jobs", "Jobs, by state.", "state"),
    _read("crosscheck_jobs_stalled", "Jobs whose holder let the lease run out, taken by nobody since."),
    _read("crosscheck_queue_age_seconds", "How long the oldest due job has waited; 0: none waits."),
    _read("crosscheck_outbox_posts", "Posts, by state.", "state"),
    _read("crosscheck_outbox_stalled", "Posts whose holder let the lease run out, taken by nobody since."),
    _read("crosscheck_outbox_age_seconds", "How long the oldest post that can be sent has waited; 0: none waits."),
    _read("crosscheck_database_up", "1: the database of jobs and posts answers.", "engine"),
    _gauge("crosscheck_leader", "1: this process does the task, of several that could.", "task"),
)
_SURFACES = (
    _counter("crosscheck_polls_total", "Rounds of polling.", "surface", "outcome"),
    _gauge(
        "crosscheck_poll_last_success_timestamp_seconds",
        "When a round of polling last succeeded; before the first, when polling began.",
        "surface",
    ),
    _counter("crosscheck_poll_skipped_total", "Listed, and gone when it was read.", "surface"),
    _counter("crosscheck_poll_unread_total", "Listed, and could not be read.", "surface"),
    _gauge("crosscheck_slack_connected", "1: Slack has said hello on the connection that stands."),
    _gauge("crosscheck_slack_last_heard_timestamp_seconds", "When Slack last said something."),
    _counter("crosscheck_slack_reconnects_total", "Connections to Slack that ended."),
    _histogram("crosscheck_slack_ack_seconds", "Seconds until Slack's delivery was acknowledged.", QUICK),
    _counter("crosscheck_calls_total", "Calls of programs and commands.", "via", "operation", "outcome"),
    _histogram("crosscheck_call_seconds", "Seconds of a call.", SLOW, "via", "operation"),
)
_REVIEWING = (
    _counter(
        "crosscheck_replies_total",
        "What was made, and whether all went as it should.",
        "kind",
        "outcome",
        kind=("review", "answer", "test cases"),
        outcome=("complete", "degraded"),
    ),
    _histogram("crosscheck_review_step_seconds", "Seconds of each step of a review.", SLOW, "step"),
    _counter("crosscheck_review_refused_total", "Findings whose evidence did not hold.", "rule"),
    _counter("crosscheck_review_unreadable_evidence_total", "Evidence that could not be read any more."),
    _counter(
        "crosscheck_review_model_failures_total",
        "Reviews by rules alone, since the model failed.",
        "reason",
        reason=("model", "spending"),
    ),
    _counter("crosscheck_answer_model_failures_total", "Answers of quotes alone, since the model failed."),
    _counter("crosscheck_plan_model_failures_total", "Plans checked without the model, since it failed."),
    _counter("crosscheck_test_cases_model_failures_total", "Drafts without the model, since it failed."),
    _counter("crosscheck_model_requests_total", "Requests to a model.", "purpose", "model", "outcome"),
    _histogram("crosscheck_model_request_seconds", "Seconds of a request to a model.", SLOW, "purpose", "model"),
    _counter("crosscheck_model_tokens_total", "Tokens, as providers count them.", "purpose", "model", "direction"),
    _counter(
        "crosscheck_model_cost_dollars_total",
        "US dollars by published prices, an estimate; a model without a published price costs 0.",
        "purpose",
        "model",
    ),
    _read("crosscheck_model_day_limit_tokens", "Tokens that reviews and answers may use in a day (UTC)."),
    _read("crosscheck_model_day_left_tokens", "Of them, left today; below 0: more was used than was left."),
)

TABLE = (
    *_FINDING,
    *_SOURCES,
    *_WORK,
    *_SURFACES,
    *_REVIEWING,
    _read(SUCCESS, "1: this part of the state could be read in time.", "collector"),
)
