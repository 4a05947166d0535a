"""What can be wrong with a visit."""

from crosscheck.errors import CrosscheckError


class NoPage(CrosscheckError):
    """There is nothing at this address, or nothing that this viewer may know of. The message is for the viewer."""
