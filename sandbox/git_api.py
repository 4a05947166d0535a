"""What the four Git hosts' APIs share: requests by token, answered in a thread, for the answer may need git."""

import asyncio
import base64
import binascii
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

from starlette.datastructures import QueryParams
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from sandbox.git_host import GitHost, HostedPull, Token
from sandbox.records import Person
from sandbox.wire import Refused, Reply, base_of

WRITES = ["POST", "PUT", "PATCH", "DELETE"]
_ZONE = re.compile(r"\+00:00$")


@dataclass(frozen=True, slots=True)
class Asked:
    """One request of a known token."""

    token: Token
    path: Mapping[str, Any]
    query: QueryParams
    url: str
    """Of the request, without its query."""
    web: str
    """Where the host's pages are, without a trailing slash."""

    def number(self, name: str, default: int, *, least: int = 1, most: int | None = None) -> int:
        """A query parameter; what is no number counts as not given."""
        text = self.query.get(name, "")
        value = max(least, int(text[:9])) if text.isascii() and text.isdigit() else default
        return min(value, most) if most is not None else value

    def with_query(self, **changed: int) -> str:
        """The request's own address with other parameters."""
        kept = [(name, value) for name, value in self.query.multi_items() if name not in changed]
        return f"{self.url}?{urlencode([*kept, *changed.items()])}"


View = Callable[[Asked], Reply]
Known = Callable[[Request], Token]
"""The token of a request; raises Refused."""


def get(path: str, view: View, known: Known) -> Route:
    async def endpoint(request: Request) -> Response:
        try:
            web = base_of(request)
            asked = Asked(known(request), request.path_params, request.query_params, web + request.url.path, web)
            return (await asyncio.to_thread(view, asked)).response()
        except Refused as refusal:
            return Reply(refusal.payload, refusal.status).response()

    return Route(path, endpoint, methods=["GET"])


def rest(missing: Any, refusal: Any) -> Route:
    """Everything else: what would be read is not there, what would write is refused."""

    async def endpoint(request: Request) -> Response:
        return Reply(refusal, 403).response() if request.method in WRITES else Reply(missing, 404).response()

    return Route("/{path:path}", endpoint, methods=["GET", *WRITES])


def given(request: Request) -> str | None:
    """The token of an Authorization header, of any scheme that the hosts know; None without a header."""
    scheme, _, value = request.headers.get("authorization", "").partition(" ")
    if not scheme:
        return None
    if scheme.lower() != "basic":
        return value.strip() if scheme.lower() in {"bearer", "token"} else ""
    try:
        return base64.b64decode(value, validate=True).decode().partition(":")[2]
    except (binascii.Error, UnicodeDecodeError):
        return ""


def visible(host: GitHost, token: Token, owner: str, repo: str) -> bool:
    """Whether there is such a repository, as far as a token may know."""
    return owner.lower() == host.organisation.lower() and repo in host.repos and token.reads(repo)


def pull_of(host: GitHost, repo: str, number: int) -> HostedPull | None:
    return host.pulls(repo).get(number)


def id_of(host: GitHost, person: Person) -> int:
    """A number for a person, as hosts have it."""
    return 1001 + list(host.people).index(person.id)


def repo_id(host: GitHost, repo: str) -> int:
    return 501 + sorted(host.repos).index(repo)


def user_name(person: Person) -> str:
    return person.email.partition("@")[0]


def holds_words(text: str, words: Sequence[str]) -> bool:
    """Whether a text holds each of these as whole words, in any case."""
    return all(re.search(rf"(?<!\w){re.escape(word)}(?!\w)", text, re.IGNORECASE) for word in words)
