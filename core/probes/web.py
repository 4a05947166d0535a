"""GET requests to one address, with all that its other side may do bounded: time, size, where it leads, what it is."""

import json
import socket
import ssl
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass
from http.client import HTTPConnection, HTTPException, HTTPResponse, HTTPSConnection, IncompleteRead
from typing import Any
from urllib.parse import quote, urlencode, urljoin, urlsplit

from requests.structures import CaseInsensitiveDict

from core.connectors.http import is_rate_limit
from core.probes.guard import Budget, Resolve, Unread, connected
from core.pulls.hosts.api import Json
from core.pulls.hosts.site import Site

_HOPS = 3
_MOVED = frozenset({301, 302, 303, 307, 308})
_PLAIN = "/%:@!$&'()*+,;=~"
_SAID = {
    401: "it does not accept our credentials (401): an administrator has to set a token that is valid",
    407: "a proxy before it wants a login (407): an administrator has to set an address without one",
    429: "it wants fewer requests just now",
}
_TLS = {
    "CERTIFICATE_REQUIRED": "it wants a client certificate: an administrator has to set one",
    "HANDSHAKE_FAILURE": "it refused the secure connection: an administrator has to see whether it wants a client "
    "certificate",
    "UNKNOWN_CA": "it does not accept our client certificate: an administrator has to set one that it knows",
    "BAD_CERTIFICATE": "it does not accept our client certificate: an administrator has to set one that it knows",
    "WRONG_VERSION_NUMBER": "it speaks no TLS at this port: an administrator has to check the address in the settings",
}
# https://docs.openssl.org/master/man3/X509_STORE_CTX_get_error/
_CERTIFICATE = {
    9: "its certificate is not valid yet: who runs it has to look at the certificate and the clocks",
    10: "its certificate has expired: who runs it has to renew it",
    62: "its certificate is for another name: an administrator has to check the address in the settings",
    64: "its certificate is for another name: an administrator has to check the address in the settings",
}
_UNTRUSTED = "its certificate is signed by nobody whom we trust: an administrator has to set its authority (`ca`)"


class Absent(Unread):
    """There is nothing at this path."""


class Refused(Unread):
    """Our credentials may not read it."""


@dataclass(frozen=True, slots=True)
class _Answer:
    status: int
    headers: Mapping[str, str]
    content: bytes


class Web:
    """Only GET is ever sent, and only to this scheme, host and port, whose addresses are checked for each request."""

    def __init__(
        self,
        url: str,
        headers: Mapping[str, str],
        *,
        tls: ssl.SSLContext | None = None,
        most: int = 4_000_000,
        resolve: Resolve = socket.getaddrinfo,
    ) -> None:
        """`most` is the size of an answer in bytes. Raises SourceForbidden for what is no address."""
        self._site = Site.at(url)
        self._origin = urlsplit(self._site.url)[:2]
        self._base = "".join(f"/{quote(part, safe=_PLAIN)}" for part in self._site.prefix)
        self._headers = {
            "User-Agent": "crosscheck",
            "Accept": "application/json",
            "Accept-Encoding": "identity",
            "Connection": "close",
            **headers,
        }
        self._tls = (tls or ssl.create_default_context()) if self._origin[0] == "https" else None
        self._most = most
        self._resolve = resolve

    def asking(self, seconds: float) -> "Asking":
        """What is asked within so many seconds, all together."""
        return Asking(self, Budget(seconds))

    def get(self, path: str, params: Mapping[str, str], budget: Budget) -> Any:
        """The JSON below the address. Floats stay text as they are written, for `1.10` may be a version."""
        target = (f"{self._base}/{path}" if path else self._base or "/") + (f"?{urlencode(params)}" if params else "")
        for _ in range(_HOPS):
            answer = self._exchanged(target, budget)
            location = answer.headers.get("Location")
            if answer.status not in _MOVED or not location:
                return _judged(answer)
            target = self._further(location, target)
        raise Unread("it redirects us in a circle: an administrator has to check the address in the settings")

    def _exchanged(self, target: str, budget: Budget) -> _Answer:
        try:
            plug = connected(self._site.host, self._site.port, budget, self._resolve)
            with closing(plug), _ending(plug, budget), closing(self._connection()) as connection:
                plug.settimeout(budget.left())
                # A socket that is there already is used as it is.
                connection.sock = self._tls.wrap_socket(plug, server_hostname=self._site.host) if self._tls else plug
                connection.request("GET", target, headers=self._headers)
                with closing(connection.getresponse()) as response:
                    headers = CaseInsensitiveDict(response.getheaders())
                    answer = _Answer(response.status, headers, self._content(response))
                budget.left()
                return answer
        except (OSError, HTTPException, ValueError) as error:
            raise budget.over() if budget.is_over() else _failed(error) from error

    def _connection(self) -> HTTPConnection:
        host, port = self._site.host, self._site.port
        return HTTPSConnection(host, port, context=self._tls) if self._tls else HTTPConnection(host, port)

    def _content(self, response: HTTPResponse) -> bytes:
        content = response.read(self._most + 1) if (response.length or 0) <= self._most else None
        if content is None or len(content) > self._most:
            raise Unread(f"its answer is larger than {self._most} bytes: an administrator has to check the address")
        if response.length:
            raise IncompleteRead(content, response.length)
        return content

    def _further(self, location: str, target: str) -> str:
        """Where a redirect leads on this host."""
        scheme, netloc = self._origin
        try:
            there = urlsplit(urljoin(f"{scheme}://{netloc}{target}", location))
        except ValueError:
            there = urlsplit("")
        if there[:2] != (scheme, netloc) or "\\" in location:
            raise Unread(
                "it redirects us to another address, where we do not go: an administrator has to set the one that "
                "answers by itself"
            )
        path, query = (quote(part.encode("latin-1"), safe=f"{_PLAIN}?") for part in (there.path, there.query))
        return f"{path}?{query}" if query else path


class Asking:
    """One reading's requests, which share its time. All raise Unread."""

    def __init__(self, web: Web, budget: Budget) -> None:
        self._web = web
        self._budget = budget

    def value(self, path: str, params: Mapping[str, str] | None = None) -> Any:
        """Any JSON."""
        return self._web.get(path, params or {}, self._budget)

    def object(self, path: str, params: Mapping[str, str] | None = None) -> Json:
        answer = self.value(path, params)
        if not isinstance(answer, dict):
            raise _odd()
        return answer

    def objects(self, path: str, params: Mapping[str, str] | None = None) -> Sequence[Json]:
        answer = self.value(path, params)
        if not isinstance(answer, list) or not all(isinstance(item, dict) for item in answer):
            raise _odd()
        return answer


def _judged(answer: _Answer) -> Any:
    status = 429 if answer.status == 403 and is_rate_limit(answer.headers) else answer.status
    if status in {404, 410}:
        raise Absent(f"there is nothing at its address ({status}): an administrator has to check the settings")
    if status == 403:
        raise Refused(
            "our token may not read that (403): an administrator has to allow it to read this, and nothing else"
        )
    if status >= 500:
        raise Unread(f"it answers with an error of its own ({status})")
    if status >= 300:
        refused = f"it refuses the request ({status}): an administrator has to check the settings"
        raise Unread(_SAID.get(status, refused))
    return _json(answer.content)


def _odd() -> Unread:
    return Unread("it answers with JSON of another shape than expected: an administrator has to check the settings")


@contextmanager
def _ending(plug: socket.socket, budget: Budget) -> Iterator[None]:
    """Cuts the connection off when the time has passed. A timeout of the socket would begin anew with each byte."""
    twin = plug.dup()  # TLS takes the socket's own handle away

    def cut() -> None:
        with suppress(OSError):
            twin.shutdown(socket.SHUT_RDWR)

    timer = threading.Timer(budget.left(), cut)
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()
        timer.join()
        twin.close()


def _json(content: bytes) -> Any:
    try:
        return json.loads(content, parse_float=str)
    except RecursionError:
        raise Unread("it answers with JSON that is nested too deeply") from None
    except ValueError:
        if content.lstrip()[:1] == b"<":
            raise Unread(
                "it answers with a page for people, such as one to log in, and not with JSON: an administrator has to "
                "check the address and the token"
            ) from None
        raise Unread("it answers with something that is not JSON: an administrator has to check the address") from None


def _failed(error: Exception) -> Unread:
    """In plain words; those of the error may hold the address."""
    if isinstance(error, ssl.SSLCertVerificationError):
        return Unread(_CERTIFICATE.get(error.verify_code, _UNTRUSTED))
    if isinstance(error, ssl.SSLEOFError):
        return Unread(
            "it ended the secure connection: an administrator has to see whether it wants a client certificate, or "
            "another one"
        )
    if isinstance(error, ssl.SSLError):
        known = (said for reason, said in _TLS.items() if reason in (error.reason or ""))
        return Unread(next(known, "no secure connection to it could be made (TLS)"))
    if isinstance(error, TimeoutError):
        return Unread("it did not answer in time")
    if isinstance(error, OSError):  # RemoteDisconnected among them
        return Unread("it closed the connection before its answer was complete")
    return Unread("its answer is no HTTP, or ended early")
