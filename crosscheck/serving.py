"""The service: web, worker, poller and scheduled syncs in one process that owns the data folder."""

import socket
import threading
from collections.abc import Iterator
from contextlib import closing, contextmanager
from typing import Any

import structlog
import uvicorn

from crosscheck.logs import configure
from crosscheck.operations import Local
from crosscheck.owner import announced, owning
from crosscheck.scheduler import schedule
from crosscheck.settings import Secrets, Settings
from crosscheck.web import create_app
from crosscheck.wiring import Program
from state.errors import StateError

log = structlog.get_logger(__name__)


def serve_forever(settings: Settings, secrets: Secrets) -> None:
    """Run until the process is told to stop (SIGINT, SIGTERM)."""
    configure(settings.log_level)
    program = Program(settings, secrets)
    with owning(settings.data, "serve"), closing(program), service(program) as running:
        running.web.join()


class Running:
    """A running service."""

    def __init__(self, program: Program, url: str, web: threading.Thread) -> None:
        self.program = program
        self.url = url
        self.web = web


@contextmanager
def service(program: Program, *, syncs: bool = True) -> Iterator[Running]:
    """Start every role, and stop them in order: what listens first, then what works, then what is open."""
    settings = program.settings
    program.floor()
    listener = socket.create_server((settings.serve.host, settings.serve.port), reuse_port=False)
    url = f"http://{_reachable(settings.serve.host)}:{listener.getsockname()[1]}"
    stop = threading.Event()
    with announced(settings.data, url) as card:
        server = _server(program, card.token, settings.log_level)
        web = threading.Thread(target=server.run, kwargs={"sockets": [listener]}, name="web")
        poller = threading.Thread(target=_poll, args=(program, stop), name="poller")
        scheduler = schedule(program.sync_minutes, program, whole=program.index_is_whole())
        program.worker.start()
        web.start()
        poller.start()
        if syncs:
            scheduler.start()
        log.info("service started", url=url, posting=settings.posting)
        try:
            yield Running(program, url, web)
        finally:
            server.should_exit = True
            stop.set()
            program.stop()
            if syncs:
                scheduler.shutdown(wait=True)
            program.worker.stop()
            poller.join()
            web.join()
            log.info("service stopped")


def _server(program: Program, token: str, level: str) -> uvicorn.Server:
    secret = program.secrets.jira_webhook_secret
    app = create_app(
        intake=program.intake,
        webhook_secret=secret.get_secret_value() if secret else None,
        operations=Local(program),
        token=token,
        health=lambda: _health(program),
        metrics=program.metrics,
    )
    return uvicorn.Server(uvicorn.Config(app, log_level="warning" if level != "debug" else "debug", access_log=False))


def _health(program: Program) -> dict[str, Any]:
    stalled = program.jobs.stalled()
    return {"ok": not stalled, "jobs": program.jobs.counts(), "stalled": [job.id for job in stalled]}


def _poll(program: Program, stop: threading.Event) -> None:
    """Poll until told to stop, whatever the reviews are doing; a database that cannot store now is tried again."""
    period = program.settings.jira.poll_seconds if program.settings.jira else 0
    while not stop.is_set():
        try:
            program.poller.run(stop, period)
        except StateError as error:
            log.error("poll failed", reason=str(error), advice=error.advice)  # noqa: TRY400  the reason is the message
            stop.wait(period)


def _reachable(host: str) -> str:
    return "127.0.0.1" if host in {"0.0.0.0", "::"} else host  # noqa: S104  compared, not bound
