"""One situation: what happens, and what is seen afterwards."""

from dataclasses import dataclass

from tests.crosscheck.confluence.making import Act
from tests.crosscheck.confluence.stage import FLAVOURS, Flavour


@dataclass(frozen=True, slots=True)
class About:
    """A reply that is too long for the table, or not always the same."""

    told: str
    """What it is."""
    holds: tuple[str, ...]
    """In this order."""
    lacks: tuple[str, ...] = ()


Words = str | About


@dataclass(frozen=True, slots=True)
class Situation:
    """`put` makes it happen on a page."""

    name: str
    put: Act
    seen: tuple[Words, ...] = ()
    """What the bot wrote on the page, in order."""
    record: str = ""
    """Where nobody is told anything: what the list of jobs says."""
    house: str = "desk"
    never: tuple[str, ...] = ()
    """Words that were never sent to Confluence, whatever stands there in the end."""
    on: tuple[Flavour, ...] = FLAVOURS
    """On Cloud, on Data Center or on both."""
