"""Whether a branch, a title or a commit's message names a ticket."""

import re


def names(text: str, key: str) -> bool:
    """Whether a text holds a ticket's key as a whole: `feature/bkg-142-holds` names BKG-142, `BKG-1421` does not."""
    return re.search(rf"(?<![A-Za-z0-9]){re.escape(key)}(?![A-Za-z0-9])", text, re.IGNORECASE) is not None
