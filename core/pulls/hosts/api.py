"""Requests to one host's API, with its token, and the values in its answers."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any
from urllib.parse import urljoin, urlsplit

import requests

from core.connectors.base import moment
from core.connectors.http import Http, Limits, Params, bound
from core.errors import SourceGone, SourceUnavailable
from core.masking import masked
from core.mirror.names import is_commit_id
from core.parsing.markdown import clean, one_line

Json = Mapping[str, Any]
LIMITS = Limits(attempts=3, longest_wait=10, answer_bytes=16_000_000, answer_seconds=40, silence_seconds=15)
AT_ONCE = 50  # pull requests on a page of a listing, of which one page is read
_HOPS = 3
_MOVED = frozenset({301, 302, 307, 308})
_LONGEST_TITLE = 500  # characters
_LONGEST_DESCRIPTION = 50_000


class HostApi:
    """GET requests below one address. The token goes nowhere else: a redirect is followed within the same API (a
    renamed repository at GitHub), and one that leads elsewhere is an error. Raises as `Http` does.

    `headers` or `user` and `token` say who asks.
    """

    def __init__(
        self, name: str, api: str, limits: Limits, *, headers: Mapping[str, str], login: tuple[str, str] | None = None
    ) -> None:
        self._name = name
        self._api = api
        self._limits = limits
        self._session = requests.Session()
        self._session.headers.update({"User-Agent": "crosscheck", "Accept": "application/json", **headers})
        self._session.auth = login
        bound(self._session, api, limits)
        self._http = Http(self._send, name, limits)

    def object(self, path: str, params: Params | None = None) -> Json:
        answer = self._http.get(path, params)
        if not isinstance(answer, dict):
            raise self._odd(path)
        return answer

    def objects(self, path: str, params: Params | None = None) -> Sequence[Json]:
        answer = self._http.get(path, params)
        if not isinstance(answer, list) or not all(isinstance(item, dict) for item in answer):
            raise self._odd(path)
        return answer

    def _odd(self, path: str) -> SourceUnavailable:
        return SourceUnavailable(f"{self._name} answered {path} with JSON of another shape than expected")

    def _send(self, method: str, path: str, params: Params, body: dict[str, Any] | None) -> requests.Response:
        url, asked = f"{self._api}/{path}", dict(params)
        silence = self._limits.silence_seconds
        for hop in range(_HOPS):
            try:
                response = self._session.request(
                    method, url, params=asked, json=body, timeout=silence, allow_redirects=False
                )
            except ValueError as error:  # a redirect to what is no address, though it was not to be followed
                if isinstance(error, requests.RequestException):
                    raise
                raise requests.exceptions.InvalidURL("the answer holds a wrong address") from error
            target = self._further(response, url)
            if target is None or hop == _HOPS - 1:
                break
            url, asked = target, {}
        return response

    def _further(self, response: requests.Response, url: str) -> str | None:
        """Where a redirect leads, if that is in this API."""
        location = response.headers.get("Location", "")
        if response.status_code not in _MOVED or not location or not location.isascii():
            return None
        try:
            target = urljoin(url, location)
            there, here = urlsplit(target), urlsplit(self._api)
        except ValueError:
            return None
        within = (there.scheme, there.netloc) == (here.scheme, here.netloc) and there.path.startswith(f"{here.path}/")
        odd = "\\" in target or any(part in {".", ".."} for part in there.path.lower().replace("%2e", ".").split("/"))
        return target if within and not odd else None


def part(value: Json, *keys: str) -> Json:
    """A nested object, empty if there is none."""
    for key in keys:
        inner = value.get(key)
        value = inner if isinstance(inner, Mapping) else {}
    return value


def objects(value: object) -> list[Json]:
    """The objects of a list, of which there are none if it is no list."""
    return [item for item in value if isinstance(item, Mapping)] if isinstance(value, list) else []


def number(value: object) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) and value >= 0 else None


def numbers(values: Sequence[Json], key: str) -> list[int]:
    """The numbers of pull requests, in this order, each once."""
    return list(dict.fromkeys(found for found in (number(value.get(key)) for value in values) if found))


def text(value: object) -> str:
    return value if isinstance(value, str) else ""


def title(value: object) -> str:
    """On one line, without credentials."""
    return masked(one_line(clean(text(value))))[0][:_LONGEST_TITLE]


def description(value: object) -> str:
    """Markdown, without credentials; cut off where it is longer than any person's."""
    said = clean(text(value)[: _LONGEST_DESCRIPTION + 1])
    if len(said) > _LONGEST_DESCRIPTION:
        said = f"{said[:_LONGEST_DESCRIPTION]}\n[the description was cut here]"
    return masked(said)[0]


def head(value: object, what: str) -> str:
    """A full commit id. Raises SourceGone where a host gives none."""
    if not is_commit_id(text(value)):
        raise SourceGone(f"{what} has no commit as its head")
    return text(value)


def commit(value: object) -> str | None:
    return text(value) if is_commit_id(text(value)) else None


def when(value: object) -> datetime | None:
    return moment(value) if isinstance(value, str) and value else None
