"""Words by which the rules recognise things, by language. Settings may add to each list."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Words:
    """Each list holds lower-case words or phrases of all configured languages together."""

    acceptance: tuple[str, ...]
    """Names of headings and fields that hold acceptance criteria or an expected result."""
    undecided: tuple[str, ...]
    """Markers of something not decided."""
    decided: tuple[str, ...]
    """What turns a marker around: `no longer`, `was decided`."""
    agreed: tuple[str, ...]
    """What people write when they agree to a text."""
    rejected: tuple[str, ...]
    """Resolutions and statuses of tickets that will not be done."""
