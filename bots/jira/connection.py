"""One exchange with Jira: limited in time and size, never repeated, and its failures told as errors of this package."""

import json
import time
from collections.abc import Mapping
from typing import Any

from jira import JIRA
from requests import Request, RequestException
from requests.auth import HTTPBasicAuth

from bots.deadline import Deadline, DeadlineAdapter, whole
from bots.errors import BotError, NotAllowed, Unavailable, Uncertain
from bots.jira.failures import failure, login_denied

LARGEST_ANSWER = 64 * 2**20
"""Bytes. A page of a hundred of the longest comments stays well below."""


class Connection(JIRA):
    """The library's session (authentication, proxies, certificates), used below its calls.

    Its calls repeat a POST, wait without a limit, read an answer whole before its size is known, and take no
    properties for a comment; so requests go through `ask` alone.
    """

    def __init__(self, site: str, user: str, token: str, *, timeout: float) -> None:
        options: dict[str, Any] = {"rest_api_version": "3"}
        super().__init__(site, options, max_retries=0, timeout=timeout, get_server_info=False)
        self._session.auth = HTTPBasicAuth(user.encode(), token.encode())
        # Proxies and certificates of the environment, looked up once: for each request it took an eighth of a job.
        self._environment = self._session.merge_environment_settings(site, {}, stream=True, verify=None, cert=None)
        self._session.trust_env = False  # nor does a .netrc replace the token then
        self._limit = timeout
        for scheme in ("https://", "http://"):
            self._session.mount(scheme, DeadlineAdapter())

    def ask(
        self,
        method: str,
        path: str,
        *,
        what: str,
        needs: str,
        query: Mapping[str, str | int] | None = None,
        body: Any = None,
        writes: bool = False,
        until: float | None = None,
    ) -> Any:
        """The JSON that Jira answers, None for an empty body.

        `what` completes "Jira could not ...", `needs` names the permission it takes; both are for people. `until`
        is a moment of the monotonic clock after which not a byte is sent, if sooner than the timeout.

        Raises what `bots.jira.failures.failure` makes of a refusal; NotAllowed when Jira does not accept the token,
        whatever it answers then; Unavailable when nothing can have been written; Uncertain when a write may have been.
        """
        timeout = time.monotonic() + self._limit
        deadline = Deadline(timeout if until is None else min(timeout, until))
        request = Request(method, self.server_url + path, params=query, json=body)
        try:
            with deadline.watching():
                status, headers, content = self._answer(request)
        except RequestException as e:
            raise _broken(what, deadline, writes=writes) from e
        if deadline.over:
            raise _broken(what, deadline, writes=writes)
        if login_denied(headers):  # whatever the status
            raise NotAllowed(f"Jira does not accept the posting account's token, so it could not {what}")
        if not 200 <= status < 300:
            raise failure(status, headers, content, what=what, needs=needs, writes=writes)
        return _parsed(content, what, writes=writes)

    def close(self) -> None:
        """Close the connections."""
        self._session.close()

    def _answer(self, request: Request) -> tuple[int, Mapping[str, str], bytes]:
        prepared = self._session.prepare_request(request)
        response = self._session.send(prepared, allow_redirects=False, **self._environment)
        return response.status_code, response.headers, whole(response, LARGEST_ANSWER)


def _broken(what: str, deadline: Deadline, *, writes: bool) -> BotError:
    reason = "it took too long" if deadline.over else "the connection failed"
    if writes and deadline.sent:
        return Uncertain(f"Jira was to {what}, but {reason} before it had answered")
    return Unavailable(f"Jira could not {what}: {reason}")


def _parsed(content: bytes, what: str, *, writes: bool) -> Any:
    if not content:
        return None
    try:
        return json.loads(content)
    except (ValueError, RecursionError) as e:
        message = f"Jira was to {what}, but its answer is not JSON; is the site's address right?"
        raise (Uncertain(message) if writes else Unavailable(message)) from e
