"""A passage as the engine keeps it: plain JSON."""

from datetime import UTC, datetime, timedelta
from typing import Any

from core.store.base import Passage

Payload = dict[str, Any]

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)


def moment(value: datetime) -> int:
    """Microseconds since 1970, exact in a double until the year 2255. ValueError without a time zone."""
    if value.tzinfo is None:
        raise ValueError("a date without a time zone")
    return (value - _EPOCH) // _MICROSECOND


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
        "labels": sorted(passage.labels),
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
    }
    return {name: value for name, value in payload.items() if value is not None}


def from_payload(payload: Payload) -> Passage:
    """The passage that `to_payload` was given."""
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
    )


def _tails(path: str | None) -> list[str]:
    """`a/b/c.py` is also asked for as `b/c.py` and `c.py`."""
    if path is None:
        return []
    parts = path.split("/")
    return ["/".join(parts[i:]) for i in range(len(parts))]
