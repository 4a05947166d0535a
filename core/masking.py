"""Strings that look like credentials, masked before they are indexed, shown to a model or posted.

A mask is as long as what it hides, so that offsets still point into the original. The vendors' formats are those of
detect-secrets, where they are sure and quick (three of its patterns take time with the square of a long line);
beside them stand formats it does not know, private keys, passwords in
addresses, and what is assigned to a name that says it is secret.
"""

import itertools
import re
from collections.abc import Iterator

from detect_secrets.plugins.aws import AWSKeyDetector
from detect_secrets.plugins.azure_storage_key import AzureStorageKeyDetector
from detect_secrets.plugins.discord import DiscordBotTokenDetector
from detect_secrets.plugins.github_token import GitHubTokenDetector
from detect_secrets.plugins.gitlab_token import GitLabTokenDetector
from detect_secrets.plugins.pypi_token import PypiTokenDetector
from detect_secrets.plugins.sendgrid import SendGridDetector
from detect_secrets.plugins.slack import SlackDetector
from detect_secrets.plugins.square_oauth import SquareOAuthDetector
from detect_secrets.plugins.stripe import StripeDetector

_MASK = "*"

_VENDORS = [
    re.compile(pattern.pattern, pattern.flags)
    for detector in (
        AWSKeyDetector, AzureStorageKeyDetector, DiscordBotTokenDetector, GitHubTokenDetector, GitLabTokenDetector,
        PypiTokenDetector, SendGridDetector, SlackDetector, SquareOAuthDetector, StripeDetector,
    )
    for pattern in detector.denylist
]  # fmt: skip
_OWN = [  # what must be in a text for the pattern to be tried at all, which is ten times as quick, and the pattern
    ("TT3", re.compile(r"(?<![A-Za-z0-9_])AT[AC]TT3[A-Za-z0-9_=-]{50,255}")),  # Atlassian
    ("sk-", re.compile(r"(?<![A-Za-z0-9_])sk-(?:ant|proj|svcacct)-[A-Za-z0-9_-]{20,255}")),  # Anthropic, OpenAI
    ("T3BlbkFJ", re.compile(r"(?<![A-Za-z0-9_])sk-[A-Za-z0-9_-]{20,200}T3BlbkFJ[A-Za-z0-9_-]{20,200}")),  # OpenAI
    (":_authToken=", re.compile(r":_authToken=[ \t]{0,3}(\S{8,300})")),  # npm
    ("AIza", re.compile(r"(?<![A-Za-z0-9_])AIza[A-Za-z0-9_-]{35}(?![A-Za-z0-9_-])")),  # Google
    ("github_pat_", re.compile(r"(?<![A-Za-z0-9_])github_pat_[A-Za-z0-9_]{22,255}")),
    ("xapp-", re.compile(r"(?<![A-Za-z0-9_])xapp-[0-9]-[A-Za-z0-9-]{10,255}")),  # Slack
    ("hvs.", re.compile(r"(?<![A-Za-z0-9_])hvs\.[A-Za-z0-9_-]{24,255}")),  # Vault
    # Signed tokens (RFC 7519)
    ("eyJ", re.compile(r"\beyJ[A-Za-z0-9_-]{8,2000}\.eyJ[A-Za-z0-9_-]{8,4000}\.[A-Za-z0-9_-]{8,2000}")),
    (  # as it is, indented, quoted in a mail, one line with \n for a line's end, with headers, or cut off
        "PRIVATE KEY",
        re.compile(
            r"-----BEGIN (?:[A-Z0-9]{1,20} ){0,3}PRIVATE KEY(?: BLOCK)?-----"
            # No possessive repeat of a group: Python 3.11.2 sometimes finds nothing by one.
            r"((?:[^-]|-(?!----)){16,20000}(?=-{5,6}END)|[^-]{16,20000}(?=-?\Z))"
        ),
    ),
    ("://", re.compile(r"://[^\s/:@]{0,100}:([^\s/@]{3,200})@")),
    ("earer", re.compile(r"\b[Bb]earer[ \t]+([A-Za-z0-9+/_.=~-]{20,2000})")),
    ("asic", re.compile(r"\b[Bb]asic[ \t]+([A-Za-z0-9+/_.=~-]{20,2000})")),
    (  # a short one is told from a word by its digit, its padding or a capital within
        "uthorization",
        re.compile(
            r"uthorization\\?[\"']?\]?[ \t]{0,3}[:=,][ \t]{0,3}\\?[\"']?[Bb]asic[ \t]{1,3}"
            r"(?=[A-Za-z+/]{0,200}(?:[0-9=]|[a-z][A-Z]))([A-Za-z0-9+/_-]{6,2000}+={0,2})(?![\w(])"
        ),
    ),
    ("hooks.slack.com", re.compile(r"hooks\.slack\.com/services/(T\w{5,20}/B\w{5,20}/\w{10,60})")),
    (
        "machine",
        re.compile(r"\bmachine\s{1,40}\S{1,200}\s{1,40}login\s{1,40}\S{1,200}\s{1,40}password\s{1,40}(\S{3,200})"),
    ),
    (  # nor a variable, a user's and group's number, or what an instruction writes there
        "curl",
        re.compile(
            r"(?<=\s)(?:-u|--user)[ \t=]{1,3}[\"']?[^\s:\"'/]{1,100}:"
            r"(?!\d{1,9}\b|(?:[a-z]{1,9}[_-])?(?:pass|passwd|password|pwd|pw|token|secret|key)\b)([^\s\"'`$<{*][^\s\"'`<]{2,200})"
        ),
    ),
]
_PASSWORDS = ("password", "passwd", "passwort", "passphrase", "kennwort", "pwd", "pass")
_KEYS = tuple(f"{kind}{gap}key" for kind in ("api", "access", "account", "private") for gap in ("", "_", "-", " "))
_NAMES = (*_PASSWORDS, "secret", "token", "credential", *_KEYS)
_NAMED = re.compile("|".join(_NAMES))
_SHORTEST = {True: (6, 6), False: (8, 12)}  # in quotes and bare, of what a password's name says and of other secrets
# After the name: the ends of a string, an index or bold type, a sign (with a type before it, or an entry's "value"
# behind it), and the beginning of what is bold.
_ASSIGNED = re.compile(
    r"s?\\?[\"'`]?\]?[*_]{0,3}[ \t]{0,40}"
    r"(?::[ \t]?[Ss]tr(?:ing)?[ \t]?=|,?\s{1,40}\\?[\"']?value\\?[\"']?[ \t]{0,3}[:=]|:=|=>|(?P<sign>[:=|>]))(?![=:|>])"
    r"\*{0,2}[ \t]{0,40}\*{0,2}"
)
_VALUE = re.compile(
    r"[bu]?(?P<quote>\\?[\"'`])(?P<quoted>[^\s\"'`]{6,4000}?)(?P=quote)"
    r"|(?P<bare>[A-Za-z0-9À-ÿ+/_~!@#$%^&*.?-]{6,4000}+={0,2})(?![\w(\[{])"
)
_VARIABLE = re.compile(r"[A-Za-z_]{3,60}\d|[A-Za-z]{1,60}_[A-Za-z_]{0,60}\d{1,3}")  # token1, new_token_12
_END_OF_CELL = re.compile(r"[ \t]{0,40}\|")
_TABLE = re.compile(r"^(?P<head>[^\n]{3,2000})\n(?=[ \t]{0,10}[|:-][ \t\r|:-]{2,2000}$)", re.MULTILINE)
_DASHES = re.compile(r"[ \t\r|:-]{3,2000}")
_DOCUMENTS = re.compile(r"^(?:---|```)", re.MULTILINE)
_KUBERNETES = re.compile(r"^[\"']?kind[\"']?:[ \t]{0,9}[\"']?Secret[\"']?[ \t\r]{0,9}$", re.MULTILINE)
_DATA = re.compile(r"^(?:data|stringData):[ \t\r]{0,9}$((?:\n(?:[ \t]{1,40}[^\n]{0,20000})?){1,1000}+)", re.MULTILINE)
_ENTRY = re.compile(
    r"^[ \t]{1,40}[\"']?[\w.-]{1,253}[\"']?:[ \t]{1,9}[\"']?([^\s\"'|>{<$][^\s\"']{3,20000})", re.MULTILINE
)


def masked(text: str) -> tuple[str, int]:
    """The text with each such string replaced by as many asterisks, and how many these were."""
    pieces, at, count = [], 0, 0
    for start, end in sorted(_spans(text)):
        if end <= at or not text[start:end].strip(_MASK):
            continue
        pieces += [text[at : max(start, at)], _MASK * (end - max(start, at))]
        count += start >= at
        at = end
    return ("".join([*pieces, text[at:]]), count) if count else (text, 0)


def _spans(text: str) -> Iterator[tuple[int, int]]:
    for pattern in _VENDORS:
        yield from (match.span() for match in pattern.finditer(text))
    for needed, pattern in _OWN:
        if needed in text:
            yield from (match.span(pattern.groups) for match in pattern.finditer(text))
    if "Secret" in text and "kind" in text:
        yield from _in_kubernetes_secrets(text)
    if "|" in text and "--" in text:
        yield from _in_columns(text)
    # All a letter each: the Turkish \u0130 becomes two when it is made small.
    lower = (text if text.isascii() else text.replace("\u0130", "I")).lower()
    for end, is_password in _after_names(text, lower):
        assigned = _ASSIGNED.match(text, end)
        value = _VALUE.match(text, assigned.end()) if assigned else None
        if assigned and value:
            yield from _assigned(text, value, assigned["sign"], is_password)


def _after_names(text: str, lower: str) -> Iterator[tuple[int, bool]]:
    """Where each name that says it is secret ends, and whether it is a password's. Plain searches: one pattern of all
    takes ten times as long.
    """
    for name in _NAMES:
        at = lower.find(name)
        while at >= 0:
            before = text[at - 1 : at]
            # A compass and a bypass are no passwords; DB_PASS and dbPass are.
            if name != "pass" or not before.isalpha() or (before.islower() and text[at] == "P"):
                yield at + len(name), name in _PASSWORDS
            at = lower.find(name, at + 1)


def _assigned(text: str, value: re.Match[str], sign: str | None, is_password: bool) -> Iterator[tuple[int, int]]:
    """The place of the value, if it is a secret and no code."""
    kind = "quoted" if value["quoted"] else "bare"
    start, end = value.span(kind)
    found = value[kind]
    if kind == "bare":
        found = found.rstrip("*.?")  # the end of a sentence or of what is bold
        end = start + len(found)
        is_argument = sign == "=" and text[end : end + 1] in {",", ")"} and _as_name(found).isidentifier()
        if is_argument or _is_expression(found):
            return
    if sign == "|" and not _END_OF_CELL.match(text, value.end()):
        return
    if sign == ">" and text[value.end() : value.end() + 2] != "</":
        return
    if len(found) >= _SHORTEST[is_password][kind == "bare"] and _looks_made_up(found):
        yield start, end


def _looks_made_up(value: str) -> bool:
    """Whether somebody's machine or head made it up: a word, a path, a number or a placeholder is none. Letters and
    digits must be mixed, which costs the passwords that are plain words.
    """
    return any(c.isdigit() for c in value) and any(c.isalpha() for c in value) and not _PLAIN.search(value)


def _is_expression(value: str) -> bool:
    """Whether a bare value is a name in a program: an attribute, or a variable that is called after what it holds."""
    name = _as_name(value)
    if not all(part.isidentifier() for part in name.split(".")):
        return False
    is_variable = name.count("_") > 1 or _VARIABLE.fullmatch(name)
    return "." in name or bool(is_variable and _NAMED.search(name.lower()))


def _as_name(value: str) -> str:
    return value.replace(_MASK, "_")  # so that a name which was masked in part is judged as before


def _in_columns(text: str) -> Iterator[tuple[int, int]]:
    """The cells of Markdown tables below a heading that says they are secret."""
    for table in _TABLE.finditer(text):
        if "|" not in table["head"] or not _NAMED.search(table["head"].lower()):
            continue
        heads = [name.strip(" \t*_`").lower() for name in table["head"].split("|")]
        secret = {at: name.endswith(_PASSWORDS) for at, name in enumerate(heads) if name.endswith(_NAMES)}
        start = text.find("\n", table.end()) + 1 or len(text)
        while start < len(text):
            end = text.find("\n", start)
            line = text[start : end if end >= 0 else len(text)]
            if "|" not in line or _DASHES.fullmatch(line):  # the dashes are another table's, read on its own turn
                break
            for at, cell in enumerate(line.split("|")):
                value = cell.strip(" \t*_`\"'\r")
                is_whole = at in secret and len(value) >= _SHORTEST[secret[at]][1] and " " not in value
                if is_whole and _looks_made_up(value):
                    yield start + cell.index(value), start + cell.index(value) + len(value)
                start += len(cell) + 1


def _in_kubernetes_secrets(text: str) -> Iterator[tuple[int, int]]:
    """The entries of Kubernetes' secrets, whatever they are called and look like."""
    marks = [0, *(mark.start() for mark in _DOCUMENTS.finditer(text)), len(text)]
    for start, end in itertools.pairwise(marks):
        if _KUBERNETES.search(text, start, end):
            for data in _DATA.finditer(text, start, end):
                yield from (entry.span(1) for entry in _ENTRY.finditer(text, *data.span(1)))


_PLAIN = re.compile(
    r"\$\{|\{\{|%\(|^[<$,)]|(?<![a-z])example(?![a-z])|placeholder|change.?me|xxxx|\.\.|^[\w.]+\(|^~?/|^0x[0-9a-f]{1,8}$"
    r"|^[a-z][a-z0-9]{1,9}-\d{1,7}$"  # a ticket's key
    r"|^\d{1,5}[_-]?(?:bit|byte|char|character|day|digit|hour|min|minute|month|sec|second|week|year|zeichen|tage|stunde)"
    r"|^(?:aes|argon|base|hmac|md|o?auth|pbkdf|rsa|sha|utf|b?scrypt|bcrypt)[_-]?\d",
    re.IGNORECASE,
)
