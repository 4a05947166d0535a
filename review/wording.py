"""What a model writes becomes plain text: one line, of a sane length, without links, mentions or markup."""

import re
import unicodedata

# Marks that are not seen but steer how text is shown or hide text in it: soft hyphen, zero-width space, word joiner
# and invisible operators, byte order mark, direction marks and overrides (Unicode Standard Annex 9), tag characters.
# The joiners U+200C and U+200D stay, since Persian, Hindi and emoji need them.
_INVISIBLE = re.compile("[\u00ad\u061c\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\ufeff\U000e0000-\U000e007f]")

_MARKUP_LINKS = (
    (re.compile(r"!?\[([^\[\]]{0,300})\]\([^()\s]{0,500}[^()]{0,100}\)"), r"\1"),  # Markdown: [text](target)
    (re.compile(r"\[([^\[\]|]{0,300})\|[^\[\]]{0,500}\]"), r"\1"),  # Jira wiki: [text|target]
)
_MENTIONS = re.compile(
    r"\[~[^\[\]]{0,200}\]"  # Jira wiki: [~accountid:...]
    r"|<[@#!][^<>]{0,200}>"  # Slack: <@U1>, <#C1>, <!channel>
    r"|</?[A-Za-z][^<>]{0,300}>"  # any tag
    r"|\[~+|<+(?=[@#!])"  # how a mention begins, wherever it ends
    r"|(?<![\w.])@+(?=\w)"  # the sign in front of a name; the name stays
)
_LINKS = re.compile(
    r"\S*[:\uff1a][/\uff0f\\]{2}\S*"  # any scheme, full-width look-alikes included
    r"|\b(?:mailto|javascript|data|tel|file|vbscript):\S*"
    r"|\bwww\.\S+"
    # host.example/path, in any script, with the other full stops that browsers take for one (UTS 46, section 2.3)
    r"|\b(?:[\w-]{1,63}[.\u3002\uff0e\uff61]){1,8}[^\W\d_]{2,24}(?::\d{1,5})?/\S*"
    r"|//[\w-]+\.\S*"  # without its scheme
    r"|\S*\bxn--\S*"  # a host name in Punycode, which is made for machines
    # Chat clients make links of bare host names, too; these endings are no file names.
    r"|\b_*(?:(?:[^\W_]|-){1,63}\.){1,8}(?:com|org|net|info|biz|dev|app|xyz|site|online|link|ru|cn|example)\b\S*",
    re.IGNORECASE,
)

_ROUNDS = 4
"""Of undoing: what is inside another one comes out when the inner one goes. Nobody nests deeper but to get through."""


def cut(text: str, limit: int) -> str:
    """Text as one line of at most `limit` characters; a cut is marked by an ellipsis, at a word's end where one is
    nearby.
    """
    line = " ".join(text.split())
    if len(line) <= limit:
        return line
    start = line[: limit - 1] if line[limit - 1] == " " else cut_quote(line, limit - 1)
    return start.rstrip() + "…"


def cut_quote(quote: str, limit: int) -> str:
    """A quote's beginning, still literally what was written, ended at a word where one ends nearby."""
    if len(quote) <= limit:
        return quote
    start = quote[:limit]
    at_word, _, rest = start.rpartition(" ")
    return at_word if at_word and len(rest) < limit // 4 else start


def plain(text: str, limit: int) -> str:
    """A model's wording made harmless: links removed, mentions and tags undone, control characters gone. Empty if it
    cannot be made so.
    """
    text = _INVISIBLE.sub("", unicodedata.normalize("NFC", text[: 4 * limit]))
    text = "".join(c if c.isprintable() or c.isspace() else " " for c in text)
    for _ in range(_ROUNDS):
        before, text = text, _undone(text)
        if text == before:
            return cut(text, limit)
    return ""


def _undone(text: str) -> str:
    for pattern, shown in _MARKUP_LINKS:
        text = pattern.sub(shown, text)
    return _LINKS.sub("", _MENTIONS.sub("", text))
