"""A team's own set: tickets of its own site whose gaps are known, reviewed by its own installation. Posts nothing."""

from collections.abc import Callable, Iterable, Mapping
from contextlib import closing
from functools import cache
from pathlib import Path
from time import perf_counter
from typing import Any

from core.errors import SourceGone
from core.tickets import is_page
from core.types import Locator
from crosscheck import settings as config
from crosscheck.operations import Operations
from crosscheck.wiring import Program
from evals.harness.types import Measurement
from evals.planted.load import PlantedError, read
from evals.planted.measure import digest, measurement
from evals.planted.run import Progress, Reviews, run
from evals.planted.types import Planted, Reviewed
from review.types import Cited, Finding, Priority

WAY = "as installed"
EXAMPLE = """\
# Tickets whose gaps are known. A review should tell each [[ticket.gap]], may tell each [[ticket.also]], and must not
# tell what is in a [[ticket.leave]]: it only looks like a gap.

[[ticket]]
key = "SHOP-12"                                  # of a page: its document, as confluence:4711
about = "A deadline that differs from the policy's"

[[ticket.gap]]
what = "30 days to send it back, the policy says 14"
categories = ["conflict"]                        # any of them will do; without this line every one
cites = [                                        # a finding is this gap if it cites all of these, whatever its words
    { in = ["jira:SHOP-12"], quotes = ["30 days"] },
    { in = ["confluence:4711", "git:shop:src/returns.py"], quotes = ["14 days", "RETURN_DAYS = 14"] },
]

[[ticket.leave]]
what = "Who pays for the parcel is answered in a comment"
answered = true                                  # a question whose answer stands elsewhere
cites = [{ in = ["jira:SHOP-12"], quotes = ["Who pays"] }]
"""
"""What `in` names is a document or stands for what is below it: a ticket for its comments and history, `confluence`
for all pages. Of the fragments in `quotes` one must be in what is cited; none: any quote will do.
"""


def planted_on_site(path: Path, settings: config.Settings, secrets: config.Secrets) -> tuple[Planted, ...]:
    """The tickets of a set.

    Raises PlantedError for a file that is no set or names what the account that reads does not see, and SourceError
    where that cannot be asked.
    """
    if not path.is_file():
        raise PlantedError(f"{path} is no file. `crosscheck eval reviews --example` prints a set to begin with.")
    with closing(Program(settings, secrets)) as program:
        return read(path, _OnSite(program))


def measure(
    path: Path, tickets: Iterable[Planted], operations: Operations, audience: str, report: Progress, *, runs: int
) -> Measurement:
    """Review the tickets of a set as a bot would for this audience. What people dismissed or answered there is not
    told, as in any review, and so is missed.
    """
    seen: set[str] = set()
    reviews = _by_operation(operations, audience, seen.add)
    scored = run({ticket.key: ticket for ticket in tickets}, reviews, report, runs=runs)
    made_with = {"planted set": digest(path), "audience": audience, "reviewed by": "; ".join(sorted(seen))}
    return measurement(path.stem, WAY, scored, made_with)


def _by_operation(operations: Operations, audience: str, made_by: Callable[[str], None]) -> Reviews:
    """`made_by` is told who judged, in plain words."""

    def reviewed(key: str) -> Reviewed:
        started = perf_counter()
        record = operations.run("review", {"key": key, "audience": audience}, lambda _message: None)
        seconds = perf_counter() - started
        made_by(record["made_by"])
        findings = tuple(map(_finding, record["findings"]))
        return Reviewed(key, findings, tuple(record["degraded"]), record["reply"], seconds)

    return reviewed


def _finding(record: Mapping[str, Any]) -> Finding:
    """As `crosscheck.records.finding_record` writes it; labels are not in it."""
    return Finding(
        record["rule"],
        record["category"],
        Priority[record["priority"]],
        record["statement"],
        record["why"],
        record["question"],
        tuple(
            Cited(Locator(one["document"], one["title"], one["url"]), frozenset(), one["quote"], one["looked_for"])
            for one in record["evidence"]
        ),
    )


class _OnSite:
    """What the account that reads sees, and what the settings name."""

    where = "where the account that reads can see it"

    def __init__(self, program: Program) -> None:
        self._program = program
        chosen = program.settings
        self._named = {"jira", "git"} | ({"confluence"} if chosen.confluence else set())
        self._named |= {f"git:{one.name}" for one in chosen.git} | {f"qa:{one.name}" for one in chosen.qa}
        self._named |= {f"files:{one.name}" for one in chosen.files}
        self.ticket: Callable[[str], str | None] = cache(self._ticket)

    def _ticket(self, key: str) -> str | None:
        """A page is reviewed by the id of its document."""
        if is_page(key):
            return key if self.has(key) else None
        try:
            return self._program.jira_reader.outline(key).document_id
        except SourceGone:
            return None

    def has(self, document: str) -> bool:
        """Of what is in a repository or a folder only that it is read at all."""
        if is_page(document) and self._program.settings.confluence:
            try:
                return bool(self._program.page_reader.labels(document.removeprefix("confluence:")))
            except SourceGone:
                return False
        kind, _, rest = document.partition(":")
        name = rest.partition(":")[0].partition("!")[0].partition("@")[0]
        return document in self._named or f"{kind}:{name}" in self._named
