"""One check of `crosscheck doctor`."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from bots.errors import Unavailable
from crosscheck.operations import EXPECTED


@dataclass(frozen=True, slots=True)
class Check:
    name: str
    state: Literal["ok", "warning", "failed"]
    says: str
    do: str = ""
    """What to do about it; empty when nothing is to be done, or `says` tells."""


def tried(name: str, look: Callable[[], str], do: str = "", *, unreached: str = "") -> Check:
    """What `look` says, or why it failed. `unreached` is what to do where nobody was reached, if that is another."""
    try:
        return Check(name, "ok", look())
    except Unavailable as error:
        later = "Try again later: too much is asked of it just now."
        return Check(name, "failed", sentence(str(error)), later if error.retry_after else unreached or do)
    except EXPECTED as error:
        return Check(name, "failed", sentence(str(error)), do)
    except OSError as error:
        return Check(name, "failed", f"{error.filename or name}: {error.strerror or error}.", do)


def sentence(text: str) -> str:
    """With a full stop, so that what to do can follow."""
    return text if text.endswith((".", "!", "?")) else f"{text}."
