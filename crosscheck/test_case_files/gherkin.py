"""A draft as a Gherkin feature file.

Every line begins with a keyword of ours and holds one line of text, so nothing in a text can open a scenario, a table,
a doc string, a tag or another language. Grammar: https://cucumber.io/docs/gherkin/reference
"""

import re
from collections.abc import Iterator

from bots.text import one_line
from review.test_cases.types import Draft, DraftedCase

LINE = 500
"""Characters of one text."""
_NO_TAG = re.compile(r"[^A-Za-z0-9_-]+")


def write(draft: Draft) -> bytes:
    """UTF-8, a scenario a case."""
    return ("\n".join(_lines(draft)) + "\n").encode()


def _lines(draft: Draft) -> Iterator[str]:
    yield f"@{_tag(draft.key)}"
    yield f"Feature: {_text(draft.headline)}"
    for one in draft.cases:
        yield ""
        yield from _scenario(one)


def _scenario(one: DraftedCase) -> Iterator[str]:
    yield f"  @{one.kind} @{one.urgency} @{_tag(one.id)}"
    yield f"  Scenario: {_text(one.title)}"
    for source in one.sources:
        yield f"    # Source: {_text(f'{source.locator.label}: “{source.quote}” {source.locator.url}')}"
    yield from _steps("Given", one.preconditions)
    yield from _actions(one)
    yield from _steps("Then", (one.expected,))


def _actions(one: DraftedCase) -> Iterator[str]:
    """What is expected in between comes where it is seen; `When` then begins anew."""
    keyword = "When"
    for step in one.steps:
        yield f"    {keyword} {_text(step.action)}"
        keyword = "And"
        if seen := one_line(step.expected, LINE):
            yield f"    Then {seen}"
            keyword = "When"


def _steps(keyword: str, texts: tuple[str, ...]) -> Iterator[str]:
    for number, text in enumerate(texts):
        yield f"    {'And' if number else keyword} {_text(text)}"


def _text(text: str) -> str:
    return one_line(text, LINE) or "(no text)"


def _tag(text: str) -> str:
    return _NO_TAG.sub("-", text).strip("-") or "untitled"
