"""`GET /metrics`, for Prometheus: with the token that the secrets name, or from this host itself."""

import hmac
import ipaddress
from collections.abc import Callable

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from crosscheck.metrics import CONTENT_TYPE

_OF_PROXIES = ("forwarded", "via", "x-forwarded-for", "x-forwarded-host", "x-real-ip")
_NAMES = {"localhost", "127.0.0.1", "[::1]"}


def scraping(exposition: Callable[[], bytes], token: str) -> Route:
    """The route. Without a token only this host is answered. To everybody else the address does not exist."""

    def metrics(request: Request) -> Response:
        if not (_bears(request, token) or _is_of_this_host(request)):
            return Response(status_code=404)
        return Response(exposition(), headers={"Content-Type": CONTENT_TYPE, "Cache-Control": "no-store"})

    return Route("/metrics", metrics)


def _bears(request: Request, token: str) -> bool:
    given = request.headers.getlist("authorization")
    return bool(token) and len(given) == 1 and hmac.compare_digest(given[0].encode(), f"Bearer {token}".encode())


def _is_of_this_host(request: Request) -> bool:
    """Not what a proxy on this host passes on for somebody else, nor a browser that a page's name was bound to here."""
    if request.client is None or any(name in request.headers for name in _OF_PROXIES):
        return False
    try:
        near = ipaddress.ip_address(request.client.host).is_loopback
    except ValueError:
        return False
    host = request.headers.get("host", "")
    name = host if host.endswith("]") else host.rpartition(":")[0] or host
    return near and name in _NAMES
