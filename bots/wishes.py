"""What a message asks for: a check, test cases, a change to them, help; everything else is a question. No I/O.

People write to a colleague, not to a parser: courtesy, case, marks and a pasted link do not matter. What is not
clearly one of the few commands is a question, which is never wrong to answer.
"""

import re
from dataclasses import dataclass
from typing import Literal, get_args
from urllib.parse import parse_qs, unquote, urlsplit

Form = Literal["xlsx", "csv", "gherkin", "testrail", "xray", "zephyr"]
"""Kinds of files of test cases."""

FORMS: tuple[Form, ...] = get_args(Form)

_LONGEST_COMMAND = 2_000
"""Characters; what is longer is a text, not a command."""

_MOST_CASES = 500
"""Cases dropped at once; a longer range is a slip."""


@dataclass(frozen=True, slots=True)
class Help:
    """Nothing was said, or help asked for."""


@dataclass(frozen=True, slots=True)
class Check:
    """The review of a ticket."""

    key: str
    """Upper case, as ticket keys are."""


@dataclass(frozen=True, slots=True)
class Cases:
    """Test cases for a ticket, or for what the thread is about."""

    key: str | None
    form: Form | None


@dataclass(frozen=True, slots=True)
class Refine:
    """A change to the thread's draft; at least one of the three is set."""

    add: str
    """What to add, in the person's words; empty for nothing."""
    drop: tuple[int, ...]
    """Numbers of cases, in order, each once."""
    form: Form | None


@dataclass(frozen=True, slots=True)
class Unclear:
    """Nearly a command: what to write instead, as a sentence."""

    told: str


@dataclass(frozen=True, slots=True)
class Question:
    """Anything else, as it was written."""

    text: str


Wish = Help | Check | Cases | Refine | Unclear | Question

_MARKS = " \t\n,.:;!?*~`\"'[]-\u2013\u2014\u2018\u2019\u201c\u201d"
_EMPHASIS = re.compile(r"[*~`]|(?<!\w)_|_(?!\w)|(?<!\S):[a-z][\w+-]{0,40}:(?!\w)")  # ... and emoji
_COURTESY = re.compile(
    r"(?:hi|hey|hello|good (?:morning|afternoon|evening)|dear|ok|okay|so|and|also|then|now|just|please|pls|plz|kindly"
    r"|there|all|team|crosscheck|thanks|thank you|sorry|quick(?:ly)?|run|do|start"
    r"|(?:can|could|would|will) (?:you|we)|i (?:want|need)(?: you)?(?: to)?|i'd like(?: you)?(?: to)?"
    r"|(?:we|i) (?:want|need|would like) to|let's|let us|go ahead and)(?:[\s,.:;!][\s,.:;!-]*|\Z)",
    re.IGNORECASE,
)
_THANKS = re.compile(
    r"[\s,.;-]+(?:please|pls|plz|thanks|thank you|thx|ty|cheers|asap|in advance|a lot|so much)[\s,.:;!?]*\Z",
    re.IGNORECASE,
)
_HELP = re.compile(
    r"(?:help(?: me)?|usage|commands?|check|review|what can you do|what do you do|who are you"
    r"|how (?:do|can|should) (?:you work|i (?:use (?:you|this|it|crosscheck)|ask(?: you)?)))",
    re.IGNORECASE,
)
_KEY = r"[A-Za-z][A-Za-z0-9_]{1,30}-[0-9]{1,10}"
_LINK = r"<?https?://[^\s<>()]{1,2000}>?"
_TICKET = rf"(?:(?P<key>{_KEY})(?: \((?P<labelled>{_LINK})\))?|(?P<link>{_LINK}))"
_NOUN = r"(?: the)?(?: ticket| issue| story| bug| task)?"
_THREAD = (
    r"(?:(?:this|the|our)(?: (?:whole|entire))?(?: (?:thread|discussion|conversation|chat))?"
    r"|that|it|here|above|the above)"
)
_EVERYDAY = r"(?: (?:again|once more|now|today|too|as well|for (?:me|us))){0,3}"
_CHECK = re.compile(
    r"(?:(?:(?:a|another) )?(?:#?qa-check|re-?check|re-?review|cross-?check|check|review|verify"
    rf"|(?:have |take )?a? ?look (?:at|into))(?: on| for| of)?{_NOUN} )?{_TICKET}{_EVERYDAY}"
    rf"|is{_NOUN} (?P<ready>{_KEY}) (?:ready|complete|done|good to go)(?: to be \w+| for \w+| to \w+)?",
    re.IGNORECASE,
)
_FORMAT = (
    r"(?:xlsx|excel|spreadsheet|csv|gherkin|cucumber|feature|test ?rail|x-?ray|zephyr)"
    r"(?: (?:file|format|sheet|table|import|export|feature))?"
)
_AS = rf"(?:as|in|into|to|for)(?: an?| the)? (?P<form>{_FORMAT})"
_AS_ALONE = re.compile(
    r"(?:(?:give|send|export|make|show|convert|save)(?: me| us)?(?: it| them| that| this| the (?:test )?cases)? )?"
    + _AS,
    re.IGNORECASE,
)
_AS_LAST = re.compile(rf",? {_AS}\Z", re.IGNORECASE)
_CASES = re.compile(
    r"(?:(?:draft|write|make|create|generate|prepare|suggest|propose|derive|give|get|list|show)(?: me| us)?(?: up)? )?"
    r"(?:(?:a|an|the|some|me|new|all|first|draft|list|set|of|more) ){0,4}"
    rf"(?:(?P<adjective>{_FORMAT}) )?test(?: |-)?cases?"
    rf"(?: (?:for|of|about|from|on|to|out of)(?:{_NOUN} {_TICKET}| {_THREAD}))?{_EVERYDAY}",
    re.IGNORECASE,
)
_SEVERAL = re.compile(
    r"(?:(?:#?qa-check|re-?check|check|review|verify)|(?:\w+ ){0,3}test(?: |-)?cases? (?:for|of|about))"
    rf"(?: the)?(?: tickets?| issues?)? {_KEY}(?:(?:,? and |, ?| ?& ?| ){_KEY}){{1,20}}",
    re.IGNORECASE,
)
_OTHER_FORM = re.compile(
    r"(?:(?:give|send|export|make|show|convert|save)(?: me| us)?(?: it| them| that| this| the (?:test )?cases)? "
    r"|(?:\w+ ){0,4}test(?: |-)?cases?(?: [\w-]+){0,4} )?(?:as|in|into|to)(?: an?| the)? "
    r"(?:word|docx?|pdf|json|html?|markdown|md|ya?ml|te?xt|odt|ods|pptx?)(?: file| format| document)?",
    re.IGNORECASE,
)
_DROP = re.compile(r"(?:drop|remove|delete|discard|leave out|take out) ", re.IGNORECASE)
_ADD = re.compile(r"[\s,;.]*(?:(?:and|then|but|also|instead|please) ){0,3}add(?: also)?:? (?P<add>\S.*)", re.IGNORECASE)
_NUMBER = re.compile(
    r"[\s,;&+]*(?:(?:and|also|the|test|cases?|numbers?|no\.?|nr\.?) ){0,5}(?:#|tc-?|no\.?|nr\.?)?(?P<first>\d{1,4})"
    r"(?: ?(?:-|\u2013|\u2014|to|through|until) ?(?:#|tc-?)?(?P<last>\d{1,4}))?(?!\w|[.-]\w)",
    re.IGNORECASE,
)
_JOINT = re.compile(
    r"[,;.]? (?:and|then|but)(?: then| also| please)* (?=drop |remove |delete |discard )", re.IGNORECASE
)


def parse(text: str, jira_site: str) -> Wish:
    """What a message to the bot asks for.

    Args:
        text: What was written, as plain text without the bot's mention.
        jira_site: Base URL of the Jira whose ticket links count; empty for none.

    """
    if len(text) > _LONGEST_COMMAND:
        return Question(text.strip())
    words = _bare(text)
    if not words or _HELP.fullmatch(words):
        return Help()
    clear = _check(words, jira_site) or _cases(words, jira_site) or _refine(words)
    return clear or _unclear(words) or Question(text.strip())


def _unclear(words: str) -> Unclear | None:
    if _SEVERAL.fullmatch(words):
        return Unclear("One ticket at a time, please: “check KEY-1”, “test cases for KEY-1”.")
    if _OTHER_FORM.fullmatch(words):
        return Unclear(f"I make files of these kinds: {', '.join(FORMS)}. For example: “as {FORMS[1]}”.")
    return None


def _bare(text: str) -> str:
    """On one line, without courtesy, emphasis and the marks around it."""
    words = " ".join(_EMPHASIS.sub("", text.replace("\u2019", "'")).split())
    words = words.lstrip(_MARKS).rstrip(_MARKS.replace(")", ""))
    while found := _COURTESY.match(words):
        words = words[found.end() :]
    while found := _THANKS.search(words):
        words = words[: found.start()]
    return words.lstrip(_MARKS).rstrip(_MARKS.replace(")", ""))


def _check(words: str, jira_site: str) -> Check | None:
    found = _CHECK.fullmatch(words)
    if found is None:
        return None
    key = found["ready"] or _ticket(found, jira_site)
    return Check(key.upper()) if key else None


def _cases(words: str, jira_site: str) -> Cases | None:
    words, form = _cut_form(words)
    found = _CASES.fullmatch(words)
    if found is None:
        return None
    form = form or _form(found["adjective"])
    if not (found["key"] or found["link"]):
        return Cases(None, form)
    key = _ticket(found, jira_site)
    return Cases(key, form) if key else None


def _refine(words: str) -> Refine | None:
    if alone := _AS_ALONE.fullmatch(words):
        return Refine("", (), _form(alone["form"]))
    words, form = _cut_form(words)
    if verb := _DROP.match(words):
        drop, rest = _numbers(words[verb.end() :])
        added = _ADD.fullmatch(rest)
        if not drop or (rest and not added):
            return None
        return Refine(added["add"] if added else "", drop, form)
    added = _ADD.fullmatch(words)
    if added is None:
        return None
    add = added["add"]
    for joint in _JOINT.finditer(add):
        drop, rest = _numbers(_DROP.sub("", add[joint.end() :], count=1))
        if drop and not rest:
            return Refine(add[: joint.start()], drop, form)
    return Refine(add, (), form)


def _ticket(found: re.Match[str], jira_site: str) -> str | None:
    """The key of a ticket that is named, or linked to at our Jira; a link to elsewhere is no ticket of ours."""
    link = found["labelled"] or found["link"]
    key = _linked(link.strip("<>"), jira_site) if link else found["key"]
    return key.upper() if key else None


def _linked(link: str, jira_site: str) -> str | None:
    """The ticket that an address of Jira shows, be it its page, its place on a board or in a queue."""
    site = jira_site.partition("://")[2].rstrip("/").lower()
    address = link.partition("://")[2].rstrip(".,;!?")
    if not site or not address.lower().startswith(f"{site}/"):
        return None
    try:
        parts = urlsplit(f"//{address}")
        selected = parse_qs(parts.query, max_num_fields=50).get("selectedIssue", [])
    except ValueError:
        return None
    candidates = [*selected, *reversed([unquote(segment) for segment in parts.path.split("/")][-2:])]
    return next((one for one in candidates if re.fullmatch(_KEY, one)), None)


def _cut_form(words: str) -> tuple[str, Form | None]:
    found = _AS_LAST.search(words)
    return (words[: found.start()], _form(found["form"])) if found else (words, None)


def _form(name: str | None) -> Form | None:
    known: dict[str, Form] = {"exc": "xlsx", "spr": "xlsx", "cuc": "gherkin", "fea": "gherkin", "tes": "testrail"}
    if not name:
        return None
    letters = re.sub(r"[^a-z]", "", name.lower())
    return next((form for form in FORMS if letters.startswith(form)), None) or known.get(letters[:3])


def _numbers(text: str) -> tuple[tuple[int, ...], str]:
    """Numbers of cases at the beginning of a text, and what comes after them."""
    numbers: set[int] = set()
    at = 0
    while found := _NUMBER.match(text, at):
        first = int(found["first"])
        last = int(found["last"] or first)
        if not first <= last < first + _MOST_CASES or len(numbers) > _MOST_CASES:
            return (), text
        numbers.update(range(first, last + 1))
        at = found.end()
    return tuple(sorted(numbers)), text[at:].lstrip(" ,;.")
