"""By which names and from where the console is reached."""

import ipaddress
import re
from collections.abc import Collection

_LOOPBACK = re.compile(r"(?:localhost|127\.0\.0\.1|\[::1\])(?::[0-9]{1,5})?", re.IGNORECASE)


def loopback_name(host: str) -> bool:
    """Whether the Host header names this machine itself."""
    return _LOOPBACK.fullmatch(host) is not None


def known_name(host: str, names: Collection[str]) -> bool:
    """Whether requests may be sent to this Host. A page elsewhere may have its own name lead here (DNS rebinding), but
    the browser still sends that name.
    """
    return loopback_name(host) or host.casefold() in {name.casefold() for name in names}


def is_loopback(address: str) -> bool:
    """Whether the other end is on this machine."""
    try:
        return ipaddress.ip_address(address).is_loopback
    except ValueError:
        return False
