"""What a Git source was at one moment: the commits that everything else follows from."""

import json
from dataclasses import asdict, dataclass


@dataclass(frozen=True, slots=True)
class Branch:
    """A branch in development."""

    name: str
    head: str
    base: str | None
    """The newest commit that it has in common with the baseline; None if there is none."""


@dataclass(frozen=True, slots=True)
class State:
    """A cursor is one of these, as text. A repository without any commit has no `commit`."""

    rules: str
    """Which documents are made of these commits; a cursor made under other rules is of no use."""
    baseline: str
    """The baseline branch's name."""
    commit: str | None
    branches: tuple[Branch, ...] = ()
    """By name."""

    def cursor(self) -> str:
        value = asdict(self) | {"branches": {branch.name: [branch.head, branch.base] for branch in self.branches}}
        return json.dumps(value, sort_keys=True)


def state_of(cursor: str) -> State | None:
    """None for what is no cursor of this shape."""
    try:
        value = json.loads(cursor)
        branches = tuple(Branch(name, head, base) for name, (head, base) in sorted(value.pop("branches").items()))
        return State(branches=branches, **value)
    except (ValueError, LookupError, TypeError, AttributeError):
        return None
