"""Connections to the hosts of the settings, and to none of the addresses at which clouds keep credentials."""

import ipaddress
import queue
import socket
import threading
import time
from collections.abc import Callable, Sequence
from typing import Any

from core.errors import SourceError

Resolve = Callable[..., Sequence[Any]]
"""As socket.getaddrinfo."""

_NAMES = frozenset({"metadata.google.internal", "metadata.goog"})
_METADATA = tuple(
    map(
        ipaddress.ip_network,
        (
            "169.254.0.0/16",  # link-local, where most clouds have their metadata
            "fe80::/10",
            "fd00:ec2::/32",  # AWS, over IPv6
            "fd20:ce::254/128",  # Google Cloud
            "fd00:c1::a9fe:a9fe/128",  # Oracle Cloud
            "100.100.100.200/32",  # Alibaba Cloud
            "168.63.129.16/32",  # Azure
            "192.0.0.192/32",  # Oracle Cloud, of old
        ),
    )
)
_NAT64 = ipaddress.ip_network("64:ff9b::/96")
_LOWEST = (1 << 32) - 1


class Unread(SourceError):
    """Why an environment could not be read: the message is a sentence's end, without secrets and without anything that
    the other side wrote.
    """


class Budget:
    """So many seconds from now, for everything that a reading takes."""

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds
        self._until = time.monotonic() + seconds

    def left(self) -> float:
        """Seconds, more than none. Raises Unread when they have passed."""
        left = self._until - time.monotonic()
        if left <= 0:
            raise self.over()
        return left

    def is_over(self) -> bool:
        return time.monotonic() >= self._until

    def over(self) -> Unread:
        return Unread(f"no answer within {self._seconds:.2g} s")


def is_refused(address: str) -> bool:
    """Whether an IP address is link-local or one of a cloud's metadata, however it is written in IPv6."""
    found = ipaddress.ip_address(address)
    every = [found, *_inside(found)] if isinstance(found, ipaddress.IPv6Address) else [found]
    return any(one in network for one in every for network in _METADATA)


def connected(host: str, port: int, budget: Budget, resolve: Resolve = socket.getaddrinfo) -> socket.socket:
    """A connection to one of the addresses that a name has now: what was checked is what is connected to, whatever the
    name stands for a moment later. Raises Unread.
    """
    if host.rstrip(".").lower() in _NAMES:
        raise _refused()
    found = _resolved(host, port, budget, resolve)
    if not found or any(is_refused(address[0]) for *_, address in found):
        raise _refused() if found else _unknown()
    failure: OSError | None = None
    for number, (family, kind, protocol, _, address) in enumerate(found):
        share = budget.left() / (len(found) - number)
        try:
            return _plugged(socket.socket(family, kind, protocol), address, share)
        except OSError as error:
            failure = error
    raise _failed(failure, budget) from failure


def _plugged(plug: socket.socket, address: Any, seconds: float) -> socket.socket:
    try:
        plug.settimeout(seconds)
        plug.connect(address)
    except OSError:
        plug.close()
        raise
    return plug


def _inside(address: ipaddress.IPv6Address) -> list[ipaddress.IPv4Address]:
    """The IPv4 addresses that an IPv6 address may be another way to write."""
    written = [address.ipv4_mapped, address.sixtofour]
    if address in _NAT64 or int(address) <= _LOWEST:  # the latter: `::169.254.169.254`
        written.append(ipaddress.IPv4Address(int(address) & _LOWEST))
    return [one for one in written if one is not None]


def _resolved(host: str, port: int, budget: Budget, resolve: Resolve) -> Sequence[Any]:
    """A resolver cannot be told how long it may take, so it is left alone when the time has passed."""
    answers: queue.SimpleQueue[Sequence[Any] | Exception] = queue.SimpleQueue()

    def look() -> None:
        try:
            answers.put(resolve(host, port, type=socket.SOCK_STREAM))
        except (OSError, UnicodeError) as error:
            answers.put(error)

    threading.Thread(target=look, name="probe: resolver", daemon=True).start()
    try:
        answer = answers.get(timeout=budget.left())
    except queue.Empty:
        raise Unread("the resolver of names (DNS) did not answer in time") from None
    if isinstance(answer, Exception):
        raise _unknown() from answer
    return answer


def _unknown() -> Unread:
    return Unread("its name is not known to DNS here: an administrator has to check the address in the settings")


def _refused() -> Unread:
    return Unread(
        "its name leads to a link-local or cloud metadata address, which is never called: an administrator has to "
        "check the address in the settings and DNS"
    )


def _failed(error: OSError | None, budget: Budget) -> Unread:
    if isinstance(error, TimeoutError) or budget.is_over():
        return budget.over()
    if isinstance(error, ConnectionRefusedError):
        return Unread("nothing listens at its address: it is down, or the address in the settings is wrong")
    return Unread("there is no way to its address from here: an administrator has to look at the network or firewall")
