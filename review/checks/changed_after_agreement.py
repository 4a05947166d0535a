"""The text was changed in substance after people agreed to it, and nobody agreed again."""

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime

from core.tickets import Change
from review.case import Case, Checked
from review.checks.places import TEXTS, comment_place, said, shown
from review.checks.replies import is_question
from review.checks.typos import is_typo
from review.text import Sentence, phrases, sentences, visible_prose, without_quoted, word_set
from review.types import Cited, Finding, Priority, Settled, Unknown
from review.words import Words

ID = "changed-after-agreement"
_TRIVIAL = word_set("a an the this that these those please also der die das ein eine bitte auch")
_TOKEN = re.compile(r"\w+|[<>=≤≥%€$£+]")
_NEAR = 40
"""Characters before and after words of agreement in which a hedge undoes them."""
_TYPOS = 20
"""Above this many changed words nobody corrects typos; keeps the comparison small."""


@dataclass(frozen=True, slots=True)
class Agreement:
    at: datetime
    told: str
    """What happened, as the end of a sentence that begins with the day: `Ann Lee agreed`."""
    cited: Cited
    text: str


@dataclass(frozen=True, slots=True)
class Edit:
    """What became of one field after the agreement, intermediate steps left out."""

    field: str
    before: str
    after: str
    last: Change


def check(case: Case) -> Checked:
    agreement = _last_agreement(case)
    if agreement is None:
        return Checked()
    edits = [edit for edit in _edits(case, agreement.at) if _is_substance(edit, agreement.text)]
    if edits:
        return Checked(findings=(_finding(case, agreement, edits),))
    if case.ticket.unread:
        what = f"Whether the text changed after it was agreed: not all of the {case.ticket.kind} could be read."
        return Checked(unknowns=(Unknown(what, "Reading the rest: " + "; ".join(case.ticket.unread)),))
    unchanged = f"The text has not changed in substance since it was agreed ({agreement.at:%Y-%m-%d})."
    return Checked(settled=(Settled(unchanged),))


def _last_agreement(case: Case) -> Agreement | None:
    """The last one that was not taken back by an objection or by a step back to an earlier status."""
    events = [*_spoken(case), *_by_status(case)]
    latest = max(events, key=lambda event: event[0], default=None)
    return latest[1] if latest else None


def _spoken(case: Case) -> Iterator[tuple[datetime, Agreement | None]]:
    """Comments that agree, or (None) take an agreement back. One that hangs at a text speaks of that alone."""
    for comment in (one for one in said(case) if not one.marked):
        everything = sentences(comment.text)
        if any(s.prose in phrases(case.words.objected) and not is_question(s, case.words) for s in everything):
            yield comment.updated, None
        elif agreed := next((s for s in everything if _agrees(s, case.words)), None):
            cited = comment_place(comment).cite(agreed.text)
            yield comment.updated, Agreement(comment.updated, f"{comment.author.name} agreed", cited, comment.text)


def _agrees(sentence: Sentence, words: Words) -> bool:
    """Words of agreement without a hedge beside them: not `once approved`, `looks good, but ...`, `approved?`."""
    prose = without_quoted(sentence.prose)
    if is_question(sentence, words):
        return False
    for found in phrases(words.agreed).finditer(prose):
        before = prose[max(0, found.start(1) - _NEAR) : found.start(1)]
        clause = re.split(r"[,;:]|\band\b", before + found[1][0])[-1]  # a phrase may begin with its own comma
        after = prose[found.end(1) : found.end(1) + _NEAR]
        reserved = before in phrases(words.reservations) or after in phrases(words.reservations)
        if clause not in phrases(words.hedges) and not reserved:
            return True
    return False


def _by_status(case: Case) -> Iterator[tuple[datetime, Agreement | None]]:
    """Steps into a status that means agreed, and (None) steps back to one from before the first agreement."""
    ticket = case.ticket
    early: set[str] = set()
    reached = False
    for change in ticket.history:
        if change.field.lower() != "status":
            continue
        before, into = change.before.strip().lower(), change.after.strip().lower()
        if into in case.agreed_statuses:
            early |= set() if reached else {before}
            reached = True
            cited = Cited(ticket.locator, ticket.labels, quote=change.after.strip())
            told = f"{change.author.name} moved this to “{change.after.strip()}”"
            yield change.at, Agreement(change.at, told, cited, "")
        elif not reached:
            early |= {before, into}
        elif into in early:
            yield change.at, None


def _edits(case: Case, since: datetime) -> Iterator[Edit]:
    """One for each text field that changed after the agreement, from what was agreed to what stands now."""
    by_field: dict[str, list[Change]] = {}
    for change in case.ticket.history:
        name = change.field.strip().lower()
        if change.at > since and (name in TEXTS or any(word in name for word in _long(case.words.acceptance))):
            by_field.setdefault(name, []).append(change)
    for changes in by_field.values():
        yield Edit(changes[0].field, changes[0].before, changes[-1].after, changes[-1])


def _long(names: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(name for name in names if len(name) > 5)


def _is_substance(edit: Edit, agreed: str) -> bool:
    """Whether words or numbers changed beyond order, typos and what the agreement itself asked for."""
    gone, come = _difference(edit.before, edit.after)
    asked_for = set(_tokens(agreed))
    if come and all(word in asked_for for word in come):
        return False
    if sum(gone.values()) <= _TYPOS and sum(come.values()) <= _TYPOS:
        _drop_typos(gone, come)
    return bool(gone or come)


def _difference(before: str, after: str) -> tuple[Counter[str], Counter[str]]:
    """The words that went and that came, however they moved."""
    old, new = Counter(_tokens(before)), Counter(_tokens(after))
    gone, come = old - new, new - old
    for word in _TRIVIAL:
        gone.pop(word, None)
        come.pop(word, None)
    return gone, come


def _tokens(text: str) -> list[str]:
    return _TOKEN.findall(re.sub(r"[_*#]", " ", visible_prose(text)).casefold())


def _drop_typos(gone: Counter[str], come: Counter[str]) -> None:
    """Pair words that differ by a slip of the hand, in place."""
    for old in list(gone):
        for new in list(come):
            if is_typo(old, new):
                paired = min(gone[old], come[new])
                gone[old] -= paired
                come[new] -= paired
    for counted in (gone, come):
        for word in [word for word, count in counted.items() if count <= 0]:
            del counted[word]


def _finding(case: Case, agreement: Agreement, edits: list[Edit]) -> Finding:
    """One agreement is one finding, however many fields changed after it."""
    ticket = case.ticket
    told = [f"On {agreement.at:%Y-%m-%d} {agreement.told}."]
    quotes: list[str] = []
    for edit in edits:
        old, new = _changed_sentence(edit.before, edit.after), _changed_sentence(edit.after, edit.before)
        quotes += [text for text in (old, new) if text]
        told.append(_told(edit, old, new))
    return Finding(
        rule=ID,
        category="conflict",
        priority=Priority.P1,
        statement=" ".join(told),
        why="What people agreed to and what is written now are not the same.",
        question="Do those who plan, build and test this know of the change, and does the agreement still hold?",
        evidence=(
            agreement.cited,
            *(Cited(ticket.locator, ticket.labels, quote=text) for text in dict.fromkeys(quotes)),
        ),
    )


def _told(edit: Edit, old: str, new: str) -> str:
    name = f"the {edit.field.lower()}" if edit.field.lower() in TEXTS else f"the field “{edit.field}”"
    told = f"On {edit.last.at:%Y-%m-%d} {edit.last.author.name} changed {name}"
    if old and new:
        return f"{told} from “{shown(old)}” to “{shown(new)}”."
    return f"{told}: added was “{shown(new)}”." if new else f"{told}: “{shown(old)}” is gone."


def _changed_sentence(text: str, other: str) -> str:
    """The first sentence, literally, that holds words which the other text lacks."""
    lacking, _ = _difference(text, other)
    known = {tuple(_tokens(s.text)) for s in sentences(other)}
    changed = [s for s in sentences(text) if tuple(_tokens(s.text)) not in known]
    return next(
        (s.text for s in changed if any(w in lacking for w in _tokens(s.text))), changed[0].text if changed else ""
    )
