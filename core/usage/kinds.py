"""What a name may be, from how it is spelled."""

import re

from core.usage.types import Kind

_ROUTE = re.compile(r"(?:(?:get|post|put|patch|delete|head|options)\s+\S*/|https?://|/)\S*", re.IGNORECASE)
_WORDS: dict[Kind, str] = {
    "symbol": "a symbol of code",
    "route": "a route",
    "event": "an event or topic",
    "config": "a configuration key",
    "table": "a table",
    "column": "a column of a table",
}


def kinds_of(name: str) -> tuple[Kind, ...]:
    """What a name may be, the likeliest first; never empty."""
    if _ROUTE.fullmatch(name):
        return ("route",)
    if name.startswith("--"):
        return ("config",)
    if re.search(r"::|->|#|\(\)$", name):
        return ("symbol",)
    if re.fullmatch(r"[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+", name):
        return ("config", "event", "symbol")
    parts = name.split(".")
    if len(parts) > 1:
        if any(part[:1].isupper() for part in parts[:-1]):
            return ("symbol",)
        return ("column", "symbol", "event", "config") if len(parts) == 2 else ("config", "event", "symbol")
    if re.search(r"[-:/]", name):
        return ("event", "config")
    if re.fullmatch(r"(?:[A-Z][a-z0-9]+){2,}", name):
        return ("symbol", "event")
    if name.isalpha() and name.islower():
        return ("symbol", "table")  # what words mean in strings and settings is anybody's guess
    return ("symbol", "table", "config", "event")


def taken_for(name: str, kind: Kind, others: tuple[Kind, ...]) -> str:
    """The sentence for a name that may be several things; empty if it may not."""
    rest = [_WORDS[one] for one in others if one != kind]
    if not rest:
        return ""
    either = " or ".join(part for part in (", ".join(rest[:-1]), rest[-1]) if part)
    return f"“{name}” was taken for {_WORDS[kind]}, not for {either}; ask with another kind to look for that."
