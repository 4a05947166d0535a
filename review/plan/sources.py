"""Chooses the sources that could change a plan: unknown to it, in force, and about the same matter."""

from collections.abc import Sequence

from core.paths import group_of
from core.tickets import KEY
from core.types import Evidence
from review.checks.pages import in_force
from review.plan.concern import Concern
from review.plan.known import first_of_each, path_of, ticket_of
from review.plan.matter import Matter
from review.plan.types import MOST_SOURCES, PlanSource
from review.wording import cut_quote

ENOUGH, ENOUGH_UNREAD = 0.4, 0.3
"""Concern of the best unknown passage below which nothing is new: of a plan that names two or more of the tickets and
pages that were found, and of one that does not, for it shows of nothing that it was read. On the open plans of
evals/plans those of the first kind that need nothing end at .38, those of the second at .29; of those of the second
that need something, all have .32 and more."""
LEAST = 0.15
"""Concern that a source must have beside a better one. On the set `mixed` none is as good, and .20 loses
three hits of 72."""
VOTED = 0.1
"""What history adds to the concern of a ticket by whose commits a file was changed that the plan names."""
TEXT = 300
"""Characters of a source's words."""


def choose(matter: Matter, cited: Sequence[str]) -> tuple[PlanSource, ...]:
    """At most three, each document once: what a check rests on first (`cited` are ids of documents), then tickets that
    history votes for, then what people decided or asked for on the same matter, which an agent does not come upon while
    it reads code; the others in the order of the search. Nothing if no passage concerns the plan enough. On the set
    `mixed` (65 hits of 72) a place for each kind of file loses two, and ranking by search and concern together one.
    """
    judged = judged_by(matter)
    best = max((concern.score for _, concern in judged), default=0.0)
    if best < enough(matter) and not cited:
        return ()
    wanted = [pair for pair in judged if pair[1].score >= LEAST or pair[0].document_id in cited]
    voted = voted_tickets(matter)
    places = {document: place for place, document in reversed(list(enumerate(cited)))}
    last, least = len(cited), enough(matter)
    wanted.sort(
        key=lambda pair: (
            places.get(pair[0].document_id, last),
            not _is_voted(pair, voted, least),
            not _rules(pair, least),
        )
    )
    return tuple(source_of(matter, *pair) for pair in wanted[:MOST_SOURCES])


def enough(matter: Matter) -> float:
    return ENOUGH if matter.is_informed else ENOUGH_UNREAD


def judged_by(matter: Matter) -> list[tuple[Evidence, Concern]]:
    """What the plan does not know and what holds today, each document by its passage that concerns the plan most."""
    voted = voted_tickets(matter)
    concerns: dict[str, tuple[Evidence, Concern]] = {}
    first = first_of_each(matter.found)
    for one in matter.found:
        name = ticket_of(one) or one.document_id
        concern = matter.concern(one)
        if name in voted:
            concern = Concern(concern.score + VOTED, concern.sentence)
        if name not in concerns or concern.score > concerns[name][1].score:
            concerns[name] = one, concern
    return [concerns[ticket_of(one) or one.document_id] for one in first if is_candidate(matter, one)]


def is_candidate(matter: Matter, one: Evidence) -> bool:
    if matter.known.names(one) or (one.kind == "page" and not in_force(one, matter.words)):
        return False
    path = path_of(one)
    return not (path and group_of(one.kind, path) == "test" and _tests_a_named_file(matter, path))


def voted_tickets(matter: Matter) -> frozenset[str]:
    """Keys of tickets whose commits touched a file that the plan names."""
    return frozenset(key for commit in matter.commits for key in KEY.findall(commit.locator.title))


def _is_voted(pair: tuple[Evidence, Concern], voted: frozenset[str], least: float) -> bool:
    return ticket_of(pair[0]) in voted and pair[1].score >= least


def _rules(pair: tuple[Evidence, Concern], least: float) -> bool:
    return pair[0].kind in {"page", "ticket"} and pair[1].score >= least


def _tests_a_named_file(matter: Matter, path: str) -> bool:
    """`tests/test_holds.py` changes with `holds.py` anyway."""
    name = path.rpartition("/")[2].lower()
    stems = (named.rpartition("/")[2].partition(".")[0].lower() for named in matter.given.paths)
    return any(stem and stem in name for stem in stems)


def source_of(matter: Matter, one: Evidence, concern: Concern) -> PlanSource:
    if one.kind in {"code", "file"} or not concern.sentence:
        text = matter.concerns.excerpt(one, TEXT)
    else:
        text = cut_quote(concern.sentence, TEXT)
    return PlanSource(
        locator=one.locator,
        labels=one.labels,
        kind=one.kind,
        source=one.source,
        text=text,
        why=_why(matter, one),
        updated=one.updated,
    )


def _why(matter: Matter, one: Evidence) -> str:
    if one.kind == "page":
        return "It rules on the same matter, and the plan does not mention it."
    if key := ticket_of(one):
        if one.attributes.get("type", "").strip().lower() in matter.words.bugs:
            return "It reports a fault in the same matter, and the plan does not mention it."
        if key in voted_tickets(matter):
            return "A file that the plan names was changed for it, and the plan does not mention it."
        return "It asks for something in the same matter, and the plan does not mention it."
    if one.kind in {"code", "file"}:
        return "It is about the same matter, and the plan does not say whether it changes as well."
    return "It belongs to the same matter, and the plan does not mention it."
