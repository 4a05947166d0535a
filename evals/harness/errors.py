"""What can go wrong with an evaluation as a whole.

EvalError        the message says what is wrong and where
├── BadRun       a stored run is none, or not whole
└── (BadSet, NoPackage: `evals.retrieval.errors`)
"""

from crosscheck.errors import CrosscheckError


class EvalError(CrosscheckError):
    """Root. The message says what is wrong and where."""


class BadRun(EvalError):
    """A stored run is none, or not whole."""
