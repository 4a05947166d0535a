"""One exchange with Slack: limited in time and size, never repeated, its failures told as errors of this package."""

import json
import logging
import re
import time
from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager
from typing import Any
from urllib.parse import urlsplit
from urllib.request import Request as Built

from requests import Request, RequestException, Session
from slack_sdk import WebClient
from slack_sdk.errors import SlackApiError

from bots.deadline import Deadline, DeadlineAdapter, whole
from bots.errors import BotError, Rejected, Unavailable, Uncertain
from bots.slack.failures import code_of, failure, undecided
from bots.slack.paces import Waits
from bots.web_address import web_address

LARGEST_ANSWER = 64 * 2**20
"""Bytes. A page of two hundred of the longest messages stays well below."""

_TOKEN = re.compile(r"[\x21-\x7e]+")
_MOST_PAGES = 1_000


class _Silent(logging.Logger):
    """The library logs whole requests and answers."""

    def __init__(self) -> None:
        super().__init__("silent", logging.CRITICAL + 1)


class Connection(WebClient):
    """The library's client (addresses, encoding, authentication), used below its methods, with another transport.

    Its own waits longer than it is told to, reads an answer whole before its size is known, follows redirects, opens a
    connection for each request and logs what people wrote; so requests go through `ask` alone.
    """

    def __init__(self, token: str, site: str, *, timeout: float) -> None:
        """Raises ValueError when the site is no address or the token cannot be one."""
        if web_address(site) is None:
            raise ValueError(f"the site is to be an address such as https://slack.com, not {site!r}")
        if not _TOKEN.fullmatch(token):
            raise ValueError("the token is empty, or holds characters that no token has")
        super().__init__(token, base_url=f"{site}/api/", retry_handlers=[], logger=_Silent())
        self._site = urlsplit(site)
        self.limit = timeout
        """Seconds for a whole request."""
        self._waits = Waits()
        self._session = Session()
        for scheme in ("https://", "http://"):
            self._session.mount(scheme, DeadlineAdapter())

    def ask(self, method: str, arguments: Mapping[str, Any], **how: Any) -> Mapping[str, Any]:
        """The JSON object that Slack answers; `how` as in `asked`."""
        return self.asked(method, arguments, **how)[0]

    def asked(
        self,
        method: str,
        arguments: Mapping[str, Any],
        *,
        what: str,
        writes: bool = False,
        until: float | None = None,
        excused: Collection[str] = (),
    ) -> tuple[Mapping[str, Any], Mapping[str, str]]:
        """Slack's answer, and its headers in lower case.

        `what` completes "Slack could not ..." for people. `until` is a moment of the monotonic clock after which not
        a byte is sent, if sooner than the timeout. An answer whose error is `excused` is returned as it is.

        Raises what `bots.slack.failures.failure` makes of a refusal; Unavailable when nothing can have been written;
        Uncertain when a write may have been. Where Slack asked to wait, the same method fails in the same channel
        without being sent until that time is over.
        """
        channel = str(arguments.get("channel") or arguments.get("channel_id") or "")
        left = self._waits.left(method, channel)
        if left:
            raise Unavailable(f"Slack could not {what} yet: it asks to wait", retry_after=left)
        try:
            with self._limited(what, writes=writes, until=until):
                # Every method takes a form; JSON only some, among them all whose arguments nest.
                given = dict(arguments)
                nests = any(isinstance(value, Mapping | list) for value in given.values())
                answer = self.api_call(method, json=given) if nests else self.api_call(method, params=given)
        except SlackApiError as e:
            answer = e.response
            if code_of(answer.data) not in excused:
                error = failure(answer.status_code, answer.headers, answer.data, what=what, writes=writes)
                if error.retry_after:
                    self._waits.order(method, channel, error.retry_after)
                raise error from e
        data = answer.data
        if not isinstance(data, dict):  # so the library may say; never of a method that is asked here
            raise undecided(what, "its answer is not JSON", writes=writes)
        return data, answer.headers

    def pages(self, method: str, arguments: Mapping[str, Any], *, what: str) -> Iterator[Mapping[str, Any]]:
        """Page by page, as they are asked for."""
        seen: set[str] = set()
        more: dict[str, str] = {}
        while True:
            page = self.ask(method, {**arguments, **more}, what=what)
            yield page
            told = page.get("response_metadata")
            cursor = told.get("next_cursor") if isinstance(told, Mapping) else None
            if not cursor:
                return
            if not isinstance(cursor, str) or cursor in seen or len(seen) >= _MOST_PAGES:
                raise Unavailable(f"Slack could not {what}: it gives page after page without an end")
            seen.add(cursor)
            more = {"cursor": cursor}

    def send(
        self, url: str, content: bytes, kind: str, *, what: str, writes: bool, until: float | None = None
    ) -> tuple[int, Mapping[str, str], bytes]:
        """POST to an address that Slack gave, without the token; status, headers (lower case) and body of the answer.
        The address is a secret, and in no error.

        Raises Rejected when it is not Slack's; Unavailable and Uncertain as `call`.
        """
        if not self._is_slacks(url):
            raise Rejected(f"The bot was to {what}, but at an address that is not Slack's")
        try:
            with self._limited(what, writes=writes, until=until):
                return self._exchange(url, content, {"Content-Type": kind})
        except (Unavailable, Uncertain) as e:
            raise e from None  # the cause names the address

    def close(self) -> None:
        """Close the connections."""
        self._session.close()

    @contextmanager
    def _limited(self, what: str, *, writes: bool, until: float | None) -> Iterator[None]:
        timeout = time.monotonic() + self.limit
        deadline = Deadline(timeout if until is None else min(timeout, until))
        try:
            with deadline.watching():
                yield
        except RequestException as e:
            raise _broken(what, deadline, e, writes=writes) from e
        if deadline.over:
            raise _broken(what, deadline, None, writes=writes)

    def _perform_urllib_http_request_internal(self, url: str, req: Built) -> dict[str, Any]:
        """The library's transport: the answer to a request that it has built."""
        status, headers, content = self._exchange(url, req.data, dict(req.header_items()))
        payload = _parsed(content)
        if payload is None and status == 200:
            raise _NotJsonError
        return {"status": status, "headers": headers, "body": content, "parsed_body": payload or {"ok": False}}

    def _exchange(self, url: str, body: Any, headers: Mapping[str, str]) -> tuple[int, Mapping[str, str], bytes]:
        request = Request("POST", url, data=body, headers=headers).prepare()
        # The environment's proxies and certificates. Its .netrc is not asked, which would replace the token.
        environment = self._session.merge_environment_settings(url, {}, stream=True, verify=None, cert=None)
        response = self._session.send(request, allow_redirects=False, **environment)
        return (
            response.status_code,
            {name.lower(): value for name, value in response.headers.items()},
            whole(response, LARGEST_ANSWER),
        )

    def _is_slacks(self, url: str) -> bool:
        if web_address(url) is None:
            return False
        found, site = urlsplit(url), self._site
        if (found.scheme, found.netloc) == (site.scheme, site.netloc):
            return True
        host = f".{found.hostname}"
        return found.scheme == "https" and found.port is None and host.endswith((".slack.com", f".{site.hostname}"))


class _NotJsonError(RequestException):
    """The answer is something else than a JSON object."""


def _broken(what: str, deadline: Deadline, error: RequestException | None, *, writes: bool) -> BotError:
    if deadline.over:
        reason = "it took too long"  # whatever came of that
    elif isinstance(error, _NotJsonError):
        reason = "its answer is not JSON; is the site's address right?"
    else:
        reason = "the connection failed"
    return undecided(what, reason, writes=writes and deadline.sent)


def _parsed(content: bytes) -> dict[str, Any] | None:
    try:
        payload = json.loads(content)
    except (ValueError, RecursionError):
        return None
    return payload if isinstance(payload, dict) else None
