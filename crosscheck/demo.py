"""`crosscheck demo`: the main job on a make-believe company, with every part real but the company."""

import json
import shutil
import socket
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pydantic import SecretStr
from rich.console import Console
from rich.progress import Progress

from bots.text import clean
from crosscheck import settings as config
from crosscheck.callers import hashed, new_token
from crosscheck.demo_settings import (
    asked_labels,
    deployed_text,
    probes,
    settings_text,
    slack_text,
    token_text,
    truth_text,
)
from crosscheck.errors import CrosscheckError
from crosscheck.logs import configure
from crosscheck.metrics import PrometheusMetrics
from crosscheck.owner import owning
from crosscheck.records import job_record
from crosscheck.serving import service, stop_signals
from crosscheck.terminal import columns
from crosscheck.wiring import Program
from sandbox.load import load_company
from sandbox.records import Asking, Commenting, Company, Demo
from sandbox.repos import build
from sandbox.server import Sandbox
from sandbox.slack_html import links
from sandbox.slack_screen import mark_of

HOME = Path(".crosscheck-demo")
QUESTION = "#qa-check Is this ready to be planned?"
COMMAND = "#qa-check"
PATIENCE = 60.0  # seconds to wait for a reply
PORTS = {"jira_port": 8801, "confluence_port": 8802, "model_port": 8803, "slack_port": 8804}
SERVICE_PORT = 8765
CALLER = "token.txt"  # of the program that may ask in the demo
VIEWER = "console.txt"  # of whoever looks at its console


@dataclass(frozen=True, slots=True)
class Answered:
    """The reply as it stands in the ticket, with what the service knows of it."""

    comments: list[dict[str, Any]]
    job: dict[str, Any]
    seconds: float


@dataclass(frozen=True, slots=True)
class OnPage:
    """The reply as it stands at a marked text of a page."""

    url: str
    title: str
    job: dict[str, Any]
    seconds: float


@dataclass(frozen=True, slots=True)
class Thread:
    """The question in Slack, and its answer."""

    url: str
    """Of the page that shows the thread."""
    question: str
    answer: str
    links: list[str]
    """Where the answer's links lead, in order."""
    seconds: float


def run_demo(*, once: bool, as_json: bool) -> None:
    """Run the demo; with `once` in a temporary folder and on free ports, else until Ctrl-C.

    Raises:
        CrosscheckError: no reply came, another demo is running, or a port is taken.

    """
    console = Console(stderr=as_json, highlight=False, markup=False)
    configure("error")
    started = time.monotonic()
    company = load_company()
    demo = asked_about(company)
    timings: dict[str, float] = {}
    with ExitStack() as stack:
        home = Path(stack.enter_context(tempfile.TemporaryDirectory())) if once else HOME
        box, program = stack.enter_context(playground(company, home, fixed_ports=not once))
        box.exchanges.recording = False  # pages that are left open ask all day long
        console.print(
            f"A make-believe company has opened: Jira at {box.jira_url}, Confluence at {box.confluence_url}, "
            f"Slack at {box.slack_url}",
            soft_wrap=True,
        )
        timings["index"] = _timed(lambda: _index(program, console))
        with service(program, syncs=not once) as running:
            box.deliver_to(f"{running.url}/webhooks/jira")
            answered = _ask(demo, box, program)
            timings["answer"] = answered.seconds
            box.confluence_webhooks.shape = "automation"
            box.confluence_webhooks.deliver_to(f"{running.url}/webhooks/confluence")
            page = _ask_on_page(demo.page, box, program)
            thread = _ask_in_slack(demo.slack, box, program)
            timings["total"] = time.monotonic() - started
            if as_json:
                _print_json(answered, page, thread, timings)
            else:
                _print(console, company, demo, box, answered, once=once)
                _print_page(console, company, demo.page, page, once=once)
                _print_thread(console, company, demo.slack, thread, once=once)
                console.print(f"\nIndexed in {timings['index']:.1f} s, {timings['total']:.1f} s in all.")
            if not once:
                with stop_signals() as told:
                    _explain(console, demo, box, home, running.url)
                    running.wait(told)
                console.print(f"Closing {box.jira_url}.")


@contextmanager
def playground(company: Company, home: Path, *, fixed_ports: bool) -> Iterator[tuple[Sandbox, Program]]:
    """The company on loopback and a program set up for it, in a fresh folder that this process owns."""
    home.mkdir(parents=True, exist_ok=True)
    with owning(home, "demo"), ExitStack() as stack:
        _fresh(home)
        repos = build(company, home / "repos")
        ports = {name: _if_free(port) for name, port in PORTS.items()} if fixed_ports else {}
        box = stack.enter_context(Sandbox.start(company, **ports))
        box.repos.update(repos)
        path = home / config.FILE
        port = _if_free(SERVICE_PORT) if fixed_ports else 0
        databases = home / "databases"
        databases.mkdir()
        told = [settings_text(company, box, repos, port), slack_text(box), deployed_text(box, databases)]
        agent, viewer = new_token(), new_token()
        (home / CALLER).write_text(agent, "utf-8")
        (home / VIEWER).write_text(viewer, "utf-8")
        told.append(token_text("demo", hashed(agent), company))
        told.append(token_text("console", hashed(viewer), company, *asked_labels(box)))
        path.write_text("".join(told), "utf-8")
        (home / "truth.toml").write_text(truth_text(company), "utf-8")
        secrets = config.Secrets(
            jira_read_token=SecretStr(box.read_token),
            jira_post_token=SecretStr(box.post_token),
            jira_webhook_secret=SecretStr(box.webhook_secret),
            confluence_token=SecretStr(box.read_token),
            confluence_post_token=SecretStr(box.post_token),
            confluence_webhook_secret=SecretStr(box.webhook_secret),
            host_tokens={"github": SecretStr(box.git_host.token)},
            probe_tokens={name: SecretStr(box.version_token) for name in probes(box)},
            slack_bot_token=SecretStr(box.slack.token),
            slack_app_token=SecretStr(box.slack.app_token),
        )
        settings = config.load(path)
        stack.enter_context(owning(settings.data, "demo"))
        program = Program(settings, secrets, metrics=PrometheusMetrics())
        stack.callback(program.close)
        yield box, program


def _if_free(port: int) -> int:
    """A port that is easy to remember, or 0 for any when something else has it."""
    with socket.socket() as probe:
        return 0 if probe.connect_ex(("127.0.0.1", port)) == 0 else port


def asked_about(company: Company) -> Demo:
    """The ticket of the demo.

    Raises:
        CrosscheckError: this company has none.

    """
    if company.demo is None:
        raise CrosscheckError("This company has no ticket for a demo.")
    return company.demo


def _fresh(home: Path) -> None:
    """The company begins anew each time, so what an earlier demo remembers of it must go."""
    for name in ("data", "repos", "databases"):
        shutil.rmtree(home / name, ignore_errors=True)


def _index(program: Program, console: Console) -> None:
    with Progress(*columns(), console=console) as progress:
        for name in program.sources.names([]):
            bar = progress.add_task(f"indexing {name}", total=None)

            def report(message: dict[str, Any], bar: Any = bar) -> None:
                progress.update(bar, completed=message["done"], total=message["total"])

            done = program.sources.sync(name, True, report)
            progress.update(bar, completed=done["read"], total=done["read"])


def _ask(demo: Demo, box: Sandbox, program: Program) -> Answered:
    """Write the product owner's comment and wait until the reply stands in the ticket."""
    asked = time.monotonic()
    trigger = box.jira.add_comment(demo.ticket, demo.person, QUESTION, role=demo.role)
    job = _replied(program, trigger, f"comment {trigger}")
    seconds = time.monotonic() - asked
    remote = [post["remote_id"] for post in job["posts"]]
    comments = [raw for raw in box.jira.comments(demo.ticket) if raw["id"] in remote]
    return Answered(comments, job, seconds)


def _ask_on_page(commenting: Commenting, box: Sandbox, program: Program) -> OnPage:
    """Have the planner go on with the page, comment on what was written, and wait until the reply stands there."""
    wiki = box.confluence
    asked = time.monotonic()
    before = wiki.pages[commenting.page]
    wiki.edit(before.id, before.versions[-1].text + commenting.adds, commenting.person)
    trigger = wiki.notes.add(before.id, COMMAND, commenting.person, marked=commenting.marked)
    job = _replied(program, trigger, f"comment {trigger}")
    return OnPage(job["posts"][0]["url"], before.title, job, time.monotonic() - asked)


def _ask_in_slack(asking: Asking, box: Sandbox, program: Program) -> Thread:
    """Write the developer's message and wait until the answer stands in its thread."""
    slack = box.slack
    if not slack.sockets.wait_connected(timeout=PATIENCE):
        raise CrosscheckError(f"The service has not connected to Slack within {PATIENCE:g} s.")
    asked = time.monotonic()
    message = slack.say(asking.person, asking.channel, f"{slack.mention} {asking.text}")
    job = _replied(program, message, f"message {message}")
    seconds = time.monotonic() - asked
    url = f"{box.slack_url}/archives/{slack.channel(asking.channel).id}/p{mark_of(message)}"
    answers = slack.messages(asking.channel, message)[1:]
    cited = [link for answer in answers for link in links(answer.blocks)]
    return Thread(url, asking.text, job["result"]["reply"], cited, seconds)


def _replied(program: Program, trigger: str, what: str) -> dict[str, Any]:
    """The job of a comment or message, once its whole reply is posted. Raises CrosscheckError."""
    asked = time.monotonic()
    while time.monotonic() - asked < PATIENCE:
        for summary in program.jobs.list(limit=10):
            if trigger not in summary.key.split("|"):
                continue
            job = job_record(program.jobs.show(summary.id))
            if job["state"] not in {"queued", "running", "done"}:
                raise CrosscheckError(f"The question could not be answered: {job['error']}")
            if job["posts"] and all(post["state"] == "sent" for post in job["posts"]):
                return job
        time.sleep(0.02)
    raise CrosscheckError(f"No reply to {what} within {PATIENCE:g} s. `crosscheck jobs` says what happened.")


def _print_json(answered: Answered, page: OnPage, thread: Thread, timings: dict[str, float]) -> None:
    value = {
        "comment": answered.comments[0],
        "further_comments": answered.comments[1:],
        "findings": answered.job["result"]["review"]["findings"],
        "unknowns": answered.job["result"]["review"]["unknowns"],
        "page": {
            "title": page.title,
            "url": page.url,
            "findings": page.job["result"]["review"]["findings"],
            "seconds": round(page.seconds, 3),
        },
        "slack": {
            "question": thread.question,
            "answer": thread.answer,
            "links": thread.links,
            "seconds": round(thread.seconds, 3),
        },
        "timings_seconds": {step: round(seconds, 3) for step, seconds in timings.items()},
    }
    sys.stdout.write(json.dumps(value, ensure_ascii=False, indent=2) + "\n")


def _print(
    console: Console,
    company: Company,
    demo: Demo,
    box: Sandbox,
    answered: Answered,
    *,
    once: bool,
) -> None:
    shown = answered.comments[0].get("visibility")
    who = (
        f"visible to {shown['type']} “{shown['value']}” only, as the question was"
        if shown
        else "visible as the question"
    )
    console.print(f"\n{_name(company, demo.person)} wrote in {demo.ticket}: {QUESTION}", soft_wrap=True)
    console.print(f"Crosscheck answered after {answered.seconds:.1f} s, {who}:\n", soft_wrap=True)
    console.print(clean(answered.job["result"]["reply"]), soft_wrap=True)
    console.print(f"\nIn a browser: {box.jira_url}/browse/{demo.ticket}{_while_it_lasts(once)}", soft_wrap=True)


def _print_page(console: Console, company: Company, commenting: Commenting, page: OnPage, *, once: bool) -> None:
    author = _name(company, commenting.person)
    console.print(
        f"\n{author} added to the page “{page.title}” and commented on “{commenting.marked}”: {COMMAND}", soft_wrap=True
    )
    console.print(f"Crosscheck answered in the same thread after {page.seconds:.1f} s:\n", soft_wrap=True)
    console.print(clean(page.job["result"]["reply"]), soft_wrap=True)
    console.print(f"\nThe page: {page.url}{_while_it_lasts(once)}", soft_wrap=True)


def _print_thread(console: Console, company: Company, asking: Asking, thread: Thread, *, once: bool) -> None:
    author = _name(company, asking.person)
    console.print(f"\n{author} asked in Slack, in #{asking.channel}: {thread.question}", soft_wrap=True)
    console.print(f"Crosscheck answered in the thread after {thread.seconds:.1f} s:\n", soft_wrap=True)
    console.print(clean(thread.answer), soft_wrap=True)
    console.print(f"\nThe thread: {thread.url}{_while_it_lasts(once)}", soft_wrap=True)


def _while_it_lasts(once: bool) -> str:
    return " (gone when this command ends; without --once it stays)" if once else ""


def _name(company: Company, person: str) -> str:
    return next(one.name for one in company.people if one.id == person)


def _explain(console: Console, demo: Demo, box: Sandbox, home: Path, url: str) -> None:
    program, file, token = (
        Path(sys.executable).with_name("crosscheck"),
        (home / config.FILE).resolve(),
        (home / CALLER).read_text("utf-8"),
    )
    console.print(
        f"Write another #qa-check comment in the ticket and watch the answer come. The company's Slack is at "
        f"{box.slack_url}: ask as anybody, “check {demo.ticket}” or “test cases for {demo.ticket}”, go on in the "
        "thread, rate the answer. In another terminal:",
        soft_wrap=True,
    )
    for command in (
        "jobs",
        "sources",
        f"review {demo.ticket}",
        f"review --all --project {demo.ticket.partition('-')[0]}",
        "deployed --ticket GATE-49",
        "schema --state pending",
        "consumers hold",
    ):
        console.print(f"  {program} --config {file} {command}", soft_wrap=True)
    plan = "Hold seats for 30 minutes in src/booking/holds.py"
    console.print(
        "A coding agent asks before it changes code. As a person does, and two ways to set an agent up:", soft_wrap=True
    )
    for line in (
        f"echo '{plan}' | {program} --config {file} plan --repo booking-api",
        f"claude mcp add crosscheck -- {program} --config {file} mcp",
        f'claude mcp add --transport http crosscheck {url}/mcp --header "Authorization: Bearer {token}"',
    ):
        console.print(f"  {line}", soft_wrap=True)
    viewer = (home / VIEWER).read_text("utf-8")
    console.print(
        f"What runs, each job's story and how a search found what it found: {url}/console, with the token {viewer}",
        soft_wrap=True,
    )
    console.print("Ctrl-C ends it.")


def _timed(work: Callable[[], None]) -> float:
    begun = time.monotonic()
    work()
    return time.monotonic() - begun
