"""A value was changed and changed back: two readings of the same point were both thought right once."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from core.tickets import Change
from review.case import Case, Checked
from review.checks.places import TEXTS, comment_place, said, shown
from review.checks.typos import is_typo
from review.checks.units import ARTICLES, NUMBER_WORDS
from review.text import STOPWORDS, phrases, sentences, visible_prose, word_set
from review.types import Cited, Finding, Priority, Settled

ID = "flipped-value"
_OF_THE_WORK = re.compile(
    r"status|resolution|assignee|reporter|reviewers?|tester|developer|team|watchers?|sprint|rank|priority|labels?|flagged"
    r"|links?|remote.*|attachments?|parent|epic.*|key|project|workflow|issue ?type|comment|development|security.*"
    r"|(?:fix|affects)[ _]versions?.*|versions?(?:/s)?|components?(?:/s)?|environment|story points?|.*estimate.*"
    r"|time ?spent|worklog.*|due ?date|start date|end date|lösung|bearbeiter|priorität|stichwörter",
    re.IGNORECASE,
)
"""Fields that say how the work goes on, and go back and forth with it."""
_NEGATIONS = word_set(
    "not no never none without only nicht kein keine nie ohne nur must may should can muss soll darf kann"
)
_TOKEN = re.compile(r"\d+(?:[.,:]\d+)*|\w+|[%€$£<>≤≥]")
_ALIKE = 0.5
"""Share of the words of two sentences that must be the same for one to be the other's new wording."""
_FEW = 4
"""Words in which the two wordings of a value may differ."""
_UNDONE = timedelta(minutes=30)
"""Who takes a change of his own back within this time has corrected a slip."""
_VERSIONS = 60
"""The latest versions of a field that are compared."""
_SENTENCES = 200


@dataclass(frozen=True, slots=True)
class Version:
    """What a field said from a moment on."""

    text: str
    at: datetime | None
    """None: from the beginning."""
    author: str


@dataclass(frozen=True, slots=True)
class Flip:
    """A value that came back."""

    field: str
    now: str
    """The sentence as it stands, literally, or the whole of a short field."""
    between: str
    """What it said in between, literally."""
    value: str
    other: str
    changed: Version
    back: Version


def check(case: Case) -> Checked:
    flips = [flip for changes in _by_field(case) if (flip := _flip(changes))]
    findings: list[Finding] = []
    settled: list[Settled] = []
    for flip in flips:
        decided = _decision(case, flip)
        if decided:
            settled.append(Settled(f"“{flip.value}” was changed and changed back, and it was decided.", (decided,)))
        else:
            findings.append(_finding(case, flip))
    return Checked(findings=tuple(findings), settled=tuple(settled))


def _by_field(case: Case) -> Iterator[list[Change]]:
    grouped: dict[str, list[Change]] = {}
    for change in case.ticket.history:
        name = change.field.strip().lower()
        if not change.to_tickets and not _OF_THE_WORK.fullmatch(name):
            grouped.setdefault(name, []).append(change)
    yield from grouped.values()


def _flip(changes: Sequence[Change]) -> Flip | None:
    """The last value of a field that came back, sentence by sentence for texts."""
    versions = [Version(changes[0].before, None, "")]
    versions += [Version(change.after, change.at, change.author.name) for change in changes]
    versions = versions[-_VERSIONS:]
    now = versions[-1].text
    candidates = (
        [now.strip()] if _is_short(versions) else [s.text for s in sentences(now)[:_SENTENCES] if s.kind != "heading"]
    )
    for text in candidates:
        if text and (found := _came_back(text, versions)):
            changed, back, between = found
            value, other = _apart(text, between)
            return Flip(changes[0].field, text, between, value, other, changed, back)
    return None


def _is_short(versions: Sequence[Version]) -> bool:
    """Whether a field holds a value and no text."""
    return all("\n" not in version.text.strip() and len(version.text.split()) <= _FEW for version in versions)


def _came_back(text: str, versions: Sequence[Version]) -> tuple[Version, Version, str] | None:
    """When a wording of now was last left, when it came back, and what stood there in between."""
    wanted = _tokens(text)
    holds = [_holds(version.text, wanted) for version in versions]
    if not holds[-1] or all(holds):
        return None
    back = len(holds) - holds[::-1].index(False)
    left = max((n + 1 for n in range(back) if holds[n]), default=0)
    if left == 0:
        return None
    if _is_slip(versions[left], versions[back]):
        return None
    between = next((other for v in versions[left:back] if (other := _reworded(v.text, text))), "")
    return (versions[left], versions[back], between) if between else None


def _holds(text: str, wanted: Sequence[str]) -> bool:
    if _tokens(text) == wanted:
        return True
    return any(_tokens(sentence.text) == wanted for sentence in sentences(text)[:_SENTENCES])


def _is_slip(left: Version, back: Version) -> bool:
    if left.at is None or back.at is None:
        return False
    return left.author == back.author and back.at - left.at <= _UNDONE


def _reworded(text: str, now: str) -> str:
    """The sentence of another version that says something else on the same point; empty if there is none."""
    short = len(now.split()) <= _FEW and "\n" not in text.strip() and len(text.split()) <= _FEW
    everything = [text.strip()] if short else [s.text for s in sentences(text)[:_SENTENCES] if s.kind != "heading"]
    for other in everything:
        value, instead = _apart(now, other)
        if value and instead and (short or _is_alike(now, other)):
            return other
    return ""


def _is_alike(one: str, other: str) -> bool:
    mine, theirs = set(_tokens(one)), set(_tokens(other))
    return len(mine & theirs) >= max(2, _ALIKE * len(mine | theirs))


def _apart(one: str, other: str) -> tuple[str, str]:
    """What each says in the place of the other's words; empty where nothing of weight differs, or too much."""
    mine, theirs = _tokens(one), _tokens(other)
    gone = [token for token in mine if token not in theirs]
    come = [token for token in theirs if token not in mine]
    if len(gone) > _FEW or len(come) > _FEW or not (gone or come):
        return "", ""
    if gone and come and all(any(is_typo(a, b) for b in come) for a in gone):
        return "", ""
    if not any(_weighs(token) for token in (*gone, *come)):
        return "", ""
    return " ".join(gone) or shown(one, 60), " ".join(come) or shown(other, 60)


def _weighs(token: str) -> bool:
    if token in _NEGATIONS or (token in NUMBER_WORDS and token not in ARTICLES):
        return True
    return token not in STOPWORDS


def _tokens(text: str) -> list[str]:
    return _TOKEN.findall(re.sub(r"[_*#]", " ", visible_prose(text)).casefold())


def _decision(case: Case, flip: Flip) -> Cited | None:
    """The comment, not older than the first change, that decides for what stands now."""
    values = [token for token in flip.value.split() if token not in ARTICLES]
    since = flip.changed.at or case.ticket.created
    for comment in reversed(said(case)):
        if comment.created < since:
            return None
        for sentence in sentences(comment.text):
            decides = sentence.prose in phrases(case.words.decided) or sentence.prose in phrases(case.words.agreed)
            told = _tokens(sentence.text)
            if decides and values and all(value in told for value in values):
                return comment_place(comment).cite(sentence.text)
    return None


def _finding(case: Case, flip: Flip) -> Finding:
    ticket = case.ticket
    name = f"the {flip.field.lower()}" if flip.field.strip().lower() in TEXTS else f"the field “{flip.field}”"
    left, back = flip.changed, flip.back
    told = [
        f"In {name} a value was changed and then changed back.",
        f"On {left.at:%Y-%m-%d} {left.author} wrote “{shown(flip.between, 120)}”," if left.at else "",
        f"since {back.at:%Y-%m-%d} ({back.author}) it says “{shown(flip.now, 120)}” again." if back.at else "",
    ]
    return Finding(
        rule=ID,
        category="conflict",
        priority=Priority.P2,
        statement=" ".join(part for part in told if part),
        why=f"Whoever read the {ticket.kind} in between builds and tests the other value.",
        question=f"Which holds, “{flip.value}” or “{flip.other}”, and does everybody who read the other one know?",
        evidence=(
            Cited(ticket.locator, ticket.labels, quote=flip.now),
            Cited(ticket.locator, ticket.labels, quote=flip.between),
        ),
    )
