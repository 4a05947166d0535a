"""What a secret must look like where that is known, so that exchanged ones are told before anybody is asked."""

import re
from collections.abc import Mapping

_WANTED: Mapping[str, tuple[str, str]] = {
    "slack_bot_token": (r"(xoxe\.)?xoxb-[\x21-\x7e]+", "the Bot User OAuth Token, which begins with xoxb-"),
    "slack_app_token": (r"xapp-[\x21-\x7e]+", "the app-level token, which begins with xapp-"),
    "slack_signing_secret": (
        r"(?!xox|xapp-)[\x21-\x7e]+",
        "the Signing Secret of Basic Information, which is no token",
    ),
}
_KINDS = {
    "xapp-": "an app-level token (xapp-)",
    "xoxb-": "a bot's token (xoxb-)",
    r"xoxe\.xoxb-": "a bot's token (xoxe.xoxb-)",
    "xoxp-": "a person's token (xoxp-)",
}


def fault(name: str, value: str) -> str:
    """Why this cannot be the secret of that name, to follow its variable; empty when it can. Never repeats it."""
    if name not in _WANTED:
        return ""
    pattern, wanted = _WANTED[name]
    if re.fullmatch(pattern, value):
        return ""
    kinds = (said for begins, said in _KINDS.items() if re.fullmatch(rf"{begins}[\x21-\x7e]+", value))
    kind = next(kinds, "what cannot be one")
    return f"holds {kind}; it takes {wanted}"
