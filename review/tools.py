"""What a model may use while it reviews: ways to read. The audience is bound before the model is asked, and what they
return is in the register, so it can be cited and checked. There is none that writes.
"""

import threading
from collections.abc import Callable, Sequence

from core.errors import CoreError
from core.types import Evidence, Query
from review.agents.desk import Desk
from review.reading import plain_reason
from review.register import Passage

QUERY = 500
"""Characters of a question or identifier."""
VARIANTS = 4
RESULTS = 8
CHUNKS = 12
"""Passages that one search or lookup returns, and that one opened document does."""


class Tools:
    """Read-only tools with bounded answers and a bounded number of calls, for one agent in one run."""

    def __init__(self, desk: Desk) -> None:
        self._desk = desk
        self._reading = desk.reading
        self._asked: set[tuple[str, ...]] = set()
        self._calls = 0
        self._lock = threading.Lock()

    def all(self) -> list[Callable[..., str]]:
        """What the model is given."""
        return [self.search, self.lookup, self.open_source]

    def search(self, query: str, variants: list[str] | None = None) -> str:
        """Find passages by meaning and words.

        Args:
            query: What is looked for, in a few words or one question.
            variants: Other wordings of the same question, at most four: synonyms, another language.

        """
        others = tuple(one[:QUERY] for one in (variants or [])[:VARIANTS])
        asked = Query(query[:QUERY], others, self._desk.scope.filters, RESULTS)
        return self.answer("search", lambda: self._reading.search(asked).evidence, query=query, variants=others)

    def lookup(self, identifier: str) -> str:
        """Find what an exact identifier names.

        Args:
            identifier: A ticket key, a page title, a path, a symbol or a commit id.

        """
        return self.answer("lookup", lambda: self._reading.lookup(identifier[:QUERY])[:RESULTS], identifier=identifier)

    def open_source(self, source: str) -> str:
        """Read more of the document that a source comes from.

        Args:
            source: The id of a source that was given or found, such as S3.

        """
        if source not in self._desk.shown:
            return self.refuse("open_source", "There is no source with this id.", source=source)
        document = self._reading.register[source].locator.document_id
        return self.answer("open_source", lambda: self._reading.open_document(document, CHUNKS), source=source)

    def answer(self, tool: str, read: Callable[[], Sequence[Evidence | Passage]], **arguments: object) -> str:
        """What a look-up finds, as text for the model."""
        call = (tool, *map(repr, arguments.values()))
        with self._lock:
            self._calls += 1
            spent, repeated = self._calls > self._desk.budget.tool_calls, call in self._asked
            self._asked.add(call)
        if spent:
            return self.refuse(tool, "No further look-ups are possible. Give your findings now.", **arguments)
        if repeated:
            return self.refuse(tool, "You asked this already; the answer stands above.", **arguments)
        try:
            told = self._desk.told(read()) or "Nothing was found."
        except CoreError as error:
            self._reading.degrade(f"A look-up for the model failed: {plain_reason(error)}.")
            told = f"This could not be read: {plain_reason(error)}."
        self._desk.audit.call(self._desk.scope.name, tool, arguments, len(told))
        return f"{told}\n\nThis was the last look-up. Give your findings now." if self._desk.stage.last else told

    def refuse(self, tool: str, sentence: str, **arguments: object) -> str:
        """A sentence instead of an answer."""
        self._desk.audit.call(self._desk.scope.name, tool, arguments, 0)
        return sentence
