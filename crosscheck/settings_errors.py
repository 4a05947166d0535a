"""What pydantic finds wrong with a setting, as a sentence for whoever wrote it."""

import re
from collections.abc import Collection, Mapping, Sequence
from difflib import get_close_matches
from typing import Any

from pydantic import BaseModel
from pydantic_core import ErrorDetails

from bots.text import one_line
from crosscheck.settings_finding import Section

_LONGEST = 40
"""Characters of a value that are repeated."""


def told(errors: Sequence[ErrorDetails], root: type[BaseModel], secrets: Mapping[str, str]) -> list[str]:
    """A sentence for each: the setting's dotted name and what is wrong with it, without a name where it is about
    several settings.

    `secrets` are the names of what belongs into the environment, with their variables.
    """
    within = {error["loc"][:-1] for error in errors}
    # A list whose items are wrong is too short as well, since they are not counted.
    return [_told(e, root, secrets) for e in errors if not (e["type"] == "too_short" and e["loc"] in within)]


def _told(error: ErrorDetails, root: type[BaseModel], secrets: Mapping[str, str]) -> str:
    place = [part for part in error["loc"] if part != "[key]"]
    name = one_line(_named(place), 200)
    says = _unknown(place, root, secrets) if error["type"] == "extra_forbidden" else _wrong(error)
    return f"{name}: {says}" if name else says


def _named(place: Sequence[int | str]) -> str:
    """Where it is in the file: `jira.site`, `jira.projects, entry 2`, `git, entry 1, name`."""
    name, join = "", ""
    for part in place:
        name += f", entry {part + 1}" if isinstance(part, int) else f"{join}{part}"
        join = ", " if isinstance(part, int) else "."
    return name


def table_of(annotation: Any) -> type[Section] | None:
    """The table that a setting of this type is, or that it has several of."""
    candidates = [annotation, *getattr(annotation, "__args__", ())]
    return next((c for c in candidates if isinstance(c, type) and issubclass(c, Section)), None)


def _unknown(place: Sequence[int | str], root: type[BaseModel], secrets: Mapping[str, str]) -> str:
    *above, name = (str(part) for part in place if isinstance(part, str))
    secret = secrets.get("_".join((*above, name))) or secrets.get(name)
    if secret:
        return f"there is no such setting; a secret belongs into the environment, as {secret}"
    near = get_close_matches(name, _names(above, root), 1)
    return f"there is no such setting; did you mean {near[0]}?" if near else "there is no such setting"


def _names(above: Sequence[str], root: type[BaseModel]) -> Collection[str]:
    """The settings of a table."""
    for part in above:
        inner = table_of(root.model_fields[part].annotation) if part in root.model_fields else None
        if inner is None:
            return ()
        root = inner
    return root.model_fields


def _wrong(error: ErrorDetails) -> str:
    given = error["input"]
    match error["type"]:
        case "value_error":
            return str(error["ctx"]["error"])
        case "missing":
            return "must be set"
        case "tuple_type" | "list_type":
            return "must be tables in [[ ]]" if isinstance(given, Mapping) else "must be a list in [ ]"
        case "mapping_type" | "dict_type" | "model_type" | "model_attributes_type":
            return "must be a table, in [ ] on a line of its own or in { }"
        case "string_type":
            return 'must be a text in quotes " "'
        case "int_parsing" | "int_type" | "int_from_float":
            return "must be a whole number"
        case "float_parsing" | "float_type":
            return "must be a number"
        case "bool_parsing" | "bool_type":
            return "must be true or false"
        case "string_pattern_mismatch":
            return _unfit(str(given), error["ctx"]["pattern"])
        case _:
            return re.sub(r"^Input should (be|have)", r"must \1", error["msg"])


def _unfit(given: str, pattern: str) -> str:
    near = next((one for one in (given.upper(), given.lower(), given.strip()) if re.search(pattern, one)), None)
    hint = f"did you mean {one_line(near, _LONGEST)}?" if near else f"it has to match {pattern}"
    return f"{one_line(given, _LONGEST)!r} cannot be one; {hint}"
