"""What went to Jira: every request as the vendor describes it."""

import json
import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from itertools import groupby
from typing import Any

from sandbox.exchange import Exchange
from sandbox.server import Sandbox
from tests.conftest import SHARED
from tests.specs import judge

_NUMBERS = re.compile(r"(?<![A-Za-z])\d+|[A-Z]+-\d+")


class Judging:
    """Judges requests; one that differs from an earlier one in numbers and texts alone is not judged again."""

    def __init__(self) -> None:
        self._judged: set[tuple[str, ...]] = set()

    def faults(self, box: Sandbox) -> list[str]:
        return [
            f"{one.method} {one.url}: {fault}"
            for one in box.exchanges.all("jira")
            if self._new(one)
            for fault in judge(SHARED).check(replace(one, status=0, response_headers={}, response_body=b""))
        ]

    def _new(self, one: Exchange) -> bool:
        is_json = "json" in one.headers.get("content-type", "")
        body = json.dumps(_shape(json.loads(one.body))) if one.body and is_json else ""
        asked = (one.method, _NUMBERS.sub("0", one.path), _NUMBERS.sub("0", one.query), body)
        known = asked in self._judged
        self._judged.add(asked)
        return not known

    @contextmanager
    def over(self, box: Sandbox) -> Iterator[None]:
        """What goes to Jira meanwhile is as described. Ordered faults end with it."""
        box.exchanges.clear()
        try:
            yield
        finally:
            box.faults.clear()
        if SHARED.is_dir():
            assert self.faults(box) == []


def _shape(value: Any, name: str = "") -> Any:
    """JSON without numbers and texts, but for those that name what something is; what follows its like is left out."""
    if isinstance(value, dict):
        return {key: _shape(inner, key) for key, inner in value.items()}
    if isinstance(value, list):
        return [shape for shape, _ in groupby(map(_shape, value))]
    return value if name == "type" or isinstance(value, bool) else type(value).__name__
