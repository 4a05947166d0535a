"""Only cases whose sources stand are drafted, each once, and in an order that people can work down."""

from collections.abc import Iterable, Iterator
from dataclasses import replace

from review.register import Register
from review.test_cases.types import KINDS, URGENCIES, DraftedCase, Plan
from review.verify import proven_citation

SOURCES = 6
"""Citations that one case keeps."""


def proven(cases: Iterable[DraftedCase], register: Register) -> Iterator[DraftedCase]:
    """Cases with the sources that stand, as the register has them; one without any is none."""
    for one in cases:
        standing = (proven_citation(cited, register) for cited in one.sources)
        sources = tuple(dict.fromkeys(cited for cited in standing if cited is not None and cited.quote))
        if sources:
            yield replace(one, sources=sources[:SOURCES])


def proven_plan(plan: Plan, register: Register) -> Plan:
    conditions = [standing for one in plan.conditions if (standing := proven_citation(one, register))]
    intent = [standing for one in plan.intent if (standing := proven_citation(one, register))]
    neighbours = [
        replace(one, source=standing) for one in plan.neighbours if (standing := proven_citation(one.source, register))
    ]
    return Plan(tuple(conditions), tuple(intent), tuple(neighbours))


def same(one: DraftedCase, other: DraftedCase) -> bool:
    """Whether two cases try the same condition in the same way, or are called the same."""
    return (one.kind, one.condition) == (other.kind, other.condition) or _name(one) == _name(other)


def distinct(cases: Iterable[DraftedCase]) -> list[DraftedCase]:
    """The same condition of the same kind once; the first counts, and a rule's before a model's."""
    known: dict[tuple[str, str], DraftedCase] = {}
    titles: set[str] = set()
    for one in sorted(cases, key=lambda case: case.by_model):
        title = _name(one)
        if (one.kind, one.condition) not in known and title not in titles:
            known[one.kind, one.condition] = one
            titles.add(title)
    return list(known.values())


def ordered(cases: Iterable[DraftedCase]) -> list[DraftedCase]:
    """The urgent first, then by kind; else as they were drafted."""
    return sorted(cases, key=lambda one: (URGENCIES.index(one.urgency), KINDS.index(one.kind)))


def cited_documents(cases: Iterable[DraftedCase], plan: Plan | None) -> frozenset[str]:
    """Ids of what they cite."""
    cited = [source for one in cases for source in one.sources]
    if plan is not None:
        cited += [*plan.conditions, *plan.intent, *(one.source for one in plan.neighbours)]
    return frozenset(one.locator.document_id for one in cited)


def _name(one: DraftedCase) -> str:
    return " ".join(one.title.casefold().split())
