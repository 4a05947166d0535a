"""The arm with Crosscheck: its MCP server on loopback, and its tools as an agent has them."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from crosscheck.operations import Operations


@dataclass(frozen=True, slots=True)
class Served:
    """An MCP server that runs."""

    url: str
    token: str


@contextmanager
def serving(operations: Operations, labels: frozenset[str]) -> Iterator[Served]:
    """Crosscheck's MCP server over these operations, for one token that holds these labels, while the block runs."""
    raise NotImplementedError
    yield
