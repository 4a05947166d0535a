"""What is known of a bug's fix: its commits and pull requests, the files they touched, who else uses what changed."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from core.errors import CoreError
from core.paths import group_of
from core.types import Evidence, Filters, Query
from review.case import Case
from review.checks import consumers
from review.checks.places import comment_place, said
from review.checks.pulls import cited as cited_pull
from review.checks.pulls import name_of
from review.reading import Reading, plain_reason
from review.register import normal
from review.test_cases.lexicon import FIXES
from review.test_cases.material import is_on, matter_of
from review.test_cases.reproduction import KEYED
from review.test_cases.types import Neighbour
from review.text import language_of, phrases, sentences, stems
from review.types import Cited, Unknown
from review.wording import cut

COMMITS = 5
FILES = 8
TICKETS = 20
NEAR = 5
"""Commits of a fix that are quoted, files that are named, tickets among which neighbours
are looked for, and how many of them are told."""

_MERGES = ("Merge branch ", "Merge pull request ", "Merge remote-tracking ", "Merged in ")
"""Subjects that Git and hosts write, and nobody."""


@dataclass(frozen=True, slots=True)
class Fix:
    intent: tuple[Cited, ...]
    neighbours: tuple[Neighbour, ...]
    unknowns: tuple[Unknown, ...]


def fix_of(case: Case, reading: Reading) -> Fix:
    """Never raises for what a source does: that is an unknown."""
    unknowns: list[Unknown] = []
    commits: Sequence[Evidence] = ()
    try:
        commits = _commits(case, reading)
    except CoreError as error:
        unknowns.append(_not_looked("The commits of the fix were", error))
    intent = [*_of_commits(commits), *(cited_pull(one) for one in case.snapshots), *_of_comments(case)]
    if not commits and not case.snapshots:
        what = (
            f"What the fix of {case.ticket.key} changed is not known: no commit or pull request with its key was found."
        )
        unknowns.append(Unknown(what, "A link from the ticket to the pull request, or indexing its repository."))
    neighbours = list(_touched(case, commits))
    for name, look in (("Who else uses what the fix changes was", _users), ("Other tickets on the matter were", _near)):
        try:
            neighbours += look(case)
        except CoreError as error:
            unknowns.append(_not_looked(name, error))
    said_once = {normal(cited.quote).lower(): cited for cited in reversed(intent) if cited.quote}
    return Fix(tuple(reversed(said_once.values())), tuple(neighbours), tuple(unknowns))


def _not_looked(what: str, error: CoreError) -> Unknown:
    return Unknown(f"{what} not looked up: {plain_reason(error)}.", "Asking again when it works.")


def _commits(case: Case, reading: Reading) -> tuple[Evidence, ...]:
    """Passages of the commits that carry the key: as looked up, then as found, by their documents."""
    key = case.ticket.key
    found = [one for one in reading.lookup(key) if one.kind == "commit"]
    if not found:
        asked = Query(key, filters=Filters(kinds=frozenset({"commit"})), limit=COMMITS)
        found = [one for one in reading.search(asked).evidence if one.kind == "commit" and key in one.text]
    first = {one.document_id: one for one in sorted(found, key=lambda one: one.id, reverse=True)}
    return tuple(sorted(first.values(), key=lambda one: (one.updated, one.document_id)))[-COMMITS:]


def _of_commits(commits: Sequence[Evidence]) -> Iterator[Cited]:
    """The subject of each, and the first sentence of what it explains; a commit of tests alone repairs nothing."""
    for commit in commits:
        paths = commit.attributes.get("paths", "").splitlines()
        if paths and not _own(paths):
            continue
        subject, _, body = commit.text.strip().partition("\n")
        if subject.strip() and not subject.startswith(_MERGES):
            yield Cited(commit.locator, commit.labels, quote=subject.strip())
        told = next((one.text for one in sentences(body) if one.kind == "text"), "")
        if told:
            yield Cited(commit.locator, commit.labels, quote=told)


def _of_comments(case: Case) -> Iterator[Cited]:
    """What people wrote that it does."""
    for comment in said(case):
        place = comment_place(comment)
        for sentence in sentences(place.text):
            if sentence.kind != "heading" and sentence.prose in phrases(FIXES):
                yield place.cite(sentence.text)


def _touched(case: Case, commits: Sequence[Evidence]) -> Iterator[Neighbour]:
    """What else lives in the files of the fix, tests and generated ones aside; a neighbour a commit or pull request."""
    for snapshot in case.snapshots:
        if paths := _own(file.path for file in snapshot.files):
            yield _files(paths, f"Changed by the {name_of(snapshot)}.", cited_pull(snapshot))
    if case.snapshots:
        return
    for commit, source in zip(commits, _subjects(commits), strict=True):
        if paths := _own(commit.attributes.get("paths", "").splitlines()):
            yield _files(paths, f"Changed by the commit “{cut(commit.locator.title, 100)}”.", source)


def _subjects(commits: Sequence[Evidence]) -> list[Cited]:
    return [Cited(one.locator, one.labels, quote=one.text.strip().partition("\n")[0].strip()) for one in commits]


def _own(paths: Iterable[str]) -> list[str]:
    return sorted({path for path in paths if path.strip() and group_of("code", path) not in {"test", "generated"}})


def _files(paths: Sequence[str], why: str, source: Cited) -> Neighbour:
    more = f" and {len(paths) - FILES} more" if len(paths) > FILES else ""
    return Neighbour(f"what else {', '.join(paths[:FILES])}{more} does", why, source)


def _users(case: Case) -> list[Neighbour]:
    """By the rule that a review uses: each place that uses a changed name, and changes nothing itself."""
    return [
        Neighbour(f"what {cut(use.locator.label, 120)} does", "It uses what the fix changes.", use)
        for finding in consumers.check(case).findings
        for use in finding.evidence[1:]
    ]


def _near(case: Case) -> list[Neighbour]:
    """Other tickets on the same matter that are done: what they brought is there to suffer."""
    ticket, matter = case.ticket, matter_of(case)
    filters = Filters(kinds=frozenset({"ticket"}), without=frozenset({ticket.document_id}))
    found = (
        case.search(Query(ticket.summary, filters=filters, limit=TICKETS)).evidence if ticket.summary.strip() else ()
    )
    near: dict[str, Neighbour] = {}
    for one in found:
        title = one.locator.title
        about = stems(KEYED.sub("", title), language_of(title))
        done = one.attributes.get("done") == "true" and one.attributes.get("type", "").lower() not in case.words.bugs
        quote = next((line.strip() for line in one.text.splitlines() if line.strip()), "")
        if one.kind == "ticket" and done and quote and is_on(about, matter):
            cited = Cited(one.locator, one.labels, quote=quote)
            near.setdefault(one.document_id, Neighbour(f"“{cut(title, 120)}”", "It is about the same matter.", cited))
    return list(near.values())[:NEAR]
