"""Exact identifiers in a question: what is looked up instead of searched for."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace

from core.key import Key, KeyKind
from core.links import pointed_to
from core.tokens import WORDLIKE, normalised, well_formed

__all__ = ["Key", "KeyKind", "Keys", "looks_like_code", "parse"]

_W = f"[{WORDLIKE}]"
_EDGE = f"(?<![{WORDLIKE}-])"
_OVER = f"(?![{WORDLIKE}])"

# Each alternative begins only where the character before it allows, and what repeats without limit does not begin
# inside its own repetition; so a text is read in a time that grows as its length. The last group names the form.
_FOUND = re.compile(
    rf"""
      (?P<url> https?:// [^\s<>"`|\\^{{}}“”„«»「」]{{3,2000}} )
    | ` (?P<code> [^`\n]{{1,200}} ) `
    | File [ ]{{1,3}} ["'] (?P<traced> [^"'\n]{{1,400}} ) ["']
    | ["“”„«「『] (?P<phrase> [^"“”„«»「」『』\n]{{2,200}} ) ["“”»」』]
    | (?<![\w']) ' (?P<quoted> [^'\n]{{2,200}} ) ' (?![\w'])
    | \u2018 (?P<inner> [^\u2018\u2019\n]{{2,200}} ) \u2019 (?!\w)
    | {_EDGE} (?P<uuid> [0-9a-f]{{8}} (?:-[0-9a-f]{{4}}){{3}} -[0-9a-f]{{12}} ) (?![{WORDLIKE}-])
    | {_EDGE} (?i:PR|MR|(?:pull|merge)[ -]request) (?: \s{{1,2}}[\#!]? | [\#!] ) (?P<asked> [1-9][0-9]{{0,6}} ) {_OVER}
    | (?<![{WORDLIKE}.\#!&/@-]) (?P<repo> (?: [{WORDLIKE}.-]++/ ){{0,5}} [{WORDLIKE}.-]*{_W}{{2}} )?
      [\#!] (?P<number> [1-9][0-9]{{0,6}} ) {_OVER}
    | (?<![{WORDLIKE}.\#&/@-]) \# (?P<member> [A-Za-z_]{_W}{{2,60}} ) (?:\(\))?
    | (?:GET|POST|PUT|PATCH|DELETE|HEAD|OPTIONS) [ ]{{1,3}}
      (?P<route> /[{WORDLIKE}.~%:{{}}<>$*/-]{{1,200}} ) (?:\?\S{{0,200}})?
    | (?<![\w/.@\\-])
      (?P<path>
        (?: [A-Za-z]:[\\/] | ~?/ | \.{{1,2}}[\\/] )?
        (?: [\w.@-]++[\\/] )*+
        (?: [\w.@-]*[\w@-] \.[A-Za-z][A-Za-z0-9_]{{0,9}}
          | \.[a-z][a-z-]{{2,20}}
          | (?:Docker|Make|Rake|Gem|Jenkins|Proc|Vagrant)file | CODEOWNERS
        )
      ) (?! [{WORDLIKE}/\\] | [.-]{_W} )
    | (?<![{WORDLIKE}/.@~%-])
      (?P<way> (?: / (?: [{WORDLIKE}.~%-]++ | \{{[\w:]{{1,40}}\}} | :{_W}{{1,40}} | <[\w:]{{1,40}}> ) ){{2,20}} )
    | (?<![{WORDLIKE}.@-]) (?P<dotted> [A-Za-z_]{_W}*+ (?: (?:\.|::|->|\#) [A-Za-z_][{WORDLIKE}-]*+ )++ ) (?:\(\))?
    | (?<![\w-]) (?P<flag> --[a-z][a-z0-9-]{{2,60}} )
    | {_EDGE} (?P<ticket> [A-Za-z][A-Za-z0-9_]{{1,30}}-[0-9]{{1,10}} ) {_OVER}
    | (?<!{_W}) (?P<commit> (?=[a-f]*[0-9])(?=[0-9]*[a-f]) [0-9a-f]{{7,40}} ) {_OVER}
    | (?<=commit[ ]) (?P<digits> [0-9]{{7,40}} ) {_OVER}
    | (?<!{_W}) (?P<called> (?!_*+[0-9]) {_W}++ ) \(\)
    | (?<!{_W}) (?P<identifier> (?!_*+[0-9]) {_W}++ )
    """,
    re.VERBOSE,
)
_KINDS: dict[str, KeyKind] = {
    "ticket": "ticket",
    "commit": "commit",
    "digits": "commit",
    "uuid": "identifier",
    "member": "identifier",
    "dotted": "identifier",
    "flag": "identifier",
    "called": "identifier",
    "identifier": "identifier",
}
_LINE = re.compile(
    r"""
      (?: : | \#L | ,?[ ](?:at[ ]|on[ ])?lines?[ ] | :line[ ] ) (?P<line> [0-9]{1,7} ) (?:C[0-9]{1,5})?
      (?: (?:-L?|[ ]to[ ]) (?P<last> [0-9]{1,7} ) (?:C[0-9]{1,5})? | [:,][0-9]{1,7} )?
    | \( (?P<within> [0-9]{1,7} ) (?:,[ ]?[0-9]{1,7})? \)
    """,
    re.VERBOSE,
)
_NAME = re.compile(
    r"_*[^\W_]+(?:_+[^\W_]+)+_*|_+[^\W_]+_*"  # check_user_lock, MAX_RETRY, __init__, _private
    r"|[^\W_]*[a-z0-9][A-Z][^\W_]*|[A-Z]{2,}[a-z][^\W_]*"  # checkUserLock, LockService, HTTPServer
)
_MESSAGE = re.compile(r"(?:Error|Exception|Failure|Warning|Fault): (?P<message>[^\n]{8,200})")

# Within an identifier these are seen by nobody: marks of direction, joiners, breaks that are allowed.
_UNSEEN = dict.fromkeys([0xAD, 0x200B, 0x200E, 0x200F, *range(0x202A, 0x202F), *range(0x2060, 0x206A), 0xFEFF])
_DASHES = re.compile(r"(?<=[A-Za-z0-9_])[\u2012\u2013\u2043](?=[0-9])")
_PIECES = re.compile(r"\S{1,256}|\s+")
_CLOSING = {")": "(", "]": "["}


@dataclass(frozen=True, slots=True)
class Keys:
    """The identifiers of a question, each once, in order of appearance."""

    found: tuple[Key, ...] = ()
    words: bool = False
    """Something is asked beside them."""

    @property
    def alone(self) -> bool:
        """Nothing but identifiers is asked for."""
        return bool(self.found) and not self.words


def parse(text: str) -> Keys:
    """The identifiers in a question: ticket keys, commit ids, pull requests, paths with or without lines, addresses of
    all these, routes, what is quoted, what is in back-ticks, the message after the name of an error, and what is
    written like a name in code or in a configuration (whether there is such a name, only the index knows).

    Any text is read, in a time that grows as its length.
    """
    text = _plain(text)
    found: dict[Key, None] = {}
    words = False
    end = 0
    for key, start, after in _keys(text):
        found[key] = None
        words = words or _has_word(text[end:start])
        end = after
    words = words or _has_word(text[end:])
    for match in _MESSAGE.finditer(text):
        found[Key("phrase", match["message"].strip())] = None
    return Keys(tuple(found), words)


def looks_like_code(name: str) -> bool:
    """Whether a name is written as no word is."""
    return _NAME.fullmatch(name) is not None or not name.isalpha()


def _keys(text: str) -> Iterator[tuple[Key, int, int]]:
    """Each identifier with where it begins and ends."""
    at = 0
    while match := _FOUND.search(text, at):
        at = match.end()
        if (key := _key(match)) is None:
            continue
        if match["url"]:
            at = match.start() + len(_trimmed(match["url"]))
        elif key.kind == "path" and key.line is None and (line := _LINE.match(text, at)):
            key = _at_line(key, line)
            at = line.end()
        yield key, match.start(), at


def _key(match: re.Match[str]) -> Key | None:
    form = match.lastgroup or ""
    text = match[form].strip()
    if form == "url":
        address = _trimmed(text)
        return pointed_to(address) or Key("phrase", address)
    if form in {"code", "phrase", "quoted", "inner"}:
        return _quoted(text, "identifier" if form == "code" else "phrase")
    if form in {"path", "traced"}:
        return _path(text)
    if form in {"asked", "number"}:
        return Key("pull", text, repo=match["repo"])
    if form in {"route", "way"}:
        route = text.rstrip(".:/")
        return Key("route", route) if route else None
    if form == "identifier" and not _NAME.fullmatch(text):
        return None
    return Key(_KINDS[form], text)


def _quoted(text: str, kind: KeyKind) -> Key | None:
    if within := _within(text):
        return within
    if kind == "identifier" and "/" in text and " " not in text:
        return _path(text)
    return Key(kind, text) if text else None


def _within(text: str) -> Key | None:
    """The one identifier that is all of a text."""
    keys = _keys(text)
    key, start, end = next(keys, (None, 0, 0))
    alone = key and next(keys, None) is None and not _has_word(text[:start]) and not _has_word(text[end:])
    return key if alone else None


def _at_line(key: Key, match: re.Match[str]) -> Key:
    last = int(match["last"]) if match["last"] else None
    return replace(key, line=int(match["line"] or match["within"]), last=last)


def _path(text: str) -> Key | None:
    path = text.replace("\\", "/").removeprefix("./")
    return Key("path", path) if path else None


def _trimmed(address: str) -> str:
    """An address without what belongs to the sentence around it."""
    while address[-1:] in set(".,;:!?'*_)]"):
        opening = _CLOSING.get(address[-1])
        if opening and address.count(opening) >= address.count(address[-1]):
            break
        address = address[:-1]
    return address


def _has_word(text: str) -> bool:
    return any(map(str.isalnum, text))


def _plain(text: str) -> str:
    """The text as it is compared. To put a run of combining marks in order takes a time that grows as the square of
    its length, so that is done for a piece at a time.
    """
    if not text.isascii():
        text = well_formed(text).translate(_UNSEEN)
        text = "".join(normalised(piece) for piece in _PIECES.findall(text))
        text = _DASHES.sub("-", text)
    return text.replace("\0", " ")
