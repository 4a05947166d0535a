"""Reads an exposition as Prometheus would."""

from collections.abc import Mapping

from prometheus_client.parser import text_string_to_metric_families

from crosscheck.metrics import PrometheusMetrics


def values(told: bytes | PrometheusMetrics) -> Mapping[tuple[str, frozenset[tuple[str, str]]], float]:
    """By name and labels."""
    text = told.exposition() if isinstance(told, PrometheusMetrics) else told
    return {
        (sample.name, frozenset(sample.labels.items())): sample.value
        for family in text_string_to_metric_families(text.decode())
        for sample in family.samples
    }


def value(told: bytes | PrometheusMetrics, name: str, **labels: str) -> float | None:
    return values(told).get((name, frozenset(labels.items())))
