"""What the pages for people share: templates, the guards of a loopback page, and the answer's headers."""

import asyncio
import secrets
from collections.abc import Callable
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from starlette.datastructures import FormData
from starlette.requests import Request
from starlette.responses import HTMLResponse, PlainTextResponse, Response
from starlette.routing import Route

_TEMPLATES = Environment(
    loader=FileSystemLoader(Path(__file__).parent),
    autoescape=True,
    undefined=StrictUndefined,
    trim_blocks=True,
    lstrip_blocks=True,
)
LOOPBACK = frozenset({"127.0.0.1", "localhost", "[::1]"})
LARGEST_FIELD = 100_000

View = Callable[[Request, FormData | None], Response]


def rendered(template: str, **values: Any) -> str:
    return _TEMPLATES.get_template(template).render(**values)


def page(template: str, code: int = 200, **values: Any) -> Response:
    """A whole page. Nothing on it may load from or send to anywhere else."""
    nonce = secrets.token_urlsafe(12)
    policy = (
        f"default-src 'none'; style-src 'unsafe-inline'; script-src 'nonce-{nonce}'; connect-src 'self'; "
        "img-src data:; form-action 'self'; frame-ancestors 'none'; base-uri 'none'"
    )
    headers = {
        "content-security-policy": policy,
        "referrer-policy": "same-origin",
        "x-content-type-options": "nosniff",
        "cache-control": "no-store",
    }
    return HTMLResponse(rendered(template, nonce=nonce, **values), code, headers)


def not_there() -> Response:
    return PlainTextResponse("There is no such page.", 404)


def shown(path: str, view: View, *, write: bool = False) -> Route:
    """A page at a path, for a browser on this machine: a foreign Host (a name bound to loopback by a stranger) or,
    for a write, a foreign origin is refused. The view runs in a thread, for it may ask git.
    """

    async def endpoint(request: Request) -> Response:
        host = request.headers.get("host", "")
        if host.rpartition(":")[0] not in LOOPBACK:
            return PlainTextResponse("This page is served to this machine only.", 421)
        origin = request.headers.get("origin")
        if write and origin is not None and urlsplit(origin).netloc != host:
            return PlainTextResponse("The form was sent from another site.", 403)
        form = await request.form(max_fields=20, max_part_size=LARGEST_FIELD) if write else None
        return await asyncio.to_thread(view, request, form)

    return Route(path, endpoint, methods=["POST" if write else "GET"])
