"""Faults to order: the next matching requests are answered late, wrongly, or not at all."""

import re
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Literal

from sandbox.exchange import Exchange

Kind = Literal["status", "latency", "drop_before", "drop_after", "wider", "html", "hang"]
Stage = Literal["arrived", "done", "answered"]
Callback = Callable[[Exchange], None]

GOES_ON = frozenset({"latency", "wider"})
"""Kinds that change how a request is served, and let a further fault apply to it."""


@dataclass(slots=True)
class Fault:
    """`latency` waits `seconds`; `status` answers `status` with `headers` and `body`, and does nothing else;
    `drop_before` and `drop_after` close the connection without an answer, before or after the work is done;
    `wider` makes a created comment lose its visibility; `html` answers a login page with 200; `hang` never answers.
    """

    method: str
    path: re.Pattern[str]
    kind: Kind
    times: int
    seconds: float = 0.0
    status: int = 500
    headers: Mapping[str, str] = field(default_factory=dict)
    body: str = '{"errorMessages":["Internal server error"],"errors":{}}'


class Faults:
    """The orders of one sandbox, for all its servers. `method` may be `*`; `path` is searched, not matched whole."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._orders: list[Fault] = []
        self._hooks: list[tuple[str, re.Pattern[str], Stage, Callback]] = []

    def add(
        self,
        method: str,
        path: str,
        kind: Kind,
        times: int = 1,
        *,
        seconds: float = 0.0,
        status: int = 500,
        headers: Mapping[str, str] | None = None,
        body: str | None = None,
    ) -> Fault:
        """Order a fault for the next `times` matching requests; orders are used up in the order they were given."""
        order = Fault(method, re.compile(path), kind, times, seconds, status, headers or {})
        if body is not None:
            order.body = body
        with self._lock:
            self._orders.append(order)
        return order

    def on(self, method: str, path: str, callback: Callback, *, stage: Stage = "arrived") -> None:
        """Call back for each matching request: when its head has `arrived` (nothing done yet), when the work is
        `done` and no byte of the answer is sent, or when it is `answered`. Called in a thread of its own, and waited
        for.
        """
        with self._lock:
            self._hooks.append((method, re.compile(path), stage, callback))

    def clear(self) -> None:
        with self._lock:
            self._orders.clear()
            self._hooks.clear()

    @property
    def pending(self) -> int:
        """Orders not used up yet."""
        with self._lock:
            return len(self._orders)

    def take(self, method: str, path: str) -> list[Fault]:
        """The faults for this request, used up by it: any that let it go on, and the first that ends it."""
        if not self._orders:
            return []
        taken: list[Fault] = []
        with self._lock:
            for order in self._orders:
                if order.method in {"*", method} and order.path.search(path):
                    order.times -= 1
                    taken.append(order)
                    if order.kind not in GOES_ON:
                        break
            self._orders = [order for order in self._orders if order.times > 0]
        return taken

    def hooks(self, method: str, path: str, stage: Stage) -> list[Callback]:
        if not self._hooks:
            return []
        with self._lock:
            hooks = list(self._hooks)
        return [
            call for verb, where, when, call in hooks if when == stage and verb in {"*", method} and where.search(path)
        ]
