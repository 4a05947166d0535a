"""Descriptions of changes over code, tests, documentation and commits in one index: `manifest.json`, which names a
source archive and its files, and `commits.jsonl`.
"""

from collections.abc import Iterator
from pathlib import Path

from core.connectors.base import moment
from core.parsing.files import FileReader
from core.types import Document
from evals.retrieval.errors import BadSet
from evals.retrieval.files import Record, by_id, judgements, needed, text, whole
from evals.retrieval.packages import Fetch, contents, requirement_of
from evals.retrieval.tree import Tree, titled
from evals.retrieval.types import Corpus, Question, RetrievalSet

FILES = ("manifest.json", "commits.jsonl")
_LIMIT = 30  # ten documents of three pieces each


def load(folder: Path, fetch: Fetch) -> RetrievalSet:
    """Raises BadSet; its corpus also NoPackage."""
    manifest_path = needed(folder, "manifest.json")
    manifest = whole(manifest_path)
    if not isinstance(manifest.get("files"), dict) or not manifest["files"]:
        raise BadSet(f"{manifest_path} names no files.")
    requirement = requirement_of(text(manifest, "sdist", manifest_path))
    commits_path, questions_path = needed(folder, "commits.jsonl"), needed(folder, "queries.jsonl")
    commits, questions = by_id(commits_path), by_id(questions_path)
    asked = [Question(key, text(record, "text", questions_path)) for key, record in questions.items()]

    def corpora() -> Iterator[Corpus]:
        files = contents(requirement, text(manifest, "sha256", manifest_path), fetch, wanted.__contains__, source=True)
        if missing := wanted - files.keys():
            raise BadSet(f"{requirement} does not hold {min(missing)}, which {manifest_path} names.")
        reader = FileReader()
        tree = Tree(requirement.partition("==")[0], reader)
        documents = tree.files(files)
        reader.close()
        names = {document.id: document.path for document in documents if document.path}
        for key, record in commits.items():
            document = _commit(tree, key, record, commits_path)
            documents.append(document)
            names[document.id] = key
        yield Corpus(folder.name, documents, names, titled(documents, names), asked, _LIMIT)

    wanted = set(manifest["files"])
    return RetrievalSet(
        name=folder.name,
        shape="mixed",
        questions=len(asked),
        relevant=judgements(folder),
        headline=("code-and-doc hit@10", "recall@10 code", "recall@10 doc"),
        corpora=corpora,
    )


def _commit(tree: Tree, key: str, record: Record, path: Path) -> Document:
    about = record.get("metadata")
    known = about if isinstance(about, dict) else {}
    sha = str(known.get("commit", key.partition(":")[2] or key))
    message = f"{text(record, 'title', path, '')}\n\n{text(record, 'text', path)}".strip()
    return tree.commit(sha, message, moment(known.get("date")))
