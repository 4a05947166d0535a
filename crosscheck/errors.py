"""What can go wrong in the program itself.

CrosscheckError
├── BadSettings      the settings file or a secret is missing or wrong     (exit 2)
├── AlreadyRunning   another process owns the data folder                  (exit 3)
└── ServiceAnswered  the running service refused a command                 (exit 1)
"""

from typing import ClassVar


class CrosscheckError(Exception):
    """Root. The message says what is wrong and what to do."""

    exit_code: ClassVar[int] = 1


class BadSettings(CrosscheckError):
    """The settings file or a secret is missing or wrong."""

    exit_code = 2


class AlreadyRunning(CrosscheckError):
    """Another process owns the data folder."""

    exit_code = 3


class ServiceAnswered(CrosscheckError):
    """The running service refused a command."""
