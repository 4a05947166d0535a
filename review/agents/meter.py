"""Counts what the models of one review use, and ends what would go beyond it.

Everything here runs on the one event loop, so nothing is locked.
"""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, field

from pydantic_ai.exceptions import UsageLimitExceeded
from pydantic_ai.messages import ModelMessage, ModelResponse

CHARACTERS = 4
"""Of a token, roughly, where a provider does not say how many there were."""


@dataclass(frozen=True, slots=True)
class Usage:
    """What the models of one review used."""

    requests: int = 0
    tokens_in: int = 0
    tokens_out: int = 0
    in_a_row: int = 0
    """Requests of which each waited for the one before it."""

    @property
    def tokens(self) -> int:
        """Read and written."""
        return self.tokens_in + self.tokens_out


@dataclass(slots=True)
class Meter:
    """One review's use."""

    requests: int
    """That may be answered; those that fail are sent again a few times each."""
    tokens: int
    """That may be used."""
    sent: int = 0
    taken: int = 0
    """Requests that were sent, and those that were answered."""
    read: int = 0
    written: int = 0
    answered: dict[str, None] = field(default_factory=dict)
    """Names of the models that gave a usable answer, in the order of their first."""

    def usage(self, in_a_row: int) -> Usage:
        """What was used so far."""
        return Usage(self.sent, self.read, self.written, in_a_row)

    @property
    def used(self) -> int:
        """Tokens so far, read and written."""
        return self.read + self.written


@dataclass(slots=True)
class Stage:
    """One agent's part of a review: its own number of answers and its own end. Times are the event loop's seconds."""

    meter: Meter
    requests: int
    tokens: int
    """Of the whole review, at which this stage ends."""
    ends: float
    request_seconds: float
    sent: int = 0
    taken: int = 0
    """As the meter's."""

    @property
    def seconds(self) -> float:
        """Left until the end."""
        return self.ends - asyncio.get_running_loop().time()

    @property
    def left(self) -> int:
        """Requests that may still be answered."""
        if self.meter.used >= self.tokens:
            return 0
        return max(0, min(self.requests - self.taken, self.meter.requests - self.meter.taken))

    @property
    def last(self) -> bool:
        """Whether the next request is likely to be the last one: a further one like those so far would be too much."""
        each = self.meter.used / max(1, self.meter.sent)
        return self.left <= 1 or self.meter.used + each >= self.tokens

    def begin(self) -> None:
        """Count a request that is about to be sent. Raises UsageLimitExceeded."""
        if self.left == 0:
            raise UsageLimitExceeded("no further request is allowed")
        self.sent += 1
        self.meter.sent += 1

    def take(self, model: str) -> None:
        """Count a usable answer."""
        self.taken += 1
        self.meter.taken += 1
        self.meter.answered[model] = None

    def end(self, messages: Sequence[ModelMessage], response: ModelResponse | None) -> None:
        """Count what a request used. One that was left unanswered was read all the same."""
        used = response.usage if response else None
        if used and (used.input_tokens or used.output_tokens):
            self.meter.read += used.input_tokens
            self.meter.written += used.output_tokens
            return
        self.meter.read += sum(len(repr(message.parts)) for message in messages) // CHARACTERS
        self.meter.written += len(repr(response.parts)) // CHARACTERS if response else 0
