"""Keeping secrets out of what is written: logs, and the errors that are remembered."""

import base64
import json
import re
from collections.abc import Callable, Iterable, Iterator
from html.entities import codepoint2name

Redacted = Callable[[str], str]
"""A text without secrets."""
INSTEAD = "[secret]"
SHORTEST = 6
"""Characters of a secret that is looked for. A shorter one is part of common words, and guessed rather than read."""

_SHAPED = re.compile(
    r"\bcrosscheck_[A-Za-z0-9_-]{43}"  # our own tokens, of which only hashes are known
    r"|(?<=\bBearer )[A-Za-z0-9._~+/=-]{8,}"
    r"|(?<=\bBasic )[A-Za-z0-9+/=]{8,}"
    r"|\b(?:xox[a-z]|xapp|xoxe\.xox[bp])-[A-Za-z0-9-]{8,}"
    r"|(?<=://)[^\s/@:'\"]*:[^\s/@'\"]+(?=@)"
)
"""What is a secret whoever it belongs to."""


class Redaction:
    """Takes the given secrets out of texts, as they are and as URLs, JSON, HTML, Python and base64 write them.

    Which characters are written otherwise differs between programs, so each may be, whatever the others are.
    """

    def __init__(self, secrets: Iterable[str]) -> None:
        """Secrets with fewer than `SHORTEST` characters are not looked for."""
        looked_for = [secret for secret in secrets if len(secret) >= SHORTEST]
        forms = {form for secret in looked_for for form in _forms(secret)}
        patterns = {*map(re.escape, forms), *map(_escaped, looked_for)}
        longest_first = sorted(patterns, key=lambda pattern: (-len(pattern), pattern))
        self._known = re.compile("|".join(longest_first), re.IGNORECASE) if patterns else None

    def __call__(self, text: str) -> str:
        if self._known is not None:
            text = self._known.sub(INSTEAD, text)
        return _SHAPED.sub(INSTEAD, text)


def _forms(secret: str) -> Iterator[str]:
    yield secret
    yield repr(secret)[1:-1]
    yield repr(secret.encode())[2:-1]
    for written in (json.dumps(secret), json.dumps(secret, ensure_ascii=False)):
        yield written[1:-1]
        yield json.dumps(written)[3:-3]
    yield from _in_base64(secret.encode())


def _escaped(secret: str) -> str:
    """A pattern of the secret with any of its signs escaped, once or twice."""
    return "".join(one if one.isascii() and one.isalnum() else _sign(one) for one in secret)


def _sign(sign: str) -> str:
    """How a character may be written that is no ASCII letter or digit. The group does not give back what it took: else
    a text of many backslashes would take time without end.
    """
    octets = sign.encode("utf-8", "replace")
    ways = [
        "".join(f"%(?:25)?{octet:02x}" for octet in octets),
        rf"&(?:amp;)?#0*{ord(sign)};",
        rf"&(?:amp;)?#x0*{ord(sign):x};",
        *([f"&(?:amp;)?{codepoint2name[ord(sign)]};"] if ord(sign) in codepoint2name else []),
        rf"\\{{1,4}}u{ord(sign):04x}",
        rf"\\{{0,4}}{re.escape(sign)}",
        *([r"\+"] if sign == " " else []),
    ]
    return f"(?>{'|'.join(ways)})"


def _in_base64(secret: bytes) -> Iterator[str]:
    """What of base64 tells the secret, wherever in the encoded text it begins (`user:secret`): three shifts."""
    for before in range(3):
        encoded = base64.b64encode(bytes(before) + secret).decode().rstrip("=")
        begin = (before * 8 + 5) // 6  # the first character that holds none of what comes before
        whole = (before + len(secret)) % 3 == 0  # otherwise the last character may hold what follows
        told = encoded[begin : len(encoded) if whole else -1]
        yield from (told, told.translate(str.maketrans("+/", "-_")))
