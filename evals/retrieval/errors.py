"""What can go wrong with a retrieval set.

EvalError
├── BadSet       the folder is no retrieval set, or something in it is wrong
└── NoPackage    a package that the set is about cannot be had, or is another one
"""

from crosscheck.errors import CrosscheckError


class EvalError(CrosscheckError):
    """Root. The message says what is wrong and where."""


class BadSet(EvalError):
    """The folder is no retrieval set, or something in it is wrong."""


class NoPackage(EvalError):
    """A package that the set is about cannot be had, or is another one."""
