"""Programs that ask with a token, and what each may read."""

import hashlib
import hmac
import secrets
import threading
import time
from collections.abc import Callable, Iterable, Sequence

from crosscheck.mcp.caller import Caller
from crosscheck.settings_deployed import Token

Revoked = Callable[[], frozenset[str]]
"""The hashes of the tokens that are refused from now on."""
FRESH = 1.0
"""Seconds after which it is looked again which tokens are revoked."""


class Callers:
    """Knows callers by their tokens, of which only the hashes are kept.

    The tokens are made here, of 256 random bits: what is as long cannot be guessed from its hash, however quick it is.
    """

    def __init__(self, tokens: Iterable[Token], revoked: Revoked = frozenset) -> None:
        self._revoked = revoked
        self._known = [(one.sha256, Caller(one.name, frozenset(one.labels))) for one in tokens]

    def __bool__(self) -> bool:
        """Whether anybody could be known."""
        return bool(self._known)

    def of(self, token: str) -> Caller | None:
        """Whose token it is, unless it is revoked. Takes as long for a wrong one as for a right one. Raises what
        `revoked` raises: nobody is let in while it cannot be told.
        """
        given = hashed(token)
        found = [caller for known, caller in self._known if hmac.compare_digest(known, given)]
        return found[0] if found and given not in self._revoked() else None

    def by_headers(self, authorization: Sequence[str]) -> Caller | None:
        """Who sent `Authorization: Bearer TOKEN`, and no second such header that a proxy may have read instead."""
        scheme, _, token = authorization[0].partition(" ") if len(authorization) == 1 else ("", "", "")
        return self.of(token.strip()) if scheme.casefold() == "bearer" and token.strip() else None


class Remembered:
    """`Revoked`, looked up at most once in `FRESH` seconds, by any number of threads."""

    def __init__(self, revoked: Revoked, clock: Callable[[], float] = time.monotonic) -> None:
        self._look_up = revoked
        self._clock = clock
        self._looking = threading.Lock()
        self._found: tuple[float, frozenset[str]] | None = None

    def __call__(self) -> frozenset[str]:
        with self._looking:
            now = self._clock()
            if self._found is None or now - self._found[0] >= FRESH:
                self._found = now, self._look_up()
            return self._found[1]


def hashed(token: str) -> str:
    """As the settings keep it."""
    return hashlib.sha256(token.encode("utf-8", "replace")).hexdigest()


def new_token() -> str:
    """256 random bits, told as what they are so that scanners for leaked secrets see it."""
    return f"crosscheck_{secrets.token_urlsafe(32)}"
