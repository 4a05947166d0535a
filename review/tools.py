"""What a model may use while it reviews: three ways to read. The audience is bound before the model is asked, and
what they return is in the register, so it can be cited and checked.
"""

import threading
from collections.abc import Callable, Sequence

from core.errors import CoreError
from core.types import Evidence, Query
from review.agents.prompt import Fence
from review.budget import Budget
from review.reading import Reading, plain_reason

QUERY = 500
"""Characters of a question or identifier."""
RESULTS = 8
CHUNKS = 12
"""Passages that one search or lookup returns, and that one opened document does."""


class Tools:
    """Read-only tools with bounded answers and a bounded number of calls."""

    def __init__(self, reading: Reading, fence: Fence, budget: Budget) -> None:
        self._reading = reading
        self._fence = fence
        self._budget = budget
        self._calls = 0
        self._lock = threading.Lock()

    def search(self, query: str) -> str:
        """Find passages of policies, tickets and code by meaning and words.

        Args:
            query: What is looked for, in a few words or one question.

        """
        return self._answer(lambda: self._reading.search(Query(query[:QUERY], limit=RESULTS)).evidence)

    def lookup(self, identifier: str) -> str:
        """Find what an exact identifier names.

        Args:
            identifier: A ticket key, a page title, a path, a symbol or a commit id.

        """
        return self._answer(lambda: self._reading.lookup(identifier[:QUERY])[:RESULTS])

    def open_source(self, source: str) -> str:
        """Read more of the document that a source comes from.

        Args:
            source: The id of a source that was given or found, such as S3.

        """
        if source not in self._reading.register:
            return "There is no source with this id."
        document = self._reading.register[source].locator.document_id
        return self._answer(lambda: self._reading.open_document(document, CHUNKS))

    def _answer(self, read: Callable[[], Sequence[Evidence]]) -> str:
        with self._lock:
            self._calls += 1
            if self._calls > self._budget.tool_calls:
                return "No further look-ups are possible. Give your review now."
        try:
            evidence = read()
        except CoreError as error:
            self._reading.degrade(f"A look-up for the model failed: {plain_reason(error)}.")
            return f"This could not be read: {plain_reason(error)}."
        return self._told(evidence)

    def _told(self, evidence: Sequence[Evidence]) -> str:
        """The passages as far as they fit. The same document for the same audience always reads the same."""
        passages = [self._reading.register.add_evidence(one) for one in evidence]
        told, left = [], self._budget.answer_characters
        for passage in passages:
            if passage is not None and left > 0:
                told.append(self._fence.passage(passage, min(left, self._budget.source_characters)))
                left -= len(passage.text)
        return "\n\n".join(told) or "Nothing was found."
