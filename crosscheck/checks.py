"""One check of `crosscheck doctor`."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from crosscheck.operations import EXPECTED


@dataclass(frozen=True, slots=True)
class Check:
    name: str
    state: Literal["ok", "warning", "failed"]
    says: str
    do: str = ""
    """What to do about it; empty when nothing is to be done, or `says` tells."""


def tried(name: str, look: Callable[[], str], do: str = "") -> Check:
    """What `look` says, or why it failed."""
    try:
        return Check(name, "ok", look())
    except EXPECTED as error:
        return Check(name, "failed", str(error), do)
    except OSError as error:
        return Check(name, "failed", f"{error.filename or name}: {error.strerror or error}.", do)
