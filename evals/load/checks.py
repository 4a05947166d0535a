"""Whether all that was asked came to a good end: database and platforms compared, question by question."""

import hashlib
import json
import sqlite3
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from contextlib import closing, suppress
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from evals.load.traffic import Asked
from evals.load.visible import Visible
from evals.mentions import late

CLOCK = 1800.0
"""Seconds; a longer wait is the clock's that was set between."""
SHOWN = 5
"""Examples of each thing that is wrong."""


@dataclass(frozen=True, slots=True)
class Post:
    key: str
    state: str
    attempts: int
    file: bool
    place: str
    """Id of the ticket, the page or the channel."""
    error: str
    note: bool
    """No part of the answer: it says that the queue is long."""


@dataclass(frozen=True, slots=True)
class Job:
    id: int
    surface: str
    message: str
    """The comment or message that asked."""
    state: str
    attempts: int
    reason: str
    """Why there is no answer, where that is said."""
    posts: tuple[Post, ...]


@dataclass(frozen=True, slots=True)
class Verdict:
    """Each number should be 0 but for `questions`, `answered` and `attempts`."""

    questions: int
    answered: int
    """With one whole answer, or a notice that says why not."""
    told_nobody: int
    """Without any, for a reason that the job has."""
    lost: int
    """Without a job, or without an answer and a reason."""
    doubled: int
    """Answers that stand there more than once, or beside another one to the same question."""
    missing: int
    """Posts that the service has for sent and that do not stand there."""
    unknown: int
    """Answers that stand there and that the service does not have for sent."""
    working: int
    wider: int
    unasked: int
    """Jobs that no question led to and that said something."""
    stuck: int
    """Jobs and posts that are waiting or held at the end."""
    attempts: int
    """The most of any job or post."""
    out_of_order: int
    """Jobs that were first taken after one that was stored later."""
    examples: Mapping[str, Sequence[str]]

    @property
    def good(self) -> bool:
        wrong = (
            self.lost,
            self.doubled,
            self.missing,
            self.unknown,
            self.working,
            self.wider,
            self.unasked,
            self.stuck,
        )
        return not any(wrong) and self.attempts <= 5 and self.questions == self.answered + self.told_nobody


def judge(database: Path, asked: Sequence[Asked], seen: Visible) -> Verdict:
    """All questions against all jobs, posts and what is visible."""
    jobs = {(job.surface, job.message): job for job in read(database)}
    wrong: dict[str, list[str]] = {}
    answered = told_nobody = 0
    for one in asked:
        job = jobs.get((one.surface, one.id))
        kind = "lost: no job" if job is None else _end(job, seen)
        answered += kind == "answered"
        told_nobody += kind == "told nobody"
        if kind != "answered":
            wrong.setdefault(kind, []).append(f"{one.surface} {one.place} {one.id}: {job}")
    posts = [post for job in jobs.values() for post in job.posts]
    rows = [(one.state, one.attempts) for one in jobs.values()] + [(one.state, one.attempts) for one in posts]
    sent = {carried(post.key) for post in posts if post.state == "sent" and not post.file}
    notes = {carried(post.key) for post in posts if post.note}  # given up after they may have been sent
    twice = [key for key, count in seen.keys.items() if count > 1]
    missing = [key for key in sent if not seen.keys[key]]
    unknown = [key for key in seen.keys if key not in sent | notes]
    files = Counter(post.place for post in posts if post.state == "sent" and post.file)
    asking = {(one.surface, one.id) for one in asked}
    unasked = [str(job) for key, job in jobs.items() if key not in asking and _told(job)]
    wrong |= {"twice": twice, "missing": missing, "unknown": unknown, "unasked": unasked}
    return Verdict(
        questions=len(asked),
        answered=answered,
        told_nobody=told_nobody,
        lost=sum(len(found) for kind, found in wrong.items() if kind.startswith("lost")),
        doubled=sum(seen.keys[key] - 1 for key in twice)
        + len(wrong.get("two answers", ()))
        + (seen.files - files).total(),
        missing=len(missing) + (files - seen.files).total(),
        unknown=len(unknown),
        working=seen.working,
        wider=seen.wider,
        unasked=len(unasked),
        stuck=sum(state in {"queued", "running"} for state, _ in rows),
        attempts=max((attempts for _, attempts in rows), default=0),
        out_of_order=late(first_taken(database)),
        examples={kind: found[:SHOWN] for kind, found in wrong.items() if found},
    )


def _told(job: Job) -> bool:
    return any(post.state == "sent" for post in job.posts)


def _end(job: Job, seen: Visible) -> str:
    """What became of a question."""
    parts = [post for post in job.posts if not (post.note or post.state == "cancelled")]
    answers = {post.key.rpartition("|")[0] for post in parts if seen.keys[carried(post.key)]}
    if len(answers) > 1:
        return "two answers"
    if answers and all(post.state != "queued" for post in parts):
        return "answered"
    reason = job.reason or next((post.error for post in parts if post.error), "")
    return "told nobody" if reason and job.state in {"done", "gone", "failed"} else "lost: no answer"


def carried(key: str) -> str:
    """A delivery key as it stands on the platform."""
    return hashlib.sha256(key.encode()).hexdigest()[:32] if key.startswith("confluence|") else key


def read(database: Path) -> Iterable[Job]:
    """Every job with its posts."""
    with closing(_opened(database)) as rows:
        posts: dict[int, list[Post]] = {}
        for job, key, state, attempts, payload, error in rows.execute(
            "SELECT job_id, delivery_key, state, attempts, payload, error FROM outbox"
        ):
            told = json.loads(payload)
            file = "file" in {told["body"].get("kind"), told["body"].get("type")}
            note = key.endswith("|queued|1")
            posts.setdefault(job, []).append(Post(key, state, attempts, file, told["place_id"], error or "", note))
        found = rows.execute("SELECT id, state, attempts, payload, result, error FROM job").fetchall()
    for number, state, attempts, payload, result, error in found:
        asked = json.loads(payload)
        reason = error or json.loads(result or "{}").get("ignored", "")
        yield Job(number, asked["surface"], asked["message_id"], state, attempts, reason, tuple(posts.get(number, ())))


def settled(database: Path, asked: Iterable[Asked]) -> bool:
    """Whether there is a job for each question, and nothing left to do."""
    jobs = list(read(database))
    known = {(job.surface, job.message) for job in jobs}
    states = {job.state for job in jobs} | {post.state for job in jobs for post in job.posts}
    return not states & {"queued", "running"} and all((one.surface, one.id) in known for one in asked)


def counts(database: Path) -> dict[str, int]:
    """Jobs and posts by state; empty while the database cannot be read, since its disk is full."""
    states = (
        "SELECT 'job ' || state, count(*) FROM job GROUP BY state "
        "UNION ALL SELECT 'post ' || state, count(*) FROM outbox GROUP BY state"
    )
    with closing(_opened(database)) as rows, suppress(sqlite3.OperationalError):
        return dict(rows.execute(states).fetchall())
    return {}


def first_taken(database: Path) -> list[int]:
    """The jobs in the order in which they were first taken."""
    with closing(_opened(database)) as rows:
        found = rows.execute(
            "SELECT job_id FROM job_event WHERE what = 'claimed' GROUP BY job_id ORDER BY min(id)"
        ).fetchall()
    return [number for (number,) in found]


def waits(database: Path) -> list[float]:
    """Seconds from stored to first taken, of the jobs between which no clock was set."""
    with closing(_opened(database)) as rows:
        found = rows.execute(
            "SELECT job.created_at, min(job_event.id), job_event.at FROM job JOIN job_event "
            "ON job_event.job_id = job.id WHERE what = 'claimed' GROUP BY job.id"
        ).fetchall()
    took = [(datetime.fromisoformat(at) - datetime.fromisoformat(created)).total_seconds() for created, _, at in found]
    return [seconds for seconds in took if 0 <= seconds < CLOCK]


def _opened(database: Path) -> sqlite3.Connection:
    return sqlite3.connect(f"file:{database}?mode=ro", uri=True, timeout=30)
