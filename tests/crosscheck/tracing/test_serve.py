"""`crosscheck serve` as a process sends its spans, and ends in time though the collector hangs."""

import os
import signal
import subprocess
import sys
import threading
import time

from crosscheck.owner import running
from evals.playground import company, secrets_of
from sandbox.server import Sandbox
from tests.crosscheck.live import until
from tests.crosscheck.tracing.collector import collecting


def test_the_service_sends_spans_and_ends_though_nobody_takes_them(tmp_path):
    with Sandbox.start(company(1)) as box, collecting() as collector:
        (tmp_path / "crosscheck.toml").write_text(
            f"[serve]\nport = 0\n[jira]\nsite = '{box.jira_url}'\nread_user = '{box.read_user}'\n"
            f"post_user = '{box.post_user}'\nprojects = ['RUN']\npoll_seconds = 0.2\n"
            f"[tracing]\nendpoint = '{collector.settings.endpoint}'\n"
        )
        secrets = secrets_of(box)
        environment = os.environ | {
            "CROSSCHECK_JIRA_READ_TOKEN": secrets.jira_read_token.get_secret_value(),
            "CROSSCHECK_JIRA_POST_TOKEN": secrets.jira_post_token.get_secret_value(),
            "CROSSCHECK_TRACING_TOKEN": "tr4ce",
        }
        command = [sys.executable, "-m", "crosscheck.cli", "serve"]
        with subprocess.Popen(command, cwd=tmp_path, env=environment, stderr=subprocess.PIPE) as process:
            try:
                until(lambda: running(tmp_path / ".crosscheck"), "the service")
                ask(box)
                (post,) = collector.waited("post", seconds=30)
                assert post.trace == collector.one("intake").trace
                assert collector.tokens == {"Bearer tr4ce"}
                collector.hangs = threading.Event()
                ask(box)
                began = time.monotonic()
                process.send_signal(signal.SIGTERM)
                _, logged = process.communicate(timeout=30)
                assert time.monotonic() - began < 15
            finally:
                process.kill()
                if collector.hangs is not None:
                    collector.hangs.set()
    assert b"tr4ce" not in logged


def ask(box):
    box.jira.add_comment("RUN-1", box.company.tickets[0].reporter, "#qa-check")
