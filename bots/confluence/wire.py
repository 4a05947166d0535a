"""What both flavours of Confluence share: the exchange, over the session of its library, and how answers are read."""

import re
from collections.abc import Callable, Iterator
from typing import Any, TypeVar
from urllib.parse import parse_qs, urlsplit

from atlassian.rest_client import AtlassianRestAPI
from pydantic import BaseModel, ConfigDict, Field, model_validator
from pydantic.alias_generators import to_camel

from bots.always_there import always_there
from bots.answers import as_described
from bots.errors import BotError, Gone, Unavailable
from bots.exchange import Exchange

_ID = re.compile(r"[0-9]{1,19}", re.ASCII)
_LONGEST_LIST = 10_000  # parts of one list

Query = dict[str, str | int]


class Answer(BaseModel):
    """A null is taken for what is missing: Confluence writes either."""

    model_config = ConfigDict(alias_generator=to_camel, coerce_numbers_to_str=True, frozen=True)

    @model_validator(mode="before")
    @classmethod
    def _without_nulls(cls, found: Any) -> Any:
        return {key: value for key, value in found.items() if value is not None} if isinstance(found, dict) else found


class Ways(Answer):
    webui: str = ""
    following: str | None = Field(None, alias="next")


class Listed(Answer):
    """A part of a list."""

    results: tuple[dict[str, Any], ...]
    ways: Ways = Field(Ways(), alias="_links")


class Stored(Answer):
    value: str = ""


class Body(Answer):
    storage: Stored = Stored()


class Hit(Answer):
    """A search's result."""

    content: dict[str, Any] = {}
    last_modified: str = ""


A = TypeVar("A", bound=Answer)


def connection(site: str, user: str, token: str, *, timeout: float) -> Exchange:
    """`timeout` is the limit of a whole request in seconds.

    Not the library's calls: its Cloud and Server classes lack most of what is needed here, wait and repeat on their
    own, and read an answer whole before its size is known.
    """
    library = AtlassianRestAPI(site, retry_with_header=False)
    return Exchange(library._session, site, "Confluence", user=user, token=token, limit=timeout)  # noqa: SLF001  see above


def own_account(wiki: Exchange, path: str) -> Any:
    """What Confluence answers about the bot's account."""
    what = "tell who the bot is"
    with always_there("Confluence", what):
        return wiki.ask("GET", path, what=what, needs="to log in")


def read(model: type[A], payload: Any, what: str, error: type[BotError] = Unavailable) -> A:
    """Confluence's answer about something. Raises `error` when it is not as it is described."""
    return as_described("Confluence", model, payload, what, error)


def listed(ask: Callable[[Query], Any], query: Query, what: str) -> Iterator[dict[str, Any]]:
    """A list to its end, part by part as it is asked for. From the way to the next part only its cursor or start is
    taken, so that no answer sends the bot elsewhere.
    """
    ahead: Query = {}
    for _ in range(_LONGEST_LIST):
        part = read(Listed, ask(query | ahead), what)
        yield from part.results
        if not part.ways.following:
            return
        given = parse_qs(urlsplit(part.ways.following).query)
        following: Query = {name: given[name][0] for name in ("cursor", "start") if name in given}
        if not following or following == ahead:
            raise Unavailable(f"Confluence listed {what} without a way on")
        ahead = following
    raise Unavailable(f"Confluence lists {what} without an end")


def checked(content_id: str) -> str:
    """An id that may stand in a path. Raises Gone: what has another id does not exist."""
    if not _ID.fullmatch(content_id):
        raise Gone(f"{content_id[:50]!r} is no id of Confluence's")
    return content_id


def address(base: str, way: str) -> str:
    """A page for people, of which Confluence names the path."""
    return base + (way if way.startswith("/") else "/")
