"""The language of an answer, as it is told to a model."""

import re

# The shape of a language tag: RFC 5646, section 2.1, as far as people use it (`de`, `pt-BR`, `zh-Hant-TW`).
_TAG = re.compile(r"[A-Za-z]{2,3}(?:-[A-Za-z0-9]{2,8}){0,3}")


def tag(language: str) -> str:
    """The tag itself if it has the shape of one, else `en`: nothing else enters a prompt by this way."""
    return language if _TAG.fullmatch(language) else "en"
