"""Where an answer goes on. A cursor is worth something only in the hands of who got it, in the call it was made for."""

import base64
import binascii
import hashlib
import hmac
import json
import struct
from collections.abc import Callable, Mapping
from datetime import datetime
from typing import Any

from crosscheck.mcp.caller import Caller
from crosscheck.mcp.errors import BadCursor

LIVES = 3600
"""Seconds."""
_BODY = struct.Struct(">IQ8s")  # position, made at (epoch seconds), digest of what was shown
_MAC = 16  # bytes

_FOREIGN = (
    "This cursor was not made for this call. A cursor goes with the same token, tool and arguments that it came with; "
    "call again without a cursor."
)
_STALE = "What this cursor continues has changed, or it is more than an hour old. Call again without a cursor."


class Cursors:
    """Makes and reads cursors. They hold no text, and are signed (HMAC-SHA-256, RFC 2104) with `key`."""

    def __init__(self, key: bytes, clock: Callable[[], datetime]) -> None:
        if len(key) < 16:
            raise ValueError("The key of cursors has at least 16 bytes.")
        self._key = key
        self._clock = clock

    def make(self, caller: Caller, tool: str, arguments: Mapping[str, Any], position: int, shown: str) -> str:
        """`shown` stands for all before the position: it must still be the same when the cursor comes back."""
        body = _BODY.pack(position, int(self._clock().timestamp()), _digest(shown))
        return base64.urlsafe_b64encode(body + self._sign(caller, tool, arguments, body)).decode()

    def read(self, text: str, caller: Caller, tool: str, arguments: Mapping[str, Any]) -> "Mark":
        """Raises BadCursor. `arguments` are those of the call, without the cursor."""
        try:
            raw = base64.b64decode(text.encode(), altchars=b"-_", validate=True)
        except (binascii.Error, UnicodeEncodeError) as error:
            raise BadCursor(_FOREIGN) from error
        body, mac = raw[: _BODY.size], raw[_BODY.size :]
        if len(body) != _BODY.size or not hmac.compare_digest(mac, self._sign(caller, tool, arguments, body)):
            raise BadCursor(_FOREIGN)
        position, made, digest = _BODY.unpack(body)
        if not 0 <= self._clock().timestamp() - made <= LIVES:
            raise BadCursor(_STALE)
        return Mark(position, digest)

    def _sign(self, caller: Caller, tool: str, arguments: Mapping[str, Any], body: bytes) -> bytes:
        about = json.dumps([caller.name, sorted(caller.labels), tool, dict(arguments)], sort_keys=True)
        return hmac.digest(self._key, body + about.encode(), hashlib.sha256)[:_MAC]


class Mark:
    """A place in an answer."""

    def __init__(self, position: int, digest: bytes) -> None:
        self.position = position
        self._digest = digest

    def check(self, shown: str) -> None:
        """Raises BadCursor unless what stands before the place is what stood there."""
        if not hmac.compare_digest(self._digest, _digest(shown)):
            raise BadCursor(_STALE)


def _digest(shown: str) -> bytes:
    return hashlib.sha256(shown.encode("utf-8", "surrogatepass")).digest()[:8]
