"""What the database and the sites hold of what was told. Reads alone."""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import datetime
from functools import cache, lru_cache

from core.errors import CoreError, SourceError
from core.tickets import Ticket, is_page
from core.types import Audience
from crosscheck.wiring import Program
from evals.outcomes.signs import Now, Rerun, outcomes, unread
from evals.outcomes.types import Shown, Story, Subject
from review.errors import ReviewError
from review.previous import Previous, previous_of
from review.types import Finding
from review.words import defaults, extended
from state.errors import NotFound
from state.looking import Looking
from state.reviews import Reviews
from state.types import ReviewView

PAGE = 100
"""Subjects, and verdicts, that are read from the database at once."""
_CITED = 200  # other tickets and pages that are kept in memory
_TICKET = re.compile(r"jira:[0-9]+")
_BY_MODEL = "rules and "
"""How a review says who judged, if a model did."""


class Installation:
    """What was told here, and what became of it. `rules` reviews by the rules alone, if that is asked for."""

    def __init__(self, program: Program, rules: Program | None = None) -> None:
        self._program = program
        self._rules = rules
        self._reviews = Reviews(program.database)
        self._looking = Looking(program.database)
        chosen = program.settings.review
        self._words = extended(defaults(chosen.languages), chosen.words)
        self._cited: Callable[[str], Ticket | None] = lru_cache(_CITED)(self._readable)

    def subjects(self, since: datetime | None = None) -> Iterator[str]:
        """What reviews were told of (since then), as the database calls it; read in pages."""
        page = self._reviews.subjects(since, "", PAGE)
        while page:
            yield from page
            page = self._reviews.subjects(since, page[-1], PAGE)

    def subject(self, name: str, since: datetime | None = None) -> Subject:
        """What came of the findings of one ticket or page (told for the first time since then). Raises StateError."""
        story, at = self._story(name), self._program.clock()
        try:
            ticket = self._ticket(name, story.document_id)
        except SourceError as error:
            return Subject(story.document_id, unread(story, at, since), str(error))
        now = Now(at, ticket, self._cited, self._rerun(ticket.key), self._words)
        return Subject(ticket.key, outcomes(story, now, since), "")

    def rated(self, since: datetime | None = None) -> Mapping[int, Mapping[str, str]]:
        """The last verdict of each person on each reply to a review (rated since then), by the reply's job."""
        found: dict[int, dict[str, str]] = {}
        page = self._looking.feedback(None, PAGE)
        while page:
            for said in page:  # the newest first
                if since is None or said.verdict.at >= since:
                    found.setdefault(said.job_id, {}).setdefault(said.verdict.person, said.verdict.verdict)
            page = self._looking.feedback(page[-1].id, PAGE)
        return {job: verdicts for job, verdicts in sorted(found.items()) if self._record(job) is not None}

    def _story(self, name: str) -> Story:
        reviews = [self._shown(view) for view in self._reviews.told(name)]
        return Story(name.rpartition("|")[2], reviews, self._reviews.dismissals(name))

    def _shown(self, view: ReviewView) -> Shown:
        record = self._record(view.job_id)
        by_model = record is not None and str(record.get("made_by", "")).startswith(_BY_MODEL)
        return Shown(previous_of(view), by_model, whole=record is not None and not record.get("degraded"))

    def _record(self, job_id: int) -> Mapping[str, object] | None:
        """What a job keeps of its review; None if it made none, or keeps nothing."""
        try:
            result = self._program.jobs.show(job_id).result or {}
        except NotFound:
            return None
        return result.get("review")

    def _ticket(self, name: str, document_id: str) -> Ticket:
        """Raises SourceError."""
        jira = self._program.settings.jira
        if jira is None or name != f"{jira.site}|{document_id}":
            raise SourceError("It is on a site that the settings do not name.")
        return self._read(document_id)

    def _read(self, document_id: str) -> Ticket:
        """Raises SourceError."""
        if not is_page(document_id):
            return self._program.jira_reader.ticket(document_id.removeprefix("jira:"))
        if self._program.settings.confluence is None:
            raise SourceError("No Confluence is configured.")
        return self._program.page_reader.ticket(document_id)

    def _readable(self, document_id: str) -> Ticket | None:
        if not (is_page(document_id) or _TICKET.fullmatch(document_id)):
            return None
        try:
            return self._read(document_id)
        except SourceError:
            return None

    def _rerun(self, key: str) -> Rerun | None:
        """Reviews once for the readers of each review that is asked about."""
        rules = self._rules
        if rules is None:
            return None

        @cache
        def told(readers: Audience) -> Sequence[Finding] | None:
            try:
                return rules.reviewer.review(key, readers).findings
            except (CoreError, ReviewError):
                return None

        def again(review: Previous) -> Sequence[Finding] | None:
            return told(review.made_for)

        return again
