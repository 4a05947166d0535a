"""Bug reports, and the files of the release before the fix: `tasks.jsonl`, `packages.json`, `history-NAME.jsonl.gz`.

One corpus for each release: the `.py` files of its wheel, tests left out, and the commits that came before it.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path, PurePosixPath

from core.mirror.history import moment
from core.parsing.files import FileReader
from evals.retrieval.errors import BadSet
from evals.retrieval.files import Record, needed, present, records, text, whole, whole_number
from evals.retrieval.packages import Fetch, contents
from evals.retrieval.tree import Tree, titled
from evals.retrieval.types import Corpus, Judgement, Question, Relevant, RetrievalSet

FILES = ("tasks.jsonl", "packages.json")
_FILES = 20  # are looked at
_PER_FILE = 3  # pieces of one file among the results, at most
_TEST = re.compile(r"(?:^|/)tests/|(?:^|/)(?:test_[^/]*|[^/]*_test|conftest)\.py$")
_RECENT = 500  # commits that tell where the package stands in its repository


@dataclass(frozen=True, slots=True)
class _Task:
    id: str
    requirement: str
    text: str
    files: tuple[str, ...]


def load(folder: Path, fetch: Fetch) -> RetrievalSet:
    """Raises BadSet; its corpora also NoPackage."""
    tasks = _tasks(needed(folder, "tasks.jsonl"))
    packages = whole(needed(folder, "packages.json"))
    by_release: dict[str, list[_Task]] = defaultdict(list)
    for task in tasks:
        if not isinstance(packages.get(task.requirement), dict):
            raise BadSet(f"{folder}: {task.id} is about {task.requirement}, which packages.json does not name.")
        by_release[task.requirement].append(task)
    relevant: Relevant = {task.id: dict.fromkeys(task.files, Judgement(1, "")) for task in tasks if task.files}

    def corpora() -> Iterator[Corpus]:
        for requirement, asked in sorted(by_release.items()):
            yield _corpus(folder, requirement, packages[requirement], asked, fetch)

    return RetrievalSet(
        name=folder.name,
        shape="issues",
        questions=len(tasks),
        relevant=relevant,
        headline=("Acc@1", "Acc@3", "Acc@5", "Acc@10"),
        corpora=corpora,
    )


def _tasks(path: Path) -> list[_Task]:
    tasks = []
    for record in records(path):
        requirement = f"{text(record, 'package', path)}=={text(record, 'release', path)}"
        files = record.get("gold_files", [])
        if not isinstance(files, list) or not all(isinstance(file, str) for file in files):
            raise BadSet(f"{path}: `gold_files` of {record.get('instance_id')} is no list of paths.")
        id_, problem = text(record, "instance_id", path), text(record, "problem_statement", path)
        tasks.append(_Task(id_, requirement, problem, tuple(files)))
    if not tasks:
        raise BadSet(f"{path} is empty.")
    return tasks


def _corpus(folder: Path, requirement: str, package: Record, tasks: Sequence[_Task], fetch: Fetch) -> Corpus:
    name = requirement.partition("==")[0]
    packaged = contents(
        requirement, str(package.get("sha256", "")), fetch, lambda path: path.endswith(".py"), source=False
    )
    released = moment(str(package.get("released", 0)))
    history = present(folder, f"history-{name}.jsonl")
    commits = _earlier(history, released) if history else []
    files = _as_in_repository(packaged, [path for commit in commits[:_RECENT] for path in commit.paths])
    files = {path: content for path, content in files.items() if not _TEST.search(path)}
    if not files:
        raise BadSet(f"{requirement} holds no Python file.")
    reader = FileReader()
    tree = Tree(name, reader)
    documents = tree.files(files, released)
    names = {document.id: document.path for document in documents if document.path}
    commits_too = [tree.commit(one.sha, one.message, one.at, one.paths, files) for one in commits]
    reader.close()
    return Corpus(
        name=requirement,
        documents=[*documents, *commits_too],
        names=names,
        texts=titled(documents, names),
        questions=[Question(task.id, task.text) for task in tasks],
        limit=_FILES * _PER_FILE,
        kinds=frozenset({"code"}),
    )


@dataclass(frozen=True, slots=True)
class _Commit:
    sha: str
    at: datetime
    message: str
    paths: tuple[str, ...]


def _earlier(path: Path, released: datetime) -> list[_Commit]:
    """The commits before the release, the newest first."""
    commits = []
    for record in records(path):
        at = datetime.fromtimestamp(whole_number(record, "date", path), UTC)
        if at < released:
            touched = record.get("files")
            paths = tuple(file for file in touched if isinstance(file, str)) if isinstance(touched, list) else ()
            commits.append(_Commit(text(record, "sha", path), at, text(record, "message", path), paths))
    return sorted(commits, key=lambda commit: commit.at, reverse=True)


def _as_in_repository(packaged: Mapping[str, bytes], touched: Sequence[str]) -> dict[str, bytes]:
    """A package's files under their paths in its repository, which may keep them in a folder such as `src`: the one
    that files touched of late stand in.
    """
    above: dict[str, Counter[str]] = defaultdict(Counter)
    for path in touched:
        for folder, tail in _tails(path):
            if tail in packaged:
                above[_top(tail)][folder] += 1
                break
    usual = {top: counts.most_common(1)[0][0] for top, counts in above.items()}
    return {usual.get(_top(path), "") + path: content for path, content in packaged.items()}


def _tails(path: str) -> Iterator[tuple[str, str]]:
    """The path parted at each of its slashes, the whole first."""
    parts = PurePosixPath(path).parts
    for at in range(len(parts)):
        yield "".join(f"{part}/" for part in parts[:at]), "/".join(parts[at:])


def _top(path: str) -> str:
    return path.partition("/")[0]
