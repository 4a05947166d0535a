"""Questions over tickets or pages: `corpus.jsonl[.gz]` and `queries.jsonl`, as BEIR has them."""

from collections.abc import Iterator, Mapping
from pathlib import Path, PurePosixPath

from core.connectors.base import fingerprint
from core.parsing.markdown import clean, join, one_line
from core.tickets import KEY
from core.types import Document
from core.visibility import confluence_space, jira_project
from evals.retrieval.files import Record, by_id, judgements, needed, text
from evals.retrieval.tree import LONG_AGO, titled
from evals.retrieval.types import Corpus, Question, RetrievalSet

FILES = ("corpus.jsonl",)
_LIMIT = 150  # fifty documents of three pieces each


def load(folder: Path) -> RetrievalSet:
    """Raises BadSet."""
    path, questions_path = needed(folder, "corpus.jsonl"), needed(folder, "queries.jsonl")
    corpus, questions = by_id(path), by_id(questions_path)
    make = _page if _holds_pages(corpus) else _ticket
    documents = [make(folder.name, key, record, path) for key, record in corpus.items()]
    names = {document.id: key for document, key in zip(documents, corpus, strict=True)}
    of = {key: document_id for document_id, key in names.items()}
    asked = [
        Question(key, text(record, "text", questions_path), frozenset({of[key]}) if key in of else frozenset())
        for key, record in questions.items()
    ]

    def corpora() -> Iterator[Corpus]:
        yield Corpus(folder.name, documents, names, titled(documents, names), asked, _LIMIT)

    return RetrievalSet(
        name=folder.name,
        shape="corpus",
        questions=len(asked),
        relevant=judgements(folder),
        headline=("nDCG@10", "recall@50"),
        corpora=corpora,
    )


def _holds_pages(corpus: Mapping[str, Record]) -> bool:
    """Whether most of these are pages: their ids are paths, or their texts begin with a heading. A set does not say."""
    pages = sum("/" in key or str(record.get("text", "")).lstrip().startswith("# ") for key, record in corpus.items())
    return pages > len(corpus) / 2


def _ticket(name: str, key: str, record: Record, path: Path) -> Document:
    """As Jira's tickets are: called `KEY summary` where the id is a key."""
    summary = one_line(clean(text(record, "title", path, "")))
    number = key if KEY.fullmatch(key) else ""
    project = number.rpartition("-")[0] or name
    title = " ".join(part for part in (number, summary) if part) or key
    body = join([f"# {summary}" if summary else "", clean(text(record, "text", path))])
    return _document(f"jira:{key}", name, "ticket", title, body, f"{project} > {title}", jira_project(project), key)


def _page(name: str, key: str, record: Record, path: Path) -> Document:
    """As Confluence's pages are: below the pages, here folders, that they stand in."""
    title = one_line(clean(text(record, "title", path, ""))) or PurePosixPath(key).stem
    context = " > ".join([name, *PurePosixPath(key).parts[:-1], title])
    body = clean(text(record, "text", path))
    return _document(f"confluence:{key}", name, "page", title, body, context, confluence_space(name), key)


def _document(id_: str, source: str, kind: str, title: str, body: str, context: str, label: str, key: str) -> Document:
    return Document(
        id=id_,
        source=source,
        kind=kind,
        version=fingerprint(title, body, context),
        title=title,
        text=body,
        context=context,
        url="",
        labels=frozenset({label}),
        updated=LONG_AGO,
        keys=frozenset({key, title}),
    )
