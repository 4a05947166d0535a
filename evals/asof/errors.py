"""What can go wrong with knowledge as of a moment."""

from evals.harness.errors import EvalError


class NotAsOf(EvalError):
    """What was asked for as of a moment cannot be had; the message says what, and what to do."""
