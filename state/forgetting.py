"""Taking a person, or what rests on documents of a source, out of the database."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from sqlalchemy import ColumnElement, and_, delete, or_, update
from sqlmodel import Session, col, func, select

from state.cursors import prefix
from state.db import Database
from state.retention import AT_ONCE, TRACES, delete_settled, each, erasing, settled, without
from state.tables import (
    Cursor,
    Dismissal,
    Document,
    Draft,
    Feedback,
    Generation,
    Job,
    JobEvent,
    Picture,
    Post,
    Refusal,
    Review,
    Source,
)
from state.views import stored

REMOVED = "(removed)"
"""Stands for the name and the words of who was forgotten. What was set aside stays so while its comment stands."""
FORGOTTEN = "forgotten"
"""In a job's result, in place of all that it held."""

_CURSORS = ("source", "full", "settings", "swept", "hidden")
"""What the names of a source's cursors begin with."""

Rests = Callable[[str], bool]
"""Whether a document, by its id, is of what is forgotten."""


@dataclass(frozen=True, slots=True)
class OfPerson:
    """How many of each are there."""

    jobs: int
    under_way: int
    """Jobs of theirs that are not over: they are left alone."""
    feedback: int
    dismissals: int
    unknown: int
    """Jobs that do not say who asked."""


@dataclass(frozen=True, slots=True)
class OfSource:
    """How many of each are there."""

    jobs: int
    """That say something that rests on it."""
    under_way: int
    documents: int
    """In the registry, over all generations."""
    pictures: int
    """Descriptions of pictures: they do not say whose, so all are deleted and made anew when they are read again."""


def count_person(database: Database, person: str, name: str) -> OfPerson:
    """What `forget_person` would remove."""
    mine, over = _asked_by(person), and_(*settled())
    with database.reading() as session:

        def count(table: Any, *wanted: ColumnElement[bool]) -> int:
            return session.exec(select(func.count()).select_from(table).where(*wanted)).one()

        return OfPerson(
            jobs=count(Job, mine, over),
            under_way=count(Job, mine, ~over),
            feedback=count(Feedback, _is(col(Feedback.person), person)),
            dismissals=count(Dismissal, col(Dismissal.by) == name) if name else 0,
            unknown=count(Job, col(Job.asked_by) == ""),
        )


def forget_person(database: Database, person: str, name: str) -> OfPerson:
    """Delete the jobs that a person asked for and their feedback; of what they set aside, their name and reason.

    `person` is a platform's id of an account, `name` the name that the person is shown by. Again is no harm.
    """
    found = count_person(database, person, name)
    delete_settled(database, _asked_by(person))
    with erasing(database) as session:
        connection = session.connection()
        connection.execute(delete(Feedback).where(_is(col(Feedback.person), person)))
        connection.execute(delete(Refusal).where(_is(col(Refusal.person), person)))
        if name:
            theirs = update(Dismissal).where(col(Dismissal.by) == name)
            connection.execute(theirs.values(by=REMOVED, reason=REMOVED))
    return found


def count_source(database: Database, name: str, rests: Rests) -> OfSource:
    """What `forget_source` would remove."""
    jobs = under_way = last = 0
    over = and_(*settled())
    while True:
        with database.reading() as session:
            some = select(Job).where(col(Job.id) > last).order_by(col(Job.id)).limit(AT_ONCE)
            rows = session.exec(some).all()
            resting = [stored(job.id) for job in rows if _rests(session, job, rests)]
            ended = session.exec(select(func.count()).select_from(Job).where(col(Job.id).in_(resting), over)).one()
        jobs, under_way = jobs + ended, under_way + len(resting) - ended
        if len(rows) < AT_ONCE:
            break
        last = stored(rows[-1].id)
    with database.reading() as session:
        documents = select(func.count()).select_from(Document).where(col(Document.source) == name)
        pictures = select(func.count()).select_from(Picture)
        return OfSource(jobs, under_way, session.exec(documents).one(), session.exec(pictures).one())


def forget_source(database: Database, name: str, rests: Rests) -> OfSource:
    """Empty the jobs whose words rest on a source, and forget the source and its documents. Again is no harm.

    Of such a job stay what was asked, its story, and where its posts stand; the posts themselves are the platform's.
    """
    found = count_source(database, name, rests)

    def emptied(session: Session, job: Job) -> bool:
        if not _rests(session, job, rests):
            return without(job, TRACES)  # what a search passed over does not say of which source it is
        job.result, job.error = {FORGOTTEN: name}, None
        connection, mine = session.connection(), stored(job.id)
        sent = col(Post.job_id) == mine
        connection.execute(update(Post).where(sent, col(Post.state) != "sent").values(state="cancelled", error=None))
        connection.execute(update(Post).where(sent).values(payload={}))
        connection.execute(update(JobEvent).where(col(JobEvent.job_id) == mine).values(detail=""))
        for table in (Review, Draft):
            connection.execute(delete(table).where(col(table.job_id) == mine))
        return True

    each(database, Job, settled(), emptied)
    with erasing(database) as session:
        connection = session.connection()
        connection.execute(delete(Document).where(col(Document.source) == name))
        connection.execute(delete(Source).where(col(Source.name) == name))
        connection.execute(delete(Picture))
        names = ["", *map(prefix, session.exec(select(Generation.name)).all())]
        theirs = [f"{begin}{of}:{name}" for begin in names for of in _CURSORS]
        connection.execute(delete(Cursor).where(col(Cursor.name).in_(theirs)))
    return found


def _asked_by(person: str) -> ColumnElement[bool]:
    return _is(col(Job.asked_by), person)


def _is(column: Any, person: str) -> ColumnElement[bool]:
    """The id alone, or after the names of its surface and site."""
    return or_(column == person, column.endswith(f"|{person}", autoescape=True))


def _rests(session: Session, job: Job, rests: Rests) -> bool:
    if any(map(rests, _documents(job.result))):
        return True
    payloads = session.exec(select(Post.payload).where(col(Post.job_id) == job.id)).all()
    if any(rests(one) for payload in payloads for one in payload.get("rests_on", ())):
        return True
    draft = session.get(Draft, job.id)
    review = session.get(Review, job.id)
    drafted = draft is not None and (any(map(rests, draft.rests_on)) or any(map(rests, _documents(draft.record))))
    return drafted or (review is not None and any(map(rests, _documents(review.findings))))


_IDS = ("document", "document_id", "id")
"""What names a document in a record."""


def _documents(value: Any) -> Iterator[str]:
    """The ids of documents in a record."""
    if isinstance(value, Mapping):
        for name in _IDS:
            if isinstance(value.get(name), str):
                yield value[name]
        value = list(value.values())
    for inner in value if isinstance(value, list) else ():
        yield from _documents(inner)
