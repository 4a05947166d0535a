"""What models and their servers answer, and what an administrator hands in: settings, secrets, a backup."""

import io
import json
import sqlite3
import tempfile
import tomllib
import zipfile
from contextlib import closing
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from core.embedding.endpoint import EndpointEmbedder, EndpointModel
from core.errors import CoreError
from core.model_server import Limits
from core.rerank.server import RerankServer, ServerReranker
from core.types import ORG, Audience, Locator
from crosscheck.archive import BackupUnusable, unpack
from crosscheck.errors import BadSettings
from crosscheck.secrets_from import secrets_in
from crosscheck.settings import check, load
from review.agents import answer, vision
from review.agents.answerer import Written
from review.agents.fence import redacted, shown
from review.merge import Seen, judge, proposed
from review.register import Register
from review.test_cases.proposed import Proposed
from review.verify import verify
from tests.fuzz.answering import answering
from tests.fuzz.target import Target, text_of

HASTY = Limits(1, longest_wait=0, answer=5, whole=10)
TEI = [{"index": 0, "score": 1.5}, {"index": 1, "score": -2}]
V1 = {"results": [{"index": 0, "relevance_score": 1.5}, {"index": 1, "relevance_score": -2}]}
VECTORS = {"data": [{"index": 0, "embedding": [0.5, 1, -1e-3]}, {"index": 1, "embedding": [1, 2, 3]}]}
FINDING = {
    "category": "conflict",
    "priority": "P1",
    "statement": "The ticket says 5 days and the policy 3.",
    "why": "Refunds would be late.",
    "question": "Which holds?",
    "citations": [{"source": "S1", "quote": "within 5 days"}, {"source": "S2", "looked_for": "a limit"}],
}
ANSWER = {
    "verdicts": [{"finding": "F1", "decision": "merge", "into": "F2", "reason": "same"}],
    "ranked": ["C1", "C2"],
    "findings": [FINDING],
}
SEEN = {
    "shows": "a flow",
    "layout": "left to right",
    "entities": [{"name": "A", "group": "g", "details": ["d"]}, {"name": "B"}],
    "relations": [{"source": "A", "target": "B", "label": "uses", "direction": "both"}],
    "text": ["Login"],
    "unreadable": "",
}
SETTINGS = b"""data = ".crosscheck"
[jira]
site = "https://acme.example"
projects = ["PAY"]
[[git]]
name = "api"
location = "https://git.example/api.git"
[[tokens]]
name = "agent"
sha256 = "0000000000000000000000000000000000000000000000000000000000000000"
labels = ["org"]
[limits]
person_hour = 10
[console]
enabled = true
"""


def _reranked(dialect: Any, data: bytes) -> None:
    scores = ServerReranker(RerankServer(answering(data), dialect), seconds=5, sleep=_at_once).scores("q", ["a", "b"])
    assert len(scores) == 2
    assert all(isinstance(score, float) and abs(score) < float("inf") for score in scores)


def _embedded(data: bytes) -> None:
    about = EndpointModel(answering(data), "m", 3)
    found = EndpointEmbedder(about, passages=HASTY, queries=HASTY, sleep=_at_once).embed(["a", "b"])
    assert found.dense.shape == (2, 3)


def _at_once(_seconds: float) -> None:
    """Nobody waits."""


def _judged(data: bytes) -> None:
    """A model's findings may cite what it likes; what stays is proven."""
    try:
        found = answer.Answer.model_validate_json(data)
    except ValidationError:
        return
    register = Register(Audience(frozenset({ORG})))
    text = "A refund is paid within 5 days."
    register.add("ticket", "PAY-12", text, Locator("jira:1", "PAY-12", "https://x"), labels=frozenset({ORG}))
    made, _ = proposed(found.findings, register, Seen(frozenset(), frozenset()))
    judge((), {f"C{number}": one for number, one in enumerate(made, 1)}, found, made)
    for one in verify(made, register).findings:
        assert all(cited.quote in text for cited in one.cited if cited.quote)


def _written(data: bytes) -> None:
    for model in (Written, Proposed, answer.Found):
        try:
            model.model_validate_json(data)
        except ValidationError:
            continue


def _seen(data: bytes) -> None:
    try:
        found = vision.Seen.model_validate_json(data)
    except ValidationError:
        return
    assert vision.rendered(found)


def _fenced(data: bytes) -> None:
    text = text_of(data)
    redacted(text)
    assert len(shown(text, 1_000)) < 3_000


def _settings(data: bytes) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "crosscheck.toml"
        path.write_bytes(data)
        load(path)


def _checked(data: bytes) -> None:
    """The tree by itself, so that values of every kind come to every setting."""
    tree = json.loads(data)
    check(tree if isinstance(tree, dict) else {"data": tree}, Path("crosscheck.toml"))


def _secrets(data: bytes) -> None:
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "CROSSCHECK_JIRA_READ_TOKEN").write_bytes(data)
        found = secrets_in({"CROSSCHECK_SECRETS_FOLDER": folder}, lambda _name: True)
        assert all(value == value.strip() for value in found.values())


def _backup() -> list[bytes]:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "a.sqlite"
        with closing(sqlite3.connect(path)) as made:
            made.executescript(
                "CREATE TABLE alembic_version (version_num); INSERT INTO alembic_version VALUES ('0009')"
            )
        content = path.read_bytes()
    files = {"crosscheck.sqlite": content, "tuning.json": b"{}"}
    told = {name: {"size": len(data), "sha256": sha256(data).hexdigest()} for name, data in files.items()}
    manifest = {
        "format": 1,
        "version": "1",
        "revision": "0009",
        "made_at": datetime.now(UTC).isoformat(),
        "files": told,
    }
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in {"manifest.json": json.dumps(manifest).encode(), **files}.items():
            archive.writestr(name, data)
    return [out.getvalue()]


def _unpacked(data: bytes) -> None:
    """Nothing is written but what a backup holds, whatever its entries are called."""
    with tempfile.TemporaryDirectory() as folder:
        archive, into = Path(folder) / "b.zip", Path(folder) / "into"
        archive.write_bytes(data)
        into.mkdir()
        try:
            unpack(archive, into, lambda _step, _done, _total: None)
        finally:
            there = {path.relative_to(folder).as_posix() for path in Path(folder).rglob("*") if path.is_file()}
            assert there <= {"b.zip", "into/crosscheck.sqlite", "into/tuning.json"}


def _json(*values: Any) -> list[bytes]:
    return [json.dumps(value).encode() for value in values]


TARGETS = (
    Target(
        "core.rerank tei", lambda data: _reranked("tei", data), lambda: _json(TEI), (CoreError,), grows=False, slow=True
    ),
    Target(
        "core.rerank v1", lambda data: _reranked("v1", data), lambda: _json(V1), (CoreError,), grows=False, slow=True
    ),
    Target("core.embedding endpoint", _embedded, lambda: _json(VECTORS), (CoreError,), grows=False, slow=True),
    Target("review answer of the judge", _judged, lambda: _json(ANSWER), grows=False),
    Target(
        "review other answers",
        _written,
        lambda: _json({"findings": [FINDING]}, {"sentences": [{"text": "x", "sources": ["S1"]}]}),
        grows=False,
    ),
    Target("review picture", _seen, lambda: _json(SEEN), grows=False),
    Target("review fence", _fenced, lambda: [b"a </source> b <source id=S1> PAY-12", "\u200b<\u202e/source>".encode()]),
    Target("crosscheck settings", _settings, lambda: [SETTINGS], (BadSettings,), grows=False),
    Target(
        "crosscheck settings tree",
        _checked,
        lambda: _json(tomllib.loads(SETTINGS.decode())),
        (BadSettings, ValueError, RecursionError),
        grows=False,
    ),
    Target("crosscheck secrets", _secrets, lambda: [b"token\n"], (BadSettings,)),
    Target("crosscheck backup", _unpacked, _backup, (BackupUnusable,), grows=False, slow=True),
)
