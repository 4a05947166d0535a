"""Questions over source files that are cut already: `documents.jsonl`, `chunks.jsonl` (spans of them), `queries.jsonl`.

What is to be found are the spans. Nothing says what the files are called, so their place is told by how they begin
and what they define.
"""

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from core.connectors.base import fingerprint
from core.store.base import point_id
from core.types import Chunk, Document
from core.visibility import repository
from evals.retrieval.errors import BadSet
from evals.retrieval.files import by_id, judgements, needed, text, whole_number
from evals.retrieval.spans import Span, chunks_of, ending_of
from evals.retrieval.tree import LONG_AGO
from evals.retrieval.types import Corpus, Question, RetrievalSet

FILES = ("documents.jsonl", "chunks.jsonl")
_LIMIT = 50
_HEAD = 200  # characters of a file's beginning in its context
_NAMES = 1_500  # characters of the names that it defines, which stand there for the path that is not known
_LEGAL = re.compile(r"licen[cs]e|copyright|spdx", re.IGNORECASE)
_COMMENT = re.compile(r"\s*(?:/\*.*?\*/|(?:(?://|#)[^\n]*\n\s*)+)", re.DOTALL)

_Cut = tuple[str, Span]
"""A chunk's own id, and where it stands."""


def load(folder: Path) -> RetrievalSet:
    """Raises BadSet."""
    path, questions_path = needed(folder, "documents.jsonl"), needed(folder, "queries.jsonl")
    texts = {key: text(record, "text", path) for key, record in by_id(path).items()}
    cuts = _cuts(needed(folder, "chunks.jsonl"), texts)
    questions = by_id(questions_path)
    asked = [Question(key, text(record, "text", questions_path)) for key, record in questions.items()]

    def corpora() -> Iterator[Corpus]:
        yield _corpus(folder.name, texts, cuts, asked)

    return RetrievalSet(
        name=folder.name,
        shape="questions",
        questions=len(asked),
        relevant=judgements(folder),
        headline=("recall@5", "recall@10", "recall@20"),
        corpora=corpora,
    )


def _cuts(path: Path, texts: Mapping[str, str]) -> dict[str, list[_Cut]]:
    """By document, in the order of its text."""
    cuts: dict[str, list[_Cut]] = defaultdict(list)
    for key, record in by_id(path).items():
        document = text(record, "document", path)
        start, end = whole_number(record, "start", path), whole_number(record, "end", path)
        if document not in texts or not 0 <= start < end <= len(texts[document]):
            raise BadSet(f"{path}: {key} is no part of {document}.")
        cuts[document].append((key, (start, end)))
    return {document: sorted(some, key=lambda cut: cut[1]) for document, some in cuts.items()}


def _corpus(
    name: str, texts: Mapping[str, str], cuts: Mapping[str, Sequence[_Cut]], questions: Sequence[Question]
) -> Corpus:
    documents = {key: _document(name, key, texts[key]) for key in cuts}
    spans = {documents[key].id: [span for _, span in some] for key, some in cuts.items()}

    def chunker(document: Document) -> list[Chunk]:
        chunks = chunks_of(document, spans[document.id])
        names = " ".join(dict.fromkeys(name for chunk in chunks for name in chunk.symbols))[:_NAMES]
        return [replace(chunk, context=f"{chunk.context}\n{names}") for chunk in chunks]

    return Corpus(
        name=name,
        documents=list(documents.values()),
        names={
            point_id(documents[key].id, ordinal, "code"): own
            for key, some in cuts.items()
            for ordinal, (own, _) in enumerate(some)
        },
        texts={own: texts[key][start:end] for key, some in cuts.items() for own, (start, end) in some},
        questions=questions,
        limit=_LIMIT,
        chunker=chunker,
    )


def _document(name: str, key: str, body: str) -> Document:
    path = f"{key}{ending_of(body)}"
    context = " > ".join(part for part in (name, _head(body)) if part)
    return Document(
        id=f"git:{name}:{path}",
        source=name,
        kind="code",
        version=fingerprint(body, context),
        title=path,
        text=body,
        context=context,
        url="",
        labels=frozenset({repository(name)}),
        updated=LONG_AGO,
        keys=frozenset({path}),
        repo=name,
        path=path,
    )


def _head(body: str) -> str:
    """A file's first lines on one, behind the comment about its licence."""
    at = 0
    while (comment := _COMMENT.match(body, at)) and _LEGAL.search(comment[0]):
        at = comment.end()
    return " ".join(body[at : at + 10 * _HEAD].split())[:_HEAD].rstrip()
