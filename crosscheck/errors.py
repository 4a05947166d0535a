"""What can go wrong in the program itself.

CrosscheckError
├── BadSettings      the settings file or a secret is missing or wrong     (exit 2)
├── AlreadyRunning   another process owns the data folder                  (exit 3)
├── NothingToOpen    what was to be opened is not there, or not for who asks (exit 1)
├── NotOffered       what is asked for is not set up here                  (exit 1)
├── NotAnswered      a program's question failed; its words tell no more   (exit 1)
├── UndeclaredMetric a part reports what the table of metrics does not name (tests alone)
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


class UndeclaredMetric(CrosscheckError):
    """What is reported does not fit `crosscheck/metrics_table.py`."""


class NothingToOpen(CrosscheckError):
    """What was to be opened is not there, or not for who asks: the same sentence for both."""


class NotOffered(CrosscheckError):
    """What is asked for is not set up here. The message holds nothing of the settings."""


class NotAnswered(CrosscheckError):
    """A program's question could not be answered. The message says nothing that only an administrator may know."""

    def __init__(self, message: str, *, again: bool) -> None:
        super().__init__(message)
        self.again = again
        """Whether the same question may be answered later."""
