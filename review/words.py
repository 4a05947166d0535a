"""Words by which the rules recognise things, by language. Settings may add to each list.

A phrase may begin with `^` (only at the start of a sentence) and end with `$` (only at the end of a clause); a lone `*`
stands for one to four words. A heading reads as if it ended in a colon.
"""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, fields

from review.lexicon import ENGLISH, GERMAN, REQUESTS


@dataclass(frozen=True, slots=True)
class Words:
    """Each list holds lower-case words or phrases of all configured languages together."""

    acceptance: tuple[str, ...]
    """Names of headings and fields that hold acceptance criteria or an expected result."""
    undecided: tuple[str, ...]
    """Markers of something not decided."""
    decided: tuple[str, ...]
    """What turns a marker around: `no longer`, `was decided`."""
    agreed: tuple[str, ...]
    """What people write when they agree to a text."""
    rejected: tuple[str, ...]
    """Resolutions and statuses of tickets that will not be done."""
    empty: tuple[str, ...] = ()
    """What people write where nothing is to be written: `none`, `n/a`."""
    accepted_when: tuple[str, ...] = ()
    """Openings of a sentence that states an expected result."""
    must: tuple[str, ...] = ()
    """Verbs by which a sentence demands something."""
    scenario: tuple[str, ...] = ()
    """The three steps of a scenario: `given when then`."""
    objected: tuple[str, ...] = ()
    """What takes an agreement back."""
    hedges: tuple[str, ...] = ()
    """What before an agreement makes it none, or none yet."""
    reservations: tuple[str, ...] = ()
    """What after an agreement makes it a conditional one."""
    asks: tuple[str, ...] = ()
    """Openings of a question that may lack its question mark."""
    inverted: tuple[str, ...] = ()
    """Openings whose order of words alone makes a question: `do we`."""
    pings: tuple[str, ...] = ()
    """Questions about the work's progress or for form's sake, not about the ticket's matter."""
    evasions: tuple[str, ...] = ()
    """Replies that answer nothing: `same question`, `will check`, `moved to the next sprint`."""
    answers: tuple[str, ...] = ()
    """Openings of a direct answer."""
    subtasks: tuple[str, ...] = ()
    """Types that inherit from their parent."""
    epics: tuple[str, ...] = ()
    """Types whose children carry the criteria."""
    bugs: tuple[str, ...] = ()
    """Types that report a fault."""
    unfixed: tuple[str, ...] = ()
    """Resolutions of bugs that were closed without a repair, beside the rejected ones."""
    blocked_by: tuple[str, ...] = ()
    """Relations to a ticket that must be done first."""
    related: tuple[str, ...] = ()
    """Relations to a ticket that this one builds on."""
    superseded: tuple[str, ...] = ()
    """What marks a page or a sentence that holds no longer."""
    drafts: tuple[str, ...] = ()
    """Words in the title of a page that is no rule (yet): drafts, minutes."""
    changes: tuple[str, ...] = ()
    """Verbs by which a ticket names the change of a value as its purpose."""
    observed: tuple[str, ...] = ()
    """Headings and labels below which a bug tells what happens now."""
    conditions: tuple[str, ...] = ()
    """Words that open the condition under which something happens, the most telling first."""
    live: tuple[str, ...] = ()
    """What people write when a change is in use."""
    replaces: tuple[str, ...] = ()
    """What a page says of another whose place it takes."""
    existing_data: tuple[str, ...] = ()
    """What a ticket says when it thinks of the data that is there already."""
    only: tuple[str, ...] = ()
    """Words by which a rule reserves a deed for some: `only ... may`."""
    may: tuple[str, ...] = ()
    """Verbs by which a sentence permits a deed."""
    may_not: tuple[str, ...] = ()
    """Verbs by which a sentence forbids a deed."""


LANGUAGES: Mapping[str, Words] = {
    "en": Words(**{**ENGLISH, "pings": (*ENGLISH["pings"], *REQUESTS)}),
    "de": Words(**GERMAN),
}
"""By ISO 639-1 code. A further language is one more entry."""


def defaults(languages: Sequence[str] = ("en", "de")) -> Words:
    """The lists of these languages together. Raises `KeyError` for a language that has none."""
    words = LANGUAGES[languages[0]]
    for language in languages[1:]:
        words = extended(words, asdict(LANGUAGES[language]))
    return words


def extended(words: Words, extra: Mapping[str, Sequence[str]]) -> Words:
    """With more words in the lists of these names. Raises `KeyError` for a list that does not exist."""
    lists: dict[str, tuple[str, ...]] = asdict(words)
    if unknown := set(extra) - {field.name for field in fields(Words)}:
        raise KeyError(f"no list of words is called {', '.join(sorted(unknown))}")
    for name, more in extra.items():
        lists[name] = tuple(dict.fromkeys((*lists[name], *(word.strip().lower() for word in more if word.strip()))))
    return Words(**lists)
