"""What the service answers over HTTP, put together."""

from collections.abc import Iterator
from functools import partial
from importlib.metadata import version
from secrets import token_bytes
from typing import Any

import structlog
import uvicorn
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import BaseRoute, Mount, Route
from starlette.types import ASGIApp

from bots.confluence.events import parse_webhook as parse_confluence
from bots.jira.events import parse_webhook as parse_jira
from crosscheck.api import create_api
from crosscheck.call_rate import CallRate
from crosscheck.callers import Callers, Remembered
from crosscheck.console.site import create_console
from crosscheck.counted import Counted
from crosscheck.for_callers import ForCallers
from crosscheck.mcp.http import McpApp
from crosscheck.metrics import PrometheusMetrics
from crosscheck.metrics_state import state_readers
from crosscheck.operations import Local, Operations
from crosscheck.roles import WEB, WORK
from crosscheck.scraping import scraping
from crosscheck.settings import Settings
from crosscheck.web import Hook, create_app
from crosscheck.wiring import Program
from state.errors import StateError
from state.revocations import Revocations

log = structlog.get_logger(__name__)

LAST_ANSWERS = 3  # seconds that requests under way have at the end


def create_server(program: Program, token: str, roles: frozenset[str]) -> uvicorn.Server:
    """The HTTP server, not started. Every process tells its health and its numbers and takes this host's commands; what
    others call is for the role web.
    """
    operations, metrics, is_web = Local(program), program.metrics, WEB in roles
    callers = Callers(program.settings.tokens, Remembered(Revocations(program.database).every))
    outside, rate = ForCallers(operations), CallRate(program.settings.limits.calls_minute)
    mcp = _mcp(program, Counted(outside, "mcp", metrics, program.spans), callers, rate)
    further: list[BaseRoute] = list(_scraping(program))
    if callers and is_web:  # where there is no token, nobody can ask
        further += [
            Route("/mcp", mcp),
            Mount("/v1", create_api(Counted(outside, "http", metrics, program.spans), callers, rate)),
        ]
    if is_web and _has_visitors(program.settings, callers):
        further += [
            Route("/console", _to_console),  # a redirection by the router would lead to the Host that was sent
            Mount("/console", _console(program, operations, callers, rate)),
        ]
    calls = program.listening if is_web and program.settings.slack_calls else None
    app = create_app(
        hooks=dict(hooks(program)) if is_web else {},
        slack=calls.receive if calls else None,
        operations=Counted(operations, "cli", metrics, program.spans),
        token=token,
        health=lambda: _health(program, roles),
        metrics=metrics,
        further=further,
        lifespan=lambda _app: mcp.running(),
    )
    # Who sent a request is whoever connected: the console believes a header of the proxies alone that it knows.
    config = uvicorn.Config(
        app, log_config=None, access_log=False, proxy_headers=False, timeout_graceful_shutdown=LAST_ANSWERS
    )
    return uvicorn.Server(config)


def _has_visitors(settings: Settings, callers: Callers) -> bool:
    """Whether anybody could log in to the console."""
    return settings.console.enabled and (bool(callers) or bool(settings.console.header))


def _console(program: Program, operations: Operations, callers: Callers, rate: CallRate) -> ASGIApp:
    counted = Counted(operations, "console", program.metrics, program.spans)
    settings = program.settings
    return create_console(
        counted, settings.console, callers, clock=program.clock, hosts=settings.serve.names, rate=rate
    )


def _to_console(_request: Request) -> Response:
    return RedirectResponse("/console/")


def _scraping(program: Program) -> Iterator[Route]:
    """Where Prometheus reads, if anything is kept for it."""
    metrics, purse = program.metrics, program.purse if program.settings.model else None
    if isinstance(metrics, PrometheusMetrics):
        readers = state_readers(
            program.database, program.jobs, program.outbox, program.sources, program.index.views, purse
        )
        metrics.read_at_scrape(readers)
        yield scraping(metrics.exposition, program.secrets.wanted("metrics_token"))


def _mcp(program: Program, operations: Operations, callers: Callers, rate: CallRate) -> McpApp:
    """Its cursors hold as long as the process: a client that goes on after a restart is told to begin anew."""
    names = program.settings.serve.names
    return McpApp(
        operations,
        callers.of,
        key=token_bytes(32),
        clock=program.clock,
        hosts=names,
        rate=rate,
        version=version("crosscheck"),
    )


def hooks(program: Program) -> Iterator[tuple[str, Hook]]:
    """Whose comments' webhooks are taken: where people are answered, and a secret is set."""
    words = program.settings.commands.words
    for surface, parse in (("jira", parse_jira), ("confluence", parse_confluence)):
        intake, secret = program.intake(surface), program.secrets.wanted(f"{surface}_webhook_secret")
        if intake is not None and secret:
            yield surface, Hook(intake, partial(parse, words=words), secret, program.clock)


def _health(program: Program, roles: frozenset[str]) -> dict[str, Any]:
    """Not well while a job is stalled that this process could take."""
    try:
        stalled = program.jobs.stalled()
    except StateError as error:
        log.warning("health not known", reason=str(error))
        return {"ok": False, "roles": sorted(roles), "jobs": {}, "stalled": [], "reason": "The database is not there."}
    return {
        "ok": WORK not in roles or not stalled,
        "roles": sorted(roles),
        "jobs": program.jobs.counts(),
        "stalled": [job.id for job in stalled],
    }
