"""What the models of one review were sent as data, what they asked for, and what they said: for the job's record."""

from collections.abc import Iterable, Mapping
from typing import Any

from review.agents.fence import redacted, shown
from review.register import Passage

CHARACTERS = 200_000
"""Of all texts together; what is beyond is named without its text."""
EACH = 8_000
ARGUMENT = 500
DEPTH = 8


class Audit:
    """Collects plain data. Tools may add from several threads."""

    def __init__(self) -> None:
        self._entries: list[dict[str, Any]] = []
        self._sources: set[str] = set()
        self._left = CHARACTERS

    def entries(self) -> tuple[Mapping[str, Any], ...]:
        """In the order in which it happened."""
        return tuple(self._entries)

    def request(self, text: str, marked: str = "") -> None:
        """Note the text that asked for the review, and the one that was marked."""
        for step, one in (("request", text), ("marked", marked)):
            if one:
                self._entries.append({"step": step, "text": self._kept(one)})

    def sent(self, agent: str, passages: Iterable[Passage]) -> None:
        """Note what an agent was shown. Each passage is kept once, with its text."""
        passages = tuple(passages)
        for passage in passages:
            if passage.id not in self._sources:
                self._sources.add(passage.id)
                self._entries.append(
                    {
                        "step": "source",
                        "id": passage.id,
                        "kind": passage.kind,
                        "document": passage.locator.document_id,
                        "title": shown(passage.title, 200),
                        "text": self._kept(passage.text),
                    }
                )
        self._entries.append({"step": "shown", "agent": agent, "sources": [passage.id for passage in passages]})

    def call(self, agent: str, tool: str, arguments: Mapping[str, object], characters: int) -> None:
        """Note a look-up and how long its answer was."""
        self._entries.append(
            {
                "step": "call",
                "agent": agent,
                "tool": tool,
                "arguments": _clean(arguments, ARGUMENT),
                "characters": characters,
            }
        )

    def answer(self, agent: str, answer: object) -> None:
        """Note what a model said, as plain data."""
        self._entries.append({"step": "answer", "agent": agent, "answer": _clean(answer, ARGUMENT)})

    def failure(self, agent: str, reason: str) -> None:
        """Note that an agent gave nothing."""
        self._entries.append({"step": "failed", "agent": agent, "reason": reason})

    def _kept(self, text: str) -> str:
        kept = shown(text, max(0, min(EACH, self._left)))
        self._left -= min(len(kept), EACH)
        return kept


def _clean(value: object, limit: int, depth: int = DEPTH) -> Any:
    """Plain data of a bounded size without credentials."""
    if depth == 0:
        return "..."
    if isinstance(value, Mapping):
        return {str(key)[:ARGUMENT]: _clean(one, limit, depth - 1) for key, one in list(value.items())[:50]}
    if isinstance(value, list | tuple):
        return [_clean(one, limit, depth - 1) for one in value[:50]]
    if isinstance(value, int | float) or value is None:
        return value
    return redacted(str(value))[:limit]
