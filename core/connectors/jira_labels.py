"""Access labels of tickets, comments and attachments, from Jira's JSON. Whatever is missing or malformed reads as
restricted, never as public.
"""

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from urllib.parse import unquote_plus

from core.connectors.jira_wire import Json, objects, part
from core.visibility import INTERNAL, jira_group, jira_project, jira_restricted, jira_role, jira_security

LABEL_FIELDS = "project,security,issuerestriction"
"""The fields that `ticket_labels` reads."""
ATTACHMENT_FIELDS = ("attachment", "comment", "description", "environment")
"""What `attachment_labels` reads beside these."""
NOT_UNDERSTOOD = "jira:restriction:not-understood"
"""The label of a ticket that is restricted in a way we cannot read. Nobody holds it."""

_WIKI_FILE = re.compile(r"!([^\s!|][^!|\n]{0,250}\.\w{1,8})[!|]|\[[^\]^\n]{0,255}\^([^\]|\n]{1,255})[\]|]")
# An attachment's address: /secure/attachment/10001/a.png, /rest/api/3/attachment/content/10001, ?attachmentId=10001.
_ADDRESS = re.compile(r"(?:attachment|thumbnail)[a-z]{0,8}(?:/[a-z]{1,16}){0,2}[/=_-]([0-9]+(?:/[0-9]+)?)")
_ESCAPED = re.compile(r"\\(?=[^\w\s]|_)")


def ticket_labels(fields: Json) -> frozenset[str]:
    """One label for the project, one for the security level, one for a restriction of the ticket itself."""
    project = project_of(fields)
    labels = {jira_project(project)}
    security = fields.get("security")
    if security is not None:
        level = part(fields, "security")
        labels.add(jira_security(project, str(level.get("id") or level.get("name") or "?")))
    return frozenset(labels) | _restriction(fields.get("issuerestriction"), project)


def _restriction(field: object, project: str) -> frozenset[str]:
    """In a team-managed project a ticket can be restricted to some roles, each given by its id."""
    if field is None:
        return frozenset()
    by_kind = field.get("issuerestrictions") if isinstance(field, Mapping) else None
    if not isinstance(by_kind, Mapping):
        return frozenset({NOT_UNDERSTOOD})
    entries = by_kind.get("projectrole") or []
    ids = [_role_id(entry) for entry in entries] if isinstance(entries, list) else [None]
    if None in ids or any(value for kind, value in by_kind.items() if kind != "projectrole"):
        return frozenset({NOT_UNDERSTOOD})
    return jira_restricted(project, map(str, ids))


def _role_id(entry: object) -> str | None:
    number = entry.get("restrictionValue") if isinstance(entry, Mapping) else None
    return str(number) if isinstance(number, str | int) and str(number).isdecimal() else None


def project_of(fields: Json) -> str:
    """The key of the ticket's project."""
    return str(part(fields, "project").get("key") or "?")


def is_service_desk(fields: Json) -> bool:
    return bool(part(fields, "project").get("projectTypeKey") == "service_desk")


def comment_labels(raw: Json, of_ticket: frozenset[str], project: str, *, service_desk: bool = False) -> frozenset[str]:
    """The ticket's labels with the comment's own: a role or group, by identifier where there is one, and whether it is
    a service desk's internal note, which it is there unless it says that it is public.
    """
    labels = set(of_ticket)
    public = raw.get("jsdPublic")
    if public is False or (service_desk and public is not True):
        labels.add(INTERNAL)
    visibility = raw.get("visibility")
    if visibility:
        shape = part(raw, "visibility")
        who = str(shape.get("identifier") or shape.get("value") or "?")
        labels.add(jira_group(who) if shape.get("type") == "group" else jira_role(project, who))
    return frozenset(labels)


def attachment_labels(fields: Json, comments: Iterable[Json]) -> dict[str, frozenset[str]]:
    """The labels of each attachment of a ticket, by its id.

    Jira shows a file that was added in a restricted comment to that comment's readers alone, and a service desk's
    customer what a public place shows; yet it does not say where a file was added. So the places are looked through
    for its name and its address. It has the labels of each restricted comment that shows or only mentions it, and,
    unless the description or an open comment shows it, of each that shows something whose file is not clear; then a
    service desk's is internal, too.
    """
    of_ticket = ticket_labels(fields)
    desk, project = is_service_desk(fields), project_of(fields)
    names = {str(raw.get("id")): str(raw.get("filename") or "") for raw in objects(fields.get("attachment"))}
    bearers = Counter(names.values())
    in_open = {*_shown(fields.get("description")), *_shown(fields.get("environment"))}
    restricted: list[tuple[frozenset[str], frozenset[str], frozenset[str]]] = []
    for comment in comments:
        labels, shown = comment_labels(comment, of_ticket, project, service_desk=desk), _shown(comment.get("body"))
        if labels == of_ticket:
            in_open |= shown
        elif names:
            restricted.append((labels, shown, _mentioned(comment.get("body"), names)))
    found: dict[str, frozenset[str]] = {}
    for number, name in names.items():
        is_open = name in in_open and bearers[name] == 1
        own = [
            labels
            for labels, shown, mentioned in restricted
            if name in shown or number in mentioned or not (is_open or shown <= bearers.keys())
        ]
        found[number] = of_ticket.union(*own, {INTERNAL} if desk and not is_open else ())
    return found


def _shown(body: object) -> frozenset[str]:
    """Names of the files that a text shows, in ADF or wiki markup; empty for one whose name it does not say."""
    if isinstance(body, str):
        return frozenset((image or file).strip() for image, file in _WIKI_FILE.findall(body))
    return frozenset(_media(body))


def _media(document: object) -> Iterator[str]:
    stack = [document]
    while stack:
        node = stack.pop()
        if isinstance(node, list):
            stack += node
        elif isinstance(node, Mapping):
            stack.append(node.get("content"))
            attrs = part(node, "attrs")
            if node.get("type") in ("media", "mediaInline") and attrs.get("type") != "external":
                yield str(attrs.get("alt") or attrs.get("__fileName") or "")


def _mentioned(body: object, names: Mapping[str, str]) -> frozenset[str]:
    """Ids of those of these files that a text, in ADF or wiki markup, names or gives the address of in any way.

    A name that is a part of a longer one is found in it, too: who knows of one file too few asks, while one too many
    is told what is not theirs.
    """
    strings = [("text", body)] if isinstance(body, str) else list(_strings(body))
    # A name may be split in several texts, by bold print for one.
    written = "".join(value for key, value in strings if key == "text"), "\n".join(value for _, value in strings)
    plain = "\n".join([*written, *map(unquote_plus, written)])
    text = _comparable("\n".join([plain, _ESCAPED.sub("", plain)]))
    numbers = {number for run in _ADDRESS.findall(text) for number in run.split("/")}
    return frozenset(number for number, name in names.items() if number in numbers or _names(text, name))


def _names(text: str, name: str) -> bool:
    """Whether a text says a file's name, or shows it by its name without the ending: `!name!`."""
    whole = _comparable(name)
    stem = whole.rpartition(".")[0] or whole
    shown = (f"{start}{stem}{end}" for start, ends in (("!", "!|"), ("^", "]|")) for end in ends)
    return bool(whole) and (whole in text or any(way in text for way in shown))


def _comparable(text: str) -> str:
    """One spelling for what looks the same: case, composed letters, kinds of space, and what is not seen at all."""
    same = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", text).casefold())
    if not same.isascii():
        same = "".join(char for char in same if unicodedata.category(char) != "Cf")
    return " ".join(same.split())


def _strings(document: object) -> Iterator[tuple[str, str]]:
    """Every string of a document with its key, in their order: texts, addresses, titles; not what an external picture
    is called.
    """
    stack: list[tuple[str, object]] = [("", document)]
    while stack:
        key, node = stack.pop()
        if isinstance(node, str):
            yield key, node
        elif isinstance(node, list):
            stack += [(key, item) for item in reversed(node)]
        elif isinstance(node, Mapping):
            skipped = {"type", "alt"} if node.get("type") == "external" else {"type"}
            stack += [(str(name), value) for name, value in reversed([*node.items()]) if name not in skipped]
