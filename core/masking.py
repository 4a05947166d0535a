"""Strings that look like credentials, masked before they are indexed, shown to a model or posted.

A mask is as long as what it hides, so that offsets still point into the original. The vendors' formats are those of
detect-secrets, where they are sure and quick; beside them stand formats it does not know, private keys, passwords in
addresses, and what is assigned to a name that says it is secret.
"""

import re
from collections.abc import Iterator

from detect_secrets.plugins.aws import AWSKeyDetector
from detect_secrets.plugins.azure_storage_key import AzureStorageKeyDetector
from detect_secrets.plugins.discord import DiscordBotTokenDetector
from detect_secrets.plugins.github_token import GitHubTokenDetector
from detect_secrets.plugins.gitlab_token import GitLabTokenDetector
from detect_secrets.plugins.jwt import JwtTokenDetector
from detect_secrets.plugins.mailchimp import MailchimpDetector
from detect_secrets.plugins.npm import NpmDetector
from detect_secrets.plugins.openai import OpenAIDetector
from detect_secrets.plugins.pypi_token import PypiTokenDetector
from detect_secrets.plugins.sendgrid import SendGridDetector
from detect_secrets.plugins.slack import SlackDetector
from detect_secrets.plugins.square_oauth import SquareOAuthDetector
from detect_secrets.plugins.stripe import StripeDetector
from detect_secrets.plugins.telegram_token import TelegramBotTokenDetector
from detect_secrets.plugins.twilio import TwilioKeyDetector

_MASK = "*"

_VENDORS = [
    re.compile(pattern.pattern, pattern.flags)
    for detector in (
        AWSKeyDetector, AzureStorageKeyDetector, DiscordBotTokenDetector, GitHubTokenDetector, GitLabTokenDetector,
        JwtTokenDetector, MailchimpDetector, NpmDetector, OpenAIDetector, PypiTokenDetector, SendGridDetector,
        SlackDetector, SquareOAuthDetector, StripeDetector, TelegramBotTokenDetector, TwilioKeyDetector,
    )
    for pattern in detector.denylist
]  # fmt: skip
_OWN = [  # what must be in a text for the pattern to be tried at all, which is ten times as quick, and the pattern
    ("TT3", re.compile(r"(?<![A-Za-z0-9_])AT[AC]TT3[A-Za-z0-9_=-]{50,255}")),  # Atlassian
    ("sk-", re.compile(r"(?<![A-Za-z0-9_])sk-(?:ant|proj|svcacct)-[A-Za-z0-9_-]{20,255}")),  # Anthropic, OpenAI
    ("AIza", re.compile(r"(?<![A-Za-z0-9_])AIza[A-Za-z0-9_-]{35}(?![A-Za-z0-9_-])")),  # Google
    ("github_pat_", re.compile(r"(?<![A-Za-z0-9_])github_pat_[A-Za-z0-9_]{22,255}")),
    ("xapp-", re.compile(r"(?<![A-Za-z0-9_])xapp-[0-9]-[A-Za-z0-9-]{10,255}")),  # Slack
    ("hvs.", re.compile(r"(?<![A-Za-z0-9_])hvs\.[A-Za-z0-9_-]{24,255}")),  # Vault
    # Signed tokens (RFC 7519)
    ("eyJ", re.compile(r"\beyJ[A-Za-z0-9_-]{8,2000}\.eyJ[A-Za-z0-9_-]{8,4000}\.[A-Za-z0-9_-]{8,2000}")),
    (
        "PRIVATE KEY",
        re.compile(r"-----BEGIN (?:[A-Z0-9]{1,20} ){0,3}PRIVATE KEY(?: BLOCK)?-----([^-]{16,20000})(?=-----END|-?\Z)"),
    ),
    ("://", re.compile(r"://[^\s/:@]{0,100}:([^\s/@]{3,200})@")),
    ("earer", re.compile(r"\b[Bb]earer[ \t]+([A-Za-z0-9+/_.=~-]{20,2000})")),
    ("asic", re.compile(r"\b[Bb]asic[ \t]+([A-Za-z0-9+/_.=~-]{20,2000})")),
]
_NAMES: tuple[str, ...] = (
    "password",
    "passwd",
    "passphrase",
    "secret",
    "token",
    "api_key",
    "apikey",
    "api-key",
    "access_key",
)
_NAMES += ("access-key", "accesskey", "private_key", "privatekey", "credential")
_ASSIGNED = re.compile(r"s?[\"']?[ \t]{0,3}(?::=|=>|[:=])[ \t]{0,3}")
_VALUE = re.compile(r"([\"'`])(?P<quoted>[^\s\"'`]{8,200})\1|(?P<bare>[A-Za-z0-9+/_~!@#%^&*-]{12,200})(?![\w.(\[{])")


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
    lower = text.lower()
    if len(lower) == len(text):  # a few letters grow when they are made small
        for end in _after_names(lower):
            assigned = _ASSIGNED.match(text, end)
            value = _VALUE.match(text, assigned.end()) if assigned else None
            if value and _looks_made_up(value["quoted"] or value["bare"]):
                yield value.span("quoted" if value["quoted"] else "bare")


def _after_names(lower: str) -> Iterator[int]:
    """Where each name that says it is secret ends. Plain searches: one pattern of all takes ten times as long."""
    for name in _NAMES:
        at = lower.find(name)
        while at >= 0:
            yield at + len(name)
            at = lower.find(name, at + 1)


def _looks_made_up(value: str) -> bool:
    """Whether somebody's machine or head made it up: a word, a path, a number or a placeholder is none. Letters and
    digits must be mixed, which costs the passwords that are plain words.
    """
    return any(c.isdigit() for c in value) and any(c.isalpha() for c in value) and not _PLAIN.search(value)


_PLAIN = re.compile(r"\$\{|\{\{|%\(|^<|^\$|example|placeholder|change.?me|xxxx|\.\.|^[\w.]+\(|^/", re.IGNORECASE)
