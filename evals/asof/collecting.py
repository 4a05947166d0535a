"""Collects what tickets and pages say today, with all versions that are kept, by the sites' own answers."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from functools import partial
from itertools import islice, pairwise
from pathlib import Path

from core.connectors import confluence_api, jira_api
from core.connectors import jira_values as values
from core.connectors.base import moment
from core.connectors.confluence_api import ConfluenceApi
from core.connectors.confluence_records import Page
from core.connectors.http import Limits
from core.connectors.jira_api import JiraApi
from core.connectors.jira_wire import ISSUES_AT_ONCE, Json, objects, part, quoted
from core.errors import SourceError, SourceUnavailable
from core.parsing.files import FileReader
from core.parsing.parsed import ReadFile
from core.parsing.storage import Storage
from crosscheck.settings import Secrets, Settings
from crosscheck.settings_sources import Confluence, Jira
from evals.asof.collecting_files import of_files, of_records
from evals.asof.repositories import Repositories
from evals.asof.said import Present, Said, Turn

_MOST_VERSIONS = 249
_LONG_AGO = datetime.fromtimestamp(0, UTC)
_TOLD_APART = frozenset({"status", "resolution", "priority", "issuetype", "link"})
"""Fields whose values are ordinary words: their changes are looked at ticket by ticket."""
_NO_TEXT = frozenset(
    {"rank", "comment", "attachment", "worklogid", "timespent", "timeestimate", "assignee", "reporter", "creator"}
    | {"issuelinks", "subtasks", "parent", "project", "created", "updated", "resolutiondate"}
)
"""Fields without words of people's own, and what is collected by itself."""


def collect(settings: Settings, secrets: Secrets, folder: Path) -> Present:
    """Everything that the settings' sources say today. Repositories are fetched into `folder`, which is the one that
    `knowledge` is given or another of its own.

    Raises SourceError.
    """
    repositories = Repositories(folder / "repositories")
    for git in settings.git:
        repositories.fetch(git)
    texts: list[Said] = []
    turns: list[Turn] = []
    keys: dict[str, datetime] = {}
    reader = FileReader()
    try:
        if settings.jira:
            token = secrets.need("jira_read_token")
            api = jira_api.connect(settings.jira.site, settings.jira.read_user, token, Limits())
            names = {str(field.get("id")): str(field.get("name") or "").casefold() for field in api.fields()}
            for issue in _issues(api, settings.jira):
                keys[str(issue.get("key"))] = moment(part(issue, "fields").get("created"))
                texts += (Said("the name of a person", name, _LONG_AGO) for name in _people(issue))
                changes = list(_changes(api, issue))
                texts += _of_fields(issue, changes, names)
                texts += _of_talk(api, issue, _downloaded(reader, settings.jira.attachment_mb))
                turns += [turn for turn in changes if turn.field in _TOLD_APART]
        if settings.confluence:
            texts += _of_pages(settings.confluence, secrets.need("confluence_token"), reader)
        for files in settings.files:
            texts += of_files(files, reader)
        for qa in settings.qa:
            texts += of_records(qa, reader)
    finally:
        reader.close()
    return Present(tuple(texts), tuple(turns), keys, settings.git, repositories)


Downloaded = Callable[[str, int, Callable[[], bytes]], str]
"""A file's text, by its name, its size and how to have it; nothing where it is not read."""


def _downloaded(read: ReadFile, megabytes: float) -> Downloaded:
    def text(name: str, size: int, download: Callable[[], bytes]) -> str:
        if size > megabytes * 1_000_000:
            return ""
        try:
            return read(name, download()).text
        except SourceUnavailable:
            raise
        except SourceError:
            return ""

    return text


# Tickets


def _issues(api: JiraApi, jira: Jira) -> Iterator[Json]:
    """All tickets whole. What cannot be read at all is no text either: it is in no index."""
    listed = api.listing(f"project in ({', '.join(map(quoted, jira.projects))})", ["key"])
    while some := [str(issue.get("id")) for issue in islice(listed, ISSUES_AT_ONCE)]:
        for _, raw in api.issues(some, "*all,-worklog", "changelog"):
            if isinstance(raw, SourceUnavailable):
                raise raw
            if not isinstance(raw, SourceError):
                yield raw


def _people(value: object) -> Iterator[str]:
    """The names of all who have a part in a ticket: a text shows names as they are today, whoever it mentions."""
    if isinstance(value, dict):
        if isinstance(name := value.get("displayName"), str):
            yield name
        for one in value.values():
            yield from _people(one)
    elif isinstance(value, list):
        for one in value:
            yield from _people(one)


def _changes(api: JiraApi, issue: Json) -> Iterator[Turn]:
    """Every change of a field, oldest first."""
    number, shown = str(issue.get("id")), api.shown_changes(issue)
    histories = api.changelog(number) if shown is None else shown
    for entry in sorted(histories, key=lambda one: (moment(one.get("created")), int(one.get("id") or 0))):
        for item in objects(entry.get("items")):
            field = str(item.get("fieldId") or item.get("field") or "").casefold()
            field = "link" if field == "issuelinks" else field
            before, after = str(item.get("fromString") or ""), str(item.get("toString") or "")
            yield Turn(number, field, before, after, moment(entry.get("created")))


def _of_talk(api: JiraApi, issue: Json, downloaded: Downloaded) -> Iterator[Said]:
    """Comments and attachments."""
    key, fields = str(issue.get("key")), part(issue, "fields")
    for one in api.comments(str(issue.get("id")), desk=False):
        at = moment(one.get("updated") or one.get("created"))
        yield Said(f"{key}, comment {one.get('id')}", values.prose(one.get("body")).text, at)
    for file in objects(fields.get("attachment")):
        name, at = str(file.get("filename")), moment(file.get("created"))
        yield Said(f"{key}, the name of an attachment", name, at)
        size, download = file.get("size"), partial(api.attachment, str(file.get("id")), name)
        text = downloaded(name, size if isinstance(size, int) else 0, download)
        yield Said(f"{key}, attachment {name}", text, at)


def _of_fields(issue: Json, changes: Sequence[Turn], names: Mapping[str, str]) -> Iterator[Said]:
    """Each value that a field had, from when on. `names` are those of fields in small letters, by id."""
    key, fields = str(issue.get("key")), part(issue, "fields")
    created = moment(fields.get("created"))
    for name, value in fields.items():
        if value is None or name.casefold() in _NO_TEXT | _TOLD_APART:
            continue
        own = [turn for turn in changes if turn.field in {name.casefold(), names.get(name)}]
        text = values.prose(value).text if isinstance(value, str) or _is_document(value) else values.text_of(value)
        yield from _value(key, name, text, own[-1].at if own else created)
    begun: set[str] = set()
    for turn in changes:
        if turn.field in _NO_TEXT | _TOLD_APART:
            continue
        if turn.field not in begun:
            begun.add(turn.field)
            yield from _value(key, turn.field, values.prose(turn.before).text, created)
        yield from _value(key, turn.field, values.prose(turn.after).text, turn.at)


def _value(key: str, field: str, text: str, at: datetime) -> Iterator[Said]:
    yield Said(f"{key}, {field}", text, at)
    if field == "summary":  # with its key, it is what the ticket is called
        yield Said(f"{key}, {field}", f"{key} {text}", at)


def _is_document(value: object) -> bool:
    return isinstance(value, dict) and value.get("type") == "doc"


# Pages


def _of_pages(wiki: Confluence, token: str, read: ReadFile) -> Iterator[Said]:
    largest = int(wiki.attachment_mb * 1_000_000)
    api = confluence_api.connect(wiki.site, wiki.user, token, Limits(), largest)
    downloaded, spaces = _downloaded(read, wiki.attachment_mb), api.spaces(wiki.spaces)
    for space in spaces:
        for listed in api.pages(space):
            yield from _of_page(api, api.page(listed.id))
    for comment in api.comments(spaces, body=True):
        yield Said(f"comment {comment.id} on page {comment.page}", Storage(comment.body).read().text, comment.updated)
    for file in api.attachments(spaces):
        yield Said(f"page {file.page}, the name of a file", file.title, file.created)
        text = downloaded(file.title, file.size, partial(api.download, file))
        yield Said(f"page {file.page}, file {file.title}", text, file.updated)


def _of_page(api: ConfluenceApi, page: Page) -> Iterator[Said]:
    """Each version, from when on."""
    where = f"page {page.id}"
    versions = api.versions(page, _MOST_VERSIONS)
    states = [(page.title, page.body, page.updated), *((one.title, one.body, one.at) for one in versions)]
    for title, body, at in states:
        yield Said(where, Storage(body).read().text, at)
        yield Said(f"{where}, title", title, at)
    for (title, _, at), (before, _, _) in pairwise(states):
        if title != before:
            yield Said(f"{where}, title", title, at)
