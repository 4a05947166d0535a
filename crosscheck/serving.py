"""The service: web, worker, poller and scheduled syncs in one process that owns the data folder."""

import signal
import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from functools import partial
from importlib.metadata import version
from secrets import token_bytes
from typing import Any

import structlog
import uvicorn
from starlette.routing import BaseRoute, Mount, Route

from bots.confluence.events import parse_webhook as parse_confluence
from bots.jira.events import parse_webhook as parse_jira
from core.types import Metrics
from crosscheck.api import create_api
from crosscheck.callers import Callers
from crosscheck.counted import Counted
from crosscheck.errors import CrosscheckError
from crosscheck.for_callers import ForCallers
from crosscheck.logs import configure
from crosscheck.mcp.http import McpApp
from crosscheck.metrics import PrometheusMetrics
from crosscheck.metrics_state import state_readers
from crosscheck.operations import Local, Operations
from crosscheck.owner import announced, owning
from crosscheck.scheduler import schedule
from crosscheck.scraping import scraping
from crosscheck.settings import Secrets, Settings
from crosscheck.slack.role import PAUSE, Listening
from crosscheck.web import Hook, create_app
from crosscheck.wiring import Polling, Program
from state.errors import StateError

log = structlog.get_logger(__name__)

LAST_ANSWERS = 3  # seconds that requests under way have at the end


def serve_forever(settings: Settings, secrets: Secrets) -> None:
    """Run until the process is told to stop (SIGINT, SIGTERM)."""
    configure(settings.log_level)
    program = Program(settings, secrets, metrics=PrometheusMetrics())
    with stop_signals() as told, owning(settings.data, "serve"), closing(program), service(program) as running:
        running.wait(told)


class Running:
    """A running service."""

    def __init__(self, program: Program, url: str, ended: threading.Event) -> None:
        self.program = program
        self.url = url
        self._ended = ended

    def wait(self, told: Callable[[], bool]) -> None:
        """Until told to stop, or the web server has ended by itself."""
        while not (told() or self._ended.is_set()):
            time.sleep(0.1)


@contextmanager
def stop_signals() -> Iterator[Callable[[], bool]]:
    """Whether SIGINT or SIGTERM has come since the block began; the second one is as ever. For the main thread.

    A flag and no exception: one that is raised wherever the main thread happens to be is lost in a destructor, leaves
    things half made, and makes `Thread.join` take a thread for ended that is not.
    """
    came: list[int] = []
    before = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}

    def restore() -> None:
        for number, handler in before.items():
            signal.signal(number, handler)

    def note(number: int, _frame: object) -> None:
        came.append(number)
        restore()

    for number in before:
        signal.signal(number, note)
    try:
        yield lambda: bool(came)
    finally:
        restore()


@contextmanager
def service(program: Program, *, syncs: bool = True) -> Iterator[Running]:
    """Start every role, and stop them in order: what listens first, then what works, then what is open.

    Raises:
        CrosscheckError: a secret is missing, or the port is taken.
        CoreError, StateError: the index or the database cannot be used.

    """
    settings = program.settings
    program.prepare()
    program.sources.forget_removed()
    listener = _listener(settings.serve.host, settings.serve.port)
    url = f"http://{_reachable(settings.serve.host)}:{listener.getsockname()[1]}"
    stop = threading.Event()
    with closing(listener), announced(settings.data, url) as card:
        server = _server(program, card.token)
        ended = threading.Event()
        web = threading.Thread(target=_serve, args=(server, listener, ended), name="web")
        listeners = [
            threading.Thread(target=_poll, args=(name, polling, stop, program.metrics), name=f"poller-{name}")
            for name, polling in program.pollers.items()
        ]
        if program.listening:
            told = (program.listening, stop, program.metrics)
            listeners.append(threading.Thread(target=_listen, args=told, name="slack"))
        scheduler = schedule(program.sources, whole=program.index_is_whole())
        try:
            program.worker.start()
            web.start()
            for thread in listeners:
                thread.start()
            if syncs:
                scheduler.start()
            log.info("service started", url=url, posting=settings.posting)
            yield Running(program, url, ended)
        finally:
            server.should_exit = True
            stop.set()
            program.sources.stop()
            if scheduler.running:
                scheduler.shutdown(wait=True)
            program.worker.stop()
            for thread in (*listeners, web):
                if thread.ident is not None:  # not told to stop before it had begun
                    thread.join()
            log.info("service stopped")


def _listener(host: str, port: int) -> socket.socket:
    try:
        return socket.create_server((host, port), reuse_port=False)
    except OSError as error:
        raise CrosscheckError(
            f"Cannot listen on {host}, port {port}: {error.strerror}. Set serve.host and serve.port to free ones."
        ) from error


def _server(program: Program, token: str) -> uvicorn.Server:
    operations, metrics = Local(program), program.metrics
    callers, outside = Callers(program.settings.tokens), ForCallers(operations)
    mcp = _mcp(program, Counted(outside, "mcp", metrics), callers)
    further: list[BaseRoute] = list(_scraping(program))
    if callers:  # where there is no token, nobody can ask
        further += [Route("/mcp", mcp), Mount("/v1", create_api(Counted(outside, "http", metrics), callers))]
    app = create_app(
        hooks=dict(_hooks(program)),
        slack=program.listening.receive if program.listening and program.settings.slack_calls else None,
        operations=Counted(operations, "cli", metrics),
        token=token,
        health=lambda: _health(program),
        metrics=metrics,
        further=further,
        lifespan=lambda _app: mcp.running(),
    )
    config = uvicorn.Config(app, log_config=None, access_log=False, timeout_graceful_shutdown=LAST_ANSWERS)
    return uvicorn.Server(config)


def _scraping(program: Program) -> Iterator[Route]:
    """Where Prometheus reads, if anything is kept for it."""
    metrics, purse = program.metrics, program.purse if program.settings.model else None
    if isinstance(metrics, PrometheusMetrics):
        readers = state_readers(program.jobs, program.outbox, program.sources, program.index.views, purse)
        metrics.read_at_scrape(readers)
        yield scraping(metrics.exposition, program.secrets.wanted("metrics_token"))


def _mcp(program: Program, operations: Operations, callers: Callers) -> McpApp:
    """Its cursors hold as long as the process: a client that goes on after a restart is told to begin anew."""
    names = program.settings.serve.names
    return McpApp(
        operations, callers.of, key=token_bytes(32), clock=program.clock, hosts=names, version=version("crosscheck")
    )


def _hooks(program: Program) -> Iterator[tuple[str, Hook]]:
    """Whose comments' webhooks are taken: where people are answered, and a secret is set."""
    words = program.settings.commands.words
    for surface, parse in (("jira", parse_jira), ("confluence", parse_confluence)):
        intake, secret = program.intake(surface), program.secrets.wanted(f"{surface}_webhook_secret")
        if intake is not None and secret:
            yield surface, Hook(intake, partial(parse, words=words), secret)


def _serve(server: uvicorn.Server, listener: socket.socket, ended: threading.Event) -> None:
    try:
        server.run(sockets=[listener])
    finally:
        ended.set()


def _health(program: Program) -> dict[str, Any]:
    stalled = program.jobs.stalled()
    return {"ok": not stalled, "jobs": program.jobs.counts(), "stalled": [job.id for job in stalled]}


def _poll(surface: str, polling: Polling, stop: threading.Event, metrics: Metrics) -> None:
    """Poll until told to stop, whatever the reviews are doing and whatever goes wrong: nobody sees a poll missing."""
    while not stop.is_set():
        try:
            polling.poller.run(stop, polling.seconds)
        except StateError as error:
            reason, advice = str(error), error.advice
            _count(metrics, "poll", error)
            log.error("poll failed", surface=surface, reason=reason, advice=advice)  # noqa: TRY400  the reason says it
            stop.wait(polling.seconds)
        except Exception as error:  # the thread's edge: it must not end in silence
            _count(metrics, "poll", error)
            log.exception("poll failed", surface=surface, error=type(error).__name__)
            stop.wait(polling.seconds)


def _listen(listening: Listening, stop: threading.Event, metrics: Metrics) -> None:
    """Listen to Slack until told to stop, whatever goes wrong: nobody sees a listener missing."""
    while not stop.is_set():
        try:
            listening.run(stop)
        except Exception as error:  # the thread's edge: it must not end in silence
            _count(metrics, "slack", error)
            log.exception("Slack not listened to", error=type(error).__name__)
            stop.wait(PAUSE)


def _count(metrics: Metrics, part: str, error: Exception) -> None:
    metrics.count("crosscheck_errors_total", part=part, kind=type(error).__name__)


def _reachable(host: str) -> str:
    return "127.0.0.1" if host in {"0.0.0.0", "::"} else host  # noqa: S104  compared, not bound
