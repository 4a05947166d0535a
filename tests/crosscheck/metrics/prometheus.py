"""A real Prometheus, Debian's, that scrapes in short intervals with the configuration and the rules of `deploy/`."""

import math
import shutil
import socket
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import httpx
import yaml

from tests.conftest import missing

DEPLOY = Path(__file__).parents[3] / "deploy"
EVERY = "500ms"


def program(name: str) -> str:
    """Where Debian's package has put it; skips the test without it."""
    path = shutil.which(name)
    if path is None:
        missing(f"{name} is not installed: apt-get install prometheus")
    return str(path)


class Prometheus:
    """Answers what a dashboard asks."""

    def __init__(self, url: str) -> None:
        self._web = httpx.Client(base_url=f"{url}/api/v1", timeout=10)
        self._began = time.time()

    def close(self) -> None:
        self._web.close()

    def ready(self) -> bool:
        """Whether it has begun, which it says with 503 before, and has scraped."""
        try:
            return bool(self.values("up == 1"))
        except (httpx.TransportError, httpx.HTTPStatusError):
            return False

    def values(self, query: str) -> list[dict[str, Any]]:
        """Each series' value now."""
        return self._data("/query", {"query": query})["result"]

    def points(self, query: str) -> list[float]:
        """The numbers of a drawn line, from the start until now; of all lines together."""
        now = time.time()
        asked = {"query": query, "start": self._began, "end": now, "step": "1"}
        series = self._data("/query_range", asked)["result"]
        return [number for one in series for _, text in one["values"] if math.isfinite(number := float(text))]

    def firing(self) -> set[str]:
        alerts = self._data("/alerts", {})["alerts"]
        return {alert["labels"]["alertname"] for alert in alerts if alert["state"] == "firing"}

    def target_error(self) -> str:
        return "; ".join(str(one["lastError"]) for one in self._data("/targets", {})["activeTargets"])

    def _data(self, path: str, parameters: dict[str, Any]) -> Any:
        answer = self._web.get(path, params=parameters)
        if answer.status_code != 400:  # its words say what is wrong with a query
            answer.raise_for_status()
        told = answer.json()
        assert told["status"] == "success", told
        return told["data"]


@contextmanager
def scraping(service: str, home: Path, *, token: str = "") -> Iterator[Prometheus]:
    """Scrapes the service at this address until the block ends. What has to last to be an alert lasts a second."""
    binary, port = program("prometheus"), _free_port()
    home.mkdir(parents=True)
    (home / "prometheus.yml").write_text(yaml.safe_dump(_configuration(service, token)), "utf-8")
    (home / "alerts.yml").write_text(yaml.safe_dump(_rules()), "utf-8")
    command = [
        binary,
        f"--config.file={home / 'prometheus.yml'}",
        f"--storage.tsdb.path={home / 'data'}",
        f"--web.listen-address=127.0.0.1:{port}",
        "--log.level=error",
    ]
    with (home / "log").open("wb") as log, subprocess.Popen(command, stdout=log, stderr=log) as process:
        asked = Prometheus(f"http://127.0.0.1:{port}")
        try:
            waited(asked.ready, lambda: (home / "log").read_text("utf-8") or asked.target_error())
            yield asked
        finally:
            asked.close()
            process.terminate()


def waited(condition: Callable[[], Any], told: Callable[[], Any], seconds: float = 30) -> None:
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, told()
        time.sleep(0.1)


def _configuration(service: str, token: str) -> Any:
    configuration = yaml.safe_load((DEPLOY / "prometheus/prometheus.yml").read_text("utf-8"))
    configuration["global"] = dict.fromkeys(("scrape_interval", "scrape_timeout", "evaluation_interval"), EVERY)
    (job,) = configuration["scrape_configs"]
    job["static_configs"][0]["targets"] = [urlsplit(service).netloc]
    if token:
        job["authorization"] = {"type": "Bearer", "credentials": token}
    return configuration


def _rules() -> Any:
    rules = yaml.safe_load((DEPLOY / "prometheus/alerts.yml").read_text("utf-8"))
    for group in rules["groups"]:
        for rule in group["rules"]:
            if "for" in rule:
                rule["for"] = "1s"
    return rules


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])
