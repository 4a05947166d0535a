"""A passage as the engine keeps it: plain JSON."""

import hashlib
import json
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from typing import Any

import numpy as np

from core.errors import IndexUnusable
from core.store.base import Passage, Point

Payload = dict[str, Any]

DEVELOPMENT = "development"  # a word: the engine's conditions on truth values match none in 0.9
NO_FILE = 0

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)


def moment(value: datetime) -> int:
    """Microseconds since 1970, exact in a double until the year 2255. ValueError without a time zone."""
    if value.tzinfo is None:
        raise ValueError("a date without a time zone")
    return (value - _EPOCH) // _MICROSECOND


def check_point(point: Point) -> None:
    """ValueError for a point that must not be stored: without labels, or with a number that is not finite."""
    if not point.passage.labels:
        raise ValueError(f"{point.passage.document_id} has no access label")
    numbers = (point.content, point.context, point.content_terms.values, point.context_terms.values)
    if not all(np.isfinite(some).all() for some in numbers):
        raise ValueError(f"{point.passage.document_id} has a vector that is not finite")


def to_payload(passage: Passage) -> Payload:
    """Fields that are None are left out."""
    payload = {
        "document_id": passage.document_id,
        "ordinal": passage.ordinal,
        "source": passage.source,
        "kind": passage.kind,
        "title": passage.title,
        "url": passage.url,
        "text": passage.text,
        "context": passage.context,
        "updated": moment(passage.updated),
        "heading": passage.heading,
        "line": passage.line,
        "symbols": list(passage.symbols),
        "keys": sorted(passage.keys),
        "tails": _tails(passage.path),
        "repo": passage.repo,
        "path": passage.path,
        "branch": passage.branch,
        "attributes": dict(passage.attributes),
        "references": list(passage.references) or None,
        "stage": DEVELOPMENT if passage.development else None,
        "unread": list(passage.unread) or None,
        "language": passage.language,
        "touched": list(passage.touched) or None,
        "digests": [digest(passage.text), digest(passage.context)],
        **access(passage.labels, development=passage.development),
        "slot_key": (slot := slot_key(passage)),
        "slot": number(slot),
        "file": number(passage.path) if passage.path is not None else NO_FILE,
    }
    return {name: value for name, value in payload.items() if value is not None}


def access(labels: Collection[str], *, development: bool) -> Payload:
    """All fields that say who may read a point: they are only ever written together.

    `labels` is what is read, `access_key` what is counted (see `core.store.known`), `access` what is searched by.
    """
    key = json.dumps([development, *sorted(labels)], separators=(",", ":"))
    return {"labels": sorted(labels), "access_key": key, "access": number(key)}


@lru_cache(maxsize=10_000)
def read_access(key: str) -> tuple[bool, frozenset[str]]:
    """Of an `access_key`: whether it is of a branch in development, and its labels. IndexUnusable for another text."""
    with _ours():
        development, *labels = json.loads(key)
        return development, frozenset(labels)


def slot_key(passage: Passage) -> str:
    """All that filters ask for at once."""
    slot = [passage.source, passage.kind, passage.repo, passage.language]
    return json.dumps(slot, separators=(",", ":"))


@lru_cache(maxsize=10_000)
def read_slot(key: str) -> tuple[str, str, str | None, str | None]:
    """The source, kind, repository and language of a `slot_key`. IndexUnusable for another text."""
    with _ours():
        source, kind, repo, language = json.loads(key)
        return source, kind, repo, language


@lru_cache(maxsize=100_000)
def number(text: str) -> int:
    """A digest of 63 bits: the engines compare numbers twice as fast as words."""
    made = hashlib.blake2b(text.encode("utf-8", "replace"), digest_size=8).digest()
    return int.from_bytes(made, "big") >> 1


def digest(text: str) -> str:
    """Of 64 bits: looked for among the chunks of few documents, where two texts that share one are not to be feared."""
    return hashlib.blake2b(text.encode("utf-8", "replace"), digest_size=8).hexdigest()


def from_payload(payload: Payload) -> Passage:
    """The passage that `to_payload` was given. IndexUnusable for what it has not made."""
    with _ours():
        return _passage(payload)


def _passage(payload: Payload) -> Passage:
    return Passage(
        document_id=payload["document_id"],
        ordinal=payload["ordinal"],
        source=payload["source"],
        kind=payload["kind"],
        title=payload["title"],
        url=payload["url"],
        text=payload["text"],
        context=payload["context"],
        labels=frozenset(payload["labels"]),
        updated=_EPOCH + payload["updated"] * _MICROSECOND,
        heading=payload.get("heading"),
        line=payload.get("line"),
        symbols=tuple(payload["symbols"]),
        keys=frozenset(payload["keys"]),
        repo=payload.get("repo"),
        path=payload.get("path"),
        branch=payload.get("branch"),
        attributes=payload["attributes"],
        references=tuple(payload.get("references", ())),
        development=payload.get("stage") == DEVELOPMENT,
        unread=tuple(payload.get("unread", ())),
        language=payload.get("language"),
    )


@contextmanager
def _ours() -> Iterator[None]:
    try:
        yield
    except (LookupError, TypeError, ValueError, OverflowError) as error:
        raise IndexUnusable("The index holds a point that Crosscheck has not written.") from error


def _tails(path: str | None) -> list[str]:
    """`a/b/c.py` is also asked for as `b/c.py` and `c.py`."""
    if path is None:
        return []
    parts = path.split("/")
    return ["/".join(parts[i:]) for i in range(len(parts))]
