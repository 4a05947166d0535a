"""The table names what the program reports, no more and no less, and by Prometheus' conventions."""

import ast
import re
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import pytest

from crosscheck.metrics_table import SUCCESS, TABLE

ROOT = Path(__file__).parents[3]
PACKAGES = ("bots", "core", "crosscheck", "review", "state")
KINDS = {"count": "counter", "observe": "histogram", "gauge": "gauge", "Sample": "read"}
KNOWN = {metric.name: metric for metric in TABLE}


def calls(tree: ast.AST) -> Iterator[tuple[str, str, frozenset[str]]]:
    """(kind, name, labels) of each report. `partial(metrics.gauge, NAME, ...)` is one too."""
    for node in ast.walk(tree):
        if not isinstance(node, ast.Call):
            continue
        parts = [node.func, *node.args]
        for one, named in pairwise(parts):
            called = one.attr if isinstance(one, ast.Attribute) else one.id if isinstance(one, ast.Name) else ""
            text = named.value if isinstance(named, ast.Constant) and isinstance(named.value, str) else ""
            if called in KINDS and text.startswith("crosscheck_"):
                labels = {keyword.arg for keyword in node.keywords} - {"amount", "value"}
                assert None not in labels, f"line {node.lineno}: labels are written out, so that they can be checked"
                yield KINDS[called], text, frozenset(labels)


REPORTS = [
    (f"{path.relative_to(ROOT)}", *call)
    for package in PACKAGES
    for path in sorted((ROOT / package).rglob("*.py"))
    for call in calls(ast.parse(path.read_text("utf-8")))
]


@pytest.mark.parametrize(("file", "kind", "name", "labels"), REPORTS)
def test_what_is_reported_is_declared_with_its_kind_and_labels(file, kind, name, labels):
    metric = KNOWN[name]
    if kind == "read":
        assert metric.at_scrape
    else:
        assert (metric.kind, frozenset(metric.labels), metric.at_scrape) == (kind, labels, False)


def test_what_is_declared_is_reported():
    assert {name for _, _, name, _ in REPORTS} == KNOWN.keys() - {SUCCESS}


def test_no_report_has_a_name_that_this_test_cannot_read():
    """Else one could be reported that the table does not name: every call on metrics has its name as a literal."""
    odd = []
    for package in PACKAGES:
        for path in sorted((ROOT / package).rglob("*.py")):
            for node in ast.walk(ast.parse(path.read_text("utf-8"))):
                if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in KINDS:
                    of = ast.unparse(node.func.value)
                    literal = node.args and isinstance(node.args[0], ast.Constant)
                    if of.endswith("metrics") and not literal:
                        odd.append(f"{path.relative_to(ROOT)}:{node.lineno}")
    assert odd == []


@pytest.mark.parametrize("metric", TABLE, ids=lambda metric: metric.name)
def test_names_are_conventional(metric):
    assert re.fullmatch(r"crosscheck_[a-z]+(_[a-z]+)*", metric.name)
    assert metric.name.endswith("_total") == (metric.kind == "counter")
    assert metric.help.endswith(".")
    assert bool(metric.buckets) == (metric.kind == "histogram")
    assert not {"le", "quantile", "job", "instance"} & set(metric.labels)
    assert not metric.born or set(metric.born) == set(metric.labels)


def test_only_one_module_knows_the_client_library():
    importing = [
        path.relative_to(ROOT).as_posix()
        for package in (*PACKAGES, "evals", "sandbox")
        for path in (ROOT / package).rglob("*.py")
        if re.search(r"^\s*(from|import) prometheus_client", path.read_text("utf-8"), re.MULTILINE)
    ]
    assert importing == ["crosscheck/metrics.py"]
