"""What went to Jira: every request as the vendor describes it."""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace

from sandbox.exchange import Exchange
from sandbox.server import Sandbox
from tests.conftest import SHARED
from tests.specs import judge

_NUMBERS = re.compile(r"(?<![A-Za-z])\d+|[A-Z]+-\d+")


class Judging:
    """Judges requests; one that differs from an earlier one in numbers alone is not judged again."""

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
        kind = "" if "multipart" in one.headers.get("content-type", "") else one.body.decode("utf-8", "replace")
        asked = (one.method, *(_NUMBERS.sub("0", text) for text in (one.path, one.query, kind)))
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
