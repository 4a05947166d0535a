"""The sandbox's company, indexed, with the programs that are measured and the service that answers for one of them."""

from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import httpx2
from anyio.from_thread import BlockingPortal, start_blocking_portal
from mcp.client.client import Client
from mcp.client.streamable_http import streamable_http_client
from pydantic import SecretStr

from core.types import Audience
from crosscheck.demo import CALLER, playground
from crosscheck.index import Index
from crosscheck.roles import WEB, WORK
from crosscheck.serving import service
from crosscheck.settings_reviewing import Model
from crosscheck.settings_running import Limits
from crosscheck.sources import Sources
from crosscheck.wiring import Program
from sandbox.load import load_company
from sandbox.model_replies import Pace
from sandbox.server import Sandbox
from state.db import Database

_NO_LIMITS = Limits(person_hour=0, place_hour=0, calls_minute=0)  # one person asks for all
_DAY = 10**12  # tokens that are never the reason


class Asking(Program):
    """A program with a model, over what another one has indexed and remembers."""

    def __init__(self, beside: Program, model: Model, key: str) -> None:
        super().__init__(
            beside.settings.model_copy(update={"model": model}),
            beside.secrets.model_copy(update={"model_api_key": SecretStr(key)}),
        )
        self._beside = beside

    @cached_property
    def index(self) -> Index:
        return self._beside.index

    @cached_property
    def database(self) -> Database:
        return self._beside.database

    @cached_property
    def sources(self) -> Sources:
        return self._beside.sources


@dataclass(frozen=True, slots=True)
class Workplace:
    """What the paths lead through."""

    box: Sandbox
    rules: Program
    """Without a model."""
    asking: Program
    """With the scripted model."""
    filtering: Program
    """With the same model, which first chooses what of the evidence matters."""
    readers: Audience
    call: Callable[[str, dict[str, Any]], Any]
    """Call one of the service's MCP tools over HTTP; what the client was answered."""


@contextmanager
def workplace(folder: Path, pace: Pace) -> Iterator[Workplace]:
    """Everything set up in a folder, with the model at this pace. The service takes webhooks and calls; nothing is
    polled or synchronised while it is measured.
    """
    with playground(load_company(), folder, fixed_ports=False) as (box, given):
        box.exchanges.recording = False
        box.model.pace = pace
        chosen = given.settings.model_copy(update={"limits": _NO_LIMITS, "slack": None})
        with closing(Program(chosen, given.secrets)) as rules:
            for name in rules.sources.names([]):
                rules.sources.sync(name, True, lambda _message: None)
            with service(rules, frozenset({WEB, WORK}), syncs=False) as running:
                box.deliver_to(f"{running.url}/webhooks/jira")
                asking, filtering = (Asking(rules, _model(box, chooses), box.model.key) for chooses in (False, True))
                readers = rules.audiences.named("org")
                with _client(f"{running.url}/mcp", (folder / CALLER).read_text("utf-8")) as call:
                    yield Workplace(box, rules, asking, filtering, readers, call)


def _model(box: Sandbox, chooses: bool) -> Model:
    return Model(name="openai:scripted", base_url=f"{box.model_url}/v1", filter=chooses, day_tokens=_DAY)


@contextmanager
def _client(url: str, token: str) -> Iterator[Callable[[str, dict[str, Any]], Any]]:
    """One session of an MCP client, whose event loop runs in a thread of its own."""

    @contextmanager
    def entered(portal: BlockingPortal, made: Any) -> Iterator[Any]:
        with portal.wrap_async_context_manager(made) as opened:
            yield opened

    headers = {"Authorization": f"Bearer {token}"}
    with start_blocking_portal() as portal:
        http = portal.call(lambda: _http(headers))
        with (
            entered(portal, http),
            entered(portal, Client(streamable_http_client(url, http_client=http))) as client,
        ):
            yield lambda tool, arguments: portal.call(client.call_tool, tool, arguments)


async def _http(headers: dict[str, str]) -> httpx2.AsyncClient:
    return httpx2.AsyncClient(headers=headers, timeout=60)
