"""A plan as it was given: what it says, and what it names."""

import re
from dataclasses import dataclass

from core.key import Key
from core.keys import parse
from core.tickets import KEY
from review.checks.constants import words_of_name
from review.plan.diff import Diff, split
from review.plan.errors import BadPlan
from review.plan.types import LONGEST
from review.subject import names_in
from review.text import Language, Sentence, language_of, sentences

_TITLE = 200
_HEADING = re.compile(r"^[#>*\-\s]*(?:(?:plan|task|goal|summary|title|aufgabe|ziel)\s*:\s*)?", re.IGNORECASE)
_DEFINED = re.compile(
    r"\b(?:def|class|function|func|fn|fun|interface|struct|enum|type|trait)\s+(?:\([^)]{0,80}\)\s*)?(?P<name>[A-Za-z_]\w{2,80})"
    r"|^\s*(?:export\s+)?(?:const|let|var|final|static)\s+(?P<bound>[A-Za-z_]\w{2,80})\s*[:=]"
    r"|^(?P<constant>[A-Z][A-Z0-9_]{2,80})\s*[:=]"
)
"""What a line defines: a function, a class, a constant."""


@dataclass(frozen=True, slots=True)
class Given:
    """A plan. Everything is data of a stranger."""

    text: str
    title: str
    """Its first line, or of a bare diff the words of what it changes."""
    prose: str
    """Without its diffs."""
    sentences: tuple[Sentence, ...]
    diff: Diff
    keys: tuple[Key, ...]
    """Tickets, pages, commits, paths and names that it names, each once."""
    defined: tuple[str, ...]
    """Names that changed lines define, and the functions that hunks are in."""
    language: Language
    about: tuple[str, ...] = ()
    """Of a bare diff, what the files that it changes say of themselves."""

    @property
    def paths(self) -> tuple[str, ...]:
        """Files that it names or changes."""
        return tuple(dict.fromkeys((*self.diff.files, *(key.text for key in self.keys if key.kind == "path"))))

    @property
    def tickets(self) -> frozenset[str]:
        return frozenset(KEY.findall(self.text))

    @property
    def names(self) -> tuple[str, ...]:
        """Of code: what its diff defines, then what its words name."""
        named = (key.text for key in self.keys if key.kind == "identifier")
        return tuple(dict.fromkeys((*self.defined, *named)))


def read(text: str) -> Given:
    """Raises BadPlan if there is no word in it, or more than is read."""
    if len(text) > LONGEST:
        raise BadPlan(
            f"A plan may have up to {LONGEST:,} characters, this one has {len(text):,}. Give its summary, or check "
            "its parts one by one."
        )
    if not any(map(str.isalnum, text)):
        raise BadPlan(
            "There is no word in this plan. Give what is to be done as text or as a diff, "
            f"up to {LONGEST:,} characters."
        )
    diff = split(text)
    defined = tuple(dict.fromkeys(_defined((*diff.places, *diff.removed, *diff.added))))
    keys = dict.fromkeys((*names_in(diff.rest), *(key for key in parse(text).found if key.certain)))
    return Given(
        text=text,
        title=_title(diff, defined),
        prose=diff.rest,
        sentences=tuple(one for one in sentences(diff.rest) if any(map(str.isalpha, one.prose))),
        diff=diff,
        keys=tuple(keys),
        defined=defined,
        language=language_of(diff.rest),
    )


def _title(diff: Diff, defined: tuple[str, ...]) -> str:
    for line in diff.rest.splitlines():
        if any(map(str.isalpha, line)) and not line.lstrip().startswith("```"):
            return _HEADING.sub("", line, count=1).strip()[:_TITLE]
    named = [
        word for name in (*(path.rpartition("/")[2] for path in diff.files), *defined) for word in words_of_name(name)
    ]
    return " ".join(dict.fromkeys(named))[:_TITLE]


def _defined(lines: tuple[str, ...]) -> list[str]:
    found = (_DEFINED.search(line[:300]) for line in lines)
    return [name for one in found if one for name in one.groups() if name]
