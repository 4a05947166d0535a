"""What an answer cites and says, beside what its question wants."""

import re
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from evals.questions.types import Answer, Checked, Question, Said, Source

NameOf = Callable[[Source], str]
"""What the questions call a source; its document's id where they have no name for it."""
_OLD = re.compile(
    r"supersede|replaced|archived|outdated|obsolete|no longer|ersetzt|abgelöst|überholt|veraltet|nicht mehr",
    re.IGNORECASE,
)
"""How a statement says that its source holds no longer."""


def read(record: Mapping[str, Any]) -> Answer:
    """An answer as `crosscheck.records.answer_record` writes it, with its texts."""
    return Answer(
        statements=tuple(Said(one["text"], tuple(one["sources"])) for one in record["statements"]),
        sources=tuple(
            Source(
                one["number"],
                one["document"],
                one["title"],
                one["url"],
                tuple(one["texts"]),
                frozenset(one["labels"]),
            )
            for one in record["sources"]
        ),
        degraded=tuple(record["degraded"]),
        made_by=record["made_by"],
        numbers=record["numbers"],
    )


def checked(question: Question, answer: Answer, name_of: NameOf) -> Checked:
    """A document is right if the question names it; an old one only where each statement that cites it says so."""
    cited: dict[str, set[int]] = {}
    for source in answer.sources:
        cited.setdefault(name_of(source), set()).add(source.number)
    right = question.fine.union(*question.wanted)
    as_valid = [name for name, numbers in cited.items() if name in question.old and not _as_old(answer, numbers)]
    wrong = [name for name in cited if name not in right and (name not in question.old or name in as_valid)]
    told = plain("\n".join([answer.text, *(text for source in answer.sources for text in source.texts)]))
    return Checked(
        question,
        answer,
        cited=tuple(cited),
        wrong=tuple(wrong),
        missed=tuple(group for group in question.wanted if not group & cited.keys()),
        as_valid=tuple(as_valid),
        unsaid=tuple(fact for fact in question.facts if not any(plain(wording) in told for wording in fact)),
    )


def about(rows: Iterable[Checked]) -> list[str]:
    """What went wrong, a sentence for each question."""
    said = []
    for row in rows:
        faults = []
        if row.question.answerable and row.answer.refused:
            faults.append("falsely refused")
        elif row.missed:
            faults.append(f"misses {', '.join(' or '.join(sorted(group)) for group in row.missed)}")
        if row.wrong:
            faults.append(f"cites {', '.join(row.wrong)}")
        if faults:
            said.append(f"{row.question.id}: {'; '.join(faults)}.")
    return said


def plain(text: str) -> str:
    """As wordings are compared: without case, any white space as one space."""
    return " ".join(text.casefold().split())


def _as_old(answer: Answer, numbers: set[int]) -> bool:
    return all(_OLD.search(one.text) for one in answer.statements if numbers & set(one.sources))
