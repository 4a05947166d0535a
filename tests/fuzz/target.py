"""What is fuzzed: one parser, what it starts from, and what always holds of it."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Target:
    """One parser that reads what strangers write."""

    name: str
    """`bots.jira webhook`: unique, of letters, digits, dots, dashes and spaces."""
    run: Callable[[bytes], Any]
    """The parser on an input, as the product calls it. It checks its own laws by `assert`."""
    seeds: Callable[[], Sequence[bytes]]
    """Inputs that it takes, small."""
    refuses: tuple[type[Exception], ...] = ()
    """What it may raise: errors of its own package. Anything else is a fault."""
    real: str = ""
    """A glob of real inputs below the folder of vendors' data: `adf/**/*.json`."""
    grows: bool = True
    """Takes large inputs as they are, so that time must grow with size and no faster."""
    slow: bool = False
    """An example takes tens of milliseconds, so there are fewer of them."""


def text_of(data: bytes) -> str:
    """As text comes out of JSON: any code point, lone surrogates among them."""
    try:
        return data.decode("utf-8", "surrogatepass")
    except UnicodeDecodeError:
        return data.decode("utf-8", "replace")
