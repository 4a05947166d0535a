"""The questions name what the company has; the arithmetic of their scores; a handful of them asked in earnest."""

from collections import Counter
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest

from core.types import Audience, Locator
from evals.planted.load import company
from evals.planted.setup import audience, playground
from evals.questions.load import FILE, QuestionsError, questions
from evals.questions.measure import ask, with_reader
from evals.questions.names import Names, commit, file
from evals.questions.reader import Reader
from evals.questions.score import dropped, judged, mean, scores
from evals.questions.types import CATEGORIES, Count, Judged, Mean, Question
from review.answer import Answered, Reference, Statement
from review.types import Cited
from sandbox.records import Company

NOW = datetime(2026, 11, 2, tzinfo=UTC)
EVERYBODY = Audience(frozenset({"org"}))
ASKED = {
    "single-voucher-validity",
    "cross-failed-sign-ins",
    "key-closed-ticket",
    "superseded-waiting-list",
    "restricted-surcharge",
    "unanswerable-database",
}
"""Of the open part: one of each category."""
TYPED = (
    ("When does the waiting list of a crossing close?", "3 hours before departure"),
    ("Until when is cancelling a booking free?", "before departure"),
    ("Since when is the account security policy in force?", "1 March 2026"),
    ("When was the island discount decided?", "31 August 2026"),
    ("Bis wann muss Hilfe beim Einsteigen angemeldet werden?", "vor der Abfahrt"),
    ("When is no text message sent?", "22:00"),
    ("When is an invoice due?", "within"),
    ("Who may erase a gate tablet from afar?", "security officer"),
    ("Who owns the boarding policy?", "Matteo Rinaldi"),
    ("Who decides on exceptions to check-in?", "The captain decides"),
    ("Who may open a locked tablet?", "lead of the crew"),
    ("Who may correct a name after check-in has closed?", "lead of the shift"),
    ("Who writes to passengers without a phone number?", "Nora"),
    ("Where do bicycles stand on board?", "car deck"),
    ("Where are electric cars charged?", "on land"),
    ("Why is a hold 15 minutes now?", "second factor"),
    ("Why was face recognition at boarding declined?", "no legal ground"),
    ("Wie viele Plätze für Rollstühle hat ein Schiff?", "4 Plätze"),
    ("How much does the second reminder cost?", "5 euros"),
    ("Wer darf ein Tablet löschen?", None),
    ("When was the trial of face recognition held?", None),
    ("Who built the rack for bicycles?", None),
    ("Where is the office of passenger care?", None),
    ("Why does a dog cost 5 euros?", None),
    ("Since when do children below the age of 4 travel free?", None),
    ("Who sells boxes for cats?", None),
    ("Where are horses kept on board?", None),
    ("Why are motorcycles strapped?", None),
    ("Who invented the season pass?", None),
    ("Why is advertising sent by e-mail only?", None),
    ("Where does the master of a ship live?", None),
    ("Who chose the colours of the tablets?", None),
    ("Warum kostet der Versand von Fundsachen 8 Euro?", None),
    ("Wo wird die Begleitperson untergebracht?", None),
)
"""Questions of when, who, where and why, and what stands in their answer; None if nothing in the company answers."""


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Company:
    return company(tmp_path_factory.mktemp("questions") / "company")


@pytest.fixture(scope="module")
def asked(made: Company) -> tuple[Question, ...]:
    return questions(made)


def texts(made: Company) -> Iterator[tuple[str, str]]:
    """What the documents say, by their names."""
    for ticket in made.tickets:
        said = [ticket.summary, ticket.description, *ticket.fields.values(), *(one.text for one in ticket.comments)]
        yield f"ticket:{ticket.key}", "\n".join(said)
    yield from ((f"page:{page.id}", page.versions[-1].text) for page in made.pages)
    for repo in made.repos:
        for one in repo.commits:
            yield from ((file(repo.name, path), text) for path, text in one.files.items() if text is not None)


def plain(text: str) -> str:
    return " ".join(text.casefold().split())


def question(category: str = "single", *wanted: set[str], fine: set[str] | None = None, old: str = "") -> Question:
    groups = tuple(map(frozenset, wanted))
    facts = tuple(("fact",) for _ in groups)
    kept = frozenset({old} if old else ())
    return Question("q", "open", category, "Which?", frozenset(), groups, facts, frozenset(fine or ()), kept)


def answered(*said: tuple[str, list[str]]) -> Answered:
    """Statements, each with the ids of the documents that it cites."""
    documents = list(dict.fromkeys(one for _, cited in said for one in cited))
    references = [
        Reference(n, "page", Cited(Locator(one, "Title", one), frozenset({"org"})), None)
        for n, one in enumerate(documents, 1)
    ]
    statements = [Statement(text, tuple(documents.index(one) + 1 for one in cited)) for text, cited in said]
    return Answered("Which?", tuple(statements), tuple(references), (), (), "nobody", EVERYBODY, NOW)


def test_there_are_forty_of_every_category_in_both_parts(asked: tuple[Question, ...]) -> None:
    assert Counter(one.part for one in asked) == {"open": 20, "held": 20}
    assert {one.category for one in asked if one.part == "open"} == set(CATEGORIES)
    assert {one.category for one in asked if one.part == "held"} == set(CATEGORIES)
    assert len({one.text for one in asked}) == len(asked)


def test_each_fact_stands_in_a_document_that_is_wanted(made: Company, asked: tuple[Question, ...]) -> None:
    said: dict[str, list[str]] = {}
    for name, text in texts(made):
        said.setdefault(name, []).append(plain(text))
    for one in asked:
        for group, wordings in zip(one.wanted, one.facts, strict=True):
            written = " ".join(text for name in group for text in said[name])
            for wording in wordings:
                assert plain(wording) in written, (one.id, wording)


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        ('["page:7411"]', '["page:9999"]', "page:9999"),
        ('category = "single"', 'category = "trivia"', "category"),
        ('id = "single-dog-price"', 'id = "single-vehicle-check-in"', "twice"),
        ('text = "Why was BKG-320 closed?"\n', "", "lacks 'text'"),
        ('facts = [["tracks as Quenlow"]]\n', "", "facts"),
        ('wanted = [["ticket:BKG-320"]]', 'needed = [["ticket:BKG-320"]]', "needed"),
    ],
)
def test_what_is_wrong_with_the_file_is_said(made: Company, tmp_path: Path, old: str, new: str, says: str) -> None:
    text = FILE.read_text("utf-8")
    assert old in text
    (tmp_path / "questions.toml").write_text(text.replace(old, new, 1), "utf-8")
    with pytest.raises(QuestionsError, match=says):
        questions(made, tmp_path / "questions.toml")


def test_precision_and_recall_of_an_answer(made: Company) -> None:
    wanted = question("cross", {"page:1", "page:2"}, {"page:3"}, fine={"page:4"})
    row = judged(wanted, answered(("a", ["confluence:2", "confluence:4"]), ("b", ["confluence:9"])), Names(made))
    assert row.cited == ("page:2", "page:4", "page:9")
    assert row.wrong == ("page:9",)
    assert row.missed == (frozenset({"page:3"}),)
    assert (row.precision, row.recall) == (pytest.approx(2 / 3), 0.5)


def test_an_old_document_is_right_only_where_every_statement_says_that_it_is_old(made: Company) -> None:
    wanted = question("superseded", {"page:1"}, old="page:2")
    said = ("Five.", ["confluence:1"]), ("Superseded: eight.", ["confluence:2"])
    assert judged(wanted, answered(*said), Names(made)).wrong == ()
    assert judged(wanted, answered(*said, ("Eight.", ["confluence:2"])), Names(made)).wrong == ("page:2",)


def test_documents_are_called_by_what_they_belong_to(made: Company) -> None:
    names = Names(made)
    first = made.tickets[0].key
    assert names.of(Locator("jira:20001:comment:7", "A comment", "")) == f"ticket:{first}"
    assert names.of(Locator("git:shop:src/a.py", "src/a.py", "")) == file("shop", "src/a.py")
    assert names.of(Locator("git:shop@12ab", "Start", "")) == commit("shop", "Start")
    assert names.of(Locator("qa:gate:GT-01", "GT-01 Low battery", "")) == "qa:GT-01"


def test_scores_are_means_over_questions() -> None:
    right = Judged(question("single", {"page:1"}), ("page:1",), (), (), ("a",))
    half = Judged(question("key", {"page:1"}), ("page:1", "page:2"), ("page:2",), (), ("a", "b"))
    refused = Judged(question("single", {"page:1"}), (), (), (frozenset({"page:1"}),), ())
    told = Judged(question("restricted"), ("page:1",), ("page:1",), (), ("a",))
    silent = Judged(question("unanswerable"), (), (), (), ())
    found = scores([right, half, refused, told, silent])
    assert (found.precision.value, found.precision.of) == (0.75, 2)
    assert (found.recall.value, found.recall.of) == (pytest.approx(2 / 3), 3)
    assert found.restricted_refused == Count(0, 1)
    assert found.unanswerable_refused == Count(1, 1)
    assert found.falsely_refused == Count(1, 3)
    assert set(found.by_category) == {"single", "key"}


def test_a_mean_has_an_interval_around_it() -> None:
    found = mean([0.0, 1.0, 1.0, 1.0])
    assert found.low < found.value == 0.75 < found.high <= 1.0
    assert mean([1.0, 1.0]) == Mean(1.0, 2, 1.0, 1.0)
    assert mean([]) == Mean(0.0, 0, 0.0, 0.0)


def test_some_open_questions_in_earnest(made: Company, asked: tuple[Question, ...], tmp_path: Path) -> None:
    """Without a model and with one that invents something each time: cited rightly, or refused."""
    some = [one for one in asked if one.id in ASKED]
    reader = Reader(asked)
    with playground(made, tmp_path) as program:
        for answerer in (program.answerer, with_reader(program, reader)):
            rows = list(ask(answerer, some, Names(made), audience(made), lambda _: None))
            found = scores(rows)
            assert (found.precision.value, found.recall.value) == (1.0, 1.0)
            assert found.restricted_refused == found.unanswerable_refused == Count(1, 1)
            assert found.degraded == 0
    lies = dropped(rows, reader.made)
    assert lies.unrelated.of
    assert lies.unrelated.part == lies.unrelated.of
    assert lies.mistaken.of
    assert lies.mistaken.part == lies.mistaken.of
    assert lies.true.of
    assert lies.true.part == 0


@pytest.fixture(scope="module")
def said(made: Company, tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """What is quoted to each of the typed questions without a model."""
    with playground(made, tmp_path_factory.mktemp("typed")) as program:
        answers = [program.answerer.answer(text, audience(made)) for text, _ in TYPED]
    return {answer.question: "\n".join(one.text for one in answer.statements) for answer in answers}


@pytest.mark.parametrize(("text", "holds"), TYPED)
def test_a_question_of_when_who_where_or_why_is_answered_by_its_kind_or_refused(
    said: dict[str, str], text: str, holds: str | None
) -> None:
    if holds is None:
        assert said[text] == ""
    else:
        assert holds in said[text]
