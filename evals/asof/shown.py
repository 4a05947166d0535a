"""Everything that a candidate could see: the index, what is answered of it, files and texts."""

import os
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any
from urllib.parse import unquote_plus, urlsplit

from core.store.base import COLLECTIONS, Passage
from crosscheck.operations import EXPECTED, Local
from crosscheck.wiring import Program
from evals.asof.words import BREAK

_LARGEST = 1_000_000  # bytes of a file
_FOUND = 20
_OPENED = 40
_PIECE = 1_000_000  # characters of a source


@dataclass(frozen=True, slots=True)
class Shown:
    """A text with where it is seen."""

    where: str
    text: str
    document: str = ""
    """The id of the document that it is of."""
    source: str = ""
    updated: datetime | None = None
    attributes: Mapping[str, str] = field(default_factory=dict)


def index(program: Program) -> Iterator[Shown]:
    """All chunks, with all that is kept beside them."""
    with program.index.searched() as generation:
        for collection in COLLECTIONS:
            for points in generation.store.points(collection):
                yield from (_passage(point.passage) for point in points)


def _passage(one: Passage) -> Shown:
    address = unquote_plus(urlsplit(one.url).path).replace("/", BREAK)  # may hold a page's title
    names = (name.replace(".", BREAK) for name in (*one.symbols, *one.references))  # of what they stand in, too
    more = (address, one.heading, one.path, one.branch, one.url, *names, *one.keys, *one.unread)
    text = BREAK.join([one.title, one.text, one.context, *(part for part in more if part), *one.attributes.values()])
    where = f"index, {one.document_id} part {one.ordinal}"
    return Shown(where, text, one.document_id, one.source, one.updated, one.attributes)


def answers(program: Program, audience: str, questions: Iterable[str]) -> Iterator[Shown]:
    """What the operations behind the tools say to these questions: search, lookup, check_plan, consumers, sources as
    they are opened, and freshness. `audience` is as `--as` takes it.
    """
    local, opened = Local(program), set[str]()
    limits: dict[str, Any] = {"limit": _FOUND}
    yield from _asked(local, "freshness", {"audience": audience})
    for question in questions:
        asked: dict[str, Any] = {"audience": audience}
        yield from _asked(local, "search", {"text": question, "filters": {}, **asked, **limits}, opened)
        yield from _asked(local, "lookup", {"key": question, **asked, **limits}, opened)
        yield from _asked(local, "plan", {"plan": question, "repository": None, "branch": None, **asked}, opened)
        scope: dict[str, Any] = {"kind": None, "repositories": [], "branches": []}
        yield from _asked(local, "consumers", {"name": question, **scope, **asked, **limits}, opened)
    for source in sorted(opened)[:_OPENED]:
        piece = {"source": source, "ref": None, "start": 0, "size": _PIECE}
        yield from _asked(local, "open", {**piece, "audience": audience}, document=source)


def _asked(
    local: Local, name: str, arguments: Mapping[str, Any], found: set[str] | None = None, document: str = ""
) -> Iterator[Shown]:
    """All texts of an answer, or of why there is none. The ids of documents in it are added to `found`."""
    try:
        answer: Any = local.run(name, arguments, lambda _message: None)
    except EXPECTED as error:
        answer = str(error)
    texts = list(_strings("", answer))
    if found is not None:
        found |= {text for key, text in texts if key == "document"}
    where = f"answer of {name}, {document}" if document else f"answer of {name}"
    yield from (Shown(where, text, document) for _, text in texts)


def _strings(key: str, value: Any) -> Iterator[tuple[str, str]]:
    if isinstance(value, str):
        yield key, value
    elif isinstance(value, Mapping):
        for name, one in value.items():
            yield from _strings(str(name), one)
    elif isinstance(value, list | tuple):
        for one in value:
            yield from _strings(key, one)


def tree(folder: Path) -> Iterator[Shown]:
    """The files below a folder, links not followed."""
    for at, _, names in os.walk(folder):
        for name in sorted(names):
            path = Path(at, name)
            if path.is_symlink() or not path.is_file() or path.stat().st_size > _LARGEST:
                continue
            data = path.read_bytes()
            if b"\0" not in data:
                shown = path.relative_to(folder).as_posix()
                yield Shown(f"tree, {shown}", f"{shown}\n{data.decode('utf-8', 'replace')}")
