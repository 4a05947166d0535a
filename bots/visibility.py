"""Comparing who may see two comments. Pure; when the two cannot be compared the answer is no."""

from collections.abc import Mapping
from typing import Any

from bots.types import Visibility


def same(a: Visibility, b: Visibility) -> bool:
    """Whether both are shown to the same people of one place."""
    return a.internal == b.internal and _same_restriction(a.restriction, b.restriction)


def no_wider(found: Visibility, asked: Visibility) -> bool:
    """Whether nobody can see `found` who could not see `asked`, both being comments of one place.

    The two axes count apart: a role does not hide from customers, and an internal note is open to every agent.
    """
    if asked.internal and not found.internal:
        return False
    return asked.restriction is None or _same_restriction(found.restriction, asked.restriction)


def _same_restriction(a: Mapping[str, Any] | None, b: Mapping[str, Any] | None) -> bool:
    if a is None or b is None:
        return a is b
    return bool(a.get("type")) and a.get("type") == b.get("type") and _same_holder(a, b)


def _same_holder(a: Mapping[str, Any], b: Mapping[str, Any]) -> bool:
    """Names can change and be given to another group, so they count only where an identifier is missing.

    A role's identifier is documented as its name, so one side's identifier may stand against the other's name.
    """
    if a.get("identifier") and b.get("identifier"):
        return bool(a["identifier"] == b["identifier"])
    if a.get("value") and b.get("value"):
        return bool(a["value"] == b["value"])
    if a.get("type") != "role":
        return False
    return bool(_holder(a)) and _holder(a) == _holder(b)


def _holder(restriction: Mapping[str, Any]) -> Any:
    return restriction.get("identifier") or restriction.get("value")
