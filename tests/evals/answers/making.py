"""Small questions and answers."""

from evals.questions.answers import checked
from evals.questions.types import Answer, Checked, Question, Said, Source

SECONDS = {"search_seconds": 0.02, "model_seconds": 0.03}


def question(
    category: str = "single", *wanted: set[str], text: str = "Which limit holds today?", **more: object
) -> Question:
    fields = {"holds": frozenset(), "facts": (), "fine": frozenset(), "old": frozenset(), **more}
    return Question(id="q", part="open", category=category, text=text, wanted=tuple(map(frozenset, wanted)), **fields)


def answer(*said: tuple[str, list[str]], texts: dict[str, str] | None = None, **more: object) -> Answer:
    """Statements, each with the names of the documents that it cites; `texts` are what stands in these."""
    documents = list(dict.fromkeys(one for _, cited in said for one in cited))
    sources = [
        Source(n, one, "Title", "", tuple(filter(None, [(texts or {}).get(one)]))) for n, one in enumerate(documents, 1)
    ]
    statements = [Said(text, tuple(documents.index(one) + 1 for one in cited)) for text, cited in said]
    fields = {"degraded": (), "made_by": "nobody", "numbers": SECONDS, **more}
    return Answer(tuple(statements), tuple(sources), **fields)


def row(asked: Question, given: Answer) -> Checked:
    """Documents are called by their ids."""
    return checked(asked, given, lambda source: source.document)
