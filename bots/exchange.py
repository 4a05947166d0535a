"""One exchange with Jira or Confluence: limited in time and size, never repeated, its failures told as errors of this
package.
"""

import json
import time
from collections.abc import Mapping
from typing import Any

from requests import Request, RequestException, Session
from requests.auth import AuthBase, HTTPBasicAuth
from requests.models import PreparedRequest

from bots.deadline import Deadline, DeadlineAdapter, whole
from bots.errors import BotError, NotAllowed, Unavailable, Uncertain
from bots.failures import failure, login_denied

LARGEST_ANSWER = 64 * 2**20
"""Bytes. A page of a hundred of the longest comments stays well below."""


class _Bearer(AuthBase):
    def __init__(self, token: str) -> None:
        self._token = token

    def __call__(self, request: PreparedRequest) -> PreparedRequest:
        request.headers["Authorization"] = f"Bearer {self._token}"
        return request


class Exchange:
    """Requests of one account at one site, over a session of the platform's library. May be used by several threads."""

    def __init__(self, session: Session, site: str, product: str, *, user: str, token: str, limit: float) -> None:
        """`product` is for messages: Jira, Confluence. Without a user the token is a personal access token. `limit` is
        for a whole request, in seconds.
        """
        self._session = session
        self._site = site
        self._product = product
        self._limit = limit
        session.auth = HTTPBasicAuth(user.encode(), token.encode()) if user else _Bearer(token)
        # Proxies and certificates of the environment, looked up once: for each request it took an eighth of a job.
        self._environment = session.merge_environment_settings(site, {}, stream=True, verify=None, cert=None)
        session.trust_env = False  # nor does a .netrc replace the token then
        for scheme in ("https://", "http://"):
            session.mount(scheme, DeadlineAdapter())

    def ask(
        self,
        method: str,
        path: str,
        *,
        what: str,
        needs: str,
        query: Mapping[str, str | int] | None = None,
        body: Any = None,
        file: tuple[str, bytes] | None = None,
        writes: bool = False,
        until: float | None = None,
    ) -> Any:
        """The JSON that is answered, None for an empty body.

        `what` completes "Jira could not ...", `needs` names the permission it takes; both are for people. `file` is
        sent as a form with a file of that name. `until` is a moment of the monotonic clock after which not a byte is
        sent, if sooner than the limit.

        Raises what `bots.failures.failure` makes of a refusal; NotAllowed when the token is not accepted, whatever is
        answered then; Unavailable when nothing can have been written; Uncertain when a write may have been.
        """
        timeout = time.monotonic() + self._limit
        deadline = Deadline(timeout if until is None else min(timeout, until))
        request = Request(method, self._site + path, params=query, json=body)
        if file is not None:
            request.files = {"file": file}
            # Without a type of its own: the session's would stand in the way of the form's.
            request.headers = {"X-Atlassian-Token": "no-check", "Content-Type": None}
        try:
            with deadline.watching():
                status, headers, content = self._answer(request)
        except RequestException as e:
            raise self._broken(what, deadline, writes=writes) from e
        if deadline.over:
            raise self._broken(what, deadline, writes=writes)
        if login_denied(headers):  # whatever the status
            raise NotAllowed(f"{self._product} does not accept the posting account's token, so it could not {what}")
        if not 200 <= status < 300:
            raise failure(self._product, status, headers, content, what=what, needs=needs, writes=writes)
        return self._parsed(content, what, writes=writes)

    def close(self) -> None:
        """Close the connections."""
        self._session.close()

    def _answer(self, request: Request) -> tuple[int, Mapping[str, str], bytes]:
        prepared = self._session.prepare_request(request)
        response = self._session.send(prepared, allow_redirects=False, **self._environment)
        return response.status_code, response.headers, whole(response, LARGEST_ANSWER)

    def _broken(self, what: str, deadline: Deadline, *, writes: bool) -> BotError:
        reason = "it took too long" if deadline.over else "the connection failed"
        if writes and deadline.sent:
            return Uncertain(f"{self._product} was to {what}, but {reason} before it had answered")
        return Unavailable(f"{self._product} could not {what}: {reason}")

    def _parsed(self, content: bytes, what: str, *, writes: bool) -> Any:
        if not content:
            return None
        try:
            return json.loads(content)
        except (ValueError, RecursionError) as e:
            message = f"{self._product} was to {what}, but its answer is not JSON; is the site's address right?"
            raise (Uncertain(message) if writes else Unavailable(message)) from e
