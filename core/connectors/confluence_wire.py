"""One account's requests to a Confluence site, and what its answers are checked for: what both flavours share."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any
from urllib.parse import urljoin, urlsplit

import requests
from atlassian.rest_client import AtlassianRestAPI

from core.connectors.base import moment
from core.connectors.confluence_records import Space
from core.connectors.http import Http, Limits, Params, bound
from core.errors import SourceGone, SourceUnavailable
from core.parsing.markdown import clean, one_line

Json = Mapping[str, Any]
_ID = re.compile(r"(?:att)?[1-9][0-9]{0,18}", re.ASCII)
_NUMBER = re.compile(r"[0-9]{1,9}", re.ASCII)
_HOPS = 3  # redirects of a download
_ELSEWHERE = frozenset({301, 302, 303, 307, 308})
_KNOWN_STATES = ("current", "archived")


class Wire:
    """Requests below one address. Without a user, the token is a bearer's."""

    def __init__(self, site: str, user: str, token: str, limits: Limits, largest: int) -> None:
        self.site = site.rstrip("/")
        seconds = int(limits.silence_seconds)
        # Not the library's Confluence classes: they have wrong paths or none for much of what is read here.
        self._client = (
            AtlassianRestAPI(self.site, username=user, password=token, timeout=seconds, retry_with_header=False)
            if user
            else AtlassianRestAPI(self.site, token=token, timeout=seconds, retry_with_header=False)
        )
        bound(self._client._session, self.site, limits)  # noqa: SLF001 - the library has no other way to it
        self.http = Http(self._send, "Confluence", limits)
        self._limits = replace(limits, answer_bytes=largest)
        self._files = Http(self._download, "Confluence", self._limits)

    def _send(self, method: str, path: str, params: Params, body: dict[str, Any] | None) -> requests.Response:
        try:
            response = self._client.request(
                method, path, params=dict(params), json=body, advanced_mode=True, allow_redirects=False
            )
        except ValueError as error:  # a redirect to what is no address, though it was not to be followed
            raise requests.exceptions.InvalidURL("the answer holds a wrong address") from error
        if not isinstance(response, requests.Response):
            raise requests.RequestException("no answer")
        return response

    def download(self, path: str) -> bytes:
        """A file below the site. Raises as Http does; SourceGone when the path leads elsewhere."""
        if not path.startswith("/") or path.startswith("//"):
            raise SourceGone("Confluence gave an address outside itself for a file")
        return self._files.content(path.lstrip("/"))

    def _download(self, method: str, path: str, params: Params, body: dict[str, Any] | None) -> requests.Response:
        """The answer to a GET, redirects followed. Cloud keeps files at another host, with a signed address: only this
        site itself is ever shown who we are, and no hop leads to a weaker scheme.
        """
        del params, body
        url = f"{self.site}/{path}"
        for _ in range(_HOPS + 1):
            try:
                response = self._got(method, url)
                target = response.headers.get("Location")
                if response.status_code not in _ELSEWHERE or not target:
                    return response
                url = urljoin(url, target)
                scheme = urlsplit(url).scheme
            except ValueError as error:
                raise requests.exceptions.InvalidURL("the answer holds a wrong address") from error
            if scheme not in {"https", urlsplit(self.site).scheme}:
                raise requests.exceptions.InvalidSchema("a file's address is not a safe one")
        raise requests.TooManyRedirects("too many redirects")

    def _got(self, method: str, url: str) -> requests.Response:
        own = self._client._session  # noqa: SLF001 - as above
        ours = _origin(url) == _origin(self.site)
        bearer = own.headers.get("Authorization") if ours else None
        with requests.Session() as session:
            bound(session, url, self._limits)
            session.auth = own.auth if ours else None
            headers = {"Authorization": bearer} if bearer else {}
            return session.request(
                method, url, headers=headers, timeout=self._limits.silence_seconds, allow_redirects=False
            )


def _origin(url: str) -> tuple[str, str | None, int | None]:
    parts = urlsplit(url)
    return parts.scheme, parts.hostname, parts.port


def checked(content_id: str) -> str:
    """An id that may stand in a path."""
    if not _ID.fullmatch(content_id):
        raise SourceGone(f"{content_id!r} is no id of Confluence's")
    return content_id


def an_object(value: Any) -> Json:
    if not isinstance(value, dict):
        raise SourceUnavailable("Confluence answered with JSON of another shape than expected")
    return value


def results(value: Any) -> Sequence[Json]:
    """The items of a list; a list that is missing is a fault, never an empty list."""
    found = value.get("results") if isinstance(value, dict) else None
    if not isinstance(found, list) or not all(isinstance(item, dict) for item in found):
        raise SourceUnavailable("Confluence answered with JSON of another shape than expected")
    return found


def shown(raw: Json) -> bool:
    """Whether people can see it: neither in the trash nor a draft."""
    return raw.get("status", "current") in _KNOWN_STATES


def part(raw: Json, *keys: str) -> Json:
    """A nested object, empty if there is none."""
    found: Any = raw
    for key in keys:
        found = found.get(key) if isinstance(found, Mapping) else None
    return found if isinstance(found, Mapping) else {}


def text(raw: Json, key: str) -> str:
    return str(raw.get(key) or "")


def line(raw: Json, key: str) -> str:
    """A title or a name, on one line."""
    return one_line(clean(text(raw, key)))


def when(raw: Json, key: str) -> datetime:
    return moment(raw.get(key))


def storage(raw: Json) -> str:
    return text(part(raw, "body", "storage"), "value")


def whole_storage(raw: Json) -> str:
    """A body that has to be there: none is not an empty one."""
    found = part(raw, "body", "storage").get("value")
    if not isinstance(found, str):
        raise SourceUnavailable("Confluence gave no body where one was asked for")
    return found


def count(value: object) -> int:
    """A version's number; 0 for what is none."""
    found = str(value)
    return int(found) if _NUMBER.fullmatch(found) else 0


def including_cql(spaces: Sequence[Space]) -> str:
    """https://developer.atlassian.com/cloud/confluence/cql-fields/#macro"""
    keys = ", ".join('"' + space.key.replace("\\", "").replace('"', "") + '"' for space in spaces)
    return f'type = page and space in ({keys}) and macro in ("include", "excerpt-include")'
