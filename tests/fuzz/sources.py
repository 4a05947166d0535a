"""What servers and repositories answer: vendors' APIs, Git's output, migrations, version endpoints."""

import io
import json
from collections.abc import Callable, Mapping
from contextlib import nullcontext
from functools import cache
from pathlib import PurePosixPath
from typing import Any

from core.connectors.base import moment
from core.connectors.confluence_api import connect as confluence
from core.connectors.git_state import state_of
from core.connectors.http import Limits, retry_after
from core.connectors.jira_documents import documents
from core.connectors.jira_reader import JiraReader
from core.errors import SourceError
from core.mirror import comparing, history, mirror, names, pointers
from core.mirror.looking import grep
from core.mirror.mirror import Entry
from core.probes.make import Where, make_probe
from core.pulls.files import leads_out
from core.pulls.hosts.make import make_host
from core.pulls.naming import names as names_key
from core.pulls.types import PullRef
from core.schema import alembic, changelog_formats, django, flyway, golang_migrate, liquibase, prisma, rails
from core.schema.files import Files
from core.schema.migration import Dialect
from core.schema.moments import moment_of
from core.schema.sql import read_sql
from tests.fuzz.answering import answering
from tests.fuzz.surfaces import ADF
from tests.fuzz.target import Target, text_of

LIMITS = Limits(attempts=1, answer_seconds=10)
SHA = "4f2a91c0d3b5e7f9a1c3e5f7091b2d4f6a8c0e21"
PERSON = {"accountId": "1", "displayName": "Anna", "active": True}
ISSUE = {
    "id": "10012",
    "key": "PAY-12",
    "fields": {
        "summary": "Lock accounts",
        "description": json.loads(ADF[0]),
        "status": {"name": "Open", "statusCategory": {"key": "new"}},
        "issuetype": {"name": "Story"},
        "project": {"id": "1", "key": "PAY", "name": "Pay", "projectTypeKey": "software"},
        "reporter": PERSON,
        "created": "2026-01-01T10:00:00.000+0000",
        "updated": "2026-01-02T10:00:00.000+0000",
        "security": {"id": "3", "name": "Inner"},
        "labels": ["a"],
        "issuelinks": [
            {"type": {"inward": "is blocked by", "outward": "blocks"}, "outwardIssue": {"id": "10013", "key": "PAY-13"}}
        ],
        "subtasks": [{"id": "10014", "key": "PAY-14"}],
        "attachment": [
            {"id": "7", "filename": "a.png", "size": 3, "mimeType": "image/png", "author": PERSON,
             "created": "2026-01-01T10:00:00.000+0000", "content": "https://x/a.png"},
        ],
        "customfield_1": [{"value": "x"}, {"name": "y"}],
        "customfield_2": 1.5,
    },
}  # fmt: skip
FIELDS = [
    {"id": "customfield_1", "name": "Team", "custom": True, "schema": {"type": "array", "custom": "x:multiselect"}},
    {"id": "customfield_2", "name": "Points", "custom": True, "schema": {"type": "number"}},
]
COMMENTS = {
    "startAt": 0,
    "total": 1,
    "maxResults": 100,
    "comments": [
        {"id": "5", "author": PERSON, "body": json.loads(ADF[0]), "created": "2026-01-01T10:00:00.000+0000",
         "updated": "2026-01-01T10:00:00.000+0000", "visibility": {"type": "role", "value": "Developers"},
         "jsdPublic": True},
    ],
}  # fmt: skip
CHANGES = {
    "startAt": 0,
    "total": 1,
    "isLast": True,
    "values": [
        {"id": "1", "author": PERSON, "created": "2026-01-01T10:00:00.000+0000",
         "items": [{"field": "status", "fieldId": "status", "fromString": "Open", "toString": "Done"}]},
    ],
}  # fmt: skip
REMOTE = [{"id": 1, "object": {"url": "https://x.example", "title": "X"}, "relationship": "mentioned in"}]
PAGE = {
    "id": "9",
    "status": "current",
    "title": "Refunds",
    "spaceId": "1",
    "parentId": "8",
    "authorId": "u",
    "createdAt": "2026-01-01T10:00:00.000Z",
    "version": {"number": 2, "authorId": "u", "createdAt": "2026-01-02T10:00:00.000Z"},
    "labels": {"results": [{"name": "policy"}]},
    "body": {"storage": {"value": "<p>x</p>", "representation": "storage"}},
    "_links": {"webui": "/spaces/HELP/pages/9"},
}
OLD_PAGE = {
    "id": "9",
    "type": "page",
    "status": "current",
    "title": "Refunds",
    "space": {"id": 1, "key": "HELP"},
    "ancestors": [{"id": "8"}],
    "history": {"createdBy": {"userKey": "u"}, "createdDate": "2026-01-01T10:00:00.000Z"},
    "version": {"number": 2, "by": {"userKey": "u", "displayName": "Anna"}, "when": "2026-01-02T10:00:00.000Z"},
    "metadata": {"labels": {"results": [{"name": "policy"}]}},
    "body": {"storage": {"value": "<p>x</p>"}},
    "extensions": {"location": "footer", "resolution": {"status": "open"}},
    "container": {"id": "9", "type": "page"},
    "restrictions": {"user": {"results": []}, "group": {"results": [{"name": "g"}], "size": 1}},
    "_links": {"webui": "/display/HELP/Refunds", "download": "/download/a"},
}
PULL = {
    "id": 3,
    "iid": 3,
    "number": 3,
    "title": "PAY-12 lock",
    "body": "text",
    "description": "text",
    "state": "open",
    "merged": True,
    "merged_at": "2026-01-02T10:00:00Z",
    "merge_commit_sha": SHA,
    "changed_files": 2,
    "changes_count": "2",
    "updated_at": "2026-01-02T10:00:00Z",
    "updated_on": "2026-01-02T10:00:00Z",
    "updatedDate": 1700000000000,
    "sha": SHA,
    "source_branch": "a",
    "target_branch": "main",
    "source_project_id": 1,
    "target_project_id": 1,
    "user": {"login": "anna"},
    "author": {"username": "anna", "display_name": "Anna", "user": {"displayName": "Anna"}},
    "head": {"sha": SHA, "ref": "a", "repo": {"id": 1}},
    "base": {"sha": SHA, "ref": "main", "repo": {"id": 1}},
    "source": {"commit": {"hash": SHA}, "branch": {"name": "a"}, "repository": {"uuid": "{1}"}},
    "destination": {"commit": {"hash": SHA}, "branch": {"name": "main"}, "repository": {"uuid": "{1}"}},
    "fromRef": {"latestCommit": SHA, "displayId": "a", "repository": {"id": 1}},
    "toRef": {"latestCommit": SHA, "displayId": "main", "repository": {"id": 1}},
    "properties": {"mergeCommit": {"id": SHA}},
}
POD = {
    "metadata": {
        "name": "api-1",
        "labels": {"app": "api", "app.kubernetes.io/version": "v2.1.0"},
        "annotations": {"commit": SHA},
        "ownerReferences": [{"kind": "ReplicaSet", "name": "api-7c9d", "controller": True}],
    },
    "spec": {"containers": [{"name": "api", "image": "r.example/acme/api:v2.1.0@sha256:00"}]},
    "status": {
        "phase": "Running",
        "startTime": "2026-01-02T10:00:00Z",
        "conditions": [{"type": "Ready", "status": "True"}],
        "containerStatuses": [{"name": "api", "ready": True, "image": "acme/api:v2.1.0", "restartCount": 1,
                               "state": {"running": {"startedAt": "2026-01-02T10:00:00Z"}}}],
    },
}  # fmt: skip
DEPLOYMENT = {
    "metadata": {"generation": 2},
    "spec": {"replicas": 2, "selector": {"matchLabels": {"app": "api"},
             "matchExpressions": [{"key": "x", "operator": "In", "values": ["a"]}]}},
    "status": {"observedGeneration": 2, "updatedReplicas": 2, "readyReplicas": 1, "replicas": 2},
}  # fmt: skip
ARGO = {
    "metadata": {"name": "api"},
    "spec": {"source": {"repoURL": "https://github.com/acme/api.git", "targetRevision": "main"}},
    "status": {
        "sync": {"status": "Synced", "revision": SHA},
        "health": {"status": "Healthy"},
        "history": [{"revision": SHA, "deployedAt": "2026-01-02T10:00:00Z"}],
        "operationState": {"phase": "Succeeded", "finishedAt": "2026-01-02T10:00:00Z", "syncResult": {"revision": SHA}},
        "summary": {"images": ["acme/api:v2.1.0"]},
        "resources": [],
    },
}
VERSION = {"build": {"version": "v2.1.0"}, "git": {"commit": {"id": SHA}, "time": "2026-01-02T10:00:00Z"}}
HUB = [{"id": 4, "sha": SHA, "ref": "v2.1.0", "state": "success", "created_at": "2026-01-02T10:00:00Z"}]
LAB = {
    "id": 4,
    "name": "staging",
    "state": "available",
    "last_deployment": {"id": 5, "sha": SHA, "ref": "v2.1.0", "status": "success",
                        "deployable": {"tag": True, "finished_at": "2026-01-02T10:00:00Z"}},
}  # fmt: skip
SQL = [
    b'CREATE TABLE IF NOT EXISTS shop.bookings (id bigint PRIMARY KEY, "hold until" timestamp NOT NULL DEFAULT now());',
    b"-- why\n/* and */ ALTER TABLE a ADD COLUMN b int, DROP c, ADD CONSTRAINT fk FOREIGN KEY (a) REFERENCES b (c);\n",
    b"CREATE UNIQUE INDEX CONCURRENTLY i ON a (b); DO $$ BEGIN x; END $$; INSERT INTO a VALUES ('it''s', E'\\'');\n",
    b"UPDATE a SET b = 1; DELETE FROM a USING b; DROP TABLE a, b CASCADE; RENAME TABLE a TO b;",
]
ALEMBIC = b'''"""hold"""
from alembic import op
import sqlalchemy as sa
revision = "a1"
down_revision = ("a0",)
NAME = "bookings"
def upgrade():
    with op.batch_alter_table(NAME) as batch:
        batch.add_column(sa.Column("hold", sa.Integer()))
    op.create_index("i", NAME, ["hold"])
    op.execute(f"UPDATE bookings SET hold = 1")
'''
DJANGO = b"""from django.db import migrations, models
class Migration(migrations.Migration):
    dependencies = [("shop", "0001_initial")]
    replaces = [("shop", "0000")]
    operations = [
        migrations.CreateModel(name="Booking", fields=[("id", models.AutoField())], options={"db_table": "b"}),
        migrations.AddField("booking", "hold", models.ForeignKey("self", on_delete=1, db_column="h")),
        migrations.RunSQL([("UPDATE b SET h = 1", None)]),
        migrations.RenameField("booking", "hold", "held"),
    ]
"""
RAILS = b"""class AddHold < ActiveRecord::Migration[7.0]
  def change
    create_table :bookings, id: :uuid do |t|
      t.string :name, null: false
      t.references :owner, foreign_key: true
      t.timestamps
    end
    add_column :bookings, :hold, :integer
    execute <<~SQL
      UPDATE bookings SET hold = 1
    SQL
  end
end
"""
CHANGELOG_XML = b"""<databaseChangeLog xmlns="http://www.liquibase.org/xml/ns/dbchangelog" logicalFilePath="x">
<include file="db/changelog.yaml"/><changeSet id="1" author="a" runOnChange="true"><createTable tableName="b">
<column name="id" type="int"/></createTable><sql>UPDATE b SET id = 1</sql><sqlFile path="a.sql"/></changeSet>
</databaseChangeLog>"""
CHANGELOG_YAML = b"""databaseChangeLog:
  - changeSet: {id: 1, author: a, changes: [{addColumn: {tableName: b, columns: [{column: {name: c, type: int}}]}}]}
  - includeAll: {path: db}
  - &x include: {file: a.sql}
"""
CHANGELOG_JSON = json.dumps(
    {"databaseChangeLog": [{"changeSet": {"id": "1", "author": "a", "changes": [{"dropTable": {"tableName": "b"}}]}}]}
).encode()
CHANGELOG_SQL = b'--liquibase formatted sql\n--changeset a:"one two" context:x runOnChange:true\nALTER TABLE b ADD c int;\n--rollback x\n'  # noqa: E501
MARK = "0f" * 20
LOG = (
    f"{MARK}{SHA}\n1700000000\n1700000001\n{SHA}\nAnna\nPAY-12 lock\n\nbody\n{MARK}".encode()
    + b"\0\nM\0src/a.py\0R100\0old\0new\0A\0\xff\0"
)


class _Said:
    """Git, whose output is the input."""

    name = "booking-api"

    def __init__(self, said: bytes) -> None:
        self._said = said

    def run(self, *_arguments: str, **_options: Any) -> bytes:
        return self._said


class _Finds(_Said):
    def stream(self, *_arguments: str, **_options: Any) -> Any:
        return nullcontext((None, io.BytesIO(self.run())))


class _Repository:
    """A mirror that holds these files alone."""

    def __init__(self, held: Mapping[str, bytes]) -> None:
        self._held = held

    def files(self, _commit: str) -> list[Entry]:
        return [Entry(path, SHA, len(data)) for path, data in self._held.items()]

    def blobs(self, entries: list[Entry]) -> list[bytes]:
        return [self._held[entry.path] for entry in entries]


def _migrations(dialect: Dialect, path: str, others: Mapping[str, bytes] | None = None) -> Callable[[bytes], None]:
    def run(data: bytes) -> None:
        files = Files(_Repository({path: data, **(others or {})}), SHA, "")
        for backslashes in (False, True):
            found = dialect.migrations(files, backslashes=backslashes)
            dialect.joined([], found)
            for one in found[:3]:  # the product, too, compares a bounded number of them
                if one.part:
                    one.part(data)

    return run


def _names_of_migrations(data: bytes) -> None:
    """A stranger chooses the names of files too."""
    name = names.text_of(data.replace(b"\0", b"").replace(b"/", b"")) or "x"
    for dialect in (flyway.Flyway(), golang_migrate.GolangMigrate(), prisma.Prisma(), rails.Rails(), alembic.Alembic(),
                    django.Django(), liquibase.Liquibase()):  # fmt: skip
        for path in (name, f"migrations/{name}", f"{name}/migration.sql"):
            files = Files(_Repository({path: SQL[0]}), SHA, "")
            dialect.joined([], dialect.migrations(files, backslashes=False))


def _changelog(path: str) -> Callable[[bytes], None]:
    others = {"a.sql": SQL[0]}

    def run(data: bytes) -> None:
        changelog_formats.is_changelog(PurePosixPath(path))
        _migrations(liquibase.Liquibase(), path, others)(data)

    return run


@cache
def _jira_reader(cloud: bool) -> JiraReader:
    kind = b'{"deploymentType": "Cloud"}' if cloud else b'{"deploymentType": "Server"}'
    made = JiraReader(answering(kind), "anna" if cloud else "", "token", limits=LIMITS)
    assert made.api
    return made


def _jira(fuzzed: str, *, cloud: bool = True) -> Callable[[bytes], None]:
    """A ticket, of which one part of the answers is the input."""
    good = {
        "/field": json.dumps(FIELDS).encode(),
        "/comment": json.dumps(COMMENTS).encode(),
        "/changelog": json.dumps(CHANGES).encode(),
        "/remotelink": json.dumps(REMOTE).encode(),
        "/issue/PAY-12": json.dumps(ISSUE).encode(),
    }

    def run(data: bytes) -> None:
        reader = _jira_reader(cloud)
        answering(b"{}", {**good, fuzzed: data})
        for document in documents(reader.ticket("PAY-12"), "jira", "ticket"):
            assert document.labels
            assert document.text

    return run


def _confluence(read: Callable[[Any], Any], *, cloud: bool = True) -> Callable[[bytes], None]:
    def run(data: bytes) -> None:
        url = answering(data, {"/children": b'{"results": []}', "/child/comment": b'{"results": [], "size": 0}'})
        read(confluence(url, "anna" if cloud else "", "token", LIMITS, 1_000_000))

    return run


def _host(kind: str) -> Callable[[bytes], None]:
    def run(data: bytes) -> None:
        url = answering(data)
        host = make_host(kind, url, api=url, user="anna", token="token", limits=LIMITS)
        host.pull(PullRef("shop", 3), "acme/shop")

    return run


def _searched(kind: str) -> Callable[[bytes], None]:
    def run(data: bytes) -> None:
        url = answering(data)
        host = make_host(kind, url, api=url, user="anna", token="token", limits=LIMITS)
        host.with_text("shop", "acme/shop", "PAY-12")
        host.with_commit("shop", "acme/shop", SHA)

    return run


def _probe(
    kind: str, where: Where, fuzzed: str = "", others: Mapping[str, Any] | None = None
) -> Callable[[bytes], None]:
    answers = {end: json.dumps(value).encode() for end, value in (others or {}).items()}

    def run(data: bytes) -> None:
        url = answering(data, {**({fuzzed: data} if fuzzed else {}), **answers})
        probe = make_probe(kind, name="p", environment="staging", repo="api", url=url, where=where)
        reading = probe.read(5)
        assert bool(reading.unread) or reading.running is not None
        assert not (reading.unread and reading.running)
        for one in reading.running:
            assert len(one.version) < 1_000, "a version without bounds"
            assert all("\n" not in note and len(note) < 2_000 for note in one.notes), "a note that is no sentence"

    return run


def _log(data: bytes) -> None:
    for commit in history.read_log(io.BytesIO(data), MARK):
        assert "\n" not in commit.subject
        assert all(isinstance(path, str) for path in commit.paths)


def _listed(data: bytes) -> None:
    """Git's listings of a file whose name is the input: any bytes but NUL."""
    name = data.replace(b"\0", b"") or b"x"
    wanted = names.text_of(name)
    tree = f"100644 blob {SHA}      12\t".encode() + name + b"\0"
    assert [entry.path for entry in mirror._entries(tree)] == [wanted]
    raw = f":100644 100644 {SHA} {SHA} R090\0".encode() + b"old\0" + name + b"\0" + b"3\t1\t\0old\0" + name + b"\0"
    [found] = comparing.differences(_Said(raw), SHA, SHA)
    assert (found.path, found.before, found.added, found.removed) == (wanted, "old", 3, 1)
    [commit] = history.read_log(io.BytesIO(LOG + b"M\0" + name + b"\0"), MARK)
    assert commit.paths == ("src/a.py", "new", names.text_of(b"\xff"), wanted)


def _diff(data: bytes) -> None:
    """Of what Git says of two blobs, their lines are a stranger's."""
    lines = data.split(b"\n")
    head = b"diff --git a b\nindex 1..2\n--- a\n+++ b\n@@ -1,2 +1,%d @@ " % (len(lines) + 1) + lines[0]
    said = b"\n".join([head, b" a", b"-b", *(b"+" + line for line in lines), b"\\ No newline at end of file", b""])
    [hunk] = comparing._parsed(said.split(b"\n"))
    assert hunk.marks == " -" + "+" * len(lines)
    assert list(hunk.numbered())[-1] == ("+", 3, len(lines) + 1)


def _found(data: bytes) -> None:
    """Of what Git finds, the name of the file and the line are a stranger's."""
    name, _, line = data.replace(b"\0", b"").partition(b"\n")
    line = line.replace(b"\n", b" ")
    name = name or b"x"
    hits = grep(
        _Finds(SHA.encode() + b":" + name + b"\0" + b"12\0" + line + b"\n"), SHA, "x", [], words=False, seconds=5
    )
    assert [(hit.path, hit.line, hit.text) for hit in hits.hits] == [(names.text_of(name), 12, line)]


def _names(data: bytes) -> None:
    """Any bytes may be a name, and are found again by it."""
    name = names.text_of(data)
    assert names.bytes_of(name) == data, "a name that does not lead back to its bytes"
    shown = names.shown(name)
    shown.encode()
    names.unshown(shown), names.is_path(name), names.is_ref(name), names.is_commit_id(name)
    names_key(name, "PAY-12")
    leads_out("src/a", name)


def _small(data: bytes) -> None:
    said = text_of(data)
    moment(said), moment_of(said), retry_after(said), state_of(said), pointers.pointed_size(data)


def _json(*values: Any) -> Callable[[], list[bytes]]:
    return lambda: [json.dumps(value).encode() for value in values]


def _bytes(*values: bytes) -> Callable[[], list[bytes]]:
    return lambda: list(values)


def _served(name: str, run: Callable[[bytes], None], *seeds: Any, **more: Any) -> Target:
    return Target(name, run, _json(*seeds), (SourceError,), grows=False, slow=True, **more)


_LISTS: Mapping[str, list[Any]] = {
    "github": [[PULL]],
    "gitlab": [[PULL]],
    "bitbucket-cloud": [{"values": [PULL]}],
    "bitbucket-data-center": [{"values": [PULL], "isLastPage": True}],
}
CONFLUENCE: tuple[tuple[str, Callable[[Any], Any], Any, Any], ...] = (
    ("page", lambda api: api.page("9"), PAGE, OLD_PAGE),
    ("comments", lambda api: list(api.comments_of("9")), {"results": [PAGE]}, {"results": [OLD_PAGE], "size": 1}),
    ("files", lambda api: list(api.attachments_of("9")), {"results": [{**PAGE, "fileSize": 3, "mediaType": "x"}]},
     {"results": [OLD_PAGE], "size": 1}),
    ("restriction", lambda api: api.read_restriction("9"), OLD_PAGE, OLD_PAGE),
    ("spaces", lambda api: api.spaces(["HELP"]), {"results": [{"id": "1", "key": "HELP", "name": "Help"}]},
     {"results": [{"id": 1, "key": "HELP"}]}),
)  # fmt: skip
TARGETS = (
    _served("core.connectors jira issue", _jira("/issue/PAY-12"), ISSUE, real="jira/**/*issue*.json"),
    _served("core.connectors jira issue of Data Center", _jira("/issue/PAY-12", cloud=False), ISSUE),
    _served("core.connectors jira comments", _jira("/comment"), COMMENTS),
    _served("core.connectors jira changes", _jira("/changelog"), CHANGES),
    _served("core.connectors jira fields", _jira("/field"), FIELDS),
    _served("core.connectors jira links", _jira("/remotelink"), REMOTE),
    *(_served(f"core.connectors confluence {name}", _confluence(read), cloud) for name, read, cloud, _ in CONFLUENCE),
    *(
        _served(f"core.connectors confluence {name} of Data Center", _confluence(read, cloud=False), own)
        for name, read, _, own in CONFLUENCE
    ),
    *(
        _served(f"core.pulls {kind}", _host(kind), PULL)
        for kind in ("github", "gitlab", "bitbucket-cloud", "bitbucket-data-center")
    ),
    *(
        _served(f"core.pulls {kind} search", _searched(kind), *_LISTS[kind])
        for kind in ("github", "gitlab", "bitbucket-cloud", "bitbucket-data-center")
    ),
    _served(
        "core.probes http",
        _probe("http", Where(version="build.version", commit="git.commit.id", since="git.time")),
        VERSION,
    ),
    _served(
        "core.probes kubernetes",
        _probe(
            "kubernetes",
            Where(namespace="n", deployment="api", commit_label="commit"),
            "/pods",
            {"/deployments/api": DEPLOYMENT},
        ),
        {"items": [POD, POD], "metadata": {"remainingItemCount": 3}},
    ),
    _served(
        "core.probes kubernetes deployment",
        _probe("kubernetes", Where(namespace="n", deployment="api"), "/api", {"/pods": {"items": [POD]}}),
        DEPLOYMENT,
    ),
    _served("core.probes argocd", _probe("argocd", Where(application="api")), ARGO),
    _served("core.probes github", _probe("github", Where(project="acme/api")), HUB),
    _served("core.probes gitlab", _probe("gitlab", Where(project="acme/api"), "/4", {"/environments": [LAB]}), LAB),
    Target("core.mirror log", _log, _bytes(LOG)),
    Target("core.mirror listing", _listed, _bytes("src/é \t\n.py".encode(), b"a\xff\xfe", b"-x", b":100644 M")),
    Target("core.mirror patch", _diff, _bytes(b"a\n@@ -1 +1 @@\n-b", b"\\ No newline at end of file\n\r")),
    Target(
        "core.mirror names",
        _names,
        _bytes("src/é \t\n.py".encode(), b"a\xff\xfe", b'"q\\303"', b"../../x", b"feature/PAY-12"),
    ),
    Target("core.mirror grep", _found, _bytes("src/é.py\nx = 1".encode(), b"a\xff\n\xfe")),
    Target(
        "core.connectors values",
        _small,
        _bytes(
            b"2026-01-02T10:00:00.000+0000",
            b"1700000000000",
            b"Wed, 21 Oct 2015 07:28:00 GMT",
            b'{"rules": "1", "baseline": "main", "commit": null, "branches": {"a": ["1", "2"]}}',
            b"version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 12\n",
        ),
    ),
    Target(
        "core.schema sql",
        lambda data: (read_sql(text_of(data)), read_sql(text_of(data), backslashes=True)),
        _bytes(*SQL),
    ),
    Target(
        "core.schema names",
        _names_of_migrations,
        _bytes(b"V1_2__add.sql", b"R__view.sql", b"000001_x.up.sql", b"20260101000000_add.rb", b"0001_initial.py"),
        grows=False,
    ),
    Target("core.schema flyway", _migrations(flyway.Flyway(), "V1__a.sql"), _bytes(*SQL)),
    Target("core.schema golang-migrate", _migrations(golang_migrate.GolangMigrate(), "1_a.up.sql"), _bytes(*SQL)),
    Target("core.schema prisma", _migrations(prisma.Prisma(), "20260101000000_a/migration.sql"), _bytes(*SQL)),
    Target("core.schema alembic", _migrations(alembic.Alembic(), "a.py"), _bytes(ALEMBIC)),
    Target("core.schema django", _migrations(django.Django(), "shop/migrations/0002_a.py"), _bytes(DJANGO)),
    Target("core.schema rails", _migrations(rails.Rails(), "20260101000000_add_hold.rb"), _bytes(RAILS)),
    Target("core.schema liquibase xml", _changelog("db/changelog.xml"), _bytes(CHANGELOG_XML)),
    Target("core.schema liquibase yaml", _changelog("db/changelog.yaml"), _bytes(CHANGELOG_YAML)),
    Target("core.schema liquibase json", _changelog("db/changelog.json"), _bytes(CHANGELOG_JSON)),
    Target("core.schema liquibase sql", _changelog("db/changelog.sql"), _bytes(CHANGELOG_SQL)),
)
