"""The company's questions name what it has; a few of them, and questions of when, who, where and why, in earnest."""

from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from core.types import Locator
from crosscheck.wiring import Program
from evals.harness.types import Counted
from evals.planted.load import company
from evals.planted.setup import audience, playground
from evals.questions.load import FILE, QuestionsError, questions
from evals.questions.measure import answerer, ask_all, by_answerer
from evals.questions.names import Names, commit, file
from evals.questions.reader import Reader
from evals.questions.scores import DEGRADED, DROPPED, MADE_UP, PRECISION, RECALL, SCORERS, by_script, kept, refused
from evals.questions.types import CATEGORIES, Question, Source
from sandbox.records import Company

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
def program(made: Company, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Program]:
    with playground(made, tmp_path_factory.mktemp("asked")) as found:
        yield found


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


def quiet(_line: str) -> None:
    """Nobody watches a test."""


def test_both_parts_have_every_category(asked: tuple[Question, ...]) -> None:
    assert Counter(one.part for one in asked) == {"open": 25, "held": 20}
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
        ('["page:7411"]', '["page:9999"]', "single-lost-property names 'page:9999', which the company does not have"),
        ('facts = [["tracks as Quenlow"]]\n', "", "single-quenlow has not as many facts as groups"),
    ],
)
def test_what_the_company_does_not_have_is_refused(
    made: Company, tmp_path: Path, old: str, new: str, says: str
) -> None:
    text = FILE.read_text("utf-8")
    assert old in text
    (tmp_path / "questions.toml").write_text(text.replace(old, new, 1), "utf-8")
    with pytest.raises(QuestionsError, match=says):
        questions(made, tmp_path / "questions.toml")


def test_documents_are_called_by_what_they_belong_to(made: Company) -> None:
    names = Names(made)
    first = made.tickets[0].key
    assert names.of(Locator("jira:20001:comment:7", "A comment", "")) == f"ticket:{first}"
    assert names.of(Locator("git:shop:src/a.py", "src/a.py", "")) == file("shop", "src/a.py")
    assert names.of(Locator("git:shop@12ab", "Start", "")) == commit("shop", "Start")
    assert names.of(Locator("qa:gate:GT-01", "GT-01 Low battery", "")) == "qa:GT-01"


def test_some_open_questions_in_earnest(made: Company, program: Program, asked: tuple[Question, ...]) -> None:
    """Without a model and with one that invents something each time: cited rightly, or refused."""
    some = {one.id: one for one in asked if one.id in ASKED}
    reader, names, readers = Reader(asked), Names(made), audience(made)

    def name_of(source: Source) -> str:
        return names.of(Locator(source.document, source.title, source.url))

    for answers, scorers in ((answerer(program), SCORERS), (answerer(program, reader), by_script(reader))):
        found = ask_all(some, by_answerer(answers, readers), name_of, quiet, scorers)
        assert found.failures == ()
        for name in (PRECISION, RECALL, refused("restricted"), refused("unanswerable")):
            assert set(found.values[name].values()) == {Counted(1)}, name
        assert not sum(one.part for one in found.values[DEGRADED].values())
    assert found.values[MADE_UP] == {name: Counted(0, 2) for name in found.values[MADE_UP]}
    for name in (kept("unrelated"), kept("mistaken"), DROPPED):
        assert sum(one.whole for one in found.values[name].values()) > 0, name
        assert sum(one.part for one in found.values[name].values()) == 0, name


@pytest.fixture(scope="module")
def said(made: Company, program: Program) -> dict[str, str]:
    """What is quoted to each of the typed questions without a model."""
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
