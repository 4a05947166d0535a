"""What can go wrong with one use of a path. It costs that case alone."""

from evals.harness.errors import EvalError


class Unanswered(EvalError):
    """The path did not end as it should: a model or the service gave no answer that counts."""
