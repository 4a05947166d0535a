"""What `deploy/prometheus` and `deploy/grafana` say is valid, tested, explained, and about metrics that there are."""

import itertools
import json
import re
import subprocess
from pathlib import Path

import pytest
import yaml

from crosscheck.metrics_table import TABLE
from tests.crosscheck.metrics.prometheus import DEPLOY, program

PROMETHEUS, GRAFANA = DEPLOY / "prometheus", DEPLOY / "grafana"
RUNBOOK = DEPLOY.parent / "docs/operations.md"
RULES = [
    rule
    for group in yaml.safe_load((PROMETHEUS / "alerts.yml").read_text("utf-8"))["groups"]
    for rule in group["rules"]
]
DASHBOARDS = {path.stem: json.loads(path.read_text("utf-8")) for path in sorted(GRAFANA.glob("dashboards/*.json"))}
SERIES = {metric.name for metric in TABLE} | {
    f"{metric.name}_{end}" for metric in TABLE if metric.kind == "histogram" for end in ("bucket", "sum", "count")
}


def promtool(*arguments, cwd):
    command = [program("promtool"), *arguments]
    return subprocess.run(command, cwd=cwd, capture_output=True, text=True, timeout=60, check=False)


@pytest.mark.parametrize(
    "command",
    [("check", "config", "prometheus.yml"), ("check", "rules", "alerts.yml"), ("test", "rules", "alerts_test.yml")],
    ids=" ".join,
)
def test_promtool_accepts(command):
    done = promtool(*command, cwd=PROMETHEUS)
    assert done.returncode == 0, done.stdout + done.stderr


def test_a_rule_that_is_wrong_is_told(tmp_path):
    """Else the check above would hold whatever the file says."""
    for name in ("alerts.yml", "alerts_test.yml"):
        text = (PROMETHEUS / name).read_text("utf-8")
        (tmp_path / name).write_text(
            text.replace("crosscheck_jobs_stalled > 0", "crosscheck_jobs_stalled > 5"), "utf-8"
        )
    done = promtool("test", "rules", "alerts_test.yml", cwd=tmp_path)
    assert done.returncode != 0
    assert "CrosscheckWorkerStalled" in done.stdout + done.stderr


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule["alert"])
def test_each_alert_has_its_runbook_and_its_tests(rule):
    name = rule["alert"]
    assert rule["labels"]["severity"] in {"critical", "warning"}
    assert rule["annotations"]["runbook"] == f"docs/operations.md#{name.casefold()}"
    entry = re.search(rf"^### {name}\n\n\*(\w+):\*", RUNBOOK.read_text("utf-8"), re.MULTILINE)
    assert entry, f"{name} has no entry"
    assert entry[1] == rule["labels"]["severity"]
    tested = [
        bool(case.get("exp_alerts"))
        for test in yaml.safe_load((PROMETHEUS / "alerts_test.yml").read_text("utf-8"))["tests"]
        for case in test["alert_rule_test"]
        if case["alertname"] == name
    ]
    assert set(tested) == {True, False}, "tested both for firing and for keeping quiet"


def test_each_entry_of_the_runbook_has_its_alert():
    entries = re.findall(r"^### (\w+)$", RUNBOOK.read_text("utf-8"), re.MULTILINE)
    assert entries == [rule["alert"] for rule in RULES]


@pytest.mark.parametrize(
    "file", [RUNBOOK, PROMETHEUS / "alerts.yml", *GRAFANA.glob("dashboards/*.json")], ids=lambda f: f.name
)
def test_what_is_named_is_measured(file: Path):
    text = re.sub(r"crosscheck/metrics_table", "", file.read_text("utf-8"))
    named = set(re.findall(r"\bcrosscheck_[a-z_]+", text))
    assert named
    assert named - SERIES == set()


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule["alert"])
def test_what_counts_an_increase_begins_at_zero(rule):
    """The first of what begins at 1 is no increase."""
    for name in re.findall(r"increase\((crosscheck_[a-z_]+)", rule["expr"]):
        (metric,) = [metric for metric in TABLE if metric.name == name]
        assert metric.series or not metric.labels


# Dashboards.


@pytest.mark.parametrize("name", DASHBOARDS)
def test_a_dashboard_is_whole(name):
    dashboard = DASHBOARDS[name]
    panels = dashboard["panels"]
    assert dashboard["uid"] == f"crosscheck-{name}"
    assert len({panel["id"] for panel in panels}) == len({panel["title"] for panel in panels}) == len(panels)
    for one, other in itertools.combinations([panel["gridPos"] for panel in panels], 2):
        apart = (
            one["x"] + one["w"] <= other["x"]
            or other["x"] + other["w"] <= one["x"]
            or one["y"] + one["h"] <= other["y"]
            or other["y"] + other["h"] <= one["y"]
        )
        assert apart, (one, other)
    assert all(panel["gridPos"]["x"] + panel["gridPos"]["w"] <= 24 for panel in panels)


def test_grafana_finds_the_data_source_and_the_dashboards():
    (source,) = yaml.safe_load((GRAFANA / "provisioning/datasources/prometheus.yml").read_text("utf-8"))["datasources"]
    (provider,) = yaml.safe_load((GRAFANA / "provisioning/dashboards/crosscheck.yml").read_text("utf-8"))["providers"]
    assert set(DASHBOARDS) == {"overview", "retrieval", "worker", "sources", "models"}
    assert provider["options"]["path"] in RUNBOOK.read_text("utf-8")
    for dashboard in DASHBOARDS.values():
        named = {json.dumps(one) for panel in dashboard["panels"] for one in (panel, *panel["targets"])}
        assert all(json.loads(one)["datasource"] == {"type": "prometheus", "uid": source["uid"]} for one in named)
