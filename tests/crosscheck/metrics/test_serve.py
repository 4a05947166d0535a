"""`crosscheck serve` as a process is scraped; nothing that it reports is refused."""

import os
import signal
import subprocess
import sys
import time

import httpx

from crosscheck.owner import running
from evals.playground import company, secrets_of
from sandbox.server import Sandbox
from tests.crosscheck.live import until
from tests.crosscheck.metrics.reading import value


def test_the_service_is_scraped(tmp_path):
    with Sandbox.start(company(1)) as box:
        (tmp_path / "crosscheck.toml").write_text(
            f"[serve]\nport = 0\n[jira]\nsite = '{box.jira_url}'\nread_user = '{box.read_user}'\n"
            f"post_user = '{box.post_user}'\nprojects = ['RUN']\npoll_seconds = 0.2\n"
        )
        secrets = secrets_of(box)
        environment = os.environ | {
            "CROSSCHECK_JIRA_READ_TOKEN": secrets.jira_read_token.get_secret_value(),
            "CROSSCHECK_JIRA_POST_TOKEN": secrets.jira_post_token.get_secret_value(),
            "CROSSCHECK_METRICS_TOKEN": "scr4pe",
        }
        command = [sys.executable, "-m", "crosscheck.cli", "serve"]
        with subprocess.Popen(command, cwd=tmp_path, env=environment, stderr=subprocess.PIPE) as process:
            try:
                service = until(lambda: running(tmp_path / ".crosscheck"), "the service")
                told = until(lambda: _synchronised(service.url), "a synchronised source")
                process.send_signal(signal.SIGTERM)
                _, logged = process.communicate(timeout=20)
            finally:
                process.kill()
    assert value(told, "crosscheck_source_documents", source="jira") >= 1
    assert value(told, "crosscheck_polls_total", surface="jira", outcome="done") >= 1
    assert time.time() - value(told, "crosscheck_worker_heartbeat_timestamp_seconds") < 30
    assert value(told, "process_resident_memory_bytes") > 0
    assert b"metric refused" not in logged
    assert b"scr4pe" not in logged


def _synchronised(url):
    """What is told once a source is in the index and was polled."""
    try:
        told = httpx.get(
            f"{url}/metrics", headers={"X-Real-IP": "203.0.113.7", "Authorization": "Bearer scr4pe"}
        ).content
    except httpx.TransportError:
        return None
    polled = value(told, "crosscheck_polls_total", surface="jira", outcome="done")
    return told if polled and value(told, "crosscheck_source_documents", source="jira") else None
