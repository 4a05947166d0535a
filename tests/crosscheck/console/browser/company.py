"""The console of the make-believe company, after some people have asked something."""

import threading
from collections.abc import Iterable, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path

import uvicorn
from starlette.applications import Starlette
from starlette.routing import Mount

from crosscheck.callers import Callers, hashed, new_token
from crosscheck.console.site import create_console
from crosscheck.demo import COMMAND, QUESTION, asked_about, playground
from crosscheck.operations import Local
from crosscheck.settings_deployed import Token
from crosscheck.wiring import Program
from sandbox.load import load_company
from state.feedback import Feedback
from state.types import JobView
from tests.crosscheck.live import Live, at_work, until

WORDS = "How long are refunds held back?"
"""A question whose answer stands in a page, in code and in tickets."""


@dataclass(frozen=True, slots=True)
class Opened:
    """Where the console is, and who may look."""

    live: Live
    url: str
    token: str
    """Reads what was asked, and what was answered, and all that everybody in the company may."""
    narrow: str
    """Reads what is labelled `org` alone."""


@contextmanager
def console(home: Path) -> Iterator[Opened]:
    company = load_company()
    with playground(company, home, fixed_ports=False) as (box, program), at_work(box, program, owned=True) as live:
        held = ask(live) | {label for token in program.settings.tokens for label in token.labels}
        wide, narrow = new_token(), new_token()
        viewers = [
            Token(name="quality", sha256=hashed(wide), labels=tuple(sorted(held))),
            Token(name="narrow", sha256=hashed(narrow), labels=("org",)),
        ]
        with mounted(program, viewers) as url:
            yield Opened(live, url, wide, narrow)


def ask(live: Live) -> frozenset[str]:
    """Questions of the product owner among her own, of a developer for everybody, and of somebody in Slack, who tells
    what the answer was worth. The labels that readers of the answers hold.
    """
    demo, slack = asked_about(live.box.company), live.box.slack
    among = live.ask(demo.ticket, QUESTION, by=demo.person, role=demo.role)
    assert slack.sockets.wait_connected(timeout=30)
    message = slack.say(demo.slack.person, demo.slack.channel, f"{slack.mention} {demo.slack.text}")
    live.settled(among)
    last = live.settled(live.ask(demo.ticket, COMMAND))
    answered = until(lambda: _answered(live, message), "the answer in Slack")
    Feedback(live.program.database).add(answered.job.id, demo.slack.person, "up", "")
    Feedback(live.program.database).add(last.job.id, demo.person, "down", "The policy of 2025 is not in force.")
    results = [live.program.jobs.show(job.id).result or {} for job in live.program.jobs.list()]
    labels = [(result.get("review") or result.get("answer") or result)["audience"] for result in results]
    return frozenset(label for each in labels for label in each)


def _answered(live: Live, message: str) -> JobView | None:
    jobs = [job for job in live.program.jobs.list() if message in job.key.split("|") and job.state == "done"]
    return live.program.jobs.show(jobs[0].id) if jobs else None


@contextmanager
def mounted(program: Program, viewers: Iterable[Token]) -> Iterator[str]:
    callers, settings = Callers(viewers), program.settings.console
    site = create_console(Local(program), settings, callers, clock=program.clock)
    app = Starlette(routes=[Mount("/console", site)])
    server = uvicorn.Server(uvicorn.Config(app, port=0, log_config=None, access_log=False))
    thread = threading.Thread(target=server.run, name="console")
    thread.start()
    try:
        until(lambda: server.started, "the console to listen")
        with closing(server.servers[0].sockets[0].dup()) as listener:
            yield f"http://127.0.0.1:{listener.getsockname()[1]}/console"
    finally:
        server.should_exit = True
        thread.join()
