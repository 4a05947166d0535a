"""Who looks: by a token of [[tokens]], or as a reverse proxy names the person it let in.

There are no sessions: a browser sends its token with each request, and it is looked up each time, so that a token that
is revoked is out at once.
"""

import ipaddress
from collections.abc import Mapping
from dataclasses import dataclass

from starlette.requests import Request
from starlette.responses import Response

from bots.text import one_line
from crosscheck.callers import Callers
from crosscheck.console.addresses import is_loopback, loopback_name
from crosscheck.mcp.caller import Caller
from crosscheck.settings_running import Console

COOKIE = "crosscheck_console"
_WEEK = 7 * 86_400
_LONGEST = 200  # characters of a token or a name


@dataclass(frozen=True, slots=True)
class Login:
    """Knows viewers. Raises ValueError for a label that would be read as two."""

    settings: Console
    callers: Callers

    def viewer(self, request: Request) -> Caller | None:
        """Who sends this request; None when it does not show that. A proxy's word goes first, for it is the only one
        that a page in the browser cannot choose.
        """
        return self.told_by_proxy(request) or self._by_header(request) or self._by_cookie(request)

    def told_by_proxy(self, request: Request) -> Caller | None:
        """The person that a proxy names, if it is one that is believed and it names exactly one."""
        if not self.settings.header or not self.is_proxy(peer(request)):
            return None
        named = [one.strip() for one in request.headers.getlist(self.settings.header)]
        if len(named) != 1 or not named[0] or len(named[0]) > _LONGEST:
            return None
        labels = {*self.settings.labels, *self.settings.people.get(named[0], ())}
        return Caller(one_line(named[0], _LONGEST), frozenset(labels), exactly=False)

    def is_proxy(self, address: str) -> bool:
        try:
            given = ipaddress.ip_address(address)
        except ValueError:
            return False
        return any(given in ipaddress.ip_network(one) for one in self.settings.proxies)

    def by_token(self, token: str) -> Caller | None:
        """Whose token it is; takes as long for a wrong one."""
        return self.callers.of(token.strip()[:_LONGEST])

    def _by_header(self, request: Request) -> Caller | None:
        return self.callers.by_headers(request.headers.getlist("authorization"))

    def _by_cookie(self, request: Request) -> Caller | None:
        token = request.cookies.get(COOKIE, "")
        return self.by_token(token) if token else None

    def address(self, request: Request) -> str:
        """Where the request comes from: of one that a believed proxy hands on, what the proxy says of it."""
        sender = peer(request)
        forwarded = request.headers.getlist("x-forwarded-for")
        if self.is_proxy(sender) and forwarded:
            return one_line(forwarded[-1].rpartition(",")[2], 64)
        return sender


def peer(request: Request) -> str:
    """The address of the other end of the connection."""
    return request.client.host if request.client else ""


def remember(response: Response, request: Request, token: str, path: str) -> None:
    """Have the browser send the token to the console, and to nothing else."""
    response.set_cookie(
        COOKIE, token, max_age=_WEEK, path=path, secure=_secure(request), httponly=True, samesite="strict"
    )


def forget(response: Response, request: Request, path: str) -> None:
    """Have the browser throw the token away."""
    response.delete_cookie(COOKIE, path=path, secure=_secure(request), httponly=True, samesite="strict")


def _secure(request: Request) -> bool:
    """Only on this machine itself may the token go without TLS; a proxy here that ends TLS has another name."""
    here = is_loopback(peer(request)) and loopback_name(request.headers.get("host", ""))
    return request.url.scheme == "https" or not here


def same_site(headers: Mapping[str, str], host: str) -> bool:
    """Whether a page of this very site sent a form. Without a referrer browsers tell no origin, so their own word on it
    (Sec-Fetch-Site) goes first; they leave it out where there is neither TLS nor loopback.
    """
    said = headers.get("sec-fetch-site")
    if said is not None:
        return said == "same-origin"
    origin = headers.get("origin", "")
    return origin in {f"http://{host}", f"https://{host}"}
