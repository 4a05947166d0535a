"""The exchange with Jira, over the session of its library."""

import re

from jira import JIRA

from bots.errors import Gone
from bots.exchange import Exchange

_ID = re.compile(r"[0-9]{1,19}", re.ASCII)


def connection(site: str, user: str, token: str, *, timeout: float) -> Exchange:
    """`timeout` is the limit of a whole request in seconds.

    Not the library's calls: they repeat a POST, wait without a limit, read an answer whole before its size is known,
    and take no properties for a comment.
    """
    library = JIRA(site, {"rest_api_version": "3"}, max_retries=0, timeout=timeout, get_server_info=False)
    return Exchange(library._session, site, "Jira", user=user, token=token, limit=timeout)  # noqa: SLF001  see above


def checked(number: str) -> str:
    """An id that may stand in a path. Raises Gone: what has another id does not exist."""
    if not _ID.fullmatch(number):
        raise Gone(f"{number[:50]!r} is no id of Jira's")
    return number
