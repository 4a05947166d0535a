"""Keeps what others wrote apart from what a model is told: in blocks whose marks nobody can have foreseen."""

import re
import secrets

from review.register import Passage

# Credentials that people paste into tickets, in the forms that their issuers publish. They are not shown to a model.
_SECRETS = re.compile(
    r"-----BEGIN [A-Z ]*PRIVATE KEY-----.{0,8000}?(?:-----END [A-Z ]*PRIVATE KEY-----|\Z)"
    r"|\bxox[abeprs]-[\w-]{10,}"  # Slack
    r"|\bxapp-[\w-]{10,}"
    r"|\bgh[opsur]_\w{20,}|\bgithub_pat_\w{20,}|\bglpat-[\w-]{20,}"
    r"|\bA(?:KIA|SIA)[A-Z0-9]{16}\b"  # AWS
    r"|\bATATT[\w=-]{20,}"  # Atlassian
    r"|\bsk-[\w-]{20,}"  # OpenAI, Anthropic
    r"|\beyJ[\w-]{8,}\.eyJ[\w-]{8,}\.[\w-]{8,}"  # JSON Web Token
    r"|(?<=://)[^\s:/@]{1,100}:[^\s:/@]{1,100}(?=@)",  # user and password in a URL
    re.DOTALL,
)


def redacted(text: str) -> str:
    """Text without credentials of well-known forms."""
    return _SECRETS.sub("[credential removed]", text)


class Fence:
    """Puts a text into a block that ends only where the fence ends it: the mark is drawn anew for each review."""

    def __init__(self) -> None:
        self.mark = f"source-{secrets.token_hex(8)}"

    def passage(self, passage: Passage, limit: int) -> str:
        """A passage with its id, cut at `limit` characters."""
        kind = "".join(c for c in passage.kind if c.isalnum())
        return self._block(
            f' id="{passage.id}" kind="{kind}"', f"{shown(passage.title, 200)}\n---\n", passage.text, limit
        )

    def text(self, text: str, limit: int) -> str:
        """A text that cannot be cited."""
        return self._block("", "", text, limit)

    def _block(self, attributes: str, head: str, text: str, limit: int) -> str:
        return f"<{self.mark}{attributes}>\n{head}{shown(text, limit)}\n</{self.mark}>"


def shown(text: str, limit: int) -> str:
    """A text as it is shown. Credentials go before the cut, which could leave a part of one."""
    text = redacted(text)
    return text if len(text) <= limit else f"{text[:limit]}\n[{len(text) - limit} more characters are not shown]"
