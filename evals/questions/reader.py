"""A model that reads what it is shown, and invents as well.

It knows of each question the sentences that answer it, as somebody would who has read them in the sources before it,
and not where they stand. Of the passages that it is shown it cites each that holds such a sentence, a statement for
each fact; of one that says that it is superseded it says so too. With each answer it also claims something of a source
that does not exist, and something without a source. What it sees no sentence for is left open.

So this measures what a search shows, how citations become references, and whether what is invented is dropped. It does
not measure how well a model understands: a statement that names a source which was shown and says something else would
pass, and this reader makes none.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from pydantic_ai.messages import ModelMessage, ModelResponse, ToolCallPart, UserPromptPart
from pydantic_ai.models.function import AgentInfo

from evals.questions.types import Question

INVENTED = (
    {"text": "A circular of last year says twice as much.", "sources": ["S999"]},
    {"text": "Everybody knows that it is half as much.", "sources": []},
)
_SOURCE = re.compile(r'<(source-\w+) id="(S\d+)" kind="\w*">\n(.*?)\n</\1>', re.DOTALL)
_OLD = re.compile(r"supersed", re.IGNORECASE)


class Reader:
    """Answers any of the questions, by the one that stands in the prompt."""

    def __init__(self, questions: Iterable[Question]) -> None:
        self._questions = {question.text: question for question in questions}

    def __call__(self, messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        prompt = "\n".join(str(part.content) for part in messages[0].parts if isinstance(part, UserPromptPart))
        question = next((one for text, one in self._questions.items() if text in prompt), None)
        if question is None:
            raise ValueError("the prompt holds none of the questions")
        sources = [(found[2], _plain(found[3])) for found in _SOURCE.finditer(prompt)]
        facts = [list(_told(fact, sources)) for fact in question.facts]
        unseen = ["What was asked stands in no source that was shown."] if not (facts and all(facts)) else []
        answer = {"statements": [*(one for told in facts for one in told), *INVENTED], "open": unseen}
        return ModelResponse(parts=[ToolCallPart(info.output_tools[0].name, answer)])


def _told(fact: Sequence[str], sources: Sequence[tuple[str, str]]) -> Iterator[dict[str, Any]]:
    """A statement for all sources that say it, and one for those that say that they hold no longer."""
    saying = [(name, text) for name, text in sources if any(_plain(wording) in text for wording in fact)]
    for old, words in ((False, "It says: {}."), (True, "Superseded: {}.")):
        if names := [name for name, text in saying if bool(_OLD.search(text)) is old]:
            yield {"text": words.format(fact[0]), "sources": names}


def _plain(text: str) -> str:
    return " ".join(text.casefold().split())
