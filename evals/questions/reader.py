"""A model that reads what it is shown, and invents as well.

It knows of each question the sentences that answer it, as somebody would who has read them in the sources before it,
and not where they stand. Of the passages that it is shown it cites each that holds such a sentence, a statement for
each fact; of one that says that it is superseded it says so too. With each answer it also claims something of a source
that does not exist, and something without a source; it says each fact once more of a source that was shown and is about
something else, and once more with a wrong number of its own source. What it sees no sentence for is left open.

So this measures what a search shows, how citations become references, and whether what is invented is dropped. It does
not measure how well a model understands: a statement that has the words and the numbers of its source, and says the
contrary, would pass, and this reader makes none.
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from pydantic_ai.messages import ModelMessage, ModelResponse, ToolCallPart, UserPromptPart
from pydantic_ai.models.function import AgentInfo

from evals.questions.answers import plain
from evals.questions.types import Question

INVENTED = (
    {"text": "A circular of last year says twice as much.", "sources": ["S999"]},
    {"text": "Everybody knows that it is half as much.", "sources": []},
)
TRUE, SUPERSEDED, UNRELATED, MISTAKEN = "It says", "Superseded", "Elsewhere", "It says too"
"""How statements begin: two kinds that are so, and two that no source says."""
_SOURCE = re.compile(r'<(source-\w+) id="(S\d+)" kind="\w*">\n(.*?)\n</\1>', re.DOTALL)
_OLD = re.compile(r"supersed", re.IGNORECASE)
_NUMBER = re.compile(r"(?<![\w-])\d+")
_WORD = re.compile(r"[^\W\d_]{3,}")
_WRONG = 97


class Reader:
    """Answers any of the questions, by the one that stands in the prompt."""

    def __init__(self, questions: Iterable[Question]) -> None:
        self._questions = {question.text: question for question in questions}
        self.made: Counter[tuple[str, str]] = Counter()
        """By the question's id and how they begin, how many statements it has made that name a source."""

    def __call__(self, messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        prompt = "\n".join(str(part.content) for part in messages[0].parts if isinstance(part, UserPromptPart))
        question = next((one for text, one in self._questions.items() if text in prompt), None)
        if question is None:
            raise ValueError("the prompt holds none of the questions")
        sources = [(found[2], plain(found[3])) for found in _SOURCE.finditer(prompt)]
        facts = [list(_told(fact, sources)) for fact in question.facts]
        unseen = ["What was asked stands in no source that was shown."] if not (facts and all(facts)) else []
        told = [*(one for each in facts for one in each), *_lies(question, sources)]
        self.made.update((question.id, kind_of(one["text"])) for one in told)
        answer = {"statements": [*told, *INVENTED], "open": unseen}
        return ModelResponse(parts=[ToolCallPart(info.output_tools[0].name, answer)])


def _told(fact: Sequence[str], sources: Sequence[tuple[str, str]]) -> Iterator[dict[str, Any]]:
    """A statement for all sources that say it, and one for those that say that they hold no longer."""
    saying = [(name, text) for name, text in sources if any(plain(wording) in text for wording in fact)]
    for old, begins in ((False, TRUE), (True, SUPERSEDED)):
        if names := [name for name, text in saying if bool(_OLD.search(text)) is old]:
            yield {"text": f"{begins}: {fact[0]}.", "sources": names}


def _lies(question: Question, sources: Sequence[tuple[str, str]]) -> Iterator[dict[str, Any]]:
    """Of a source that shares the fewest words, and with a number that no source has."""
    for fact in question.facts:
        words = set(_WORD.findall(plain(fact[0])))
        name, _ = min(sources, key=lambda source: len(words.intersection(_WORD.findall(source[1]))), default=("", ""))
        saying = [one for one, text in sources if any(plain(wording) in text for wording in fact)]
        if name and name not in saying:
            yield {"text": f"{UNRELATED}: {fact[0]}.", "sources": [name]}
        if saying:
            number = next(n for n in range(_WRONG, _WRONG + 1000) if not any(str(n) in text for _, text in sources))
            wrong = _NUMBER.sub(str(number), fact[0]) if _NUMBER.search(fact[0]) else f"{fact[0]}, {number} days"
            yield {"text": f"{MISTAKEN}: {wrong}.", "sources": saying}


def kind_of(statement: str) -> str:
    """How it begins."""
    return statement.partition(":")[0]
