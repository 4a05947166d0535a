"""The service: its roles in one process that owns a data folder, started together and stopped in order."""

import signal
import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from functools import partial

import structlog
import uvicorn
from apscheduler.schedulers.background import BackgroundScheduler

from core.errors import CoreError
from core.types import Metrics
from crosscheck.errors import CrosscheckError
from crosscheck.logs import configure
from crosscheck.metrics import PrometheusMetrics
from crosscheck.owner import announced, owning
from crosscheck.redaction import Redaction
from crosscheck.retention import prune_daily
from crosscheck.roles import ALL, POLL, SLACK, SYNC, WORK, check
from crosscheck.scheduler import schedule
from crosscheck.settings import Secrets, Settings
from crosscheck.slack.role import PAUSE, Listening
from crosscheck.tracing import tracing
from crosscheck.web_parts import create_server
from crosscheck.wiring import Polling, Program
from state.errors import StateError

log = structlog.get_logger(__name__)

KEEP_AGAIN = 30.0  # seconds after which it is tried again to keep the index


def serve_forever(settings: Settings, secrets: Secrets, roles: frozenset[str] = ALL) -> None:
    """Run until the process is told to stop (SIGINT, SIGTERM).

    Raises:
        BadSettings: the settings keep all roles in one process.

    """
    check(settings, roles)
    configure(settings.log_level, Redaction(secrets.values()))
    metrics = PrometheusMetrics()
    with tracing(settings.tracing, secrets.wanted("tracing_token")) as spans:
        program = Program(settings, secrets, metrics=metrics, spans=spans, keeps_index=not settings.several)
        with (
            stop_signals() as told,
            owning(settings.data, "serve"),
            closing(program),
            closing(metrics),
            service(program, roles) as running,
        ):
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
def service(program: Program, roles: frozenset[str] = ALL, *, syncs: bool = True) -> Iterator[Running]:
    """Start every role, and stop them in order: what listens first, then what works, then what is open.

    Raises:
        CrosscheckError: a secret is missing, or the port is taken.
        CoreError, StateError: the index or the database cannot be used.

    """
    settings = program.settings
    program.prepare()
    scheduler = None if settings.several or SYNC not in roles else _scheduled(program)
    listener = _listener(settings.serve.host, settings.serve.port)
    url = f"http://{_reachable(settings.serve.host)}:{listener.getsockname()[1]}"
    stop, ended = threading.Event(), threading.Event()
    with closing(listener), announced(settings.data, url) as card:
        server = create_server(program, card.token, roles)
        web = threading.Thread(target=_serve, args=(server, listener, ended), name="web")
        threads = [web, *_threads(program, roles, stop)]
        try:
            if WORK in roles:
                program.worker.start()
            for thread in threads:
                thread.start()
            if scheduler and syncs:
                scheduler.start()
            log.info("service started", url=url, posting=settings.posting, roles=sorted(roles))
            yield Running(program, url, ended)
        finally:
            server.should_exit = True
            stop.set()
            program.leading.stop()
            program.sources.stop()
            program.worker.stop()  # while syncs end at their next document, which may take a while
            if scheduler and scheduler.running:
                scheduler.shutdown(wait=True)
            for thread in reversed(threads):
                if thread.ident is not None:  # not told to stop before it had begun
                    thread.join()
            log.info("service stopped")


def _threads(program: Program, roles: frozenset[str], stop: threading.Event) -> Iterator[threading.Thread]:
    """What runs beside the web server and the worker. Of several processes one polls each surface, and one syncs."""
    led: dict[str, Callable[[threading.Event], None]] = {}
    if POLL in roles:
        for name, polling in program.pollers.items():
            led[f"poller-{name}"] = partial(_poll, name, polling, program.metrics)
    if SYNC in roles and program.settings.several:
        led["sync"] = partial(_keep_index, program)
    for task, work in led.items():
        yield threading.Thread(target=program.leading.run, args=(task, work), name=task)
    if led and program.settings.several:
        yield threading.Thread(target=program.leading.keep, name="leading")
    if SLACK in roles and program.listening:
        told = (program.listening, stop, program.metrics)
        yield threading.Thread(target=_listen, args=told, name="slack")


def _scheduled(program: Program) -> BackgroundScheduler:
    """What keeps the index, not started."""
    program.sources.forget_removed()
    days = program.settings.retention
    daily = partial(prune_daily, program.database, days, program.clock, program.metrics)
    return schedule(program.sources, whole=program.index_is_whole(), daily=[daily])


def _keep_index(program: Program, over: threading.Event) -> None:
    """Keep the index while this process leads, by parts of its own: what another leader did is read anew."""
    try:
        with program.keeping() as keeper:
            scheduler = _scheduled(keeper)
            scheduler.start()
            over.wait()
            keeper.sources.stop()
            scheduler.shutdown(wait=True)
            keeper.sources.end()  # a command may sync, too
    except (CoreError, StateError) as error:
        _count(program.metrics, "sync", error)
        log.error("index not kept", reason=str(error), advice=error.advice)  # noqa: TRY400  the reason says it
        over.wait(KEEP_AGAIN)
    except Exception as error:  # the thread's edge: it must not end in silence
        _count(program.metrics, "sync", error)
        log.exception("index not kept", error=type(error).__name__)
        over.wait(KEEP_AGAIN)


def _listener(host: str, port: int) -> socket.socket:
    try:
        return socket.create_server((host, port), reuse_port=False)
    except OSError as error:
        raise CrosscheckError(
            f"Cannot listen on {host}, port {port}: {error.strerror}. Set serve.host and serve.port to free ones."
        ) from error


def _serve(server: uvicorn.Server, listener: socket.socket, ended: threading.Event) -> None:
    try:
        server.run(sockets=[listener])
    finally:
        ended.set()


def _poll(surface: str, polling: Polling, metrics: Metrics, stop: threading.Event) -> None:
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
