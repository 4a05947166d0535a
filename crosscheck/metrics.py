"""The metrics that Prometheus scrapes. Nothing else imports prometheus_client."""

import math
import threading
import time
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

import structlog
from prometheus_client import (
    CONTENT_TYPE_LATEST,
    CollectorRegistry,
    Counter,
    Gauge,
    GCCollector,
    Histogram,
    PlatformCollector,
    ProcessCollector,
    disable_created_metrics,
    generate_latest,
)
from prometheus_client.core import GaugeMetricFamily
from prometheus_client.registry import Collector

from crosscheck.errors import UndeclaredMetric
from crosscheck.metrics_table import SUCCESS, TABLE, Kind, Metric, Sample

log = structlog.get_logger(__name__)

CONTENT_TYPE = CONTENT_TYPE_LATEST
MOST_VALUES = 60
"""Values of one label of one metric; what comes after them is counted as `OTHER`."""
OTHER = "other"
SCRAPE_SECONDS = 2.0
"""That a scrape waits for the state, of Prometheus' usual ten."""

Read = Callable[[], Iterable[Sample]]
"""Reads a part of the state. May block, and may raise."""


class PrometheusMetrics:
    """Fits `core.types.Metrics`. A report never raises and never makes series without bound: what does not fit the
    table is logged once and forgotten.
    """

    def __init__(
        self, table: Sequence[Metric] = TABLE, *, strict: bool = False, most_values: int = MOST_VALUES
    ) -> None:
        """`strict`: what does not fit raises UndeclaredMetric, as a test wants it."""
        disable_created_metrics()  # type: ignore[no-untyped-call]  # a second series beside each, of no use here
        self._strict = strict
        self._registry = CollectorRegistry()
        self._table = {metric.name: metric for metric in table}
        self._values = _Values(most_values)
        self._refused: set[str] = set()
        self._counters: dict[str, Counter] = {}
        self._histograms: dict[str, Histogram] = {}
        self._at_scrape: list[_AtScrape] = []
        self._gauges: dict[str, Gauge] = {}
        self._making = threading.Lock()
        for metric in table:
            if not metric.at_scrape and (metric.labels or metric.kind != "gauge"):
                self._make(metric)
        for collector in (ProcessCollector, PlatformCollector, GCCollector):
            collector(registry=self._registry)

    def count(self, name: str, amount: float = 1, **labels: str) -> None:
        """Add to a counter; never less than 0."""
        if self._fits("counter", name, amount, labels):
            counter, bounded = self._counters[name], self._values.bounded(name, labels)
            (counter.labels(**bounded) if bounded else counter).inc(amount)

    def observe(self, name: str, value: float, **labels: str) -> None:
        """One more value of a histogram."""
        if self._fits("histogram", name, value, labels):
            histogram, bounded = self._histograms[name], self._values.bounded(name, labels)
            (histogram.labels(**bounded) if bounded else histogram).observe(value)

    def gauge(self, name: str, value: float, **labels: str) -> None:
        """What a gauge shows from now on."""
        if self._fits("gauge", name, value, labels):
            gauge, bounded = self._gauge(name), self._values.bounded(name, labels)
            (gauge.labels(**bounded) if bounded else gauge).set(value)

    def read_at_scrape(self, parts: Mapping[str, Read], seconds: float = SCRAPE_SECONDS) -> None:
        """Have every scrape read these parts of the state beside each other, for so long at most."""
        read = [metric for metric in self._table.values() if metric.at_scrape]
        self._at_scrape.append(_AtScrape(parts, read, seconds))
        self._registry.register(self._at_scrape[-1])

    def close(self) -> None:
        """Read no more of the state, which is about to be closed: a scrape that comes later, or waits now, goes without
        it. What is being read may end, for as long as a scrape would wait.
        """
        for one in self._at_scrape:
            one.close()

    def exposition(self) -> bytes:
        """Everything, in Prometheus' text format (`CONTENT_TYPE`)."""
        return generate_latest(self._registry)

    def _gauge(self, name: str) -> Gauge:
        """A gauge without labels shows 0 from when it is made, so it is made when there is something to show: Slack is
        not disconnected where there is none.
        """
        with self._making:
            if name not in self._gauges:
                self._make(self._table[name])
            return self._gauges[name]

    def _make(self, metric: Metric) -> None:
        name, told, registry = metric.name, metric.help, self._registry
        made: Counter | Histogram | Gauge
        if metric.kind == "counter":
            made = self._counters[name] = Counter(name, told, metric.labels, registry=registry)
        elif metric.kind == "histogram":
            made = self._histograms[name] = Histogram(
                name, told, metric.labels, registry=registry, buckets=metric.buckets
            )
        else:
            made = self._gauges[name] = Gauge(name, told, metric.labels, registry=registry)
        for labels in metric.series:
            made.labels(**self._values.bounded(name, labels))

    def _fits(self, kind: Kind, name: str, value: float, labels: Mapping[str, str]) -> bool:
        metric = self._table.get(name)
        if metric is None or metric.at_scrape:
            return self._refuse(name, "is not in the table of metrics")
        if metric.kind != kind:
            return self._refuse(name, f"is a {metric.kind}, not a {kind}")
        if labels.keys() != set(metric.labels):
            return self._refuse(name, f"has the labels {sorted(metric.labels)}, not {sorted(labels)}")
        if not math.isfinite(value) or (kind == "counter" and value < 0):
            return self._refuse(name, f"cannot take the value {value}")
        return True

    def _refuse(self, name: str, why: str) -> bool:
        if self._strict:
            raise UndeclaredMetric(f"{name} {why}.")
        if name not in self._refused:
            self._refused.add(name)
            log.error("metric refused", metric=name, reason=f"{name} {why}.")
        return False


class _Values:
    """The values that the labels of each metric have had, so that strangers cannot make series without end."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._seen: defaultdict[tuple[str, str], set[str]] = defaultdict(set)
        self._lock = threading.Lock()

    def bounded(self, name: str, labels: Mapping[str, str]) -> dict[str, str]:
        """The same labels, with `OTHER` for a value that is one too many."""
        with self._lock:
            return {label: self._one(self._seen[name, label], value) for label, value in labels.items()}

    def _one(self, seen: set[str], value: str) -> str:
        if value not in seen:
            if len(seen) >= self._most:
                return OTHER
            seen.add(value)
        return value


class _AtScrape(Collector):
    """Reads the state for a scrape. What takes too long is left out, and said to be."""

    def __init__(self, parts: Mapping[str, Read], metrics: Sequence[Metric], seconds: float) -> None:
        self._parts = [_Part(name, read) for name, read in parts.items()]
        self._metrics = {metric.name: metric for metric in metrics}
        self._seconds = seconds

    def describe(self) -> Iterator[GaugeMetricFamily]:
        """Nothing is read in order to register this."""
        return iter(self._families().values())

    def collect(self) -> Iterator[GaugeMetricFamily]:
        until = time.monotonic() + self._seconds
        for part in self._parts:
            part.begin()
        families = self._families()
        for part in self._parts:
            samples = part.read_until(until)
            for sample in samples or ():
                values = [sample.labels[label] for label in self._metrics[sample.name].labels]
                families[sample.name].add_metric(values, sample.value)
            families[SUCCESS].add_metric([part.name], float(samples is not None))
        yield from families.values()

    def close(self) -> None:
        until = time.monotonic() + self._seconds
        for part in self._parts:
            part.close(until)

    def _families(self) -> dict[str, GaugeMetricFamily]:
        return {name: GaugeMetricFamily(name, one.help, labels=one.labels) for name, one in self._metrics.items()}


class _Part:
    """One part of the state, read by one thread at a time: scrapes do not pile up on a database that hangs."""

    def __init__(self, name: str, read: Read) -> None:
        self.name = name
        self._read = read
        self._lock = threading.Lock()
        self._reading: _Reading | None = None
        self._closed = False

    def begin(self) -> None:
        """Begin to read, unless an earlier scrape's reading still goes on."""
        with self._lock:
            if not self._closed and (self._reading is None or self._reading.over.is_set()):
                self._reading = _Reading(self.name, self._read)
                self._reading.start()

    def read_until(self, until: float) -> Sequence[Sample] | None:
        """What was read; None when that failed, or did not end by then, or nothing is read any more."""
        with self._lock:
            reading = self._reading
        if reading is None or self._closed:
            return None
        reading.over.wait(max(0.0, until - time.monotonic()))
        return reading.samples

    def close(self, until: float) -> None:
        """Begin no more, let go whoever waits, and wait until then for what is being read."""
        with self._lock:
            self._closed, reading = True, self._reading
        if reading is not None:
            reading.over.set()
            reading.join(max(0.0, until - time.monotonic()))


class _Reading(threading.Thread):
    """A daemon: one that hangs does not keep the program from ending."""

    def __init__(self, part: str, read: Read) -> None:
        super().__init__(name=f"scrape-{part}", daemon=True)
        self._part = part
        self._read = read
        self.samples: Sequence[Sample] | None = None
        self.over = threading.Event()
        """It is read, or nobody waits for it any more."""

    def run(self) -> None:
        try:
            self.samples = list(self._read())
        except Exception as error:  # noqa: BLE001  the thread's edge: a scrape tells what can be read
            log.warning("state not read for a scrape", part=self._part, error=type(error).__name__)
        finally:
            self.over.set()
