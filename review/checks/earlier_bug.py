"""An earlier bug like this matter was repaired, and the condition under which it happened is not covered here."""

import math
import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import islice, pairwise

from core.types import Evidence, Filters, Query
from review.case import Case, Checked
from review.checks.places import absent, comment_place, evidence_place, said, shown, written
from review.text import Language, Sentence, language_of, phrases, sentences, stems, visible_prose
from review.types import Finding, Priority, Settled
from review.words import Words

ID = "earlier-bug"
_PASSAGES = 20
"""Passages that the search returns."""
_QUERY = 500
"""Characters of summary and description that are searched for."""
_MOST = 3
"""Findings, the likest bugs first."""
_SENTENCES = 12
"""Sentences of a bug's text in which its condition is looked for."""
_ALIKE = 0.4
"""How much of the ticket's summary and of what broke must be in common, on average, weighted by rarity."""
_JOINT = 3
_COVERED = 0.5
"""Share of the condition's words that must occur in the ticket for the condition to count as covered."""
_SHARED = 1.5
"""What summary and title must share, a weak stem counted half."""
_FORMS = stems("list form screen button view report table field app site mail message send show")
_WRONGLY = re.compile(r"\A(?:over|under|mis)(\w{4,})\Z")
_KEY = re.compile(r"\b[A-Z][A-Z0-9_]*-\d+\b")


@dataclass(frozen=True, slots=True)
class Matter:
    """What the ticket is about."""

    summary: frozenset[str]
    everything: frozenset[str]
    """Of its texts, fields and comments."""
    language: Language


@dataclass(frozen=True, slots=True)
class Bug:
    """A repaired bug as the index has it."""

    title: str
    passages: tuple[Evidence, ...]
    title_stems: frozenset[str]
    everything: frozenset[str]


@dataclass(frozen=True, slots=True)
class Condition:
    """When a bug happened."""

    text: str
    whole: frozenset[str]
    """All its stems."""
    parts: tuple[frozenset[str], ...]
    """Stems beyond what the ticket's summary says, of `when the lift stops` and `during an alarm` apart."""

    @property
    def stems(self) -> frozenset[str]:
        return frozenset[str]().union(*self.parts)


def check(case: Case) -> Checked:
    matter = _matter(case)
    if not matter.summary:
        return Checked()
    tickets = _by_document(_search(case))
    told = {document: _stems_of(passages, matter.language) for document, passages in tickets.items()}
    rarity = _Rarity(told.values())
    findings: list[tuple[float, Finding]] = []
    settled: list[Settled] = []
    sources: set[str] = set()
    for document in _repaired(tickets, case):
        passages = tickets[document]
        title = _title(passages[0])
        bug = Bug(title, tuple(passages), _stems(title, matter.language), told[document])
        condition = _condition(bug, matter, case.words)
        alike = rarity.likeness(matter, bug, condition)
        if condition is None or alike < _ALIKE:
            continue
        if _is_covered(condition, matter):
            settled.append(Settled(f"The condition of the earlier bug “{shown(bug.title)}” is covered."))
            sources.add(document)
        elif found := _finding(case, bug, condition, matter.language):
            findings.append((alike, found))
    findings.sort(key=lambda pair: -pair[0])
    return Checked(
        tuple(finding for _, finding in findings[:_MOST]), settled=tuple(settled), sources=frozenset(sources)
    )


def _stems(text: str, language: Language) -> frozenset[str]:
    """With `charge` for `overcharge`: bugs are called after the deed that went wrong."""
    return frozenset(_WRONGLY.sub(r"\1", stem) for stem in stems(text, language))


def _matter(case: Case) -> Matter:
    ticket = case.ticket
    language = language_of(f"{ticket.summary} {ticket.description}")
    places = [*written(ticket), *(comment_place(comment) for comment in said(case))]
    everything = frozenset[str]().union(*(_stems(place.text, language) for place in places))
    return Matter(_stems(ticket.summary, language), everything, language)


def _search(case: Case) -> list[Evidence]:
    ticket = case.ticket
    text = " ".join(visible_prose(f"{ticket.summary}\n{ticket.description}").split())[:_QUERY]
    filters = Filters(kinds=frozenset({"ticket"}), without=frozenset({ticket.document_id}))
    found = case.search(Query(text, filters=filters, limit=_PASSAGES)).evidence
    return [one for one in found if one.kind == "ticket"]


def _by_document(evidence: Iterable[Evidence]) -> dict[str, list[Evidence]]:
    grouped: dict[str, list[Evidence]] = {}
    for one in evidence:
        grouped.setdefault(one.document_id, []).append(one)
    return grouped


def _stems_of(passages: Iterable[Evidence], language: Language) -> frozenset[str]:
    texts = [text for one in passages for text in (_title(one), visible_prose(one.text))]
    return _stems(" ".join(texts), language)


def _title(evidence: Evidence) -> str:
    return _KEY.sub(" ", evidence.locator.title).strip(" :-")


def _repaired(tickets: Mapping[str, list[Evidence]], case: Case) -> Iterator[str]:
    """Documents of bugs that were closed by a repair, are not this ticket, and are not linked or named in it."""
    ticket = case.ticket
    texts = [ticket.summary, ticket.description, *(f.text for f in ticket.fields), *(c.text for c in said(case))]
    named = {key for text in texts for key in _KEY.findall(text)} | {link.key for link in ticket.links}
    known = {link.locator.document_id for link in ticket.links} | {ticket.document_id}
    for document, (first, *_) in tickets.items():
        names = set(_KEY.findall(f"{first.locator.title} {first.context} {first.locator.url}"))
        if document not in known and not named & names and _was_repaired(first, case.words):
            yield document


def _was_repaired(bug: Evidence, words: Words) -> bool:
    kind, resolution, status = (
        bug.attributes.get(name, "").strip().lower() for name in ("type", "resolution", "status")
    )
    unrepaired = {*words.rejected, *words.unfixed}
    return (
        bug.attributes.get("done") == "true"
        and kind in words.bugs
        and not {resolution.replace("’", "'"), status} & unrepaired  # noqa: RUF001 - the typographic apostrophe
    )


class _Rarity:
    """Weighs stems by how few of the tickets that were found have them (inverse document frequency)."""

    def __init__(self, tickets: Collection[frozenset[str]]) -> None:
        self._count = len(tickets)
        self._having = Counter(stem for told in tickets for stem in told)

    def likeness(self, matter: Matter, bug: Bug, condition: Condition | None) -> float:
        """Mean share of the ticket's summary that the bug speaks of, and of what broke (the bug's title without its
        condition) that the ticket speaks of. 0 unless summary and title share two stems, not both of them weak: in the
        title's condition, or how things are shown and sent.
        """
        shared = matter.summary & bug.title_stems
        weak = shared & (_FORMS | (condition.whole if condition else frozenset()))
        if len(shared) - len(weak) / 2 < min(_SHARED, len(matter.summary)):
            return 0.0
        broke = bug.title_stems - condition.stems if condition else bug.title_stems
        return (self._share(matter.summary, bug.everything) + self._share(broke, matter.everything)) / 2

    def _share(self, of: frozenset[str], among: frozenset[str]) -> float:
        return self._weigh(of & among) / self._weigh(of) if of else 1.0

    def _weigh(self, stems: Iterable[str]) -> float:
        return sum(math.log(1 + (self._count + 1) / (self._having[stem] + 1)) for stem in stems)


def _condition(bug: Bug, matter: Matter, words: Words) -> Condition | None:
    """The clause of the bug's title, else of its text, that says when it happened; failing these, what its title says
    beyond the ticket's summary.
    """
    told = (sentence.text for one in bug.passages for sentence in sentences(one.text))
    for source in (bug.title, *islice(told, _SENTENCES)):
        for word in words.conditions:
            if found := phrases((word,)).find(source):
                clause = re.split(r"[.;:!?]|,\s", source[found.start(1) :])[0].strip()
                parts = (_stems(part, matter.language) - matter.summary for part in _parts(clause, words))
                if own := tuple(part for part in parts if part):
                    return Condition(clause, _stems(clause, matter.language), own)
    beyond = bug.title_stems - matter.summary
    return Condition(bug.title, beyond, (beyond,)) if len(beyond) >= 2 else None


def _parts(clause: str, words: Words) -> list[str]:
    """`when the lift stops during an alarm` in two; short words such as `in` and `on` join no conditions."""
    openings = phrases(tuple(word for word in words.conditions if len(word) > _JOINT))
    starts = sorted({0, *(found.start(1) for found in openings.finditer(clause)), len(clause)})
    return [clause[start:end] for start, end in pairwise(starts)]


def _is_covered(condition: Condition, matter: Matter) -> bool:
    """Whether the ticket speaks of each part. One word alone (`battery`) says little of a condition that has more
    (`after the battery was changed`).
    """
    return all(
        len(part & matter.everything) >= max(min(2, len(part)), _COVERED * len(part)) for part in condition.parts
    )


def _finding(case: Case, bug: Bug, condition: Condition, language: Language) -> Finding | None:
    """None if no passage that was read tells the condition, for then nothing can be cited."""
    quoted = _sentence(bug, condition, language)
    if quoted is None:
        return None
    evidence, sentence = quoted
    return Finding(
        rule=ID,
        category="regression risk",
        priority=Priority.P2,
        statement=f"There was a bug in the same matter before: “{shown(bug.passages[0].locator.title)}”. "
        f"This {case.ticket.kind} does not mention that case.",
        why="What broke here once under a special condition breaks again most easily when the same place is changed.",
        question=f"What should happen {shown(condition.text)}, and will it be tested?",
        evidence=(
            evidence_place(evidence).cite(sentence.text),
            absent(case.ticket, f"the condition “{shown(condition.text)}”"),
        ),
    )


def _sentence(bug: Bug, condition: Condition, language: Language) -> tuple[Evidence, Sentence] | None:
    """The sentence that tells most of the condition."""
    told = [
        (len(_stems(sentence.prose, language) & condition.stems), evidence, sentence)
        for evidence in bug.passages
        for sentence in sentences(evidence.text)
    ]
    best = max(told, key=lambda candidate: candidate[0], default=None)
    return (best[1], best[2]) if best and best[0] else None
