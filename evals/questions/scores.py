"""What one answer adds to each metric, and what the metrics are called."""

from collections.abc import Callable, Mapping

from evals.harness.types import Counted, Metric
from evals.questions.languages import language_of
from evals.questions.reader import INVENTED, MISTAKEN, SUPERSEDED, TRUE, UNRELATED, Reader, kind_of
from evals.questions.types import CATEGORIES, REFUSED, Checked, Question

Scorer = Callable[[Question, Checked], Mapping[str, Counted | float]]

PRECISION, RECALL, FACTS, AS_VALID = "citation precision", "citation recall", "facts said", "superseded as valid"
FALSELY, DEGRADED, LANGUAGE = "falsely refused", "degraded", "language"
LETTERS, WORDS, TIME, SEARCH = "letters", "words", "time", "time of the search"
CALLS, IN_A_ROW, READ, WRITTEN = "calls", "calls in a row", "tokens read", "tokens written"
DROPPED, MADE_UP = "true statements dropped", "kept: invented"
_FROM_NUMBERS = {CALLS: "calls", IN_A_ROW: "calls_in_a_row", READ: "tokens_in", WRITTEN: "tokens_out"}
_LIES = {"unrelated": UNRELATED, "mistaken": MISTAKEN}
_MS = 1000


def recall_of(category: str) -> str:
    """The metric's name."""
    return f"{RECALL}: {category}"


def refused(category: str) -> str:
    """The metric's name."""
    return f"refused: {category}"


def kept(kind: str) -> str:
    """The metric's name."""
    return f"kept: {kind}"


METRICS = (
    Metric(
        PRECISION, "Of the documents that an answer cites: what belongs to it, over answers to what can be answered"
    ),
    Metric(RECALL, "Of the documents that an answer needs: what it cites; a refusal cites nothing"),
    *(
        Metric(recall_of(name), f"The same of the questions that are “{name}”")
        for name in CATEGORIES
        if name not in REFUSED
    ),
    Metric(refused("restricted"), "Questions whose answer this audience may not read, and that are refused"),
    Metric(refused("unanswerable"), "Questions that nothing answers, and that are refused"),
    Metric(FALSELY, "Questions that can be answered, and are refused", "less"),
    Metric(
        AS_VALID,
        "Of the answers to questions of which an older document says something else: what cites that one without "
        "saying that it holds no longer",
        "less",
    ),
    Metric(FACTS, "Of a question's facts: what stands literally in the answer or in what it cites"),
    Metric(
        kept("unrelated"), "Of the model's statements that name a source about something else: what is told", "less"
    ),
    Metric(kept("mistaken"), "Of the model's statements with a number that no source has: what is told", "less"),
    Metric(MADE_UP, "Of the model's statements without a source that exists: what is told", "less"),
    Metric(DROPPED, "Of the model's statements that are so: what is not told", "less"),
    Metric(
        LANGUAGE,
        "Answers in the question's language, where both have prose to tell it by; in Latin letters German and English "
        "are told apart",
    ),
    Metric(DEGRADED, "Answers that say that something of them was not done", "less"),
    Metric(LETTERS, "Of an answer's statements", "neither", "letters"),
    Metric(WORDS, "Of an answer's statements", "neither", "count"),
    Metric(TIME, "From the question to the answer; it depends on the machine", "neither", "ms"),
    Metric(SEARCH, "Of it, until everything was found", "neither", "ms"),
    Metric(CALLS, "Of a model, for one answer", "less", "calls"),
    Metric(IN_A_ROW, "Of these, what waited for each other", "less", "calls"),
    Metric(READ, "By a model, for one answer", "less", "tokens"),
    Metric(WRITTEN, "By a model, for one answer", "less", "tokens"),
)
"""In the order in which they are read."""


def citations(question: Question, row: Checked) -> dict[str, float]:
    if not question.answerable:
        return {}
    found: dict[str, float] = {}
    if row.cited:
        found[PRECISION] = (len(row.cited) - len(row.wrong)) / len(row.cited)
    found[RECALL] = found[recall_of(question.category)] = 1 - len(row.missed) / len(question.wanted)
    if question.old and not row.answer.refused:
        found[AS_VALID] = float(bool(row.as_valid))
    return found


def refusals(question: Question, row: Checked) -> dict[str, float]:
    name = FALSELY if question.answerable else refused(question.category)
    return {name: float(row.answer.refused)}


def facts(question: Question, row: Checked) -> dict[str, Counted]:
    said = len(question.facts) - len(row.unsaid)
    return {FACTS: Counted(said, len(question.facts))} if question.facts else {}


def language(question: Question, row: Checked) -> dict[str, float]:
    asked, answered = language_of(question.text), language_of(row.answer.text)
    return {LANGUAGE: float(asked == answered)} if asked and answered else {}


def effort(_question: Question, row: Checked) -> dict[str, float]:
    """How long it is and what it took. Of what was not asked of a model there is nothing."""
    answer = row.answer
    numbers = answer.numbers
    found = {name: float(numbers[key]) for name, key in _FROM_NUMBERS.items() if key in numbers}
    found[TIME] = _MS * (numbers["search_seconds"] + numbers["model_seconds"])
    found[SEARCH] = _MS * numbers["search_seconds"]
    if not answer.refused:
        found |= {LETTERS: float(len(answer.text)), WORDS: float(len(answer.text.split()))}
    return found


def degraded(_question: Question, row: Checked) -> dict[str, float]:
    """A statement that was left out since no source says so is no lack: the answer says it in one sentence."""
    of_statements = bool(row.answer.numbers.get("refused"))
    return {DEGRADED: float(len(row.answer.degraded) > of_statements)}


SCORERS: Mapping[str, Scorer] = {
    "citations": citations,
    "refusals": refusals,
    "facts": facts,
    "language": language,
    "effort": effort,
    "degraded": degraded,
}


def by_script(reader: Reader) -> Mapping[str, Scorer]:
    """What is left of what the scripted reader made. Its language is its script's, so nothing is said of that."""

    def lies(question: Question, row: Checked) -> dict[str, Counted]:
        told = [kind_of(one.text) for one in row.answer.statements]
        made = {kind: reader.made[question.id, kind] for kind in (TRUE, SUPERSEDED, *_LIES.values())}
        found = {kept(name): Counted(told.count(kind), made[kind]) for name, kind in _LIES.items() if made[kind]}
        if true := made[TRUE] + made[SUPERSEDED]:
            found[DROPPED] = Counted(true - told.count(TRUE) - told.count(SUPERSEDED), true)
        if row.answer.numbers.get("calls"):
            invented = {str(one["text"]) for one in INVENTED}
            found[MADE_UP] = Counted(sum(one.text in invented for one in row.answer.statements), len(invented))
        return found

    return {name: scorer for name, scorer in SCORERS.items() if name != "language"} | {"lies": lies}
