"""Addresses that may become a link."""

import re
from urllib.parse import quote, urlsplit, urlunsplit

_HOST = re.compile(r"(?:[\w.-]+|\[[0-9A-Fa-f:.]+\])(?::[0-9]{1,5})?")
_LONGEST = 2_000
_SAFE = "%/:=&?~+!$,;'@()*"  # reserved characters that mean something; the rest is written as %XX


def web_address(url: str) -> str | None:
    """The address, with whatever cannot stand in one percent-encoded; None unless it is http or https to a host.

    A user name in front of the host is refused, since it makes one site look like another.
    """
    try:
        scheme, host, path, query, fragment = urlsplit(url)
        if scheme not in {"http", "https"} or not _HOST.fullmatch(host):
            return None
        address = urlunsplit((scheme, host, quote(path, _SAFE), quote(query, _SAFE), quote(fragment, _SAFE)))
    except ValueError:  # a broken IPv6 address, half a surrogate pair
        return None
    return address if len(address) <= _LONGEST else None
