"""What can go wrong with an Office file.

OfficeError
├── FileUnreadable   nothing of the file can be read
└── PartUnreadable   one part of it cannot; the rest can

Each message is a sentence's end, for people: `it is encrypted`.
"""


class OfficeError(Exception):
    """Root."""


class FileUnreadable(OfficeError):
    """Nothing of the file can be read."""


class PartUnreadable(OfficeError):
    """One part of the file cannot be read."""
