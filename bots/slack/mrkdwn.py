"""Outside text for the one place where Slack parses it: the `text` of a message, which notifications and screen readers
have. Everything else is rich or plain text, in which no character is markup.
"""

import re

from bots.text import clean

_JOINER = "\u2060"  # word joiner: not seen, and no part of a name, an address or an emoji's code
_ENTITIES = {"&": "&amp;", "<": "&lt;", ">": "&gt;"}
_LIVE = re.compile(
    r"[&<>]"
    r"|[@#*~`:]"  # @here, #general, formatting, :smile:, https:
    r"|(?<!\w)_|_(?!\w)"  # italics; within an identifier an underscore is none
    r"|(?<=\w)\.(?=\w)"  # shop.example becomes a link without any scheme
)


def escape(text: str) -> str:
    """The text, inert: it calls nobody, links nothing, and holds no emoji codes, controls or formatting.

    `&`, `<` and `>` become entities, as Slack prescribes (docs.slack.dev/messaging/formatting-message-text), which ends
    `<!channel>`, `<@U1>`, `<#C1>` and `<https://…>`. What Slack recognises by itself (`@here`, `#general`, bare
    addresses and domains, `:smile:`, `*bold*`, a `>` that quotes) is broken by a word joiner, which nobody sees: the
    text reads the same, but is not meant to be copied. A message's blocks have the text to the character.
    """
    return _LIVE.sub(_inert, clean(text))


def _inert(found: re.Match[str]) -> str:
    sign = found[0]
    return _ENTITIES["&"] if sign == "&" else _JOINER + _ENTITIES.get(sign, sign) + _JOINER
