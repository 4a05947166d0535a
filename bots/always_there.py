"""What every site of a platform answers, whatever is deleted or hidden on it."""

from collections.abc import Iterator
from contextlib import contextmanager

from bots.errors import Gone, NotAllowed


@contextmanager
def always_there(platform: str, what: str) -> Iterator[None]:
    """Around a request for it. `what` completes "Jira could not ...".

    Raises NotAllowed instead of Gone: that nothing of the kind is there says something about the address.
    """
    try:
        yield
    except Gone as e:
        raise NotAllowed(f"{platform} could not {what}: it is not there (404); is the site's address right?") from e
