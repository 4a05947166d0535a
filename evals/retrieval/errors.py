"""What can go wrong with a retrieval set.

EvalError        of `evals.harness.errors`
├── BadSet       the folder is no retrieval set, or something in it is wrong
└── NoPackage    a package that the set is about cannot be had, or is another one
"""

from evals.harness.errors import EvalError


class BadSet(EvalError):
    """The folder is no retrieval set, or something in it is wrong."""


class NoPackage(EvalError):
    """A package that the set is about cannot be had, or is another one."""
