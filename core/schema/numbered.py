"""What tools have in common whose files are numbered."""

import re
from collections.abc import Container, Mapping, Sequence

_NUMBER = re.compile(r"-?[0-9]{1,30}")


def number_of(text: str) -> int:
    """-1 for what is no number."""
    return int(text) if _NUMBER.fullmatch(text) else -1


def overtaken(order: Sequence[str], applied: Container[str], says: str) -> Mapping[str, tuple[str, ...]]:
    """A note on each that is not applied, though one that follows it is."""
    found: dict[str, tuple[str, ...]] = {}
    last = ""
    for key in reversed(order):
        if key in applied:
            last = last or key
        elif last:
            found[key] = (f"{last}, which follows it, is applied already; {says}",)
    return found


def late(order: Sequence[str], ranks: Sequence[str]) -> frozenset[str]:
    """Of what was applied, in the order `order` it should have been and `ranks` it was: what came after one that
    follows it.
    """
    place = {key: at for at, key in enumerate(order)}
    found, highest = set(), -1
    for key in ranks:
        if key in place:
            if place[key] < highest:
                found.add(key)
            highest = max(highest, place[key])
    return frozenset(found)
