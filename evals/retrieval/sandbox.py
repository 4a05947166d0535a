"""The questions of `evals/questions` asked of search alone, over the make-believe company's own index."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from core.store.base import COLLECTIONS, Store
from core.types import Audience, Locator
from crosscheck.generation import Generation
from evals.questions.names import Names
from evals.questions.types import Question
from evals.retrieval import types
from evals.retrieval.baseline import Baseline
from evals.retrieval.run import Outcome, ask
from evals.retrieval.types import Corpus, Judgement, RetrievalSet

_LIMIT = 150  # fifty documents of three pieces each
_SOURCES = {"ticket": "ticket", "page": "doc", "file": "code", "commit": "commit", "qa": "test"}
_HEADLINE = ("recall@10", "MRR", "nDCG@10")

Groups = Mapping[str, Sequence[str]]
"""The groups that each document of a question stands in."""


@dataclass(frozen=True, slots=True)
class Named:
    """What everybody who is employed may read, by what the questions call it."""

    names: Mapping[str, str]
    """By document."""
    texts: Mapping[str, str]
    """A document with all that belongs to it, by name."""


def named(store: Store, readers: Audience, names: Names) -> Named:
    """Reads the whole index."""
    called: dict[str, str] = {}
    texts: dict[str, list[str]] = defaultdict(list)
    for collection in COLLECTIONS:
        for points in store.points(collection):
            for passage in (point.passage for point in points):
                name = names.of(Locator(passage.document_id, passage.title, passage.url))
                called[passage.document_id] = name
                if readers.may_read(passage.labels):
                    texts[name] += [passage.title, passage.text] if passage.ordinal == 0 else [passage.text]
    return Named(called, {name: "\n".join(parts) for name, parts in texts.items()})


def cases(questions: Sequence[Question], part: str) -> dict[str, Question]:
    """The questions of a part that something answers, each as a case: of the held part by number alone."""
    answerable = [one for one in questions if one.part == part and one.answerable]
    return {one.id if part == "open" else f"{part} {at:02}": one for at, one in enumerate(answerable, 1)}


def set_of(asked: Mapping[str, Question], part: str) -> RetrievalSet:
    """What is to be found are the groups of documents that each question wants: of each group any."""
    return RetrievalSet(
        name=f"sandbox questions, {part}",
        shape="sandbox",
        questions=len(asked),
        relevant={
            case: {_group(at): Judgement(1, _source(group)) for at, group in enumerate(one.wanted)}
            for case, one in asked.items()
        },
        headline=_HEADLINE,
        corpora=lambda: iter(()),
    )


def outcome_of(
    asked: Mapping[str, Question],
    generation: Generation,
    known: Named,
    readers: Audience,
    report: Callable[[str], None],
) -> Outcome:
    """What search, each of its arms, and BM25 over whole documents find, each question for its own readers."""
    embedders = generation.embedders
    outcome = Outcome(made_with={"documents by": embedders.documents.name, "code by": embedders.code.name})
    corpus, baseline = Corpus("sandbox", (), known.names, known.texts, (), _LIMIT), Baseline(known.texts)
    for case, one in asked.items():
        report(f"retrieval: {case}")
        own = Audience(readers.labels | one.holds)
        ask(corpus, types.Question(case, one.text), generation.searcher, own, outcome)
        outcome.baseline[case] = baseline.search(one.text, _LIMIT)
    for run in (outcome.run, outcome.baseline, *outcome.arms.values()):
        run |= {case: _in_groups(found, _groups(asked[case])) for case, found in run.items()}
    return outcome


def _groups(question: Question) -> Groups:
    groups: dict[str, list[str]] = defaultdict(list)
    for at, group in enumerate(question.wanted):
        for name in group:
            groups[name].append(_group(at))
    return groups


def _in_groups(found: Iterable[str], groups: Groups) -> list[str]:
    """A group takes the place of the first of its documents that is found; the others of it take none."""
    return list(dict.fromkeys(name for one in found for name in groups.get(one, [one])))


def _group(at: int) -> str:
    return f"group {at + 1}"


def _source(group: frozenset[str]) -> str:
    """Empty where a group's documents are of several."""
    sources = {_SOURCES[name.partition(":")[0]] for name in group}
    return sources.pop() if len(sources) == 1 else ""
