"""The formats of Liquibase's changelogs: XML, YAML, JSON and SQL with marks. None may reach beyond its own text."""

import json
import re
from collections.abc import Iterator, Mapping
from pathlib import PurePosixPath
from typing import Any

import yaml
from lxml import etree

from core.schema.changelog import Change, Changelog, ChangeSet, Include

_LARGEST = 1_000_000
"""Bytes."""
_DEEPEST = 60
_MOST = 300_000
"""Parts of a YAML text."""
_HARDENED = {
    "resolve_entities": False,
    "no_network": True,
    "load_dtd": False,
    "huge_tree": False,
    "remove_comments": True,
    "remove_pis": True,
}
_ASIDE = frozenset({"validCheckSum", "preConditions", "rollback", "comment", "property", "modifySql", "tagDatabase"})
_FORMATTED = re.compile(r"\s*--\s*liquibase formatted sql", re.IGNORECASE)
_CHANGE_SET = re.compile(
    r"--\s*changeset\s+(?:\"(?P<quoted>[^\"\n]+)\"|(?P<author>[^:\s]+)):(?:\"(?P<named>[^\"\n]+)\"|(?P<id>\S+))(?P<rest>.*)",
    re.IGNORECASE,
)
_ROLLBACK = re.compile(r"\s*--\s*rollback\b", re.IGNORECASE)
_ATTRIBUTE = re.compile(r"(\w+):(?:\"([^\"]*)\"|(\S+))")


def is_changelog(path: PurePosixPath) -> bool:
    """By its name; what it holds decides."""
    return path.suffix.lower() in {".xml", ".yaml", ".yml", ".json", ".sql"}


def read_changelog(path: str, data: bytes) -> Changelog | None:
    """None for what is no changelog, or cannot be read as one."""
    if len(data) > _LARGEST:
        return None
    suffix = PurePosixPath(path).suffix.lower()
    if suffix == ".sql":
        return _formatted(data.decode("utf-8-sig", "replace"))
    if b"databaseChangeLog" not in data:
        return None
    try:
        if suffix == ".xml":
            return _xml(data)
        return _tree(json.loads(data) if suffix == ".json" else _yaml(data))
    except (etree.XMLSyntaxError, yaml.YAMLError, ValueError, TypeError, AttributeError, RecursionError):
        return None


def _xml(data: bytes) -> Changelog | None:
    root = etree.fromstring(data, etree.XMLParser(**_HARDENED))
    if _name(root) != "databaseChangeLog":
        return None
    items: list[ChangeSet | Include] = []
    for element in root:
        given = {str(name): str(value) for name, value in element.attrib.items()}
        if _name(element) == "changeSet":
            changes = tuple(_xml_change(child) for child in element if _name(child) not in _ASIDE | {""})
            body = " ".join(etree.tostring(element, encoding="unicode", with_tail=False).split())
            items.append(ChangeSet(given.get("id", ""), given.get("author", ""), changes, given, body))
        elif (include := _include(_name(element), given)) is not None:
            items.append(include)
    return Changelog(tuple(items), str(root.get("logicalFilePath", "")))


def _xml_change(element: Any) -> Change:
    given = {str(name): str(value) for name, value in element.attrib.items()}
    columns = tuple(
        str(child.get("name")) for child in element.iter() if _name(child) == "column" and child.get("name")
    )
    return Change(_name(element), given, columns, "".join(element.itertext()))


def _name(element: Any) -> str:
    """Without its namespace; empty for an entity that was not resolved."""
    return str(etree.QName(element).localname) if isinstance(element.tag, str) else ""


def _include(name: str, given: Mapping[str, str]) -> Include | None:
    path = given.get("file") or given.get("path") or ""
    if name not in {"include", "includeAll"} or not path:
        return None
    return Include(path, name == "includeAll", given.get("relativeToChangelogFile", "").lower() == "true")


def _yaml(data: bytes) -> Any:
    """Read only if it is plain: references to other parts of the text can make it endless."""
    depth = 0
    for count, event in enumerate(yaml.parse(data, Loader=yaml.CSafeLoader)):
        depth += isinstance(event, yaml.CollectionStartEvent) - isinstance(event, yaml.CollectionEndEvent)
        if isinstance(event, yaml.AliasEvent) or depth > _DEEPEST or count > _MOST:
            raise ValueError("more than a plain changelog")
    return yaml.load(data, Loader=yaml.CSafeLoader)


def _tree(document: Any) -> Changelog | None:
    """What YAML and JSON hold."""
    listed = document.get("databaseChangeLog") if isinstance(document, dict) else None
    if not isinstance(listed, list):
        return None
    items: list[ChangeSet | Include] = []
    logical = ""
    for item in listed:
        for name, value in item.items() if isinstance(item, dict) else ():
            given = _given(value)
            if name == "logicalFilePath":
                logical = str(value)
            elif name == "changeSet" and isinstance(value, dict):
                body = json.dumps(value, sort_keys=True, default=str)
                changes = tuple(_tree_changes(value.get("changes")))
                items.append(ChangeSet(given.get("id", ""), given.get("author", ""), changes, given, body))
            elif (include := _include(str(name), given)) is not None:
                items.append(include)
    return Changelog(tuple(items), logical)


def _tree_changes(listed: Any) -> Iterator[Change]:
    for item in listed if isinstance(listed, list) else ():
        for name, value in item.items() if isinstance(item, dict) else ():
            if name in _ASIDE:
                continue
            given = _given(value)
            columns = value.get("columns") if isinstance(value, dict) else None
            named = [
                _given(column.get("column")).get("name", "") for column in columns or () if isinstance(column, dict)
            ]
            yield Change(str(name), given, tuple(filter(None, named)), given.get("sql", "") or _scalar(value))


def _given(value: Any) -> dict[str, str]:
    """What has one value each."""
    pairs = value.items() if isinstance(value, dict) else ()
    return {str(name): _scalar(one) for name, one in pairs if not isinstance(one, dict | list)}


def _scalar(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else "" if isinstance(value, dict | list) else str(value or "")


def _formatted(text: str) -> Changelog | None:
    if not _FORMATTED.match(text):
        return None
    items: list[ChangeSet | Include] = []
    head: re.Match[str] | None = None
    lines: list[str] = []
    for line in text.split("\n"):
        if (begins := _CHANGE_SET.match(line.strip())) is not None:
            items += _sql_set(head, lines)
            head, lines = begins, []
        elif not _ROLLBACK.match(line):
            lines.append(line)
    return Changelog((*items, *_sql_set(head, lines)))


def _sql_set(head: re.Match[str] | None, lines: list[str]) -> Iterator[ChangeSet]:
    if head is not None:
        given = {name: quoted or plain for name, quoted, plain in _ATTRIBUTE.findall(head["rest"])}
        text = "\n".join(lines)
        body = " ".join([head["rest"], *text.split()])
        author, identity = head["quoted"] or head["author"], head["named"] or head["id"]
        yield ChangeSet(identity, author, (Change("sql", text=text),), given, body)
